// The service manager, as far as units stand on state that the node has: what their programs did at
// boot or when somebody started them, and what became of it. A unit whose program is not modelled
// is not run, and that is said.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/os.hpp"

namespace rocdrill::sim {

/// What is read of a unit file.
struct UnitFile {
  std::string name;  ///< "systemd-udevd.service", whatever alias it was asked by
  std::string path;
  std::string description;
  std::vector<std::string> documentation;
  std::string program;   ///< ExecStart= without its prefix characters
  bool remains = false;  ///< RemainAfterExit=
  std::vector<std::string> wanted_by;
};

/// A line of the journal.
struct UnitLine {
  std::uint64_t time_ns = 0;  ///< since this boot
  int level = 6;              ///< as in syslog
  std::string source;         ///< "systemd[1]"
  std::string text;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("time_ns", time_ns);
    archive("level", level);
    archive("source", source);
    archive("text", text);
  }
};

struct UnitState {
  enum class Active : std::uint8_t { inactive, active, failed };
  Active active = Active::inactive;
  int main_pid = 0;  ///< of the last run in this boot; 0: there was none
  bool running = false;
  int exit_status = 0;
  EventId event = no_event;     ///< behind a failure
  std::vector<UnitLine> lines;  ///< of this boot

  template <class Archive>
  void serialize(Archive& archive) {
    archive("active", active);
    archive("main_pid", main_pid);
    archive("running", running);
    archive("exit_status", exit_status);
    archive("event", event);
    archive("lines", lines);
  }
};
std::string_view name(UnitState::Active active);

/// What a unit's program did.
struct UnitRun {
  int exit_status = 0;
  bool stays = false;                                ///< it goes on running: a daemon
  std::vector<std::pair<int, std::string>> lines{};  ///< level and text
  EventId event = no_event;                          ///< behind a failure
};

class Units {
 public:
  using Program = std::function<UnitRun(EventId cause)>;

  explicit Units(Os& os) : os_(os) {}

  /// What a unit with this ExecStart= does.
  void set_program(std::string exec_start, Program program) {
    programs_[std::move(exec_start)] = std::move(program);
  }

  /// By name or alias, with or without ".service".
  std::optional<UnitFile> file(std::string_view name) const;
  /// Of all unit files, without aliases.
  std::vector<std::string> names() const;
  bool is_alias(std::string_view name) const;
  bool modelled(const UnitFile& file) const { return programs_.contains(file.program); }
  const UnitState& state(const UnitFile& file) const;
  /// "static", "enabled" or "disabled".
  std::string_view enablement(const UnitFile& file) const;

  /// What runs before anybody can log in: the unit files that belong to it, in this order. Then the
  /// enabled ones, which are not modelled.
  void boot(const std::vector<std::string>& order, EventId cause);
  /// Of a modelled unit: false if it has failed.
  bool start(const UnitFile& file, EventId cause);
  void stop(const UnitFile& file, EventId cause);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("states", states_);
    archive("next_pid", next_pid_);
  }

 private:
  std::string find(std::string_view name) const;
  void say(UnitState& state, int level, std::string source, std::string text);

  Os& os_;
  std::map<std::string, Program> programs_;
  std::map<std::string, UnitState, std::less<>> states_;
  int next_pid_ = first_pid;
  static constexpr int first_pid = 300;  // of what systemd starts early
};

}  // namespace rocdrill::sim
