// Slow questions to a node (commands, checks, versions, waves), answered by a thread of their own
// so that the window goes on; answers are kept.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>

#include "gui/app/node_source.hpp"
#include "gui/model/wave_trace.hpp"

namespace rocdrill::gui {

class Background {
 public:
  /// nullptr for a timeline without a node: then nothing is ever answered.
  explicit Background(std::unique_ptr<NodeSource> node);
  ~Background();

  bool has_node() const { return node_ != nullptr; }
  bool present_only() const { return node_ && node_->present_only(); }

  /// An answer, or nullptr while it is being worked on; of a node that runs the last one until the
  /// next is there. Valid until the next call.
  const std::optional<scenarios::Evidence>* look(EventId now, const std::string& command,
                                                 EventId about);
  const std::vector<checks::Result>* check(EventId now);
  const scenarios::Versions* versions(EventId now);
  const scenarios::Topology* topology(EventId now);
  /// One wave of a kernel; `wave` empty: the one that fails.
  const WaveTrace* wave(const KernelDispatchSeen& dispatch, std::optional<std::uint32_t> wave);
  /// Until everything that was asked has been answered.
  void wait();

 private:
  template <class Answer>
  struct Slot {
    std::optional<Answer> answer;
  };
  /// By the node's state, then by what was asked.
  template <class What, class Answer>
  using Answers = std::map<What, std::map<std::size_t, Slot<Answer>>>;

  /// The answer in that state; orders the work if nobody has asked yet.
  template <class What, class Answer>
  const Answer* ask(Answers<What, Answer>& answers, const What& what, std::size_t state,
                    std::function<Answer()> work);
  void work(const std::stop_token& stop);

  std::unique_ptr<NodeSource> node_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  struct Whole {  ///< nothing more to say
    auto operator<=>(const Whole&) const = default;
  };
  Answers<std::pair<std::string, EventId>, std::optional<scenarios::Evidence>> looks_;
  Answers<Whole, std::vector<checks::Result>> checks_;
  Answers<Whole, scenarios::Versions> versions_;
  Answers<Whole, scenarios::Topology> topologies_;
  Answers<std::pair<EventId, std::int64_t>, WaveTrace> waves_;
  std::jthread thread_;
};

}  // namespace rocdrill::gui
