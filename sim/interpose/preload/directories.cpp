// Directory streams. Two kinds are followed: the node's own directories (a device is a regular file
// in root/) and this machine's directories above a prefix, whose listing is the union of what this
// machine has outside the prefixes and what the node has below them. All others cost one fstat.
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/directories.hpp"
#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {
namespace {

struct Stream {
  DIR* node_part = nullptr;  ///< root/<path>, listed after this machine's; null on the node
  bool merged = false;
  bool second_part = false;
  size_t length = 0;
  dirent entry;  ///< of the other part: what was handed out must stay valid
  char path[PATH_MAX];
};

// Open addressing by the DIR's address. Readers need no lock: a DIR belongs to its caller.
struct Slot {
  DIR* directory;
  Stream* stream;
};
constexpr size_t slot_count = 1024;
Slot slots[slot_count];
int followed = 0;
DIR* const removed = reinterpret_cast<DIR*>(1);

size_t first_slot(DIR* directory) {
  return (reinterpret_cast<uintptr_t>(directory) >> 4) * 0x9E3779B1u % slot_count;
}

Slot* slot_of(DIR* directory) {
  if (__atomic_load_n(&followed, __ATOMIC_RELAXED) == 0 || depth > 0) return nullptr;
  const size_t start = first_slot(directory);
  for (size_t i = 0; i < slot_count; ++i) {
    Slot& slot = slots[(start + i) % slot_count];
    DIR* held = __atomic_load_n(&slot.directory, __ATOMIC_ACQUIRE);
    if (held == directory) return &slot;
    if (held == nullptr) return nullptr;
  }
  return nullptr;
}

bool follow(DIR* directory, Stream* stream) {
  const size_t start = first_slot(directory);
  for (size_t i = 0; i < slot_count; ++i) {
    Slot& slot = slots[(start + i) % slot_count];
    DIR* held = __atomic_load_n(&slot.directory, __ATOMIC_RELAXED);
    if (held != nullptr && held != removed) continue;
    if (!__atomic_compare_exchange_n(&slot.directory, &held, directory, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
      continue;
    slot.stream = stream;
    __atomic_add_fetch(&followed, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

void join(const Stream& stream, const char* name, Place& place) {
  place.start(the_session, AT_FDCWD, "");
  place.index = newest_index();
  place.where = Where::node;
  place.set(stream.path, stream.length);
  place.append(name, strlen(name));
}

bool dots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

// `directory` was just opened; is it one of the two kinds?
void watch_stream(const Session& session, DIR* directory, bool maybe_on_node) {
  struct stat file;
  if (raw::fstat(dirfd(directory), &file) < 0) return;
  const IndexUse index = newest_index();
  size_t count = 0;
  const Ancestor* list = index->ancestors(count);
  const Ancestor* above = nullptr;
  for (size_t i = 0; i < count && above == nullptr; ++i)
    if (!list[i].missing && list[i].inode == file.st_ino && list[i].device == file.st_dev)
      above = &list[i];
  Place place;
  place.start(session, AT_FDCWD, "");
  if (above == nullptr &&
      (!maybe_on_node || !descriptor_on_node(session, dirfd(directory), file, place)))
    return;
  auto* stream = static_cast<Stream*>(malloc(sizeof(Stream)));
  if (stream == nullptr) return;
  stream->node_part = nullptr;
  stream->merged = above != nullptr;
  stream->second_part = false;
  if (above != nullptr) {
    // "/usr/lib" is "/lib" to the node if an alias says so: its children are looked up by both.
    place.index = index;
    place.where = Where::node;
    place.set(above->path, above->length);
  }
  stream->length = place.length;
  memcpy(stream->path, place.node(), place.length + 1);
  if (!follow(directory, stream)) free(stream);
}

namespace {

// Has the node a say in what is called `name` in the merged directory?
bool node_owns(const Session& session, const Stream& stream, const char* name, Place& place) {
  char path[PATH_MAX];
  const size_t size = strlen(name);
  if (stream.length + size + 2 > sizeof path) return false;
  memcpy(path, stream.path, stream.length);
  size_t length = stream.length;
  if (length > 1) path[length++] = '/';
  memcpy(path + length, name, size + 1);
  locate(session, AT_FDCWD, path, place);
  return place.on_node();
}

dirent* typed(const Stream& stream, dirent* entry) {
  if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) return entry;
  Place place;
  join(stream, entry->d_name, place);
  const IndexEntry* known = place.index->find(place.node(), place.length);
  if (known != nullptr && (S_ISCHR(known->mode) || S_ISBLK(known->mode)))
    entry->d_type = static_cast<unsigned char>(IFTODT(known->mode));
  return entry;
}

using ReadReal = dirent* (*)(DIR*);

// The names that the node adds to a directory of this machine: the children of its root/<path>
// that a prefix owns. For "/usr/lib" the node's children are those of "/lib".
void open_node_part(const Session& session, Stream& stream, DIR* (*open_real)(const char*)) {
  Place place;
  place.start(session, AT_FDCWD, "");
  place.index = newest_index();
  place.where = Where::node;
  place.set(stream.path, stream.length);
  const uint32_t* aliases = place.index->numbers(place.index->header->aliases);
  for (uint32_t i = 0; i < place.index->header->alias_count; ++i) {
    const char* from = place.index->text(aliases[2 * i]);
    const char* slash = strrchr(from, '/');
    const char* to = place.index->text(aliases[2 * i + 1]);
    const char* to_slash = strrchr(to, '/');
    if (static_cast<size_t>(slash - from) != stream.length ||
        memcmp(from, stream.path, stream.length) != 0 || to_slash == to ||
        strcmp(slash, to_slash) != 0)
      continue;
    place.set(to, static_cast<size_t>(to_slash - to));
    break;
  }
  const int saved = errno;
  stream.node_part = open_real(place.real());
  errno = saved;
}

dirent* next_entry(const Session& session, DIR* directory, Stream& stream, ReadReal read_real,
                   DIR* (*open_real)(const char*)) {
  if (!stream.merged) {
    dirent* entry = read_real(directory);
    return entry == nullptr ? nullptr : typed(stream, entry);
  }
  Place place;
  while (!stream.second_part) {
    dirent* entry = read_real(directory);
    if (entry != nullptr &&
        (dots(entry->d_name) || !node_owns(session, stream, entry->d_name, place)))
      return entry;
    if (entry != nullptr) continue;
    stream.second_part = true;
    if (stream.node_part == nullptr) open_node_part(session, stream, open_real);
  }
  if (stream.node_part == nullptr) return nullptr;
  while (dirent* entry = read_real(stream.node_part)) {
    if (dots(entry->d_name) || !node_owns(session, stream, entry->d_name, place)) continue;
    return typed(stream, entry);
  }
  return nullptr;
}

// The sign: no file system counts below zero, and ext4 uses all other bits.
constexpr long second_part_bit = LONG_MIN;

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(DIR*, opendir, const char* path) {
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(opendir)(path);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  if (place.on_node()) {
    int error = resolve(*s, place, true);
    if (error == 0 && place.on_node()) error = permit(place, want_read);
    if (error < 0) return null_with<DIR>(-error);
  }
  DIR* directory = ROCDRILL_REAL(opendir)(place.real());
  if (directory != nullptr) watch_stream(*s, directory, place.on_node());
  return directory;
}

ROCDRILL_HOOK(DIR*, fdopendir, int fd) {
  DIR* directory = ROCDRILL_REAL(fdopendir)(fd);
  const Session* s = session();
  if (directory != nullptr && s != nullptr) watch_stream(*s, directory, true);
  return directory;
}

ROCDRILL_HOOK(dirent*, readdir, DIR* directory) {
  const auto real = ROCDRILL_REAL(readdir);
  const Slot* slot = slot_of(directory);
  if (slot == nullptr) return real(directory);
  return next_entry(the_session, directory, *slot->stream, real, ROCDRILL_REAL(opendir));
}
ROCDRILL_ALIAS(readdir64, readdir);

ROCDRILL_HOOK(int, readdir_r, DIR* directory, dirent* entry, dirent** result) {
  if (slot_of(directory) == nullptr) return ROCDRILL_REAL(readdir_r)(directory, entry, result);
  const int saved = errno;
  errno = 0;
  const dirent* next = hook_readdir(directory);
  const int error = errno;
  errno = saved;
  *result = nullptr;
  if (next == nullptr) return error;
  memcpy(entry, next, next->d_reclen);
  *result = entry;
  return 0;
}
ROCDRILL_ALIAS(readdir64_r, readdir_r);

ROCDRILL_HOOK(int, closedir, DIR* directory) {
  const auto real = ROCDRILL_REAL(closedir);
  if (Slot* slot = slot_of(directory)) {
    if (slot->stream->node_part != nullptr) real(slot->stream->node_part);
    free(slot->stream);
    __atomic_store_n(&slot->directory, removed, __ATOMIC_RELEASE);
    __atomic_sub_fetch(&followed, 1, __ATOMIC_RELAXED);
  }
  return real(directory);
}

ROCDRILL_HOOK(void, rewinddir, DIR* directory) {
  const auto real = ROCDRILL_REAL(rewinddir);
  if (const Slot* slot = slot_of(directory)) {
    slot->stream->second_part = false;
    if (slot->stream->node_part != nullptr) real(slot->stream->node_part);
  }
  real(directory);
}

ROCDRILL_HOOK(long, telldir, DIR* directory) {
  const auto real = ROCDRILL_REAL(telldir);
  const Slot* slot = slot_of(directory);
  if (slot == nullptr || !slot->stream->second_part || slot->stream->node_part == nullptr)
    return real(directory);
  return real(slot->stream->node_part) | second_part_bit;
}

ROCDRILL_HOOK(void, seekdir, DIR* directory, long position) {
  const auto real = ROCDRILL_REAL(seekdir);
  const Slot* slot = slot_of(directory);
  if (slot == nullptr || !slot->stream->merged) return real(directory, position);
  slot->stream->second_part = (position & second_part_bit) != 0;
  if (!slot->stream->second_part) {
    if (slot->stream->node_part != nullptr) ROCDRILL_REAL(rewinddir)(slot->stream->node_part);
    return real(directory, position);
  }
  if (slot->stream->node_part != nullptr)
    real(slot->stream->node_part, position & ~second_part_bit);
}
