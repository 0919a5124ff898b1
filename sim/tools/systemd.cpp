// systemctl, for the units that stand on what the node has (sim/host/units.hpp). An invented
// "active (running)" would be a symptom that nobody derived: units that every such system has and
// the node has not are refused by name. Wall-clock time is not modelled, so no line says since
// when. Texts and exit statuses: systemd 252.
#include <algorithm>

#include "sim/tools/systemd.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr int not_running = 3;
constexpr int unknown_unit = 4;
constexpr int not_installed = 5;

/// Services of a plain Debian or Ubuntu server, or of what people put on a GPU node.
constexpr std::string_view known_elsewhere =
    " accounts-daemon amdgpu-dkms apparmor apport atd avahi-daemon bluetooth chrony chronyd"
    " cloud-init console-setup containerd cron crond cups dbus display-manager dkms docker"
    " e2scrub_reap fail2ban firewalld fwupd gdm gdm3 grub-common ifupdown-pre irqbalance"
    " iscsid keyboard-setup k3s kdump-tools kubelet lightdm lvm2-monitor ModemManager"
    " multipathd munge networkd-dispatcher networking NetworkManager nfs-server nftables ntp"
    " ntpd ollama openibd opensm plymouth-quit podman polkit power-profiles-daemon rc-local"
    " rdma-ndd rsyslog rtkit-daemon sddm slurmctld slurmd smartd snapd ssh sshd sysstat"
    " thermald tuned udisks2 ufw unattended-upgrades upower vboxadd wpa_supplicant"
    " ";

/// Whether a real system is likely to have it although this node does not.
bool elsewhere(const std::string& unit) {
  const std::size_t dot = unit.rfind('.');
  if (unit.starts_with("systemd-") || unit.find('@') != std::string::npos) return true;
  if (dot != std::string::npos && unit.substr(dot) != ".service") return true;  // targets, timers
  return known_elsewhere.find(" " + unit.substr(0, dot) + " ") != std::string_view::npos;
}

/// What one verb is asked about. `refused`: it has been, with exit status 2.
struct Asked {
  std::string name;
  std::optional<UnitFile> file;
  bool refused = false;
};

Asked look_up(Call& call, const std::string& word) {
  Asked asked{with_suffix(word), call.node.units.file(word)};
  if (!asked.file && elsewhere(asked.name)) {
    call.refuse(fmt::format("unit '{}'", asked.name));
    asked.refused = true;
  }
  return asked;
}

void print_line(Call& call, const UnitLine& line) {
  call.print("[{:5}.{:06}] {} {}: {}\n", line.time_ns / 1'000'000'000,
             line.time_ns / 1'000 % 1'000'000, call.node.os.hostname, line.source, line.text);
}

std::string code_of(const UnitState& state) {
  return fmt::format("(code=exited, status={}/{})", state.exit_status,
                     state.exit_status == 0 ? "SUCCESS" : "FAILURE");
}

void print_status(Call& call, const UnitFile& unit) {
  const UnitState& state = call.node.units.state(unit);
  const std::string_view enabled = call.node.units.enablement(unit);
  const bool failed = state.active == UnitState::Active::failed;
  call.print("{} {} - {}\n",
             failed                                        ? "×"
             : state.active == UnitState::Active::inactive ? "○"
                                                           : "●",
             unit.name, unit.description);
  call.print("     Loaded: loaded ({}; {}{})\n", unit.path, enabled,
             enabled == "static" ? "" : "; preset: enabled");
  call.print("     Active: {} ({})\n", name(state.active),
             failed ? "Result: exit-code" : sub_state(state));
  std::string_view label = "       Docs: ";
  for (const std::string& where : unit.documentation) {
    call.print("{}{}\n", label, where);
    label = "             ";
  }
  if (state.running) {
    const std::string program = unit.program.substr(0, unit.program.find(' '));
    call.print("   Main PID: {} ({})\n", state.main_pid, basename(program));
  } else if (state.main_pid != 0) {
    call.print("    Process: {} ExecStart={} {}\n", state.main_pid, unit.program, code_of(state));
    call.print("   Main PID: {} {}\n", state.main_pid, code_of(state));
  }
  constexpr std::size_t most = 10;
  const std::size_t first = state.lines.size() > most ? state.lines.size() - most : 0;
  if (!state.lines.empty()) call.print("\n");
  for (std::size_t i = first; i < state.lines.size(); ++i) print_line(call, state.lines[i]);
}

using Words = std::vector<std::string>;

int status(Call& call, const Words& units) {
  if (units.empty()) return call.refuse("the state of the whole system");
  int result = 0;
  bool first = true;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    if (!asked.file) {
      call.complain("Unit {} could not be found.\n", asked.name);
      result = unknown_unit;
      continue;
    }
    if (!std::exchange(first, false)) call.print("\n");
    print_status(call, *asked.file);
    const bool active = call.node.units.state(*asked.file).active == UnitState::Active::active;
    if (!active && result == 0) result = not_running;
  }
  return result;
}

