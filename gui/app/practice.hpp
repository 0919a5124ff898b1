// A drill in practice: `rocdrill shell` in a terminal, and what is asked of the node's server
// beside it (events, checks, hints, undo). Questions are answered by a thread; the window goes on.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "gui/app/terminal.hpp"
#include "gui/model/brief_view.hpp"
#include "gui/model/story.hpp"

namespace rocdrill::gui {

struct PracticeRequest {
  std::string rocdrill;  ///< the command
  std::string drill;
  std::uint64_t seed = 1;
  std::string data;  ///< folder with drills/
};

class Practice {
 public:
  /// Starts the shell; its node needs a moment.
  Practice(PracticeRequest request, int columns, int rows);
  ~Practice();

  Terminal& terminal() { return terminal_; }
  /// The node's history so far; grows in poll().
  const Story& story() const { return *story_; }
  const Progress& progress() const { return progress_; }
  const std::vector<checks::Result>* check_results() const { return checked_ ? &checks_ : nullptr; }
  /// What the last request said: a key of the strings ("" for the node's own words), and what the
  /// node said.
  struct Message {
    std::string key;
    std::string text;
  };
  const Message& message() const { return message_; }
  bool busy() const { return busy_; }

  /// Takes the terminal's output and the answers that have come. Once per frame.
  void poll();

  void check();
  void hint();
  void undo();
  void answer(scenarios::DrillTask::Kind task, const std::string& choice);

  /// The node has told its history and the shell has been silent for a moment.
  bool ready() const;
  /// Until nothing is asked any more, for tests and pictures.
  void settle();

 private:
  struct Reply {
    std::string op;
    std::string text;     ///< JSON
    std::string problem;  ///< why there is none
  };
  void ask(std::string op, std::string message);
  void work(const std::stop_token& stop);
  void take(const Reply& reply);

  PracticeRequest request_;
  std::string name_;     ///< of the session
  std::string session_;  ///< its folder
  Terminal terminal_;
  Timeline timeline_;
  std::unique_ptr<Story> story_;
  std::string lines_;
  std::size_t events_ = 0;
  Progress progress_;
  std::vector<checks::Result> checks_;
  bool checked_ = false;
  Message message_;
  std::chrono::steady_clock::time_point next_log_;
  std::chrono::steady_clock::time_point last_output_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<std::string, std::string>> questions_;
  std::deque<Reply> replies_;
  std::atomic<bool> busy_ = false;
  bool log_asked_ = false;
  std::jthread thread_;
};

}  // namespace rocdrill::gui
