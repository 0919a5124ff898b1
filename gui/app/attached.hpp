// The history of a running node, as its server tells it: asked for twice a second by a thread.
// While it lives, programs on the node tell of the packets of their queues, too.
#pragma once

#include <atomic>
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
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  const std::string& session() const { return session_; }
  /// Of a node that is a drill's: its ticket; else empty.
  struct Ticket {
    std::string id, title, text;
  };
  const Ticket& ticket() const { return ticket_; }
  /// "mi300x-8"
  const std::string& node() const { return node_; }

  /// The history with the events that have come since; true if there were any. After an undo it is
  /// shorter: then `restarted` is set.
  bool poll(Timeline& timeline, bool& restarted);
  /// Moves on whenever the node is not as it was.
  std::size_t generation() const { return generation_; }
  /// Why there are no more events, "" while the node answers.
  std::string problem() const;

 private:
  void ask();
  void ask_who();
  void watch_packets();
  void work(const std::stop_token& stop);

  std::string session_;
  Ticket ticket_;
  std::string node_;
  int packets_ = -1;  ///< a connection: while it is open, packets are told
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string lines_;  ///< of the whole history; the thread's
  std::size_t events_ = 0;
  std::uint64_t held_ = 0;
  std::atomic<std::size_t> generation_ = 0;
  Timeline timeline_;
  bool news_ = false;
  bool restarted_ = false;
  std::string problem_;
  std::jthread thread_;
};

}  // namespace rocdrill::gui
