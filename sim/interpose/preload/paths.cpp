#include "sim/interpose/preload/paths.hpp"

#include <stdio.h>

#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {

void Place::start(const Session& session, int dirfd, const char* path) {
  where = Where::untouched;
  original_ = path;
  original_dirfd_ = dirfd;
  offset_ = session.root_length;
  length = 0;
  trailing_slash = false;
  memcpy(buffer_, session.root, offset_);
}

bool Place::set(const char* text, size_t size) {
  if (size >= PATH_MAX) return false;
  memmove(buffer_ + offset_, text, size);
  length = size;
  buffer_[offset_ + length] = '\0';
  return true;
}

bool Place::append(const char* name, size_t size) {
  if (length + size + 2 > PATH_MAX) return false;
  if (length == 1) length = 0;  // "/" itself
  buffer_[offset_ + length++] = '/';
  memcpy(buffer_ + offset_ + length, name, size);
  length += size;
  buffer_[offset_ + length] = '\0';
  return true;
}

void Place::to_parent() {
  while (length > 1 && buffer_[offset_ + length - 1] != '/') --length;
  if (length > 1) --length;
  buffer_[offset_ + length] = '\0';
}

bool owned(const Index& index, const char* path, size_t length) {
  if (index.below_prefix(path, length)) return true;
  size_t count = 0;
  const Ancestor* list = nullptr;
  // Looked up only if a prefix starts like this path: the table costs a stat for each directory.
  const uint32_t* prefixes = index.numbers(index.header->prefixes);
  for (uint32_t i = 0; i < index.header->prefix_count; ++i) {
    const char* prefix = index.text(prefixes[i]);
    if (prefix[1] != path[1] || strncmp(prefix, path, length) != 0 || prefix[length] != '/')
      continue;
    if (list == nullptr) list = index.ancestors(count);
    for (size_t k = 0; k < count; ++k)
      if (list[k].length == length && memcmp(list[k].path, path, length) == 0)
        return list[k].missing;
  }
  return false;
}

size_t root_part(const Session& session, const char* text, size_t size) {
  if (size < session.root_length || memcmp(text, session.root, session.root_length) != 0) return 0;
  return size == session.root_length || text[session.root_length] == '/' ? session.root_length : 0;
}

