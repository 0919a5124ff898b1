// stat(2) in its many spellings, access(2), extended attributes.
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/files.hpp"
#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/server.hpp"

namespace rocdrill::interpose {

void apply_to_descriptor(const Session& session, int fd, struct stat& file) {
  Attributes attributes;
  if (S_ISSOCK(file.st_mode)) {
    char device[32];
    if (!device_of_descriptor(fd, device)) return;
    const IndexUse index = newest_index();
    for (const char* folder : {"/dev/", "/dev/dri/"}) {
      char path[64];
      const int size = snprintf(path, sizeof path, "%s%s", folder, device);
      const IndexEntry* entry = index->find(path, static_cast<size_t>(size));
      if (entry == nullptr) continue;
      apply({entry->mode, entry->uid, entry->gid, entry->rdev_major, entry->rdev_minor, false},
            file);
      return;
    }
    file.st_mode = S_IFCHR | 0666;  // gone from the node since it was opened
    return;
  }
  Place place;
  place.start(session, AT_FDCWD, nullptr);
  if (!descriptor_on_node(session, fd, file, place)) return;
  place.index = newest_index();
  if (attributes_of(place, attributes) == 0) {
    apply(attributes, file);
    return;
  }
  file.st_uid = identity().effective_uid;  // removed while it is open
  file.st_gid = identity().effective_gid;
}

namespace {

// 0 or -errno.
int stat_place(const Session& session, Place& place, bool follow, struct stat& file) {
  int error = resolve(session, place, follow);
  if (error < 0) return error;
  if (!place.on_node()) return raw::stat_at(AT_FDCWD, place.real(), &file, 0);
  error = permit(place, 0);
  if (error == 0) error = raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW);
  Attributes attributes;
  if (error == 0) error = attributes_of(place, attributes);
  if (error == 0) apply(attributes, file);
  return error;
}

int stat_path(int dirfd, const char* path, struct stat* out, int flags) {
  const Session* s = session();
  if (s == nullptr) return raw::stat_at(dirfd, path, out, flags);
  if ((flags & AT_EMPTY_PATH) != 0 && path != nullptr && path[0] == '\0') {
    const int error = raw::stat_at(dirfd, path, out, flags);
    if (error == 0 && dirfd >= 0) apply_to_descriptor(*s, dirfd, *out);
    return error;
  }
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return raw::stat_at(place.dirfd(), place.real(), out, flags);
  return stat_place(*s, place, (flags & AT_SYMLINK_NOFOLLOW) == 0, *out);
}

/// The node's own: libudev believes in devices of a sysfs only.
void name_file_system(const char* node_path, struct statfs& file_system) {
  const auto below = [&](const char* folder) {
    const size_t length = strlen(folder);
    return strncmp(node_path, folder, length) == 0 &&
           (node_path[length] == '/' || node_path[length] == '\0');
  };
  if (below("/sys")) file_system.f_type = SYSFS_MAGIC;
  if (below("/proc")) file_system.f_type = PROC_SUPER_MAGIC;
}

void overwrite(const struct stat& from, struct statx& to) {
  to.stx_mode = static_cast<uint16_t>(from.st_mode);
  to.stx_uid = from.st_uid;
  to.stx_gid = from.st_gid;
  to.stx_rdev_major = major(from.st_rdev);
  to.stx_rdev_minor = minor(from.st_rdev);
  to.stx_size = static_cast<uint64_t>(from.st_size);
  to.stx_blocks = static_cast<uint64_t>(from.st_blocks);
}

int raw_statx(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) {
  return static_cast<int>(
      raw::call(SYS_statx, dirfd, raw::arg(path), flags, static_cast<long>(mask), raw::arg(out)));
}

int statx_path(int dirfd, const char* path, int flags, unsigned mask, struct statx* out) {
  const Session* s = session();
  const bool by_descriptor = (flags & AT_EMPTY_PATH) != 0 && path != nullptr && path[0] == '\0';
  if (s == nullptr) return raw_statx(dirfd, path, flags, mask, out);
  struct stat file;
  if (by_descriptor) {
    int error = raw_statx(dirfd, path, flags, mask, out);
    if (error < 0 || dirfd < 0 || raw::fstat(dirfd, &file) < 0) return error;
    const mode_t before = file.st_mode;
    const uid_t owner = file.st_uid;
    const gid_t group = file.st_gid;
    apply_to_descriptor(*s, dirfd, file);
    if (before != file.st_mode || owner != file.st_uid || group != file.st_gid)
      overwrite(file, *out);
    return 0;
  }
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return raw_statx(place.dirfd(), place.real(), flags, mask, out);
  int error = stat_place(*s, place, (flags & AT_SYMLINK_NOFOLLOW) == 0, file);
  if (error < 0) return error;
  error = raw_statx(AT_FDCWD, place.real(), flags | AT_SYMLINK_NOFOLLOW, mask, out);
  if (error == 0) overwrite(file, *out);
  return error;
}

int access_path(int dirfd, const char* path, int mode, int flags) {
  const Session* s = session();
  const auto kernel = [&](int fd, const char* name) {
    return static_cast<int>(flags == 0
                                ? raw::call(SYS_faccessat, fd, raw::arg(name), mode)
                                : raw::call(SYS_faccessat2, fd, raw::arg(name), mode, flags));
  };
  if (s == nullptr) return kernel(dirfd, path);
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return kernel(place.dirfd(), place.real());
  if ((mode & ~7) != 0) return -EINVAL;
  const int error = resolve(*s, place, (flags & AT_SYMLINK_NOFOLLOW) == 0);
  if (error < 0) return error;
  if (!place.on_node()) return kernel(AT_FDCWD, place.real());
  struct stat file;
  const int exists = raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW);
  return exists < 0 ? exists : permit(place, mode, (flags & AT_EACCESS) != 0);
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, fstatat, int dirfd, const char* path, struct stat* out, int flags) {
  return static_cast<int>(answer(stat_path(dirfd, path, out, flags)));
}
ROCDRILL_ALIAS(fstatat64, fstatat);

