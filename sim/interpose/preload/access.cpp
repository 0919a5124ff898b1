#include "sim/interpose/preload/access.hpp"

#include <stdio.h>
#include <sys/sysmacros.h>

#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/server.hpp"

namespace rocdrill::interpose {
namespace {

bool is_link(const IndexEntry& entry) { return S_ISLNK(entry.mode); }
bool is_device(const IndexEntry& entry) { return S_ISCHR(entry.mode) || S_ISBLK(entry.mode); }

Attributes from_entry(const IndexEntry& entry) {
  return {entry.mode,       entry.uid,        entry.gid,
          entry.rdev_major, entry.rdev_minor, (entry.flags & entry_virtual) != 0};
}

// The permission bits alone, as generic_permission() of the kernel has it.
bool granted(const Attributes& file, int want, bool effective) {
  const Identity& who = identity();
  const uid_t uid = effective ? who.effective_uid : who.uid;
  // sysfs asks for a bit of the kind even of root.
  const bool any_needed = file.is_virtual && !S_ISDIR(file.mode);
  if (uid == 0) {
    if (S_ISDIR(file.mode)) return true;
    if ((want & want_execute) != 0 && (file.mode & 0111) == 0) return false;
    if (!any_needed) return true;
    return ((want & want_write) == 0 || (file.mode & 0222) != 0) &&
           ((want & want_read) == 0 || (file.mode & 0444) != 0);
  }
  unsigned bits = file.mode & 7;
  if (uid == file.uid)
    bits = (file.mode >> 6) & 7;
  else if (who.member_of(file.gid, effective))
    bits = (file.mode >> 3) & 7;
  return (bits & static_cast<unsigned>(want)) == static_cast<unsigned>(want);
}

bool searchable(const Place& place, bool effective) {
  for (size_t i = 1; i < place.length; ++i) {
    if (place.node()[i] != '/') continue;
    const IndexEntry* entry = place.index->find(place.node(), i);
    if (entry != nullptr && S_ISDIR(entry->mode) &&
        !granted(from_entry(*entry), want_execute, effective))
      return false;
  }
  return true;
}

int parent_of(const Place& place, Attributes& out, bool& search) {
  Place parent = place;
  parent.to_parent();
  search = searchable(place, true);
  const bool listed = place.index->find(parent.node(), parent.length) != nullptr;
  if (listed || owned(*place.index, parent.node(), parent.length))
    return attributes_of(parent, out);
  // A prefix itself: it lies in a directory of the system's, /etc or /var/lib.
  out = {S_IFDIR | 0755, 0, 0, 0, 0, false};
  return 0;
}

/// Served by a file system of its own, whose stat() is the node's.
bool is_live(const Place& place) {
  for (size_t i = place.length; i > 1; --i) {
    if (i != place.length && place.node()[i] != '/') continue;
    const IndexEntry* entry = place.index->find(place.node(), i);
    if (entry != nullptr) return (entry->flags & entry_live) != 0;
  }
  return false;
}

bool below_proc(const Place& place) { return strncmp(place.node(), "/proc/", 6) == 0; }

}  // namespace

Held::~Held() {
  if (fd >= 0) raw::close(fd);
}

int resolve(const Session& session, Place& place, bool follow, Held* held) {
  follow = follow || place.trailing_slash;
  const IndexEntry* entry = place.index->find(place.node(), place.length);
  if (entry != nullptr && !(follow && is_link(*entry))) {
    // The index may be a moment behind what was just removed.
    struct stat file;
    return raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW);
  }
  const int fd = raw::open(place.real(), O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
  if (fd < 0) return fd;
  const bool known = path_of_descriptor(session, fd, place);
  if (known && held != nullptr)
    held->fd = fd;
  else
    raw::close(fd);
  return known ? 0 : -ENOENT;
}

int resolve_parent(const Session& session, Place& place) {
  const char* slash = strrchr(place.node(), '/');
  char name[NAME_MAX + 1];
  const size_t size = place.length - static_cast<size_t>(slash + 1 - place.node());
  if (size == 0) return -EBUSY;
  if (size > NAME_MAX) return -ENAMETOOLONG;
  memcpy(name, slash + 1, size);
  Place whole = place;
  place.to_parent();
  const bool slash_meant = place.trailing_slash;
  place.trailing_slash = false;
  if (!owned(*place.index, place.node(), place.length)) {
    // The prefix itself: its parent is this machine's, and no name of the node may be made there.
    place = whole;
    return 0;
  }
  const int error = resolve(session, place, true);
  if (error < 0) return error;
  place.trailing_slash = slash_meant;
  return place.append(name, size) ? 0 : -ENAMETOOLONG;
}

int attributes_of(const Place& place, Attributes& out, const Held* held) {
  struct stat file;
  const int error = held != nullptr && held->fd >= 0
                        ? raw::fstat(held->fd, &file)
                        : raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW);
  if (error < 0) return error;
  const IndexEntry* entry = place.index->find(place.node(), place.length);
  // An entry of another type is that of a file which has just been replaced.
  if (entry != nullptr && ((entry->mode & S_IFMT) == (file.st_mode & S_IFMT) ||
                           (is_device(*entry) && S_ISREG(file.st_mode)))) {
    out = from_entry(*entry);
    return 0;
  }
  if (is_live(place)) {
    out = {file.st_mode, file.st_uid, file.st_gid, 0, 0, true};
    return 0;
  }
  const Identity& who = identity();
  out = {file.st_mode, who.effective_uid, who.effective_gid, 0, 0, false};
  return 0;
}

