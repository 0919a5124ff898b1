// libc's functions that read directories by themselves, past the hooks: scandir, glob, nftw.
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/interpose/preload/paths.hpp"

using namespace rocdrill::interpose;

namespace {

using Filter = int (*)(const dirent*);
using Compare = int (*)(const dirent**, const dirent**);

void free_list(dirent** list, size_t count) {
  while (count > 0) free(list[--count]);
  free(list);
}

// The calls below go through this library's own hooks.
int scan(DIR* directory, dirent*** out, Filter filter, Compare compare) {
  if (directory == nullptr) return -1;
  dirent** list = nullptr;
  size_t count = 0;
  size_t room = 0;
  const int saved = errno;
  errno = 0;
  while (const dirent* entry = readdir(directory)) {
    if (filter != nullptr && filter(entry) == 0) {
      errno = 0;
      continue;
    }
    if (count == room) {
      room = room == 0 ? 32 : room * 2;
      auto* larger = static_cast<dirent**>(realloc(list, room * sizeof(dirent*)));
      if (larger == nullptr) break;
      list = larger;
    }
    list[count] = static_cast<dirent*>(malloc(entry->d_reclen));
    if (list[count] == nullptr) break;
    memcpy(list[count++], entry, entry->d_reclen);
    errno = 0;
  }
  const int error = errno;
  closedir(directory);
  if (error != 0) {
    free_list(list, count);
    errno = error;
    return -1;
  }
  errno = saved;
  if (list == nullptr) list = static_cast<dirent**>(malloc(sizeof(dirent*)));
  if (compare != nullptr && count > 1)
    qsort(list, count, sizeof(dirent*),
          reinterpret_cast<int (*)(const void*, const void*)>(compare));
  *out = list;
  return static_cast<int>(count);
}

}  // namespace

ROCDRILL_HOOK(int, scandir, const char* path, dirent*** list, Filter filter, Compare compare) {
  if (session() == nullptr) return ROCDRILL_REAL(scandir)(path, list, filter, compare);
  return scan(opendir(path), list, filter, compare);
}
ROCDRILL_ALIAS(scandir64, scandir);

ROCDRILL_HOOK(int, scandirat, int dirfd, const char* path, dirent*** list, Filter filter,
              Compare compare) {
  if (session() == nullptr) return ROCDRILL_REAL(scandirat)(dirfd, path, list, filter, compare);
  const int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? -1 : scan(fdopendir(fd), list, filter, compare);
}
ROCDRILL_ALIAS(scandirat64, scandirat);

// libc's glob takes the directory functions from its caller if it is asked to.
ROCDRILL_HOOK(int, glob, const char* pattern, int flags, int (*complain_of)(const char*, int),
              glob_t* out) {
  const auto real = ROCDRILL_REAL(glob);
  if (session() == nullptr || (flags & GLOB_ALTDIRFUNC) != 0)
    return real(pattern, flags, complain_of, out);
  out->gl_opendir = [](const char* path) -> void* { return opendir(path); };
  out->gl_readdir = [](void* directory) { return readdir(static_cast<DIR*>(directory)); };
  out->gl_closedir = [](void* directory) { closedir(static_cast<DIR*>(directory)); };
  out->gl_stat = [](const char* path, struct stat* file) { return stat(path, file); };
  out->gl_lstat = [](const char* path, struct stat* file) { return lstat(path, file); };
  const int result = real(pattern, flags | GLOB_ALTDIRFUNC, complain_of, out);
  out->gl_flags &= ~GLOB_ALTDIRFUNC;
  return result;
}
ROCDRILL_ALIAS(glob64, glob);

namespace {

using Visit = int (*)(const char*, const struct stat*, int, FTW*);
using SimpleVisit = int (*)(const char*, const struct stat*, int);

struct Walk {
  Visit visit;
  SimpleVisit simple;
  int flags;
  dev_t device;
  char path[PATH_MAX];