ROCDRILL_HOOK(int, stat, const char* path, struct stat* out) {
  return static_cast<int>(answer(stat_path(AT_FDCWD, path, out, 0)));
}
ROCDRILL_ALIAS(stat64, stat);

ROCDRILL_HOOK(int, lstat, const char* path, struct stat* out) {
  return static_cast<int>(answer(stat_path(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW)));
}
ROCDRILL_ALIAS(lstat64, lstat);

ROCDRILL_HOOK(int, fstat, int fd, struct stat* out) {
  const int error = raw::fstat(fd, out);
  if (error == 0)
    if (const Session* s = session()) apply_to_descriptor(*s, fd, *out);
  return static_cast<int>(answer(error));
}
ROCDRILL_ALIAS(fstat64, fstat);

// Programs built against a glibc before 2.33.
ROCDRILL_HOOK(int, __xstat, int, const char* path, struct stat* out) {
  return hook_stat(path, out);
}
ROCDRILL_ALIAS(__xstat64, __xstat);
ROCDRILL_HOOK(int, __lxstat, int, const char* path, struct stat* out) {
  return hook_lstat(path, out);
}
ROCDRILL_ALIAS(__lxstat64, __lxstat);
ROCDRILL_HOOK(int, __fxstat, int, int fd, struct stat* out) { return hook_fstat(fd, out); }
ROCDRILL_ALIAS(__fxstat64, __fxstat);
ROCDRILL_HOOK(int, __fxstatat, int, int dirfd, const char* path, struct stat* out, int flags) {
  return hook_fstatat(dirfd, path, out, flags);
}
ROCDRILL_ALIAS(__fxstatat64, __fxstatat);

ROCDRILL_HOOK(int, statx, int dirfd, const char* path, int flags, unsigned mask,
              struct statx* out) {
  return static_cast<int>(answer(statx_path(dirfd, path, flags, mask, out)));
}

