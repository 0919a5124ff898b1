// systemctl list-units and list-unit-files. Formats: systemd 252.
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "sim/tools/systemd.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view directories[] = {"/etc/systemd/system", "/lib/systemd/system",
                                            "/usr/lib/systemd/system"};

bool matches(const UnitListing& how, const std::string& unit) {
  return how.patterns.empty() || std::ranges::any_of(how.patterns, [&](const std::string& pattern) {
           const bool glob = pattern.find_first_of("*?[") != std::string::npos;
           const std::string wanted = glob ? pattern : with_suffix(pattern);
           return ::fnmatch(wanted.c_str(), unit.c_str(), 0) == 0;
         });
}

bool wanted(const UnitListing& how, std::initializer_list<std::string_view> states) {
  return how.states.empty() || std::ranges::any_of(states, [&](std::string_view state) {
           return std::ranges::find(how.states, state) != how.states.end();
         });
}

/// Unit files with their aliases.
std::set<std::string> file_names(const Call& call) {
  std::set<std::string> names;
  for (const std::string_view directory : directories) {
    const auto list = call.node.os.files.list(directory);
    if (!list) continue;
    for (const std::string& name : *list) {
      if (name.ends_with(".service") && call.node.units.file(name)) names.insert(name);
    }
  }
  return names;
}

void say_what_is_left_out(Call& call) {
  call.complain("rocdrill: other units of such a system are not modelled and not listed\n");
}

}  // namespace

std::string_view sub_state(const UnitState& state) {
  switch (state.active) {
    case UnitState::Active::active:
      return state.running ? "running" : "exited";
    case UnitState::Active::failed:
      return "failed";
    case UnitState::Active::inactive:
      break;
  }
  return "dead";
}

std::vector<std::string> split_states(const std::string& list) {
  std::string spaced = list;
  std::ranges::replace(spaced, ',', ' ');
  return words_of(spaced);
}

int list_units(Call& call, const UnitListing& how) {
  struct Row {
    std::string mark, unit, active, sub, description;
  };
  std::vector<Row> rows;
  std::size_t unit_width = 4;
  std::size_t active_width = 6;
  std::size_t sub_width = 3;
  for (const std::string& name_of : call.node.units.names()) {
    const UnitFile unit = *call.node.units.file(name_of);
    const UnitState& state = call.node.units.state(unit);
    const bool failed = state.active == UnitState::Active::failed;
    const std::string active(name(state.active));
    if (how.failed && !failed) continue;
    if (!how.all && how.states.empty() && state.active == UnitState::Active::inactive) continue;
    if (!matches(how, unit.name) || !wanted(how, {"loaded", active, sub_state(state)})) continue;
    rows.push_back(
        {failed ? "● " : "  ", unit.name, active, std::string(sub_state(state)), unit.description});
    unit_width = std::max(unit_width, unit.name.size());
    active_width = std::max(active_width, active.size());
    sub_width = std::max(sub_width, rows.back().sub.size());
  }
  const auto line = [&](const Row& row, std::string_view load) {
    call.print("{}{:{}} {:6} {:{}} {:{}} {}\n", row.mark, row.unit, unit_width, load, row.active,
               active_width, row.sub, sub_width, row.description);
  };
  if (how.legend) {
    if (rows.empty()) {
      call.print("  UNIT LOAD ACTIVE SUB DESCRIPTION\n");
    } else {
      line({"  ", "UNIT", "ACTIVE", "SUB", "DESCRIPTION"}, "LOAD");
    }
  }
  for (const Row& row : rows) line(row, "loaded");
  if (how.legend) {
    if (!rows.empty()) {
      call.print(
          "\nLOAD   = Reflects whether the unit definition was properly loaded.\n"
          "ACTIVE = The high-level unit activation state, i.e. generalization of SUB.\n"
          "SUB    = The low-level unit activation state, values depend on unit type.\n");
    }
    call.print("{} loaded units listed.", rows.size());
    if (how.failed) {
      call.print("\n");
    } else {
      call.print("{}\nTo show all installed unit files use 'systemctl list-unit-files'.\n",
                 how.all ? "" : " Pass --all to see loaded but inactive units, too.");
    }
  }
  say_what_is_left_out(call);
  return 0;
}

int list_unit_files(Call& call, const UnitListing& how) {
  struct Row {
    std::string file;
    std::string_view state;
    std::string_view preset;  ///< Debian's: everything that can be enabled
  };
  std::vector<Row> rows;
  std::size_t file_width = std::string_view("UNIT FILE").size();
  std::size_t state_width = std::string_view("STATE").size();
  for (const std::string& name : file_names(call)) {
    const std::string_view state = call.node.units.is_alias(name)
                                       ? std::string_view("alias")
                                       : call.node.units.enablement(*call.node.units.file(name));
    if (!matches(how, name) || !wanted(how, {state})) continue;
    const bool can_be_enabled = state == "enabled" || state == "disabled";
    rows.push_back({name, state, can_be_enabled ? "enabled" : "-"});
    file_width = std::max(file_width, name.size());
    state_width = std::max(state_width, state.size());
  }
  const auto line = [&](std::string_view file, std::string_view state, std::string_view preset) {
    call.print("{:{}} {:{}} {}\n", file, file_width, state, state_width, preset);
  };
  if (how.legend) line("UNIT FILE", "STATE", "PRESET");
  for (const Row& row : rows) line(row.file, row.state, row.preset);
  if (how.legend) call.print("\n{} unit files listed.\n", rows.size());
  say_what_is_left_out(call);
  return 0;
}

}  // namespace rocdrill::sim::tools