  bool has(int flag) const { return (flags & flag) != 0; }
  int tell(const struct stat& file, int kind, int level) {
    if (visit == nullptr) {
      if (kind == FTW_SL || kind == FTW_SLN) kind = FTW_F;
      return simple(path, &file, kind);
    }
    const char* slash = strrchr(path, '/');
    const bool top = slash == nullptr || slash[1] == '\0';
    FTW where{top ? 0 : static_cast<int>(slash + 1 - path), level};
    return visit(path, &file, kind, &where);
  }
};

int kind_of(Walk& walk, struct stat& file) {
  if (lstat(walk.path, &file) != 0) return -1;
  if (S_ISLNK(file.st_mode) && !walk.has(FTW_PHYS)) {
    struct stat target;
    if (stat(walk.path, &target) != 0) return FTW_SLN;
    file = target;
  }
  if (S_ISDIR(file.st_mode)) return access(walk.path, R_OK) == 0 ? FTW_D : FTW_DNR;
  return S_ISLNK(file.st_mode) ? FTW_SL : FTW_F;
}

// A directory that a link leads back to is left out, as libc does; `above` lists those open.
struct Above {
  const Above* next;
  dev_t device;
  ino_t inode;
};

int descend(Walk& walk, int level, const Above* above);

int descend_children(Walk& walk, int level, const Above* above) {
  DIR* directory = opendir(walk.path);
  if (directory == nullptr) return 0;
  const size_t length = strlen(walk.path);
  int result = 0;
  while (const dirent* entry = readdir(directory)) {
    const char* name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    const size_t size = strlen(name);
    if (length + size + 2 > sizeof walk.path) continue;
    size_t at = length;
    if (at > 0 && walk.path[at - 1] != '/') walk.path[at++] = '/';
    memcpy(walk.path + at, name, size + 1);
    result = descend(walk, level + 1, above);
    walk.path[length] = '\0';
    if (result == FTW_SKIP_SIBLINGS && walk.has(FTW_ACTIONRETVAL)) {
      result = 0;
      break;
    }
    if (result != 0) break;
  }
  closedir(directory);
  return result;
}

int descend(Walk& walk, int level, const Above* above) {
  struct stat file;
  const int kind = kind_of(walk, file);
  if (kind < 0) return level == 0 ? -1 : walk.tell(file, FTW_NS, level);
  if (level == 0) walk.device = file.st_dev;
  if (walk.has(FTW_MOUNT) && file.st_dev != walk.device) return 0;
  if (kind != FTW_D) return walk.tell(file, kind, level);
  for (const Above* open = above; open != nullptr; open = open->next)
    if (open->device == file.st_dev && open->inode == file.st_ino) return 0;
  if (!walk.has(FTW_DEPTH)) {
    const int result = walk.tell(file, FTW_D, level);
    if (result == FTW_SKIP_SUBTREE && walk.has(FTW_ACTIONRETVAL)) return 0;
    if (result != 0) return result;
  }
  const Above here{above, file.st_dev, file.st_ino};
  const int result = descend_children(walk, level, &here);
  if (result != 0 || !walk.has(FTW_DEPTH)) return result;
  return walk.tell(file, FTW_DP, level);
}

int start_walk(Walk& walk, const char* path) {
  if (strlen(path) >= sizeof walk.path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(walk.path, path);
  return descend(walk, 0, nullptr);
}

}  // namespace

ROCDRILL_HOOK(int, nftw, const char* path, Visit visit, int descriptors, int flags) {
  // FTW_CHDIR needs libc's own walk, which sees this machine alone.
  if (session() == nullptr || (flags & FTW_CHDIR) != 0)
    return ROCDRILL_REAL(nftw)(path, visit, descriptors, flags);
  Walk walk{visit, nullptr, flags, 0, {}};
  return start_walk(walk, path);
}
ROCDRILL_ALIAS(nftw64, nftw);

ROCDRILL_HOOK(int, ftw, const char* path, SimpleVisit visit, int descriptors) {
  if (session() == nullptr) return ROCDRILL_REAL(ftw)(path, visit, descriptors);
  Walk walk{nullptr, visit, 0, 0, {}};
  return start_walk(walk, path);
}
ROCDRILL_ALIAS(ftw64, ftw);
