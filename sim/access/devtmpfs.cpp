#include "sim/access/devtmpfs.hpp"

#include <fnmatch.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <set>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::access {
namespace {

/// The value of KEY=="value" or KEY="value" in a udev rule; "" if absent.
std::string rule_value(const std::string& line, const std::string& key) {
  for (const std::string op : {"==\"", "=\""}) {
    const std::size_t at = line.find(key + op);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + key.size() + op.size();
    return line.substr(begin, line.find('"', begin) - begin);
  }
  return {};
}

const char* subsystem_of(std::string_view path) {
  if (path.starts_with("/dev/dri/")) return "drm";
  return path == "/dev/kfd" ? "kfd" : "";
}

/// Of MODE="0660"; nothing for what is no mode, which udev passes over.
std::optional<std::uint32_t> mode_in(const std::string& text) {
  std::uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc{} || end != text.data() + text.size() || mode > 07777) return std::nullopt;
  return mode;
}

}  // namespace

DevTmpfs::DevTmpfs(sim::Os& os, const kernel::Kernel& kernel) : os_(os), kernel_(kernel) {
  os_.files.mount("/dev", *this);
}

DevTmpfs::Override DevTmpfs::by_rules(std::string_view path) const {
  Override result{.mode = 0600};
  const std::string name(sim::basename(path));
  // udev: files of both folders in one order by name; a file of /etc replaces its namesake.
  std::map<std::string, std::string> files;
  for (const std::string directory : {"/lib/udev/rules.d", "/etc/udev/rules.d"}) {
    auto names = os_.files.list(directory);
    if (!names) continue;
    for (const std::string& file : *names) files[file] = directory + "/" + file;
  }
  for (const auto& [file, rules] : files) {
    for (const std::string& line : sim::lines_of(os_.files.text(rules))) {
      if (fnmatch(rule_value(line, "KERNEL").c_str(), name.c_str(), 0) != 0) continue;
      result.mode = mode_in(rule_value(line, "MODE")).value_or(result.mode);
      if (const auto group = sim::find_group(os_.files, rule_value(line, "GROUP"))) {
        result.gid = group->gid;
      }
      result.event = std::max(result.event, os_.files.why(rules));
    }
  }
  return result;
}

DevTmpfs::Override DevTmpfs::attributes(std::string_view path) const {
  if (const auto changed = overrides_.find(path); changed != overrides_.end())
    return changed->second;
  const auto applied = applied_.find(path);
  return applied == applied_.end() ? by_rules(path) : applied->second;
}

void DevTmpfs::settle() {
  std::map<std::string, Override, std::less<>> present;
  for (const kernel::CharDevice& device : kernel_.char_devices()) {
    const auto known = applied_.find(device.path);
    present[device.path] = known == applied_.end() ? by_rules(device.path) : known->second;
  }
  applied_ = std::move(present);
}

void DevTmpfs::trigger(const std::string& subsystem) {
  const auto matches = [&](const auto& node) {
    return subsystem.empty() || fnmatch(subsystem.c_str(), subsystem_of(node.first), 0) == 0;
  };
  std::erase_if(overrides_, matches);
  std::erase_if(applied_, matches);
  settle();
}

SysResult<FileStat> DevTmpfs::lstat(std::string_view path) {
  if (path == "/dev") return FileStat{.type = FileType::directory, .mode = 0755};
  if (path == "/dev/shm") return FileStat{.type = FileType::directory, .mode = 01777};
  constexpr std::string_view shm = "/dev/shm/";
  if (path.starts_with(shm)) {
    const auto file = os_.shm.find(path.substr(shm.size()));
    if (!file) return fail(ENOENT);
    return FileStat{.type = FileType::regular, .mode = 0600, .size = file->bytes()};
  }
  bool is_parent = false;
  for (const kernel::CharDevice& device : kernel_.char_devices()) {
    if (device.path == path) {
      const Override is = attributes(path);
      return FileStat{.type = FileType::character,
                      .mode = is.mode,
                      .uid = is.uid,
                      .gid = is.gid,
                      .rdev_major = device.major,
                      .rdev_minor = device.minor};
    }
    is_parent = is_parent || device.path.starts_with(std::string(path) + "/");
  }
  if (is_parent) return FileStat{.type = FileType::directory, .mode = 0755};
  return fail(ENOENT, kernel_.why_no_device(path));
}

SysResult<std::string> DevTmpfs::read(std::string_view) { return fail(EINVAL); }

SysResult<std::vector<std::string>> DevTmpfs::list(std::string_view path) {
  if (path == "/dev/shm") return os_.shm.names();
  std::set<std::string> names;
  if (path == "/dev") names.insert("shm");
  const std::string below = std::string(path) + "/";
  for (const kernel::CharDevice& device : kernel_.char_devices()) {
    if (!device.path.starts_with(below)) continue;
    const std::string rest = device.path.substr(below.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

SysResult<void> DevTmpfs::set_mode(std::string_view path, std::uint32_t mode, EventId event) {
  if (auto stat = lstat(path); !stat) return std::unexpected(stat.error());
  Override changed = attributes(path);
  changed.mode = mode;
  changed.event = event;
  overrides_.insert_or_assign(std::string(path), changed);
  return {};
}

SysResult<void> DevTmpfs::set_owner(std::string_view path, std::uint32_t uid, std::uint32_t gid,
                                    EventId event) {
  if (auto stat = lstat(path); !stat) return std::unexpected(stat.error());
  Override changed = attributes(path);
  changed.uid = uid;
  changed.gid = gid;
  changed.event = event;
  overrides_.insert_or_assign(std::string(path), changed);
  return {};
}

EventId DevTmpfs::why_attributes(std::string_view path) const { return attributes(path).event; }

}  // namespace rocdrill::access