ROCDRILL_HOOK(int, faccessat, int dirfd, const char* path, int mode, int flags) {
  return static_cast<int>(answer(access_path(dirfd, path, mode, flags)));
}
ROCDRILL_HOOK(int, access, const char* path, int mode) {
  return static_cast<int>(answer(access_path(AT_FDCWD, path, mode, 0)));
}
ROCDRILL_HOOK(int, euidaccess, const char* path, int mode) {
  return static_cast<int>(answer(access_path(AT_FDCWD, path, mode, AT_EACCESS)));
}
ROCDRILL_ALIAS(eaccess, euidaccess);

namespace {

// Calls that need nothing but the other path; `follow` as the last argument of resolve().
template <typename Call>
long with_real_path(const char* path, bool follow, Call call) {
  const Session* s = session();
  if (s == nullptr) return answer(call(path));
  Place place;
  locate(*s, AT_FDCWD, path, place);
  if (place.on_node()) {
    const int error = resolve(*s, place, follow);
    if (error < 0) return answer(error);
  }
  return answer(call(place.real()));
}

}  // namespace

ROCDRILL_HOOK(ssize_t, getxattr, const char* path, const char* name, void* value, size_t size) {
  return with_real_path(path, true, [&](const char* real) {
    return raw::call(SYS_getxattr, raw::arg(real), raw::arg(name), raw::arg(value),
                     static_cast<long>(size));
  });
}
ROCDRILL_HOOK(ssize_t, lgetxattr, const char* path, const char* name, void* value, size_t size) {
  return with_real_path(path, false, [&](const char* real) {
    return raw::call(SYS_lgetxattr, raw::arg(real), raw::arg(name), raw::arg(value),
                     static_cast<long>(size));
  });
}
ROCDRILL_HOOK(ssize_t, listxattr, const char* path, char* list, size_t size) {
  return with_real_path(path, true, [&](const char* real) {
    return raw::call(SYS_listxattr, raw::arg(real), raw::arg(list), static_cast<long>(size));
  });
}
ROCDRILL_HOOK(ssize_t, llistxattr, const char* path, char* list, size_t size) {
  return with_real_path(path, false, [&](const char* real) {
    return raw::call(SYS_llistxattr, raw::arg(real), raw::arg(list), static_cast<long>(size));
  });
}
ROCDRILL_HOOK(int, inotify_add_watch, int fd, const char* path, uint32_t mask) {
  return static_cast<int>(with_real_path(path, true, [&](const char* real) {
    return raw::call(SYS_inotify_add_watch, fd, raw::arg(real), mask);
  }));
}
ROCDRILL_HOOK(int, statfs, const char* path, struct statfs* out) {
  return static_cast<int>(with_real_path(path, true, [&](const char* real) {
    const long error = raw::call(SYS_statfs, raw::arg(real), raw::arg(out));
    if (const Session* s = session(); s != nullptr && error == 0) {
      const size_t skip = root_part(*s, real, strlen(real));
      if (skip > 0) name_file_system(real + skip, *out);
    }
    return error;
  }));
}
ROCDRILL_ALIAS(statfs64, statfs);

ROCDRILL_HOOK(int, fstatfs, int fd, struct statfs* out) {
  const long error = raw::call(SYS_fstatfs, fd, raw::arg(out));
  if (const Session* s = session(); s != nullptr && error == 0) {
    Place place;
    if (path_of_descriptor(*s, fd, place) && place.on_node()) name_file_system(place.node(), *out);
  }
  return static_cast<int>(answer(error));
}
ROCDRILL_ALIAS(fstatfs64, fstatfs);

ROCDRILL_HOOK(int, statvfs, const char* path, struct statvfs* out) {
  const auto real = ROCDRILL_REAL(statvfs);
  return static_cast<int>(with_real_path(
      path, true, [&](const char* name) -> long { return real(name, out) == 0 ? 0 : -errno; }));
}
ROCDRILL_ALIAS(statvfs64, statvfs);
