// POSIX shared memory and named semaphores: the node has names of its own (rocm-smi and ROCr's
// profiling lock each other out through them). The server removes what is left with the session.
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {
namespace {

/// "/name" of the node -> "/rocdrill.<hash>.name" of this machine; the name itself off a node.
const char* own_name(const char* name, char* buffer, size_t size) {
  const Session* s = session();
  if (s == nullptr || name == nullptr) return name;
  const char* bare = name[0] == '/' ? name + 1 : name;
  const int length = snprintf(buffer, size, "/%s%08x.%s", shared_name_prefix, s->hash, bare);
  return length > 0 && static_cast<size_t>(length) < size ? buffer : name;
}

constexpr size_t name_size = NAME_MAX + 1;

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, shm_open, const char* name, int flags, mode_t mode) {
  char buffer[name_size];
  return ROCDRILL_REAL(shm_open)(own_name(name, buffer, sizeof buffer), flags, mode);
}
ROCDRILL_HOOK(int, shm_unlink, const char* name) {
  char buffer[name_size];
  return ROCDRILL_REAL(shm_unlink)(own_name(name, buffer, sizeof buffer));
}
ROCDRILL_HOOK(sem_t*, sem_open, const char* name, int flags, ...) {
  char buffer[name_size];
  const char* own = own_name(name, buffer, sizeof buffer);
  if ((flags & O_CREAT) == 0) return ROCDRILL_REAL(sem_open)(own, flags);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  const unsigned value = va_arg(arguments, unsigned);
  va_end(arguments);
  return ROCDRILL_REAL(sem_open)(own, flags, mode, value);
}
ROCDRILL_HOOK(int, sem_unlink, const char* name) {
  char buffer[name_size];
  return ROCDRILL_REAL(sem_unlink)(own_name(name, buffer, sizeof buffer));
}
