#include "sim/host/os.hpp"

#include <algorithm>
#include <utility>

#include "sim/host/login_environment.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view grub_cfg = "/boot/grub/grub.cfg";
constexpr std::string_view kernel_image = "/boot/vmlinuz-";
constexpr std::string_view root_arguments = "root=/dev/nvme0n1p2 ro";

/// What grub.cfg's entry for a kernel hands to it after its image; nullopt if it has none.
std::optional<std::string> grub_entry(const FileTree& files, const std::string& release) {
  const std::string start = "\tlinux\t" + std::string(kernel_image) + release + " ";
  for (const std::string& line : lines_of(files.text(grub_cfg))) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return std::nullopt;
}

}  // namespace

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

Os::Configured Os::configured_cmdline() const {
  ShellVariables variables;
  read_assignments(files, "/etc/default/grub", variables);
  const std::string directory = "/etc/default/grub.d";
  if (const auto names = files.list(directory)) {
    for (const std::string& name : *names) {
      if (name.ends_with(".cfg")) read_assignments(files, join(directory, name), variables);
    }
  }
  Configured configured;
  for (const char* name : {"GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"}) {
    const auto& [value, event] = variables[name];
    configured.event = std::max(configured.event, event);
    if (!value.empty()) configured.text += (configured.text.empty() ? "" : " ") + value;
  }
  return configured;
}

EventId Os::update_grub(EventId cause) {
  std::string text = "# made by grub-mkconfig: do not edit\n";
  const auto [configured, configured_by] = configured_cmdline();
  auto kernels = installed_kernels();
  for (auto release = kernels.rbegin(); release != kernels.rend(); ++release) {
    text += "menuentry 'Linux " + *release + "' {\n\tlinux\t" + std::string(kernel_image) +
            *release + " " + std::string(root_arguments) +
            (configured.empty() ? "" : " " + configured) + "\n\tinitrd\t/boot/initrd.img-" +
            *release + "\n}\n";
  }
  const std::string path(grub_cfg);
  if (files.text(path) == text) return cause;
  // What the configuration says, somebody wrote; whoever ran update-grub only copied it.
  return write_file(path, std::move(text), configured_by == no_event ? cause : configured_by);
}

/// MokManager runs before the kernel; whoever is asked for the password knows it.
void Os::manage_keys(EventId cause) {
  if (uefi.asked.empty() && !uefi.shim_change) return;
  uefi.mok.insert(uefi.asked.begin(), uefi.asked.end());
  uefi.asked.clear();
  if (std::exchange(uefi.shim_change, false)) uefi.shim_validates = !uefi.shim_validates;
  uefi.event = journal.record(Layer::host, Severity::info, "mok.changed", hostname,
                              {{field::see, "mokutil --list-enrolled"}}, cause);
}

bool Os::boot(EventId cause) {
  manage_keys(cause);
  processes.clear();
  dmesg.clear();
  kernel_release = default_kernel();
  ++boots;
  if (kernel_release.empty()) {
    boot_event = journal.record(Layer::host, Severity::error, "boot.no_kernel", hostname,
                                {{field::see, "ls /boot"}}, cause);
    return false;
  }
  const auto entry = grub_entry(files, kernel_release);
  cmdline = "BOOT_IMAGE=" + std::string(kernel_image) + kernel_release + " " +
            entry.value_or(std::string(root_arguments));
  cmdline_event = files.why(grub_cfg);
  booted_at_ns = clock.now();
  boot_event =
      journal.record(Layer::host, Severity::info, "boot.kernel", kernel_release,
                     {{"cmdline", std::string_view(cmdline)}, {field::see, "uname -r"}}, cause);
  log(5, "Linux version " + kernel_release, boot_event);
  log(6, "Command line: " + cmdline, boot_event);
  // security/integrity, drivers/firmware/efi: what a kernel says of it.
  log(6, uefi.enforces() ? "secureboot: Secure boot enabled" : "secureboot: Secure boot disabled",
      boot_event);
  if (uefi.enforces())
    log(5, "Kernel is locked down from EFI Secure Boot mode; see man kernel_lockdown.7",
        boot_event);
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
      login_environment[name] =
          before == session_environment.end() ? std::nullopt : std::optional(before->second);
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
