// Names that are made, moved and removed; modes, owners and times that are changed.
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {
namespace {

bool exists(const Place& place) {
  struct stat file;
  return raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW) == 0;
}

// A place on the node where a name is to be made: parent resolved, absent and permitted.
int prepare_create(const Session& session, Place& place) {
  const int error = resolve_parent(session, place);
  if (error < 0) return error;
  return exists(place) ? -EEXIST : permit_create(place, true);
}

int prepare_remove(const Session& session, Place& place) {
  const int error = resolve_parent(session, place);
  if (error < 0) return error;
  return exists(place) ? permit_remove(place) : -ENOENT;
}

// Locates the path; on the node `prepare` is asked first and `done` told afterwards.
template <typename Prepare, typename Call, typename Done>
long at_place(int dirfd, const char* path, Prepare prepare, Call call, Done done) {
  const Session* s = session();
  if (s == nullptr) return call(dirfd, path);
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return call(place.dirfd(), place.real());
  const int error = prepare(*s, place);
  if (error < 0) return error;
  const long result = call(place.dirfd(), place.real());
  if (result >= 0) done(place);
  return result;
}

void nothing(const Place&) {}

long make_directory(int dirfd, const char* path, mode_t mode) {
  return at_place(
      dirfd, path, prepare_create,
      [&](int fd, const char* real) {
        return raw::call(SYS_mkdirat, fd, raw::arg(real), static_cast<long>(mode));
      },
      tell_owner);
}

long make_node(int dirfd, const char* path, mode_t mode, dev_t device) {
  const auto prepare = [&](const Session& session, Place& place) {
    const int error = prepare_create(session, place);
    return error == 0 && (S_ISCHR(mode) || S_ISBLK(mode)) ? -EPERM : error;
  };
  return at_place(
      dirfd, path, prepare,
      [&](int fd, const char* real) {
        return raw::call(SYS_mknodat, fd, raw::arg(real), static_cast<long>(mode),
                         static_cast<long>(device));
      },
      tell_owner);
}

long unlink_path(int dirfd, const char* path, int flags) {
  return at_place(
      dirfd, path, prepare_remove,
      [&](int fd, const char* real) { return raw::call(SYS_unlinkat, fd, raw::arg(real), flags); },
      nothing);
}

long rename_path(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  const Session* s = session();
  const auto kernel = [&](int a, const char* old_name, int b, const char* new_name) {
    return raw::call(SYS_renameat2, a, raw::arg(old_name), b, raw::arg(new_name),
                     static_cast<long>(flags));
  };
  if (s == nullptr) return kernel(from_fd, from, to_fd, to);
  Place source;
  Place target;
  locate(*s, from_fd, from, source);
  locate(*s, to_fd, to, target);
  int error = 0;
  if (source.on_node()) error = prepare_remove(*s, source);
  if (error == 0 && target.on_node()) {
    error = resolve_parent(*s, target);
    if (error == 0) error = exists(target) ? permit_remove(target) : permit_create(target, true);
  }
  if (error < 0) return error;
  // A whole directory does not move between the machines: whoever wants that copies it.
  struct stat file;
  if (source.on_node() != target.on_node() &&
      raw::stat_at(source.dirfd(), source.real(), &file, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(file.st_mode))
    return -EXDEV;
  const long result = kernel(source.dirfd(), source.real(), target.dirfd(), target.real());
  if (result == 0 && target.on_node() && !source.on_node()) tell_owner(target);
  return result;
}

long link_path(int from_fd, const char* from, int to_fd, const char* to, int flags) {
  const Session* s = session();
  const auto kernel = [&](int a, const char* old_name, int b, const char* new_name) {
    return raw::call(SYS_linkat, a, raw::arg(old_name), b, raw::arg(new_name), flags);
  };
  if (s == nullptr) return kernel(from_fd, from, to_fd, to);
  Place source;
  Place target;
  locate(*s, from_fd, from, source);
  locate(*s, to_fd, to, target);
  int error = 0;
  if (source.on_node()) error = resolve(*s, source, (flags & AT_SYMLINK_FOLLOW) != 0);
  if (error == 0 && target.on_node()) error = prepare_create(*s, target);
  if (error < 0) return error;
  return kernel(source.dirfd(), source.real(), target.dirfd(), target.real());
}

// --- modes and owners: the server keeps them, the file in root/ stays the user's own ---

int change_mode(const Place& place, mode_t mode) {
  const int error = permit_owner(place);
  return error < 0 ? error : set_mode(place, mode);
}

int change_owner(const Place& place, uid_t uid, gid_t gid) {
  Attributes file;
  const int error = attributes_of(place, file);
  if (error < 0) return error;
  const Identity& who = identity();
  const bool same_user = uid == UINT32_MAX || uid == file.uid;
  const bool own_group = gid == UINT32_MAX || gid == file.gid || who.member_of(gid, true);
  if (who.effective_uid != 0 && (who.effective_uid != file.uid || !same_user || !own_group))
    return -EPERM;
  return set_owner(place, uid, gid);
}

template <typename Change, typename Call>
long change_path(int dirfd, const char* path, bool follow, Change change, Call call) {
  const Session* s = session();
  if (s == nullptr) return call(dirfd, path);
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return call(place.dirfd(), place.real());
  const int error = resolve(*s, place, follow);
  if (error < 0) return error;
  if (!place.on_node()) return call(AT_FDCWD, place.real());
  return exists(place) ? change(place) : -ENOENT;
}

template <typename Change>
long change_descriptor(int fd, Change change, long call, long a, long b = 0) {
  const Session* s = session();
  struct stat file;
  if (s == nullptr || raw::fstat(fd, &file) < 0) return raw::call(call, fd, a, b);
  Place place;
  place.start(*s, AT_FDCWD, nullptr);
  if (!descriptor_on_node(*s, fd, file, place)) return raw::call(call, fd, a, b);
  place.index = newest_index();
  return change(place);
}

long chmod_path(int dirfd, const char* path, mode_t mode, int flags) {
  return change_path(
      dirfd, path, (flags & AT_SYMLINK_NOFOLLOW) == 0,
      [&](const Place& place) { return change_mode(place, mode); },
      [&](int fd, const char* real) {
        return raw::call(SYS_fchmodat, fd, raw::arg(real), static_cast<long>(mode));
      });
}

long chown_path(int dirfd, const char* path, uid_t uid, gid_t gid, int flags) {
  return change_path(
      dirfd, path, (flags & AT_SYMLINK_NOFOLLOW) == 0,
      [&](const Place& place) { return change_owner(place, uid, gid); },
      [&](int fd, const char* real) {
        return raw::call(SYS_fchownat, fd, raw::arg(real), static_cast<long>(uid),
                         static_cast<long>(gid), flags);
      });
}

long times_path(int dirfd, const char* path, const timespec* times, int flags) {
  const auto kernel = [&](int fd, const char* real) {
    return raw::call(SYS_utimensat, fd, raw::arg(real), raw::arg(times), flags);
  };
  if (path == nullptr) return kernel(dirfd, path);
  return change_path(
      dirfd, path, (flags & AT_SYMLINK_NOFOLLOW) == 0,
      [&](const Place& place) {
        int error = permit_owner(place);
        if (error < 0 && times == nullptr) error = permit(place, want_write);
        return error < 0 ? static_cast<long>(error) : kernel(AT_FDCWD, place.real());
      },
      kernel);
}

long times_in_microseconds(int dirfd, const char* path, const timeval* times, int flags) {
  if (times == nullptr) return times_path(dirfd, path, nullptr, flags);
  const timespec both[2] = {{times[0].tv_sec, times[0].tv_usec * 1000},
                            {times[1].tv_sec, times[1].tv_usec * 1000}};
  return times_path(dirfd, path, both, flags);
}

int as_int(long result) { return static_cast<int>(answer(result)); }

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, mkdirat, int dirfd, const char* path, mode_t mode) {
  return as_int(make_directory(dirfd, path, mode));
}
ROCDRILL_HOOK(int, mkdir, const char* path, mode_t mode) {
  return as_int(make_directory(AT_FDCWD, path, mode));
}
ROCDRILL_HOOK(int, mknodat, int dirfd, const char* path, mode_t mode, dev_t device) {
  return as_int(make_node(dirfd, path, mode, device));
}
ROCDRILL_HOOK(int, mknod, const char* path, mode_t mode, dev_t device) {
  return as_int(make_node(AT_FDCWD, path, mode, device));
}
ROCDRILL_HOOK(int, mkfifoat, int dirfd, const char* path, mode_t mode) {
  return as_int(make_node(dirfd, path, (mode & 07777) | S_IFIFO, 0));
}
ROCDRILL_HOOK(int, mkfifo, const char* path, mode_t mode) {
  return as_int(make_node(AT_FDCWD, path, (mode & 07777) | S_IFIFO, 0));
}
ROCDRILL_HOOK(int, unlinkat, int dirfd, const char* path, int flags) {
  return as_int(unlink_path(dirfd, path, flags));
}
ROCDRILL_HOOK(int, unlink, const char* path) { return as_int(unlink_path(AT_FDCWD, path, 0)); }
ROCDRILL_HOOK(int, rmdir, const char* path) {
  return as_int(unlink_path(AT_FDCWD, path, AT_REMOVEDIR));
}
ROCDRILL_HOOK(int, remove, const char* path) {
  long result = unlink_path(AT_FDCWD, path, 0);
  if (result == -EISDIR || result == -EPERM) {
    const long directory = unlink_path(AT_FDCWD, path, AT_REMOVEDIR);
    if (directory != -ENOTDIR) result = directory;
  }
  return as_int(result);
}
ROCDRILL_HOOK(int, renameat2, int from_fd, const char* from, int to_fd, const char* to,
              unsigned flags) {
  return as_int(rename_path(from_fd, from, to_fd, to, flags));
}
ROCDRILL_HOOK(int, renameat, int from_fd, const char* from, int to_fd, const char* to) {
  return as_int(rename_path(from_fd, from, to_fd, to, 0));
}
ROCDRILL_HOOK(int, rename, const char* from, const char* to) {
  return as_int(rename_path(AT_FDCWD, from, AT_FDCWD, to, 0));
}
ROCDRILL_HOOK(int, linkat, int from_fd, const char* from, int to_fd, const char* to, int flags) {
  return as_int(link_path(from_fd, from, to_fd, to, flags));
}
ROCDRILL_HOOK(int, link, const char* from, const char* to) {
  return as_int(link_path(AT_FDCWD, from, AT_FDCWD, to, 0));
}

ROCDRILL_HOOK(int, chmod, const char* path, mode_t mode) {
  return as_int(chmod_path(AT_FDCWD, path, mode, 0));
}
ROCDRILL_HOOK(int, fchmodat, int dirfd, const char* path, mode_t mode, int flags) {
  // libc has its own ways to refuse AT_SYMLINK_NOFOLLOW on this machine's files.
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(fchmodat)(dirfd, path, mode, flags);
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return ROCDRILL_REAL(fchmodat)(place.dirfd(), place.real(), mode, flags);
  return as_int(chmod_path(dirfd, path, mode, flags));
}
ROCDRILL_HOOK(int, lchmod, const char* path, mode_t mode) {
  return hook_fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW);
}
ROCDRILL_HOOK(int, fchmod, int fd, mode_t mode) {
  return as_int(change_descriptor(
      fd, [&](const Place& place) { return change_mode(place, mode); }, SYS_fchmod,
      static_cast<long>(mode)));
}
ROCDRILL_HOOK(int, fchownat, int dirfd, const char* path, uid_t uid, gid_t gid, int flags) {
  return as_int(chown_path(dirfd, path, uid, gid, flags));
}
ROCDRILL_HOOK(int, chown, const char* path, uid_t uid, gid_t gid) {
  return as_int(chown_path(AT_FDCWD, path, uid, gid, 0));
}
ROCDRILL_HOOK(int, lchown, const char* path, uid_t uid, gid_t gid) {
  return as_int(chown_path(AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW));
}
ROCDRILL_HOOK(int, fchown, int fd, uid_t uid, gid_t gid) {
  return as_int(change_descriptor(
      fd, [&](const Place& place) { return change_owner(place, uid, gid); }, SYS_fchown,
      static_cast<long>(uid), static_cast<long>(gid)));
}

