// open(2) and what libc builds on it.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/files.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/server.hpp"

namespace rocdrill::interpose {
namespace {

bool needs_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

int wanted(int flags) {
  int want = want_read;
  if ((flags & O_ACCMODE) == O_WRONLY) want = want_write;
  if ((flags & O_ACCMODE) == O_RDWR) want = want_read | want_write;
  if ((flags & O_TRUNC) != 0) want |= want_write;
  return want;
}

int create(const Session& session, Place& place, int flags, mode_t mode) {
  int error = resolve_parent(session, place);
  if (error == 0) error = permit_create(place, false);
  if (error < 0) return error;
  const int fd = raw::open(place.real(), flags, static_cast<int>(mode));
  if (fd >= 0) tell_owner(place);
  return fd;
}

// A held file is opened through its descriptor. Not a link, which O_NOFOLLOW has to refuse.
int open_held(const Place& place, const Held& held, const Attributes& file, int flags,
              mode_t mode) {
  if (held.fd < 0 || S_ISLNK(file.mode))
    return raw::open(place.real(), flags, static_cast<int>(mode));
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", held.fd);
  return raw::open(link, flags & ~(O_NOFOLLOW | O_CREAT));
}

}  // namespace

int open_on_node(const Session& session, Place& place, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    const int error = resolve(session, place, true);
    const int denied = error < 0 ? error : permit(place, want_write | want_execute);
    return denied < 0 ? denied : raw::open(place.real(), flags, static_cast<int>(mode));
  }
  Place wanted_place = place;
  Held held;
  int error = resolve(session, place, (flags & O_NOFOLLOW) == 0, &held);
  Attributes file;
  if (error == 0 && place.on_node()) error = attributes_of(place, file, &held);
  if (error == -ENOENT && (flags & O_CREAT) != 0) return create(session, wanted_place, flags, mode);
  if (error < 0) return error;
  if (!place.on_node()) return raw::open(place.real(), flags, static_cast<int>(mode));
  if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return -EEXIST;
  if ((flags & O_PATH) != 0) {
    error = permit(place, 0);
    return error < 0 ? error : raw::open(place.real(), flags);
  }
  if (S_ISCHR(file.mode)) {
    if ((flags & O_DIRECTORY) != 0) return -ENOTDIR;
    return open_device(place.node(), strrchr(place.node(), '/') + 1, flags);
  }
  error = permit(place, file, S_ISLNK(file.mode) ? 0 : wanted(flags));
  if (error < 0) return error;
  const int fd = open_held(place, held, file, flags & ~O_EXCL, mode);
  if (fd != -EACCES) return fd;
  // The node allows it (to root, say), but the file in root/ was made with bits that keep even its
  // owner here out: the node's bits go to the server, and the file is opened up.
  error = set_mode(place, file.mode);
  if (error < 0) return error;
  raw::call(SYS_fchmodat, AT_FDCWD, raw::arg(place.real()),
            static_cast<long>((file.mode & 0777) | 0600));
  return raw::open(place.real(), flags & ~O_EXCL, static_cast<int>(mode));
}

namespace {

bool device_at(const Session& session, Place& place) {
  Attributes file;
  return resolve(session, place, true) == 0 && place.on_node() && attributes_of(place, file) == 0 &&
         S_ISCHR(file.mode);
}

// fopen's mode string as open flags; -1 if libc shall complain.
int flags_of(const char* mode) {
  int flags = 0;
  switch (mode[0]) {
    case 'r':
      flags = O_RDONLY;
      break;
    case 'w':
      flags = O_WRONLY | O_CREAT | O_TRUNC;
      break;
    case 'a':
      flags = O_WRONLY | O_CREAT | O_APPEND;
      break;
    default:
      return -1;
  }
  for (const char* at = mode + 1; *at != '\0' && *at != ','; ++at) {
    if (*at == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*at == 'x') flags |= O_EXCL;
    if (*at == 'e') flags |= O_CLOEXEC;
  }
  return flags;
}

// The X's that mkstemp and its kin replaced in the copy go back into the caller's template.
class Template {
 public:
  Template(const Session& session, char* pattern) : pattern_(pattern) {
    locate(session, AT_FDCWD, pattern, place_);
    on_node_ = place_.on_node();
    if (!on_node_) return;
    error_ = resolve_parent(session, place_);
    if (error_ == 0) error_ = permit_create(place_, false);
    if (error_ == 0 &&
        snprintf(copy_, sizeof copy_, "%s", place_.real()) >= static_cast<int>(sizeof copy_))
      error_ = -ENAMETOOLONG;
  }
  bool on_node() const { return on_node_; }
  int error() const { return error_; }
  char* copy() { return copy_; }
  void done(bool made) {
    const char* name = strrchr(pattern_, '/');
    name = name == nullptr ? pattern_ : name + 1;
    const size_t size = strlen(name);
    memcpy(pattern_ + (name - pattern_), copy_ + strlen(copy_) - size, size);
    if (!made) return;
    place_.to_parent();
    place_.append(name, size);
    tell_owner(place_);
  }

