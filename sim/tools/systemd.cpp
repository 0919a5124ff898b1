// systemctl, as far as the node has what it asks about: power, and the units that are always there.
// Texts: systemd 252. Services are not modelled: starting or stopping one is refused by name.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

struct Unit {
  std::string_view name;
  std::string_view description;
};
/// What runs on every node of the model, and reacts to nothing.
constexpr Unit units[] = {
    {"dbus.service", "D-Bus System Message Bus"},
    {"ssh.service", "OpenBSD Secure Shell server"},
    {"systemd-journald.service", "Journal Service"},
    {"systemd-udevd.service", "Rule-based Manager for Device Events and Files"},
};

const Unit* find_unit(std::string name) {
  if (name.find('.') == std::string::npos) name += ".service";
  const auto at = std::ranges::find(units, name, &Unit::name);
  return at == std::end(units) ? nullptr : &*at;
}

int show_status(Call& call, const std::vector<std::string>& names) {
  int code = 0;
  for (const std::string& name : names) {
    const Unit* unit = find_unit(name);
    if (!unit) {
      const std::string whole = name.find('.') == std::string::npos ? name + ".service" : name;
      code = call.fail(4, "Unit {} could not be found.\n", whole);
      continue;
    }
    call.print(
        "● {} - {}\n     Loaded: loaded (/lib/systemd/system/{}; enabled; preset: enabled)\n"
        "     Active: active (running)\n",
        unit->name, unit->description, unit->name);
  }
  return code;
}

int show_active(Call& call, const std::vector<std::string>& names) {
  int code = 3;
  for (const std::string& name : names) {
    const bool active = find_unit(name) != nullptr;
    call.print("{}\n", active ? "active" : "inactive");
    if (active) code = 0;
  }
  return code;
}

void list_units(Call& call, bool failed) {
  call.print("  {:<28} LOAD   ACTIVE SUB     DESCRIPTION\n", "UNIT");
  const std::size_t count = failed ? 0 : std::size(units);
  for (std::size_t i = 0; i < count; ++i)
    call.print("  {:<28} loaded active running {}\n", units[i].name, units[i].description);
  call.print("\n{} loaded units listed.\n", count);
}

int run_systemctl(Call& call) {
  const auto options = parse(call, {{"--failed"},
                                    {"--no-pager"},
                                    {"--type", true},
                                    {"-t", true, "--type"},
                                    {"--state", true},
                                    {"-q"},
                                    {"--quiet", false, "-q"},
                                    {"--now"},
                                    {"-l"},
                                    {"--full", false, "-l"}});
  if (!options) return 2;
  const auto& words = options->operands;
  const std::string verb = words.empty() ? "list-units" : words.front();
  const std::vector<std::string> names(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (verb == "reboot") {
    CommandResult result = run_words(call.node, {"reboot"}, call.spec, {});
    call.err = std::move(result.err);
    call.event = result.event;
    return result.exit_code;
  }
  if (verb == "list-units") {
    list_units(call, options->has("--failed") || options->value_or("--state", "") == "failed");
    return 0;
  }
  if (verb == "is-system-running") {
    call.print("running\n");
    return 0;
  }
  if (verb == "daemon-reload") return call.root() ? 0 : call.fail(1, "Access denied\n");
  if (verb == "status" && !names.empty()) return show_status(call, names);
  if (verb == "is-active" && !names.empty()) return show_active(call, names);
  return call.refuse(fmt::format("'{}'", verb));
}

constexpr Tool table[] = {
    {{"systemctl", "systemctl [reboot | status UNIT | is-active UNIT | list-units [--failed]]",
      "Shows units, reboots; services are not modelled.", true, true},
     run_systemctl},
};

}  // namespace

std::span<const Tool> systemd_tools() { return table; }

}  // namespace rocdrill::sim::tools