/// is-active and is-failed: 0 if one of them is.
int is_state(Call& call, const Words& units, UnitState::Active wanted, int otherwise, bool quiet) {
  int result = otherwise;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    const UnitState state = asked.file ? call.node.units.state(*asked.file) : UnitState{};
    if (!quiet) call.print("{}\n", name(state.active));
    if (state.active == wanted) result = 0;
  }
  return result;
}

int is_enabled(Call& call, const Words& units, bool quiet) {
  bool any = false;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    if (!asked.file) {
      return call.fail(1, "Failed to get unit file state for {}: No such file or directory\n",
                       asked.name);
    }
    const std::string_view state = call.node.units.is_alias(word)
                                       ? std::string_view("alias")
                                       : call.node.units.enablement(*asked.file);
    any = any || state != "disabled";
    if (!quiet) call.print("{}\n", state);
  }
  return any ? 0 : 1;
}

int cat(Call& call, const Words& units) {
  bool first = true;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    if (!asked.file) return call.fail(1, "No files found for {}.\n", asked.name);
    if (!std::exchange(first, false)) call.print("\n");
    call.print("# {}\n{}", asked.file->path, call.node.os.files.text(asked.file->path));
  }
  return 0;
}

/// start, stop, restart: one after the other.
int change(Call& call, const std::string& verb, const Words& units) {
  int result = 0;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    if (!asked.file) {
      result = call.fail(not_installed, "Failed to {} {}: Unit {} not found.\n", verb, asked.name,
                         asked.name);
      continue;
    }
    const UnitFile& unit = *asked.file;
    if (!call.root()) {
      result = call.fail(1,
                         "Failed to {} {}: Interactive authentication required.\n"
                         "See system logs and 'systemctl status {}' for details.\n",
                         verb, unit.name, unit.name);
      continue;
    }
    Units& manager = call.node.units;
    if (!manager.modelled(unit)) {
      return call.refuse(fmt::format("'{}' of {}", unit.program, unit.name));
    }
    const EventId cause = call.command_event();
    // Without it no device gets its owner and mode any more: that is not modelled.
    if (verb == "stop" && manager.state(unit).running)
      return call.refuse(fmt::format("a node without {}", unit.name));
    if (verb != "start") manager.stop(unit, cause);
    if (verb != "stop" && !manager.start(unit, cause)) {
      call.event = manager.state(unit).event;
      result = call.fail(1,
                         "Job for {} failed because the control process exited with error code.\n"
                         "See \"systemctl status {}\" and \"journalctl -xeu {}\" for details.\n",
                         unit.name, unit.name, unit.name);
    }
  }
  return result;
}

constexpr std::string_view nothing_to_install =
    "The unit files have no installation config (WantedBy=, RequiredBy=, Also=,\n"
    "Alias= settings in the [Install] section, and DefaultInstance= for template\n"
    "units). This means they are not meant to be enabled or disabled using systemctl.\n"
    " \n"
    "Possible reasons for having this kind of units are:\n"
    "• A unit may be statically enabled by being symlinked from another unit's\n"
    "  .wants/ or .requires/ directory.\n"
    "• A unit's purpose may be to act as a helper for some other unit which has\n"
    "  a requirement dependency on it.\n"
    "• A unit may be started when needed via activation (socket, path, timer,\n"
    "  D-Bus, udev, scripted systemctl call, ...).\n"
    "• In case of template units, the unit is meant to be enabled with some\n"
    "  instance name specified.\n";