int permit(const Place& place, int want, bool effective) {
  if (!searchable(place, effective)) return -EACCES;
  if (want == 0) return 0;
  Attributes file;
  const int error = attributes_of(place, file);
  if (error < 0) return error;
  return granted(file, want, effective) ? 0 : -EACCES;
}

int permit(const Place& place, const Attributes& file, int want, bool effective) {
  if (!searchable(place, effective)) return -EACCES;
  return want == 0 || granted(file, want, effective) ? 0 : -EACCES;
}

int permit_create(const Place& place, bool directory_like) {
  Attributes parent;
  bool search = false;
  const int error = parent_of(place, parent, search);
  if (error < 0) return error;
  if (!search || !granted(parent, want_write | want_execute, true)) return -EACCES;
  if (!parent.is_virtual) return 0;
  // procfs says that there is no such name; sysfs refuses the file, and knows no mkdir at all.
  if (below_proc(place)) return -ENOENT;
  return directory_like ? -EPERM : -EACCES;
}

int permit_remove(const Place& place) {
  Attributes parent;
  Attributes file;
  bool search = false;
  int error = parent_of(place, parent, search);
  if (error == 0) error = attributes_of(place, file);
  if (error < 0) return error;
  if (!search || !granted(parent, want_write | want_execute, true)) return -EACCES;
  if (parent.is_virtual || file.is_virtual) return -EPERM;
  const uid_t uid = identity().effective_uid;
  if ((parent.mode & S_ISVTX) != 0 && uid != 0 && uid != file.uid && uid != parent.uid)
    return -EPERM;
  return 0;
}

int permit_owner(const Place& place) {
  Attributes file;
  if (!searchable(place, true)) return -EACCES;
  const int error = attributes_of(place, file);
  if (error < 0) return error;
  const uid_t uid = identity().effective_uid;
  return uid == 0 || uid == file.uid ? 0 : -EPERM;
}

int set_mode(const Place& place, uint32_t mode) {
  Message message("setattr");
  message.text("path", place.node());
  message.number("mode", mode & 07777);
  return ask(message);
}

int set_owner(const Place& place, uint32_t uid, uint32_t gid) {
  Message message("setattr");
  message.text("path", place.node());
  if (uid != UINT32_MAX) message.number("uid", uid);
  if (gid != UINT32_MAX) message.number("gid", gid);
  return ask(message);
}

void tell_owner(const Place& place) {
  const Identity& who = identity();
  const IndexHeader& header = *place.index->header;
  if (who.effective_uid != header.uid || who.effective_gid != header.gid)
    set_owner(place, who.effective_uid, who.effective_gid);
}

void apply(const Attributes& attributes, struct stat& file) {
  file.st_mode = attributes.mode;
  file.st_uid = attributes.uid;
  file.st_gid = attributes.gid;
  if (!S_ISCHR(attributes.mode) && !S_ISBLK(attributes.mode)) return;
  file.st_rdev = makedev(attributes.major, attributes.minor);
  file.st_size = 0;
  file.st_blocks = 0;
}

}  // namespace rocdrill::interpose