 private:
  char* pattern_;
  Place place_;
  bool on_node_ = false;
  int error_ = 0;
  char copy_[PATH_MAX + folder_max];
};

template <typename Make>
int temporary_file(const Session& session, char* pattern, Make make) {
  Template named(session, pattern);
  if (!named.on_node()) return make(pattern);
  if (named.error() < 0) return static_cast<int>(answer(named.error()));
  const int fd = make(named.copy());
  if (fd >= 0) named.done(true);
  return fd;
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, openat, int dirfd, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (needs_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(openat)(dirfd, path, flags, mode);
  Place place;
  locate(*s, dirfd, path, place);
  if (place.on_node()) return static_cast<int>(answer(open_on_node(*s, place, flags, mode)));
  return ROCDRILL_REAL(openat)(place.dirfd(), place.real(), flags, mode);
}
ROCDRILL_ALIAS(openat64, openat);

ROCDRILL_HOOK(int, open, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (needs_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return hook_openat(AT_FDCWD, path, flags, mode);
}
ROCDRILL_ALIAS(open64, open);

ROCDRILL_HOOK(int, __open_2, const char* path, int flags) {
  return hook_openat(AT_FDCWD, path, flags, 0);
}
ROCDRILL_ALIAS(__open64_2, __open_2);

ROCDRILL_HOOK(int, __openat_2, int dirfd, const char* path, int flags) {
  return hook_openat(dirfd, path, flags, 0);
}
ROCDRILL_ALIAS(__openat64_2, __openat_2);

ROCDRILL_HOOK(int, creat, const char* path, mode_t mode) {
  return hook_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
ROCDRILL_ALIAS(creat64, creat);

ROCDRILL_HOOK(FILE*, fopen, const char* path, const char* mode) {
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(fopen)(path, mode);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  const int flags = flags_of(mode);
  if (!place.on_node() || flags < 0) return ROCDRILL_REAL(fopen)(place.real(), mode);
  const int fd = open_on_node(*s, place, flags, 0666);
  if (fd < 0) return null_with<FILE>(-fd);
  FILE* stream = fdopen(fd, mode);
  if (stream == nullptr) raw::close(fd);
  return stream;
}
ROCDRILL_ALIAS(fopen64, fopen);

ROCDRILL_HOOK(FILE*, freopen, const char* path, const char* mode, FILE* stream) {
  const Session* s = session();
  if (s == nullptr || path == nullptr) return ROCDRILL_REAL(freopen)(path, mode, stream);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  const int flags = flags_of(mode);
  if (!place.on_node() || flags < 0) return ROCDRILL_REAL(freopen)(place.real(), mode, stream);
  // The check, and the file's creation; a device goes by way of its descriptor's name in /proc.
  Place target = place;
  const int fd = open_on_node(*s, target, flags, 0666);
  if (fd < 0) {
    fclose(stream);
    return null_with<FILE>(-fd);
  }
  const bool device = device_at(*s, place);
  FILE* result = nullptr;
  if (device) {
    fclose(stream);
    errno = ENXIO;
  } else {
    result = ROCDRILL_REAL(freopen)(target.real(), mode, stream);
  }
  raw::close(fd);
  return result;
}
ROCDRILL_ALIAS(freopen64, freopen);

ROCDRILL_HOOK(int, mkostemps, char* pattern, int suffix, int flags) {
  const Session* s = session();
  const auto make = [&](char* name) { return ROCDRILL_REAL(mkostemps)(name, suffix, flags); };
  return s == nullptr ? make(pattern) : temporary_file(*s, pattern, make);
}
ROCDRILL_ALIAS(mkostemps64, mkostemps);

ROCDRILL_HOOK(int, mkostemp, char* pattern, int flags) { return hook_mkostemps(pattern, 0, flags); }
ROCDRILL_ALIAS(mkostemp64, mkostemp);

ROCDRILL_HOOK(int, mkstemps, char* pattern, int suffix) {
  return hook_mkostemps(pattern, suffix, 0);
}
ROCDRILL_ALIAS(mkstemps64, mkstemps);

ROCDRILL_HOOK(int, mkstemp, char* pattern) { return hook_mkostemps(pattern, 0, 0); }
ROCDRILL_ALIAS(mkstemp64, mkstemp);

ROCDRILL_HOOK(char*, mkdtemp, char* pattern) {
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(mkdtemp)(pattern);
  Template named(*s, pattern);
  if (!named.on_node()) return ROCDRILL_REAL(mkdtemp)(pattern);
  if (named.error() < 0) return null_with<char>(-named.error());
  if (ROCDRILL_REAL(mkdtemp)(named.copy()) == nullptr) return nullptr;
  named.done(true);
  return pattern;
}
