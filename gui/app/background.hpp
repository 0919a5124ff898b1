// Slow questions to a copy of a node (commands, checks, versions), answered by a thread of their
// own so that the window goes on; answers are kept.
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

#include "gui/model/wave_trace.hpp"
#include "scenarios/engine/recording.hpp"

namespace rocdrill::gui {

class Background {
 public:
  /// Needs no recording for a timeline without a node: then nothing is ever answered.
  explicit Background(const scenarios::Recording* recording);
  ~Background();

  /// An answer, or nullptr while it is being worked on. Pointers stay valid.
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
  /// The slot of a key; orders the work if it is new.
  template <class Key, class Answer>
  const Answer* ask(std::map<Key, Slot<Answer>>& answers, const Key& key,
                    std::function<Answer()> work);
  void work(const std::stop_token& stop);

  const scenarios::Recording* recording_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  std::map<std::tuple<std::size_t, std::string, EventId>, Slot<std::optional<scenarios::Evidence>>>
      looks_;
  std::map<std::size_t, Slot<std::vector<checks::Result>>> checks_;
  std::map<std::size_t, Slot<scenarios::Versions>> versions_;
  std::map<std::size_t, Slot<scenarios::Topology>> topologies_;
  std::map<std::pair<EventId, std::int64_t>, Slot<WaveTrace>> waves_;
  std::jthread thread_;
};

}  // namespace rocdrill::gui