ROCDRILL_HOOK(int, utimensat, int dirfd, const char* path, const timespec* times, int flags) {
  if (path == nullptr) return static_cast<int>(answer(-EINVAL));
  return as_int(times_path(dirfd, path, times, flags));
}
ROCDRILL_HOOK(int, utimes, const char* path, const timeval* times) {
  return as_int(times_in_microseconds(AT_FDCWD, path, times, 0));
}
ROCDRILL_HOOK(int, lutimes, const char* path, const timeval* times) {
  return as_int(times_in_microseconds(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW));
}
ROCDRILL_HOOK(int, futimesat, int dirfd, const char* path, const timeval* times) {
  return as_int(times_in_microseconds(dirfd, path, times, 0));
}
ROCDRILL_HOOK(int, utime, const char* path, const utimbuf* times) {
  if (times == nullptr) return as_int(times_path(AT_FDCWD, path, nullptr, 0));
  const timespec both[2] = {{times->actime, 0}, {times->modtime, 0}};
  return as_int(times_path(AT_FDCWD, path, both, 0));
}

ROCDRILL_HOOK(int, truncate, const char* path, off_t size) {
  const auto kernel = [&](int, const char* real) {
    return raw::call(SYS_truncate, raw::arg(real), size);
  };
  return as_int(change_path(
      AT_FDCWD, path, true,
      [&](const Place& place) {
        const int error = permit(place, want_write);
        return error < 0 ? static_cast<long>(error) : kernel(AT_FDCWD, place.real());
      },
      kernel));
}
ROCDRILL_ALIAS(truncate64, truncate);
