// Texts and exit status: systemd 252.
#include "sim/kernel/modules_load.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <map>

namespace rocdrill::kernel {
namespace {

constexpr int log_error = 3;
constexpr int log_warning = 4;
constexpr int log_notice = 5;
constexpr int log_info = 6;

// The first wins for files of one name.
constexpr std::string_view directories[] = {"/etc/modules-load.d", "/run/modules-load.d",
                                            "/usr/local/lib/modules-load.d",
                                            "/usr/lib/modules-load.d", "/lib/modules-load.d"};

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

EventId not_found(Os& os, const ListedModule& listed, EventId cause) {
  const std::string index = "/lib/modules/" + os.kernel_release + "/modules.dep";
  const std::string shows = fmt::format("Failed to find module '{}'", listed.name);
  const EventId why = listed.file.empty() ? no_event : os.files.why_resolved(listed.file);
  return os.journal.record(Layer::kernel, Severity::error, "modules_load.not_found", listed.name,
                           {{field::asked, std::string_view(index)},
                            {field::got, "no entry"},
                            {field::did, "the module is not loaded"},
                            {field::shows, std::string_view(shows)},
                            {field::see, "systemctl status systemd-modules-load"}},
                           why != no_event ? why : cause);
}

void load_one(Os& os, Kernel& kernel, const ListedModule& listed, EventId cause,
              sim::UnitRun& run) {
  const std::string& name = listed.name;
  const auto fails = [&](int level, std::string text, EventId event) {
    run.lines.emplace_back(level, std::move(text));
    run.exit_status = 1;
    run.event = event;
  };
  if (kernel.modules.find(normal_name(name))) return;  // said at debug level only
  if (!find_module(os.files, os.kernel_release, name)) {
    return fails(log_error, fmt::format("Failed to find module '{}'", name),
                 not_found(os, listed, cause));
  }
  if (read_modprobe_config(os).blacklist.contains(normal_name(name))) {
    run.lines.emplace_back(log_info, fmt::format("Module '{}' is deny-listed", name));
    return;
  }
  const ModprobeResult result = kernel.load_module(name, {}, cause);
  if (result.exit_code == 0) {
    run.lines.emplace_back(log_info, fmt::format("Inserted module '{}'", name));
    return;
  }
  std::string text =
      fmt::format("Failed to insert module '{}': {}", name, errno_text(result.error));
  if (result.error == ENODEV || result.error == ENOENT) {
    run.lines.emplace_back(result.error == ENODEV ? log_notice : log_warning, std::move(text));
    return;
  }
  fails(log_error, std::move(text), result.event);
}

}  // namespace

std::vector<ListedModule> listed_modules(const Os& os) {
  std::vector<ListedModule> list;
  for (const char* key : {"modules_load", "modules-load"}) {
    std::string names = sim::cmdline_value(os.cmdline, key).value_or("");
    for (char& c : names) c = c == ',' ? ' ' : c;
    for (std::string& name : sim::words_of(names)) list.push_back({std::move(name), {}});
  }
  std::map<std::string, std::string> files;
  for (const std::string_view directory : directories) {
    const auto names = os.files.list(directory);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.ends_with(".conf")) files.try_emplace(name, std::string(directory) + "/" + name);
    }
  }
  for (const auto& [name, path] : files) {
    for (const std::string& line : sim::lines_of(os.files.text(path))) {
      const std::string module = trimmed(line);
      if (module.empty() || module[0] == '#' || module[0] == ';') continue;
      list.push_back({module, path});
    }
  }
  return list;
}

sim::UnitRun load_listed_modules(Os& os, Kernel& kernel, EventId cause) {
  sim::UnitRun run;
  for (const ListedModule& listed : listed_modules(os)) load_one(os, kernel, listed, cause, run);
  return run;
}

}  // namespace rocdrill::kernel
