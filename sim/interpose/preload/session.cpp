#include "sim/interpose/preload/session.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {

__thread int depth = 0;
SessionState session_state = SessionState::unknown;
Session the_session;

namespace {

constexpr int being_filled = -(1 << 24);  ///< Index::uses
Index* all_indexes = nullptr;

void* map_file(const char* folder, const char* name, size_t at_least, size_t& size, dev_t* device) {
  char path[folder_max + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const int fd = raw::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat file;
  void* map = nullptr;
  if (raw::fstat(fd, &file) == 0 && static_cast<size_t>(file.st_size) >= at_least) {
    size = static_cast<size_t>(file.st_size);
    const long address = raw::call(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_SHARED, fd);
    if (address > 0) map = reinterpret_cast<void*>(address);
    if (device != nullptr) *device = file.st_dev;
  }
  raw::close(fd);
  return map;
}

const IndexHeader* map_index(dev_t* device) {
  size_t size = 0;
  void* map = map_file(the_session.folder, "index", sizeof(IndexHeader), size, device);
  if (map == nullptr) return nullptr;
  const auto* header = static_cast<const IndexHeader*>(map);
  if (header->magic == index_magic && header->version == index_version && header->size <= size &&
      header->bucket_count > 0 && (header->bucket_count & (header->bucket_count - 1)) == 0)
    return header;
  complain("session %s: its index is not of version %u; this program sees the machine itself",
           the_session.folder, index_version);
  raw::call(SYS_munmap, raw::arg(map), static_cast<long>(size));
  return nullptr;
}

// An Index that nobody else looks at. The memory of an Index is never given back, so that another
// thread may still count itself in and, as it is not the newest any more, out again.
Index* idle_index() {
  for (Index* index = __atomic_load_n(&all_indexes, __ATOMIC_ACQUIRE); index != nullptr;
       index = index->next) {
    int nobody = 0;
    if (__atomic_compare_exchange_n(&index->uses, &nobody, being_filled, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED))
      return index;
  }
  auto* index = static_cast<Index*>(calloc(1, sizeof(Index)));
  if (index == nullptr) return nullptr;
  index->uses = being_filled;
  index->next = __atomic_load_n(&all_indexes, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&all_indexes, &index->next, index, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  return index;
}

void forget(Index& index) {
  if (index.header != nullptr) raw::call(SYS_munmap, raw::arg(index.header), index.header->size);
  free(index.ancestor_list);
  index.header = nullptr;
  index.ancestor_list = nullptr;
  index.ancestor_count = 0;
}

// The newest Index, counted; it may be unmapped only if that was seen to be still the newest.
Index* use_current() {
  for (;;) {
    Index* index = __atomic_load_n(&the_session.current, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&index->uses, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&the_session.current, __ATOMIC_SEQ_CST) == index) return index;
    __atomic_sub_fetch(&index->uses, 1, __ATOMIC_RELEASE);
  }
}

// Two threads may both do this: the newer one wins. The old index stays if there is no new one.
void replace_index() {
  Index* fresh = idle_index();
  if (fresh == nullptr) return;
  forget(*fresh);
  fresh->header = map_index(nullptr);
  if (fresh->header == nullptr) {
    __atomic_sub_fetch(&fresh->uses, being_filled, __ATOMIC_RELEASE);
    return;
  }
  const uint64_t epoch = fresh->header->epoch;
  __atomic_sub_fetch(&fresh->uses, being_filled - 1, __ATOMIC_RELEASE);  // one: the newest
  for (;;) {
    Index* old = use_current();
    const bool newer = old->header->epoch < epoch;
    Index* expected = old;
    const bool replaced =
        newer && __atomic_compare_exchange_n(&the_session.current, &expected, fresh, false,
                                             __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&old->uses, replaced ? 2 : 1, __ATOMIC_RELEASE);
    if (replaced) return;
    if (!newer) break;
  }
  __atomic_sub_fetch(&fresh->uses, 1, __ATOMIC_RELEASE);
}

bool canonical_folder(const char* path) {
  const int fd = raw::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long length = raw::readlink_at(AT_FDCWD, link, the_session.folder, folder_max);
  raw::close(fd);
  if (length <= 0 || length >= static_cast<long>(folder_max)) return false;
  the_session.folder[length] = '\0';
  the_session.folder_length = static_cast<size_t>(length);
  return true;
}

bool open_session() {
  Session& s = the_session;
  const char* folder = getenv(session_variable);
  if (folder == nullptr || folder[0] != '/' || !canonical_folder(folder)) return false;
  s.root_length = static_cast<size_t>(snprintf(s.root, sizeof s.root, "%s/root", s.folder));
  snprintf(s.preload, sizeof s.preload, "%s/lib/librocdrill_preload.so", s.folder);
  s.hash = index_hash(s.folder, s.folder_length);
  struct stat root;
  if (raw::stat_at(AT_FDCWD, s.root, &root, 0) < 0) return false;
  s.devices[0] = root.st_dev;
  s.owner = root.st_uid;
  size_t size = 0;
  s.epoch =
      static_cast<const uint64_t*>(map_file(s.folder, "epoch", sizeof(uint64_t), size, nullptr));
  if (s.epoch == nullptr) return false;
  static Index first;
  first.header = map_index(&s.devices[1]);
  first.uses = 1;
  s.current = all_indexes = &first;
  return first.header != nullptr;
}

}  // namespace

void start_session() {
  const int saved = errno;
  session_state = open_session() ? SessionState::present : SessionState::absent;
  errno = saved;
}

IndexUse newest_index() {
  const Index* index = use_current();
  const uint64_t epoch = __atomic_load_n(the_session.epoch, __ATOMIC_ACQUIRE);
  if (__builtin_expect(index->header->epoch < epoch, 0)) {
    __atomic_sub_fetch(&index->uses, 1, __ATOMIC_RELEASE);
    replace_index();
    index = use_current();
  }
  return IndexUse(index);
}

const IndexEntry* Index::find(const char* path, size_t length) const {
  const uint32_t* buckets = numbers(header->buckets);
  uint32_t at = buckets[index_hash(path, length) & (header->bucket_count - 1)];
  while (at < header->entry_count) {
    const IndexEntry& entry = entries()[at];
    const char* own = text(entry.path);
    if (strncmp(own, path, length) == 0 && own[length] == '\0') return &entry;
    at = entry.next;
  }
  return nullptr;
}

bool Index::below_prefix(const char* path, size_t length) const {
  const uint32_t* prefixes = numbers(header->prefixes);
  for (uint32_t i = 0; i < header->prefix_count; ++i) {
    const char* prefix = text(prefixes[i]);
    if (prefix[1] != path[1]) continue;
    const size_t size = strlen(prefix);
    if (size > length || memcmp(prefix, path, size) != 0) continue;
    if (size == length || path[size] == '/') return true;
  }
  return false;
}

namespace {

struct AncestorBuilder {
  Ancestor* list;
  size_t count;

