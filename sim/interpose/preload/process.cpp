// exec and its family, posix_spawn, and what libc starts by itself. A vfork child runs this in its
// parent's memory: nothing here allocates or changes state.
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/interpose/preload/access.hpp"
#include "sim/interpose/preload/environment.hpp"
#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/inspect.hpp"
#include "sim/interpose/preload/raw.hpp"

namespace rocdrill::interpose {
namespace {

constexpr int refused = -10000;  ///< EACCES with a line already written

// The path for the kernel, checked; 0, -errno or `refused`.
int prepare(const Session& session, const char* path, char* const* argv, char* const* envp,
            Place& place) {
  locate(session, AT_FDCWD, path, place);
  if (place.on_node()) {
    int error = resolve(session, place, true);
    if (error == 0 && place.on_node()) error = permit(place, want_execute);
    if (error < 0) return error;
  }
  return may_start(session, place.real(), argv, envp) ? 0 : refused;
}

long kernel_exec(const char* path, char* const* argv, char* const* envp) {
  return raw::call(SYS_execve, raw::arg(path), raw::arg(argv), raw::arg(envp));
}

using ScriptLine = char[folder_max + 256];

// "#! interpreter argument" of a script in root/, split in place; false if it is none. A HIP
// program of the node is an offload bundle: the node runs it (sim/interpose/tool).
bool read_script_line(const Session& session, const Place& place, ScriptLine& line,
                      char*& interpreter, char*& argument) {
  const int fd = raw::open(place.real(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const long size = raw::pread(fd, line, sizeof line - 1, 0);
  raw::close(fd);
  constexpr char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
  constexpr long bundle_size = sizeof bundle - 1;
  if (size >= bundle_size && memcmp(line, bundle, bundle_size) == 0) {
    snprintf(line, sizeof line, "%s/bin/%s", session.folder, program_runner);
    interpreter = line;
    argument = line + strlen(line);
    return true;
  }
  if (size < 3 || line[0] != '#' || line[1] != '!') return false;
  line[size] = '\0';
  char* end = strchrnul(line, '\n');
  while (end > line && (end[-1] == ' ' || end[-1] == '\t')) --end;
  *end = '\0';
  interpreter = line + 2 + strspn(line + 2, " \t");
  argument = interpreter + strcspn(interpreter, " \t");
  if (*argument != '\0') *argument++ = '\0';
  argument += strspn(argument, " \t");
  return *interpreter != '\0';
}

size_t script_room(char* const* argv) {
  size_t count = 0;
  while (argv != nullptr && argv[count] != nullptr) ++count;
  return count + 4;
}

// The kernel would hand the interpreter the script's name in root/; it gets the node's name.
void script_arguments(const char* path, char* interpreter, char* argument, char* const* argv,
                      char** out) {
  *out++ = interpreter;
  if (*argument != '\0') *out++ = argument;
  *out++ = const_cast<char*>(path);
  if (argv != nullptr && *argv != nullptr)
    while (*++argv != nullptr) *out++ = *argv;
  *out = nullptr;
}

// execve; -errno or `refused`.
long start(const char* path, char* const* argv, char* const* envp) {
  const Session* s = session();
  if (s == nullptr) return kernel_exec(path, argv, envp);
  Place place;
  const int error = prepare(*s, path, argv, envp, place);
  if (error < 0) return error;
  ScriptLine line;
  char* interpreter = nullptr;
  char* argument = nullptr;
  const bool script = place.on_node() && read_script_line(*s, place, line, interpreter, argument);
  place.index.release();  // exec does not come back, and a vfork child shares its parent's memory
  if (script) {
    auto** whole = static_cast<char**>(alloca(script_room(argv) * sizeof(char*)));
    script_arguments(path, interpreter, argument, argv, whole);
    return start(interpreter, whole, envp);
  }
  auto** room = static_cast<char**>(alloca(Environment::env_room(envp) * sizeof(char*)));
  const Environment environment(*s, envp, room);
  return kernel_exec(place.real(), argv, environment.get());
}

int failed(long result) {
  errno = result == refused ? EACCES : static_cast<int>(-result);
  return -1;
}

// A file without "#!" is a shell script.
long start_shell(const char* path, char* const* argv, char* const* envp) {
  size_t count = 0;
  while (argv[count] != nullptr) ++count;
  auto** shell = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  char name[] = "/bin/sh";
  shell[0] = name;
  shell[1] = const_cast<char*>(path);
  for (size_t i = 1; i <= count; ++i) shell[i + 1] = argv[i];
  shell[count + 1] = nullptr;
  return start(name, shell, envp);
}

long start_or_shell(const char* path, char* const* argv, char* const* envp) {
  const long result = start(path, argv, envp);
  return result == -ENOEXEC ? start_shell(path, argv, envp) : result;
}

// Calls `attempt` with each candidate of PATH until it returns 0 or a definite error.
template <typename Attempt>
long search_path(const char* file, Attempt attempt) {
  if (file[0] == '\0') return -ENOENT;
  if (strchr(file, '/') != nullptr) return attempt(file);
  const char* path = getenv("PATH");
  if (path == nullptr) path = "/bin:/usr/bin";
  const size_t size = strlen(file);
  if (size > NAME_MAX) return -ENAMETOOLONG;
  bool denied = false;
  for (const char* at = path;; ++at) {
    const char* end = strchrnul(at, ':');
    const auto length = static_cast<size_t>(end - at);
    char candidate[PATH_MAX + NAME_MAX + 2];
    if (length < PATH_MAX) {
      memcpy(candidate, at, length);
      snprintf(candidate + length, sizeof candidate - length, "%s%s", length > 0 ? "/" : "", file);
      const long result = attempt(candidate);
      if (result == -EACCES)
        denied = true;
      else if (result != -ENOENT && result != -ENOTDIR && result != -ESTALE && result != -ENODEV &&
               result != -ETIMEDOUT)
        return result;
    }
    if (*end == '\0') return denied ? -EACCES : -ENOENT;
    at = end;
  }
}

// The arguments of execl and its kin as a list; `last` (of execle) is what follows the null.
#define ROCDRILL_COLLECT(first, argv, last)                               \
  va_list arguments;                                                      \
  size_t count = 1;                                                       \
  va_start(arguments, first);                                             \
  while (va_arg(arguments, char*) != nullptr) ++count;                    \
  va_end(arguments);                                                      \
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  argv[0] = const_cast<char*>(first);                                     \
  va_start(arguments, first);                                             \
  for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(arguments, char*); \
  [[maybe_unused]] char* const* last = nullptr;                           \
  if (with_environment) last = va_arg(arguments, char* const*);           \
  va_end(arguments)

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const*, char* const*);

int spawn_at(const Session& session, Spawn real, pid_t* pid, const char* path,
             const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
             char* const* argv, char* const* envp) {
  Place place;
  const int error = prepare(session, path, argv, envp, place);
  if (error < 0) return error == refused ? EACCES : -error;
  ScriptLine line;
  char* interpreter = nullptr;
  char* argument = nullptr;
  if (place.on_node() && read_script_line(session, place, line, interpreter, argument)) {
    auto** whole = static_cast<char**>(alloca(script_room(argv) * sizeof(char*)));
    script_arguments(path, interpreter, argument, argv, whole);
    return spawn_at(session, real, pid, interpreter, actions, attributes, whole, envp);
  }
  auto** room = static_cast<char**>(alloca(Environment::env_room(envp) * sizeof(char*)));
  const Environment environment(session, envp, room);
  return real(pid, place.real(), actions, attributes, argv, environment.get());
}

// What a spawned child is to open: libc opens it, past the hooks, so that it is judged here.
int check_spawn_open(const Session& session, Place& place, int flags) {
  int error = resolve(session, place, true);
  if (error == -ENOENT && (flags & O_CREAT) != 0) {
    error = resolve_parent(session, place);
    return error < 0 ? error : permit_create(place, false);
  }
  Attributes file;
  if (error == 0 && place.on_node()) error = attributes_of(place, file);
  if (error < 0 || !place.on_node()) return error;
  if (S_ISCHR(file.mode)) {
    complain("posix_spawn cannot open the node's device %s for a child; the child must do it",
             place.node());
    return -ENXIO;
  }
  int want = (flags & O_ACCMODE) == O_RDONLY ? want_read : want_write;
  if ((flags & O_ACCMODE) == O_RDWR) want |= want_read;
  return permit(place, want);
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, execve, const char* path, char* const* argv, char* const* envp) {
  return failed(start(path, argv, envp));
}
ROCDRILL_HOOK(int, execv, const char* path, char* const* argv) {
  return failed(start(path, argv, environ));
}
ROCDRILL_HOOK(int, execvpe, const char* file, char* const* argv, char* const* envp) {
  return failed(
      search_path(file, [&](const char* path) { return start_or_shell(path, argv, envp); }));
}
ROCDRILL_HOOK(int, execvp, const char* file, char* const* argv) {
  return hook_execvpe(file, argv, environ);
}
ROCDRILL_HOOK(int, execl, const char* path, const char* first, ...) {
  constexpr bool with_environment = false;
  ROCDRILL_COLLECT(first, argv, unused);
  return hook_execve(path, argv, environ);
}
ROCDRILL_HOOK(int, execle, const char* path, const char* first, ...) {
  constexpr bool with_environment = true;
  ROCDRILL_COLLECT(first, argv, envp);
  return hook_execve(path, argv, envp);
}
ROCDRILL_HOOK(int, execlp, const char* file, const char* first, ...) {
  constexpr bool with_environment = false;
  ROCDRILL_COLLECT(first, argv, unused);
  return hook_execvpe(file, argv, environ);
}

ROCDRILL_HOOK(int, execveat, int dirfd, const char* path, char* const* argv, char* const* envp,
              int flags) {
  const Session* s = session();
  if (s == nullptr) {
    return failed(
        raw::call(SYS_execveat, dirfd, raw::arg(path), raw::arg(argv), raw::arg(envp), flags));
  }
  auto** room = static_cast<char**>(alloca(Environment::env_room(envp) * sizeof(char*)));
  const Environment environment(*s, envp, room);
  if (path[0] == '\0') {
    if (!may_start_descriptor(*s, dirfd, argv, envp)) return failed(refused);
    return failed(raw::call(SYS_execveat, dirfd, raw::arg(path), raw::arg(argv),
                            raw::arg(environment.get()), flags));
  }
  Place place;
  locate(*s, dirfd, path, place);
  const int fd = static_cast<int>(
      raw::call(SYS_openat, place.dirfd(), raw::arg(place.real()), O_PATH | O_CLOEXEC));
  if (fd < 0) return failed(fd);
  const bool may = may_start_descriptor(*s, fd, argv, envp);
  raw::close(fd);
  if (!may) return failed(refused);
  if (place.on_node()) {
    int error = resolve(*s, place, (flags & AT_SYMLINK_NOFOLLOW) == 0);
    if (error == 0 && place.on_node()) error = permit(place, want_execute);
    if (error < 0) return failed(error);
  }
  return failed(raw::call(SYS_execveat, place.dirfd(), raw::arg(place.real()), raw::arg(argv),
                          raw::arg(environment.get()), flags));
}
ROCDRILL_HOOK(int, fexecve, int fd, char* const* argv, char* const* envp) {
  return hook_execveat(fd, "", argv, envp, AT_EMPTY_PATH);
}

ROCDRILL_HOOK(int, posix_spawn, pid_t* pid, const char* path,
              const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
              char* const* argv, char* const* envp) {
  const auto real = ROCDRILL_REAL(posix_spawn);
  const Session* s = session();
  if (s == nullptr) return real(pid, path, actions, attributes, argv, envp);
  return spawn_at(*s, real, pid, path, actions, attributes, argv, envp);
}

ROCDRILL_HOOK(int, posix_spawnp, pid_t* pid, const char* file,
              const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
              char* const* argv, char* const* envp) {
  const Session* s = session();
  if (s == nullptr) return ROCDRILL_REAL(posix_spawnp)(pid, file, actions, attributes, argv, envp);
  const auto real = ROCDRILL_REAL(posix_spawn);
  const long result = search_path(file, [&](const char* path) -> long {
    if (access(path, X_OK) != 0) return -errno;
    struct stat found;
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) return -EACCES;
    // Positive: the search ends here, well or not.
    const int error = spawn_at(*s, real, pid, path, actions, attributes, argv, envp);
    return error == 0 ? 0 : error;
  });
  return static_cast<int>(result < 0 ? -result : result);
}

// What a child opens before it runs, and where it goes.
ROCDRILL_HOOK(int, posix_spawn_file_actions_addopen, posix_spawn_file_actions_t* actions, int fd,
              const char* path, int flags, mode_t mode) {
  const auto real = ROCDRILL_REAL(posix_spawn_file_actions_addopen);
  const Session* s = session();
  if (s == nullptr) return real(actions, fd, path, flags, mode);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  const int error = place.on_node() ? check_spawn_open(*s, place, flags) : 0;
  return error < 0 ? -error : real(actions, fd, place.real(), flags, mode);
}
ROCDRILL_HOOK(int, posix_spawn_file_actions_addchdir_np, posix_spawn_file_actions_t* actions,
              const char* path) {
  const auto real = ROCDRILL_REAL(posix_spawn_file_actions_addchdir_np);
  const Session* s = session();
  if (s == nullptr) return real(actions, path);
  Place place;
  locate(*s, AT_FDCWD, path, place);
  return real(actions, place.real());
}

// libc starts /bin/sh itself and hands it this process's environment.
ROCDRILL_HOOK(int, system, const char* command) {
  if (const Session* s = session()) mend_own_environment(*s);
  return ROCDRILL_REAL(system)(command);
}
ROCDRILL_HOOK(FILE*, popen, const char* command, const char* mode) {
  if (const Session* s = session()) mend_own_environment(*s);
  return ROCDRILL_REAL(popen)(command, mode);
}
