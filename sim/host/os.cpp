#include "sim/host/os.hpp"

#include <algorithm>

#include "sim/host/login_environment.hpp"

namespace rocdrill::sim {

Os::Os() {
  files.mount("/sys", sysfs);
  files.mount("/proc", procfs);
  pci.show(sysfs, journal);
}

std::vector<std::string> Os::installed_kernels() const {
  std::vector<std::string> releases;
  constexpr std::string_view prefix = "vmlinuz-";
  if (auto names = files.list("/boot")) {
    for (const std::string& name : *names) {
      if (name.starts_with(prefix)) releases.push_back(name.substr(prefix.size()));
    }
  }
  std::ranges::sort(releases, [](const std::string& left, const std::string& right) {
    return compare_versions(left, right) < 0;
  });
  return releases;
}

std::string Os::default_kernel() const {
  const auto kernels = installed_kernels();
  if (kernels.empty()) return {};
  constexpr std::string_view key = "saved_entry=";
  for (const std::string& line : lines_of(files.text("/boot/grub/grubenv"))) {
    if (!line.starts_with(key)) continue;
    const std::string saved = line.substr(key.size());
    if (std::ranges::find(kernels, saved) != kernels.end()) return saved;
  }
  return kernels.back();
}

std::string Os::configured_cmdline() const {
  constexpr std::string_view key = "GRUB_CMDLINE_LINUX=";
  for (std::string line : lines_of(files.text("/etc/default/grub"))) {
    if (!line.starts_with(key)) continue;
    line.erase(0, key.size());
    std::erase(line, '"');
    return line;
  }
  return {};
}

bool Os::boot(EventId cause) {
  processes.clear();
  dmesg.clear();
  kernel_release = default_kernel();
  ++boots;
  if (kernel_release.empty()) {
    boot_event = journal.record(Layer::host, Severity::error, "boot.no_kernel", hostname,
                                {{field::see, "ls /boot"}}, cause);
    return false;
  }
  cmdline = "BOOT_IMAGE=/boot/vmlinuz-" + kernel_release + " root=/dev/nvme0n1p2 ro";
  if (const std::string extra = configured_cmdline(); !extra.empty()) cmdline += " " + extra;
  booted_at_ns = clock.now();
  boot_event =
      journal.record(Layer::host, Severity::info, "boot.kernel", kernel_release,
                     {{"cmdline", std::string_view(cmdline)}, {field::see, "uname -r"}}, cause);
  log(5, "Linux version " + kernel_release, boot_event);
  log(6, "Command line: " + cmdline, boot_event);
  return true;
}

void Os::log(int level, std::string text, EventId event) {
  dmesg.add(clock.now() - booted_at_ns, level, std::move(text), event);
}

EventId Os::write_file(const std::string& path, std::string content, EventId cause,
                       Attributes attributes) {
  const EventId event = journal.record(Layer::host, Severity::info, "file.written", path,
                                       {{field::see, "ls -l"}}, cause);
  files.write(path, std::move(content), event, attributes);
  return event;
}

EventId Os::remove_file(const std::string& path, EventId cause) {
  const EventId event = journal.record(Layer::host, Severity::info, "file.removed", path,
                                       {{field::see, "ls -l"}}, cause);
  files.remove(path, event);
  return event;
}

void Os::set_environment(std::string name, std::string value, EventId event) {
  environment_events.insert_or_assign(name, event);
  session_environment.insert_or_assign(std::move(name), std::move(value));
}

void Os::unset_environment(std::string_view name, EventId event) {
  environment_events.insert_or_assign(std::string(name), event);
  if (const auto at = session_environment.find(name); at != session_environment.end()) {
    session_environment.erase(at);
  }
}

EventId Os::why_environment(std::string_view name) const {
  const auto at = environment_events.find(name);
  return at == environment_events.end() ? no_event : at->second;
}

void Os::read_login_environment(const std::string& home) {
  const auto variables = login_variables(files, home);
  for (auto at = login_environment.begin(); at != login_environment.end();) {
    if (variables.contains(at->first)) {
      ++at;
      continue;
    }
    if (at->second)
      set_environment(at->first, *at->second, no_event);
    else
      unset_environment(at->first, no_event);
    at = login_environment.erase(at);
  }
  for (const auto& [name, variable] : variables) {
    const auto before = session_environment.find(name);
    if (!login_environment.contains(name)) {
      login_environment[name] = before == session_environment.end()
                                    ? std::nullopt
                                    : std::optional(before->second);
    }
    set_environment(name, variable.value, variable.event);
  }
}

std::optional<std::string> cmdline_value(std::string_view cmdline, std::string_view name) {
  std::optional<std::string> value;
  for (const std::string& word : words_of(cmdline)) {
    const std::size_t equals = word.find('=');
    if (word.substr(0, equals) == name) {
      value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
    }
  }
  return value;
}

}  // namespace rocdrill::sim
