#include "sim/host/virtual_tree.hpp"

#include <cerrno>
#include <charconv>

namespace rocdrill::sim {

EventId VirtualDirectory::why_absent(std::string_view name) const {
  const auto at = absences_.find(name);
  return at == absences_.end() ? event_ : at->second;
}

void VirtualDirectory::for_numbers(
    std::uint32_t count, const std::function<void(std::string_view, std::uint32_t)>& add) const {
  if (!one_) {
    for (std::uint32_t i = 0; i < count; ++i) add(std::to_string(i), i);
    return;
  }
  std::uint32_t number = 0;
  const char* last = wanted_.data() + wanted_.size();
  const auto [end, error] = std::from_chars(wanted_.data(), last, number);
  const bool plain = wanted_ == "0" || !wanted_.starts_with('0');
  if (error == std::errc{} && end == last && plain && number < count) add(wanted_, number);
}

std::string relative_link(std::string_view directory, std::string_view target) {
  const std::string above(parent(target));
  std::string link;
  std::string_view base = directory;
  const auto holds = [&](std::string_view path) {
    return path == "/" || above == path || above.starts_with(std::string(path) + "/");
  };
  while (!holds(base)) {
    link += "../";
    base = parent(base);
  }
  return link + std::string(target.substr(base == "/" ? 1 : base.size() + 1));
}

void VirtualTree::fill(VirtualDirectory& directory, std::string_view path,
                       const VirtualEntry& entry) const {
  for (const DirectoryFill& each : entry.fills) each(directory);
  // What was added at this path, and the ways to what was added further below.
  const std::string below = std::string(path) + "/";
  for (auto at = fills_.lower_bound(path); at != fills_.end(); ++at) {
    const std::string& place = at->first;
    if (place == path) {
      for (const DirectoryFill& each : at->second) each(directory);
      continue;
    }
    if (!place.starts_with(path)) break;
    if (!place.starts_with(below)) continue;
    const std::string_view rest = std::string_view(place).substr(below.size());
    directory.directory(rest.substr(0, rest.find('/')), [](VirtualDirectory&) {});
  }
}

VirtualTree::Found VirtualTree::find(std::string_view path) const {
  Found found;
  found.entry = VirtualEntry{FileType::directory, 0755, 0, {}, {}, {}, {}};
  std::size_t at = root_.size();
  while (at < path.size()) {
    if (found.entry->type != FileType::directory) {
      found.entry.reset();
      return found;
    }
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view name = path.substr(at + 1, end - at - 1);
    VirtualDirectory directory(name);
    fill(directory, path.substr(0, at), *found.entry);
    if (directory.event() != no_event) found.event = directory.event();
    const auto next = directory.entries().find(name);
    if (next == directory.entries().end()) {
      if (const EventId why = directory.why_absent(name); why != no_event) found.event = why;
      found.entry.reset();
      return found;
    }
    found.entry = next->second;
    at = end;
  }
  return found;
}

void VirtualTree::walk(const Visit& visit) const {
  walk(root_, VirtualEntry{FileType::directory, 0755, 0, {}, {}, {}, {}}, visit);
}

void VirtualTree::walk(const std::string& path, const VirtualEntry& entry,
                       const Visit& visit) const {
  visit(path, entry);
  if (entry.type != FileType::directory) return;
  VirtualDirectory directory;
  fill(directory, path, entry);
  for (const auto& [name, inside] : directory.entries()) walk(join(path, name), inside, visit);
}

SysResult<FileStat> VirtualTree::lstat(std::string_view path) {
  const Found found = find(path);
  if (!found.entry) return fail(ENOENT, found.event);
  return FileStat{.type = found.entry->type, .mode = found.entry->mode, .size = found.entry->size};
}

SysResult<std::string> VirtualTree::read(std::string_view path) {
  const Found found = find(path);
  if (!found.entry) return fail(ENOENT, found.event);
  if (found.entry->type != FileType::regular) return fail(EISDIR);
  if (!found.entry->read) return fail(EIO);
  return found.entry->read();
}

SysResult<void> VirtualTree::write(std::string_view path, std::string_view data, EventId cause) {
  const Found found = find(path);
  if (!found.entry) return fail(ENOENT, found.event);
  if (found.entry->type == FileType::directory) return fail(EISDIR);
  if (!found.entry->write && (found.entry->mode & 0222) != 0) {
    return fail(EOPNOTSUPP, journal_.unmodelled(Layer::kernel, "write to " + std::string(path),
                                                "EOPNOTSUPP", cause));
  }
  if (!found.entry->write) return fail(EACCES);
  return found.entry->write(data, cause);
}

SysResult<std::vector<std::string>> VirtualTree::list(std::string_view path) {
  const Found found = find(path);
  if (!found.entry) return fail(ENOENT, found.event);
  if (found.entry->type != FileType::directory) return fail(ENOTDIR);
  VirtualDirectory directory;
  fill(directory, path, *found.entry);
  std::vector<std::string> names;
  names.reserve(directory.entries().size());
  for (const auto& [name, entry] : directory.entries()) names.push_back(name);
  return names;
}

SysResult<std::string> VirtualTree::readlink(std::string_view path) {
  const Found found = find(path);
  if (!found.entry) return fail(ENOENT, found.event);
  if (found.entry->type != FileType::symlink) return fail(EINVAL);
  return found.entry->target;
}

EventId VirtualTree::why(std::string_view path) const {
  const Found found = find(path);
  EventId event = found.event;
  if (found.entry && found.entry->type == FileType::directory) {
    VirtualDirectory directory(std::string_view{});
    fill(directory, path, *found.entry);
    if (directory.event() != no_event) event = directory.event();
  }
  return event;
}

}  // namespace rocdrill::sim