namespace {

// "/usr/lib/modules/x" -> "/lib/modules/x"
void apply_aliases(const Index& index, Place& place) {
  const uint32_t* aliases = index.numbers(index.header->aliases);
  for (uint32_t i = 0; i < index.header->alias_count; ++i) {
    const char* from = index.text(aliases[2 * i]);
    const size_t size = strlen(from);
    if (size > place.length || memcmp(place.node(), from, size) != 0) continue;
    if (size != place.length && place.node()[size] != '/') continue;
    const char* to = index.text(aliases[2 * i + 1]);
    char rest[PATH_MAX];
    const size_t rest_size = place.length - size;
    memcpy(rest, place.node() + size, rest_size);
    if (!place.set(to, strlen(to))) return;
    if (rest_size > 1) place.append(rest + 1, rest_size - 1);
    return;
  }
}

// ".." after a symbolic link of the node leaves the link's target, not the link.
void step_up(const Session& session, Place& place) {
  if (owned(*place.index, place.node(), place.length)) {
    const Where saved = place.where;
    place.where = Where::node;
    const int fd = raw::open(place.real(), O_PATH | O_CLOEXEC);
    place.where = saved;
    if (fd >= 0) {
      char link[32];
      char target[PATH_MAX];
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      const long size = raw::readlink_at(AT_FDCWD, link, target, sizeof target);
      raw::close(fd);
      const size_t skip = size > 0 ? root_part(session, target, static_cast<size_t>(size)) : 0;
      if (skip > 0 && static_cast<size_t>(size) > skip)
        place.set(target + skip, static_cast<size_t>(size) - skip);
    }
  }
  place.to_parent();
}

// Appends `path`'s components to what stands in `place`; false if it grows too long.
bool walk(const Session& session, const char* path, Place& place) {
  while (*path != '\0') {
    while (*path == '/') ++path;
    const char* end = path;
    while (*end != '\0' && *end != '/') ++end;
    const auto size = static_cast<size_t>(end - path);
    place.trailing_slash = *end == '/';
    if (size == 2 && path[0] == '.' && path[1] == '.')
      step_up(session, place);
    else if (size > 0 && !(size == 1 && path[0] == '.') && !place.append(path, size))
      return false;
    path = end;
  }
  return true;
}

bool has_dot_dot(const char* path) {
  for (const char* at = path; (at = strstr(at, "..")) != nullptr; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/')) return true;
  return false;
}

// Directories that are known to be neither in root/ nor above a prefix. The change time is part of
// the key, so that a reused inode is not taken for its predecessor.
struct Seen {
  uint64_t key;
};
constexpr size_t seen_size = 1024;
Seen seen[seen_size];

uint64_t seen_key(const struct stat& file) {
  uint64_t key = 0x9E3779B97F4A7C15u;
  for (const uint64_t part :
       {static_cast<uint64_t>(file.st_dev), static_cast<uint64_t>(file.st_ino),
        static_cast<uint64_t>(file.st_ctim.tv_sec), static_cast<uint64_t>(file.st_ctim.tv_nsec)})
    key = (key ^ part) * 0xFF51AFD7ED558CCDu ^ (key >> 29);
  return key;
}

bool seen_before(uint64_t key) {
  return __atomic_load_n(&seen[key % seen_size].key, __ATOMIC_RELAXED) == key;
}
void remember(uint64_t key) { __atomic_store_n(&seen[key % seen_size].key, key, __ATOMIC_RELAXED); }

bool is_ancestor(const Index& index, const struct stat& directory) {
  size_t count = 0;
  const Ancestor* list = index.ancestors(count);
  for (size_t i = 0; i < count; ++i)
    if (!list[i].missing && list[i].inode == directory.st_ino && list[i].device == directory.st_dev)
      return true;
  return false;
}

// The directory that a relative path starts from, in `place`; false if `path` cannot lead to the
// node from there.
bool start_directory(const Session& session, int dirfd, const char* path, Place& place) {
  if (dirfd == AT_FDCWD) {
    char directory[PATH_MAX];
    const long size = raw::getcwd(directory, sizeof directory);
    if (size <= 1 || directory[0] != '/') return false;
    const size_t length = static_cast<size_t>(size) - 1;
    const size_t skip = root_part(session, directory, length);
    if (skip == length) return place.set("/", 1);
    place.where = skip > 0 ? Where::node : Where::elsewhere;
    return place.set(directory + skip, length - skip);
  }
  struct stat directory;
  if (raw::fstat(dirfd, &directory) < 0 || !S_ISDIR(directory.st_mode)) return false;
  if (has_dot_dot(path) || is_ancestor(*place.index, directory))
    return path_of_descriptor(session, dirfd, place);
  return descriptor_on_node(session, dirfd, directory, place);
}

void locate_relative(const Session& session, int dirfd, const char* path, Place& place) {
  if (!start_directory(session, dirfd, path, place)) {
    place.where = Where::untouched;
    return;
  }
  const bool inside = place.where == Where::node;
  if (!walk(session, path, place)) {
    place.where = Where::untouched;
    return;
  }
  apply_aliases(*place.index, place);
  if (owned(*place.index, place.node(), place.length))
    place.where = Where::node;
  else
    place.where = inside ? Where::elsewhere : Where::untouched;
}

// Does the path meet `stem` from above or below, component by component or not?
bool meets(const char* path, const char* stem) {
  size_t i = 1;
  while (path[i] == stem[i] && stem[i] != '\0') ++i;
  return path[i] == '\0' || stem[i] == '\0';
}

// The quick answer for most absolute paths: in normal form and not near any prefix.
bool plainly_elsewhere(const Session& session, const Index& index, const char* path) {
  if (meets(path, session.root)) return false;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/' && (at[1] == '.' || at[1] == '/')) return false;
  const uint32_t* prefixes = index.numbers(index.header->prefixes);
  for (uint32_t i = 0; i < index.header->prefix_count; ++i)
    if (meets(path, index.text(prefixes[i]))) return false;
  const uint32_t* aliases = index.numbers(index.header->aliases);
  for (uint32_t i = 0; i < index.header->alias_count; ++i)
    if (meets(path, index.text(aliases[2 * i]))) return false;
  return true;
}

}  // namespace

bool path_of_descriptor(const Session& session, int fd, Place& place) {
  char link[32];
  char target[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = raw::readlink_at(AT_FDCWD, link, target, sizeof target);
  if (size <= 0 || size >= static_cast<long>(sizeof target) || target[0] != '/') return false;
  const auto length = static_cast<size_t>(size);
  const size_t skip = root_part(session, target, length);
  place.where = skip > 0 ? Where::node : Where::elsewhere;
  if (skip == length) return place.set("/", 1);
  return place.set(target + skip, length - skip);
}

bool descriptor_on_node(const Session& session, int fd, const struct stat& file, Place& place) {
  if (file.st_uid != session.owner) return false;
  if (file.st_dev != session.devices[0] && file.st_dev != session.devices[1]) return false;
  const uint64_t key = seen_key(file);
  if (seen_before(key)) return false;
  if (path_of_descriptor(session, fd, place) && place.where == Where::node) return true;
  remember(key);
  return false;
}

void locate(const Session& session, int dirfd, const char* path, Place& place) {
  place.start(session, dirfd, path);
  if (path == nullptr || path[0] == '\0') return;
  place.index = newest_index();
  if (path[0] != '/') {
    locate_relative(session, dirfd, path, place);
    return;
  }
  if (plainly_elsewhere(session, *place.index, path)) return;
  place.set("/", 1);
  if (!walk(session, path, place)) return;
  // Somebody names a file in root/ itself: it is the node's, under the node's rules.
  const size_t skip = root_part(session, place.node(), place.length);
  if (skip > 0 && skip < place.length) place.set(place.node() + skip, place.length - skip);
  apply_aliases(*place.index, place);
  if (owned(*place.index, place.node(), place.length)) place.where = Where::node;
}

}  // namespace rocdrill::interpose
