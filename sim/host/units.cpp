// Texts and formats: systemd 252 (Debian 12).
#include "sim/host/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rocdrill::sim {
namespace {

constexpr std::string_view etc = "/etc/systemd/system";
constexpr std::string_view directories[] = {etc, "/lib/systemd/system", "/usr/lib/systemd/system"};
constexpr std::string_view wants = ".wants";

/// The words of a value that may name several things.
void append_words(std::vector<std::string>& list, const std::string& value) {
  for (std::string& word : words_of(value)) list.push_back(std::move(word));
}

void read_line(const std::string& key, const std::string& value, UnitFile& unit) {
  if (key == "Description") unit.description = value;
  if (key == "Documentation") append_words(unit.documentation, value);
  if (key == "RemainAfterExit") unit.remains = value == "yes" || value == "true" || value == "1";
  if (key == "WantedBy") append_words(unit.wanted_by, value);
  if (key == "ExecStart" && unit.program.empty())
    unit.program = value.substr(std::min(value.find_first_not_of("@-:+!"), value.size()));
}

}  // namespace

std::string_view name(UnitState::Active active) {
  switch (active) {
    case UnitState::Active::inactive:
      return "inactive";
    case UnitState::Active::active:
      return "active";
    case UnitState::Active::failed:
      return "failed";
  }
  return "?";
}

/// The file's path, symlinks followed; "" if there is none.
std::string Units::find(std::string_view name) const {
  std::string wanted(name);
  if (wanted.find('.') == std::string::npos) wanted += ".service";
  for (const std::string_view directory : directories) {
    const std::string path = std::string(directory) + "/" + wanted;
    if (os_.files.exists(path)) return os_.files.resolve(path).value_or(path);
  }
  return {};
}

std::optional<UnitFile> Units::file(std::string_view name) const {
  const std::string path = find(name);
  if (path.empty()) return std::nullopt;
  UnitFile unit;
  unit.path = path;
  unit.name = basename(path);
  for (const std::string& line : lines_of(os_.files.text(path))) {
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || line[0] == ';' || equals == std::string::npos) continue;
    read_line(line.substr(0, equals), line.substr(equals + 1), unit);
  }
  if (unit.description.empty()) unit.description = unit.name;
  return unit;
}

bool Units::is_alias(std::string_view name) const {
  const std::string path = find(name);
  std::string asked(name);
  if (asked.find('.') == std::string::npos) asked += ".service";
  return !path.empty() && basename(path) != asked;
}

std::vector<std::string> Units::names() const {
  std::set<std::string> found;
  for (const std::string_view directory : directories) {
    const auto list = os_.files.list(directory);
    if (!list) continue;
    for (const std::string& name : *list) {
      if (name.ends_with(".service") && !is_alias(name)) found.insert(name);
    }
  }
  return {found.begin(), found.end()};
}

const UnitState& Units::state(const UnitFile& file) const {
  static const UnitState never{};
  const auto at = states_.find(file.name);
  return at == states_.end() ? never : at->second;
}

std::string_view Units::enablement(const UnitFile& file) const {
  if (file.wanted_by.empty()) return "static";
  for (const std::string& target : file.wanted_by) {
    const std::string link = std::string(etc) + "/" + target + std::string(wants) + "/" + file.name;
    if (os_.files.lstat(link)) return "enabled";
  }
  return "disabled";
}

void Units::say(UnitState& state, int level, std::string source, std::string text) {
  state.lines.push_back(
      {os_.clock.now() - os_.booted_at_ns, level, std::move(source), std::move(text)});
}

bool Units::start(const UnitFile& file, EventId cause) {
  UnitState& state = states_[file.name];
  if (state.active == UnitState::Active::active) return true;
  const std::string title = file.name + " - " + file.description;
  say(state, 6, "systemd[1]", "Starting " + title + "...");
  const UnitRun run = programs_.at(file.program)(cause);
  state.main_pid = next_pid_++;
  const std::string source =
      fmt::format("{}[{}]", basename(words_of(file.program).front()), state.main_pid);
  for (const auto& [level, text] : run.lines) say(state, level, source, text);
  state.exit_status = run.exit_status;
  state.running = run.stays && run.exit_status == 0;
  state.event = no_event;
  if (run.exit_status == 0) {
    state.active =
        run.stays || file.remains ? UnitState::Active::active : UnitState::Active::inactive;
    say(state, 6, "systemd[1]", (run.stays ? "Started " : "Finished ") + title + ".");
    return true;
  }
  state.active = UnitState::Active::failed;
  say(state, 5, "systemd[1]",
      fmt::format("{}: Main process exited, code=exited, status={}/FAILURE", file.name,
                  run.exit_status));
  say(state, 4, "systemd[1]", file.name + ": Failed with result 'exit-code'.");
  say(state, 3, "systemd[1]", "Failed to start " + title + ".");
  const std::string status = fmt::format("{}/FAILURE", run.exit_status);
  state.event = os_.journal.record(Layer::host, Severity::error, "unit.failed", file.name,
                                   {{field::asked, std::string_view(file.program)},
                                    {field::status, std::string_view(status)},
                                    {field::see, "systemctl status"}},
                                   run.event != no_event ? run.event : cause);
  return false;
}

void Units::stop(const UnitFile& file, EventId) {
  UnitState& state = states_[file.name];
  if (state.active != UnitState::Active::active) return;
  const std::string title = file.name + " - " + file.description;
  state.active = UnitState::Active::inactive;
  state.running = false;
  say(state, 6, "systemd[1]", file.name + ": Deactivated successfully.");
  say(state, 6, "systemd[1]", "Stopped " + title + ".");
}

void Units::boot(const std::vector<std::string>& order, EventId cause) {
  states_.clear();
  next_pid_ = first_pid;
  for (const std::string& name : order) {
    const auto unit = file(name);
    if (unit && modelled(*unit)) start(*unit, cause);
  }
  for (const std::string& name : names()) {
    const auto unit = file(name);
    if (!unit || modelled(*unit) || enablement(*unit) != "enabled") continue;
    os_.journal.unmodelled(Layer::host, name + ": " + unit->program, "not started",
                           os_.files.why(unit->path));
  }
}

}  // namespace rocdrill::sim
