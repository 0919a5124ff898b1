#include "sim/access/view.hpp"

#include <algorithm>
#include <cerrno>

namespace rocdrill::access {
namespace {

constexpr int max_symlinks = 40;
constexpr std::string_view topology = "/sys/devices/virtual/kfd/kfd/topology/nodes/";
constexpr std::string_view topology_class = "/sys/class/kfd/kfd/topology/nodes/";

bool below(std::string_view path, std::string_view directory) {
  return path == directory || (path.starts_with(directory) && path[directory.size()] == '/');
}

/// What the kernel makes up is the same for all.
bool made_up(std::string_view path) {
  return below(path, "/dev") || below(path, "/proc") || below(path, "/sys");
}

}  // namespace

std::string View::outside(const std::string& path) const {
  const BindMount* nearest = nullptr;
  for (const BindMount& mount : spec_.mounts) {
    if (below(path, mount.inside) && (!nearest || nearest->inside.size() < mount.inside.size()))
      nearest = &mount;
  }
  if (nearest) return nearest->source + path.substr(nearest->inside.size());
  return made_up(path) ? path : spec_.root + path;
}

SysResult<std::string> View::locate(std::string_view path, bool follow_last) const {
  if (is_whole_node()) return std::string(path);
  std::string rest(path);
  std::string done;  // inside, without symlinks
  int links = 0;
  while (!rest.empty() && rest != "/") {
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    const std::string step = rest.substr(0, end);
    rest.erase(0, end);
    if (step == "/" || step == "/.") continue;
    if (step == "/..") {
      done = done.substr(0, done.rfind('/') == std::string::npos ? 0 : done.rfind('/'));
      continue;
    }
    const std::string next = done + step;
    // Its symlinks do not leave it.
    if (made_up(next) && outside(next) == next) return next + rest;
    const auto stat = files_.lstat(outside(next));
    if (!stat) {
      // A mount point needs nothing below it.
      const bool above = std::ranges::any_of(
          spec_.mounts, [&](const BindMount& mount) { return below(mount.inside, next); });
      if (!above) return std::unexpected(stat.error());
      done = next;
      continue;
    }
    if (stat->type == FileType::symlink && (follow_last || !rest.empty())) {
      if (++links > max_symlinks) return fail(ELOOP);
      const auto target = files_.readlink(outside(next));
      if (!target) return std::unexpected(target.error());
      const bool absolute = target->starts_with('/');
      rest = (absolute ? *target : "/" + *target) + rest;
      if (absolute) done.clear();
      continue;
    }
    done = next;
  }
  return outside(done.empty() ? "/" : done);
}

bool View::has_device(std::string_view path) const {
  return std::ranges::find(spec_.devices, path) != spec_.devices.end();
}

bool View::hides(std::string_view path) const {
  if (!spec_.restrict_devices || !path.starts_with("/dev/") || path.starts_with("/dev/shm"))
    return false;
  return std::ranges::none_of(spec_.devices, [&](const std::string& device) {
    return below(device, path);  // itself, or the directory that it is in
  });
}

bool View::denies(std::string_view path) const {
  return std::ranges::find(spec_.denied_devices, path) != spec_.denied_devices.end();
}

bool View::denies_topology(std::string_view path) const {
  if (!spec_.device_cgroup) return false;
  const std::string_view prefix = path.starts_with(topology)         ? topology
                                  : path.starts_with(topology_class) ? topology_class
                                                                     : std::string_view();
  if (prefix.empty()) return false;
  const std::size_t end = path.find('/', prefix.size());
  if (end == std::string_view::npos) return false;
  const std::string properties = files_.text(std::string(path.substr(0, end)) + "/properties");
  constexpr std::string_view key = "drm_render_minor ";
  const std::size_t at = properties.find(key);
  if (at == std::string::npos) return false;
  const std::size_t begin = at + key.size();
  const std::string minor = properties.substr(begin, properties.find('\n', begin) - begin);
  const std::string device = "/dev/dri/renderD" + minor;
  return minor != "0" && (denies(device) || !has_device(device));
}

}  // namespace rocdrill::access
