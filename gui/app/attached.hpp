// The history of a running node, as its server tells it: asked for twice a second by a thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "stack/timeline.hpp"

namespace rocdrill::gui {

class Attached {
 public:
  /// `session`: the folder of the node. Asks once before it returns; throws std::runtime_error if
  /// the node does not answer.
  explicit Attached(std::string session);
  ~Attached();

  /// The events that have come since, added to `timeline`; true if there were any. After an undo
  /// the history is shorter: then it is replaced as a whole, and `restarted` is set.
  bool poll(Timeline& timeline, bool& restarted);
  /// Why there are no more events, "" while the node answers.
  std::string problem() const;

 private:
  void ask();
  void work(const std::stop_token& stop);

  std::string session_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string lines_;  ///< of the whole history
  std::size_t events_ = 0;
  bool news_ = false;
  bool restarted_ = false;
  std::string problem_;
  std::jthread thread_;
};

}  // namespace rocdrill::gui
