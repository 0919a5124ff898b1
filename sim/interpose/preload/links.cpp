// Symbolic links, the working directory, and the names that come back from the kernel.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/server.hpp"

namespace rocdrill::interpose {
namespace {

// "socket:[123]" of /proc/self/fd/7 -> "/dev/kfd", if it is a device of ours.
long device_link(const char* path, char* out) {
  for (const char* folder : {"/proc/self/fd/", "/dev/fd/"}) {
    const size_t size = strlen(folder);
    if (strncmp(path, folder, size) != 0) continue;
    char device[32];
    if (!device_of_descriptor(static_cast<int>(strtol(path + size, nullptr, 10)), device)) return 0;
    const bool kfd = strcmp(device, "kfd") == 0;
    return snprintf(out, 64, "%s%s", kfd ? "/dev/" : "/dev/dri/", device);
  }
  return 0;
}

// Hides the root folder in a link's text; returns its new length.
long map_back(const Session& session, const char* path, char* text, long size) {
  const size_t skip = root_part(session, text, static_cast<size_t>(size));
  if (skip > 0) {
    if (static_cast<long>(skip) == size) {
      text[0] = '/';
      return 1;
    }
    memmove(text, text + skip, static_cast<size_t>(size) - skip);
    return size - static_cast<long>(skip);
  }
  if (size > 8 && memcmp(text, "socket:[", 8) == 0)
    if (const long named = device_link(path, text)) return named;
  return size;
}

long read_link(int dirfd, const char* path, char* out, size_t size) {
  const Session* s = session();
  if (s == nullptr) return raw::readlink_at(dirfd, path, out, size);
  Place place;
  locate(*s, dirfd, path, place);
  if (place.on_node()) {
    int error = resolve(*s, place, false);
    if (error == 0 && place.on_node()) error = permit(place, 0);
    if (error < 0) return error;
  }
  char text[PATH_MAX + folder_max];
  long length = raw::readlink_at(place.dirfd(), place.real(), text, sizeof text);
  if (length < 0) return length;
  length = map_back(*s, path, text, length);
  if (length > static_cast<long>(size)) length = static_cast<long>(size);
  memcpy(out, text, static_cast<size_t>(length));
  return length;
}

// The path of a file of the node with no symbolic link in it.
char* real_path(const Session& session, Place& place, char* out) {
  const int fd = raw::open(place.real(), O_PATH | O_CLOEXEC);
  if (fd < 0) return null_with<char>(-fd);
  const bool known = path_of_descriptor(session, fd, place);
  raw::close(fd);
  if (!known) return null_with<char>(ENOENT);
  const int error = place.on_node() ? permit(place, 0) : 0;
  if (error < 0) return null_with<char>(-error);
  if (out == nullptr) return strdup(place.node());
  memcpy(out, place.node(), place.length + 1);
  return out;
}

char* current_directory(char* out, size_t size) {
  char text[PATH_MAX + folder_max];
  long length = raw::getcwd(text, sizeof text);
  if (length < 0) return null_with<char>(static_cast<int>(-length));
  if (text[0] != '/') return null_with<char>(ENOENT);
  length = map_back(the_session, "", text, length - 1) + 1;
  text[length - 1] = '\0';
  if (out == nullptr) {
    if (size != 0 && size < static_cast<size_t>(length)) return null_with<char>(ERANGE);
    out = static_cast<char*>(malloc(size != 0 ? size : static_cast<size_t>(length)));
    if (out == nullptr) return nullptr;
  } else if (size < static_cast<size_t>(length)) {
    return null_with<char>(size == 0 ? EINVAL : ERANGE);
  }
  memcpy(out, text, static_cast<size_t>(length));
  return out;
}

// A link from one file of the node to another must be relative: the kernel follows it in root/.
void relative_target(const Place& link, const Place& target, char (&out)[PATH_MAX]) {
  const char* from = link.node();
  const char* to = target.node();
  size_t common = 0;
  for (size_t i = 0; from[i] == to[i] && from[i] != '\0'; ++i)
    if (from[i] == '/') common = i;
  size_t size = 0;
  out[0] = '\0';
  for (const char* at = from + common + 1; (at = strchr(at, '/')) != nullptr; ++at)
    size += static_cast<size_t>(snprintf(out + size, sizeof out - size, "../"));
  snprintf(out + size, sizeof out - size, "%s", to + common + 1);
}

long make_link(const char* target, int dirfd, const char* path) {
  const Session* s = session();
  const auto kernel = [](const char* text, int fd, const char* name) {
    return raw::call(SYS_symlinkat, raw::arg(text), fd, raw::arg(name));
  };
  if (s == nullptr) return kernel(target, dirfd, path);
  Place place;
  locate(*s, dirfd, path, place);
  if (!place.on_node()) return kernel(target, place.dirfd(), place.real());
  int error = resolve_parent(*s, place);
  struct stat file;
  if (error == 0 && raw::stat_at(AT_FDCWD, place.real(), &file, AT_SYMLINK_NOFOLLOW) == 0)
    error = -EEXIST;
  if (error == 0) error = permit_create(place, true);
  if (error < 0) return error;
  char relative[PATH_MAX];
  if (target[0] == '/') {
    Place aim;
    locate(*s, AT_FDCWD, target, aim);
    if (aim.on_node()) {
      relative_target(place, aim, relative);
      target = relative;
    }
  }
  const long made = kernel(target, AT_FDCWD, place.real());
  if (made == 0) tell_owner(place);
  return made;
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(ssize_t, readlinkat, int dirfd, const char* path, char* out, size_t size) {
  return answer(read_link(dirfd, path, out, size));
}
ROCDRILL_HOOK(ssize_t, readlink, const char* path, char* out, size_t size) {
  return answer(read_link(AT_FDCWD, path, out, size));
}
ROCDRILL_HOOK(ssize_t, __readlink_chk, const char* path, char* out, size_t size, size_t room) {
  if (size > room) abort();
  return hook_readlink(path, out, size);
}
ROCDRILL_HOOK(ssize_t, __readlinkat_chk, int dirfd, const char* path, char* out, size_t size,
              size_t room) {
  if (size > room) abort();
  return hook_readlinkat(dirfd, path, out, size);
}

ROCDRILL_HOOK(char*, realpath, const char* path, char* out) {
  const Session* s = session();
  if (s == nullptr || path == nullptr) return ROCDRILL_REAL(realpath)(path, out);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  if (place.on_node()) return real_path(*s, place, out);
  char* result = ROCDRILL_REAL(realpath)(place.real(), out);
  if (result != nullptr) {
    const size_t size = strlen(result);
    result[map_back(*s, "", result, static_cast<long>(size))] = '\0';
  }
  return result;
}
ROCDRILL_HOOK(char*, __realpath_chk, const char* path, char* out, size_t room) {
  if (room < PATH_MAX) abort();
  return hook_realpath(path, out);
}
ROCDRILL_HOOK(char*, canonicalize_file_name, const char* path) {
  return hook_realpath(path, nullptr);
}

ROCDRILL_HOOK(char*, getcwd, char* out, size_t size) {
  if (session() == nullptr) return ROCDRILL_REAL(getcwd)(out, size);
  return current_directory(out, size);
}
ROCDRILL_HOOK(char*, __getcwd_chk, char* out, size_t size, size_t room) {
  if (size > room) abort();
  return hook_getcwd(out, size);
}
ROCDRILL_HOOK(char*, getwd, char* out) { return hook_getcwd(out, PATH_MAX); }
ROCDRILL_HOOK(char*, get_current_dir_name, void) {
  if (session() == nullptr) return ROCDRILL_REAL(get_current_dir_name)();
  return current_directory(nullptr, 0);
}

ROCDRILL_HOOK(int, chdir, const char* path) {
  const Session* s = session();
  if (s == nullptr) return static_cast<int>(answer(raw::call(SYS_chdir, raw::arg(path))));
  Place place;
  locate(*s, AT_FDCWD, path, place);
  if (place.on_node()) {
    int error = resolve(*s, place, true);
    if (error == 0 && place.on_node()) error = permit(place, want_execute);
    if (error == -EACCES) {
      Attributes file;  // "not a directory" comes before "permission denied"
      if (attributes_of(place, file) == 0 && !S_ISDIR(file.mode)) error = -ENOTDIR;
    }
    if (error < 0) return static_cast<int>(answer(error));
  }
  return static_cast<int>(answer(raw::call(SYS_chdir, raw::arg(place.real()))));
}

ROCDRILL_HOOK(int, symlinkat, const char* target, int dirfd, const char* path) {
  return static_cast<int>(answer(make_link(target, dirfd, path)));
}
ROCDRILL_HOOK(int, symlink, const char* target, const char* path) {
  return static_cast<int>(answer(make_link(target, AT_FDCWD, path)));
}
