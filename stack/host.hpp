// The machine below the stack: its files, people, commands and processes.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stack/process.hpp"

namespace rocdrill {

/// What a command printed and how it ended. `event` is the event behind a failure.
struct CommandResult {
  int exit_code = 0;
  std::string out;  ///< standard output
  std::string err;  ///< standard error
  EventId event = no_event;
  /// False when the command does not exist on this machine (exit_code 127).
  bool found = true;
  /// It does not end by itself: it waits for what never comes. exit_code is that of timeout(1).
  bool waits_for_ever = false;
};

/// Why the job cannot be started, in the words of who would start it.
struct StartFailure {
  std::string text;
  std::string next;  ///< the command to run next
  EventId event = no_event;
};

class Host {
 public:
  virtual ~Host() = default;

  virtual std::string hostname() = 0;
  virtual std::string kernel_release() = 0;  ///< uname -r

  /// Starts a process with this identity, environment and view.
  virtual std::unique_ptr<Process> spawn(const ProcessSpec& spec) = 0;
  /// A process of the person who works on the node (the drill's user; on a real machine: us).
  virtual ProcessSpec session() = 0;

  /// Runs a command (argv, no shell) as `spec` says and collects its output.
  virtual CommandResult run(const std::vector<std::string>& argv, const ProcessSpec& spec) = 0;

  /// A process of the job that is deployed on the node: in its container, where it runs in one.
  virtual std::expected<ProcessSpec, StartFailure> job() { return session(); }
};

}  // namespace rocdrill