  void add(const char* path, uint32_t length) {
    for (size_t i = 0; i < count; ++i)
      if (list[i].length == length && memcmp(list[i].path, path, length) == 0) return;
    char name[PATH_MAX];
    memcpy(name, path, length);
    name[length] = '\0';
    struct stat real;
    Ancestor& ancestor = list[count++];
    ancestor = {path, length, true, 0, 0};
    if (raw::stat_at(AT_FDCWD, name, &real, 0) < 0) return;
    ancestor.missing = false;
    ancestor.device = real.st_dev;
    ancestor.inode = real.st_ino;
  }

  void add_all_above(const char* path) {
    add(path, 1);
    for (uint32_t i = 1; path[i] != '\0'; ++i)
      if (path[i] == '/') add(path, i);
  }
};

size_t slashes(const char* path) {
  size_t count = 0;
  for (; *path != '\0'; ++path) count += *path == '/';
  return count;
}

}  // namespace

const Ancestor* Index::ancestors(size_t& count) const {
  Ancestor* list = __atomic_load_n(&ancestor_list, __ATOMIC_ACQUIRE);
  if (list == nullptr) {
    size_t room = 0;
    for (uint32_t i = 0; i < header->prefix_count; ++i)
      room += slashes(text(numbers(header->prefixes)[i]));
    for (uint32_t i = 0; i < header->alias_count; ++i)
      room += slashes(text(numbers(header->aliases)[2 * i]));
    AncestorBuilder builder{static_cast<Ancestor*>(malloc((room + 1) * sizeof(Ancestor))), 0};
    if (builder.list == nullptr) {
      count = 0;
      return nullptr;
    }
    for (uint32_t i = 0; i < header->prefix_count; ++i)
      builder.add_all_above(text(numbers(header->prefixes)[i]));
    for (uint32_t i = 0; i < header->alias_count; ++i)
      builder.add_all_above(text(numbers(header->aliases)[2 * i]));
    ancestor_count = builder.count;
    if (__atomic_compare_exchange_n(&ancestor_list, &list, builder.list, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      list = builder.list;
    else
      free(builder.list);
  }
  count = ancestor_count;
  return list;
}

void complain(const char* format, ...) {
  char line[2048];
  int length = snprintf(line, sizeof line, "rocdrill: ");
  va_list arguments;
  va_start(arguments, format);
  length +=
      vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, arguments);
  va_end(arguments);
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length] = '\n';
  raw::write(2, line, static_cast<size_t>(length) + 1);
}

}  // namespace rocdrill::interpose