int install(Call& call, const std::string& verb, const Words& units) {
  FileTree& files = call.node.os.files;
  for (const std::string& word : units) {
    const Asked asked = look_up(call, word);
    if (asked.refused) return 2;
    if (!call.root())
      return call.fail(1, "Failed to {} unit: Interactive authentication required.\n", verb);
    if (!asked.file) {
      return call.fail(1, "Failed to {} unit: Unit file {} does not exist.\n", verb, asked.name);
    }
    if (asked.file->wanted_by.empty()) {
      call.complain("{}", nothing_to_install);
      continue;
    }
    const EventId cause = call.command_event();
    for (const std::string& target : asked.file->wanted_by) {
      const std::string link =
          fmt::format("/etc/systemd/system/{}.wants/{}", target, asked.file->name);
      const bool there = files.lstat(link).has_value();
      if (verb == "enable" && !there) {
        files.symlink(link, asked.file->path, cause);
        call.complain("Created symlink {} → {}.\n", link, asked.file->path);
      } else if (verb == "disable" && there) {
        files.remove(link, cause);
        call.complain("Removed \"{}\".\n", link);
      }
    }
  }
  return 0;
}

int reboot(Call& call) {
  CommandResult result = run_words(call.node, {"reboot"}, call.spec, {});
  call.err = std::move(result.err);
  call.event = result.event;
  return result.exit_code;
}

int run_systemctl(Call& call) {
  const auto options = parse(call, {{"--no-pager"},
                                    {"-q"},
                                    {"--quiet", false, "-q"},
                                    {"--failed"},
                                    {"-a"},
                                    {"--all", false, "-a"},
                                    {"-l"},
                                    {"--full", false, "-l"},
                                    {"--no-legend"},
                                    {"--plain"},
                                    {"--state", true},
                                    {"-t", true},
                                    {"--type", true, "-t"}});
  if (!options) return 2;
  Words units = options->operands;
  const std::string verb = units.empty() ? "list-units" : units.front();
  if (!units.empty()) units.erase(units.begin());
  const bool quiet = options->has("-q");
  if (options->value_or("-t", "service") != "service")
    return call.refuse(fmt::format("units of type '{}'", *options->value("-t")));
  if (verb == "list-units" || verb == "list-unit-files") {
    const UnitListing how{.patterns = std::move(units),
                          .states = split_states(options->value_or("--state", "")),
                          .failed = options->has("--failed"),
                          .all = options->has("-a"),
                          .legend = !options->has("--no-legend") && !options->has("-q")};
    return verb == "list-units" ? list_units(call, how) : list_unit_files(call, how);
  }
  if (verb == "reboot" && units.empty()) return reboot(call);
  if (verb == "daemon-reload" && units.empty()) {  // unit files are read whenever one is asked for
    if (call.root()) return 0;
    return call.fail(1, "Failed to reload daemon: Interactive authentication required.\n");
  }
  if (verb == "status") return status(call, units);
  static constexpr std::string_view with_units[] = {"is-active", "is-failed", "is-enabled",
                                                    "cat",       "start",     "stop",
                                                    "restart",   "enable",    "disable"};
  if (std::ranges::find(with_units, verb) == std::end(with_units))
    return call.refuse(fmt::format("'{}'", verb));
  if (units.empty()) return call.fail(1, "Too few arguments.\n");
  if (verb == "is-active")
    return is_state(call, units, UnitState::Active::active, not_running, quiet);
  if (verb == "is-failed") return is_state(call, units, UnitState::Active::failed, 1, quiet);
  if (verb == "is-enabled") return is_enabled(call, units, quiet);
  if (verb == "cat") return cat(call, units);
  if (verb == "enable" || verb == "disable") return install(call, verb, units);
  return change(call, verb, units);
}

constexpr Tool table[] = {
    {{"systemctl",
      "systemctl [--failed] [-a] [-q] [status|is-active|is-failed|is-enabled|cat|start|stop|restart|"
      "enable|disable UNIT... | list-units|list-unit-files [PATTERN...] | daemon-reload | reboot]",
      "Units that stand on the node's state: module loading and udev.", true, true},
     run_systemctl},
};

}  // namespace

std::span<const Tool> systemd_tools() { return table; }

}  // namespace rocdrill::sim::tools
