// ioctl and mmap of open devices, and the engine that answers them.
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "sim/interpose/engine_abi.hpp"
#include "sim/interpose/preload/identity.hpp"
#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/server.hpp"
#include "sim/interpose/preload/session.hpp"
#include "sim/interpose/preload/signals.hpp"

namespace rocdrill::interpose {
namespace {

// Zero, the process that loads it, or one of the two ends.
constexpr long not_loaded = 0;
constexpr long loaded = -1;
constexpr long unusable = -2;
long engine_state = not_loaded;
const Engine* the_engine = nullptr;
bool engine_stopped = false;

void in_child() {
  const PassThrough engine_runs;
  if (the_engine != nullptr) the_engine->forked();
}

const Engine* load_engine() {
  static char identity_of_process[2048];
  static EngineHost host{engine_abi_version, the_session.folder, identity_of_process, chain_signal};
  identity_text(identity_of_process, sizeof identity_of_process);
  char path[folder_max + 32];
  snprintf(path, sizeof path, "%s/lib/librocdrill_engine.so", the_session.folder);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    complain("the node's devices cannot be used: %s", dlerror());
    return nullptr;
  }
  const auto start = reinterpret_cast<EngineStart>(dlsym(library, engine_entry));
  if (start == nullptr) {
    complain("%s is no engine: it has no %s", path, engine_entry);
    return nullptr;
  }
  keep_program_handlers();
  const Engine* engine = start(&host);
  if (engine == nullptr) return nullptr;
  if (engine->abi_version != engine_abi_version) {
    complain("%s speaks version %u of the interface, this library version %u", path,
             engine->abi_version, engine_abi_version);
    return nullptr;
  }
  pthread_atfork(nullptr, nullptr, in_child);
  return engine;
}

// The engine, loaded by whichever thread comes first; nullptr if it cannot be used.
const Engine* engine() {
  const long me = raw::getpid();
  for (;;) {
    long state = __atomic_load_n(&engine_state, __ATOMIC_ACQUIRE);
    if (state == loaded) return the_engine;
    if (state == unusable) return nullptr;
    // A forked child does not wait for a thread that stayed behind in its parent.
    if (state == me) {
      sched_yield();
      continue;
    }
    if (!__atomic_compare_exchange_n(&engine_state, &state, me, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
      continue;
    const PassThrough engine_runs;
    the_engine = load_engine();
    __atomic_store_n(&engine_state, the_engine != nullptr ? loaded : unusable, __ATOMIC_RELEASE);
    return the_engine;
  }
}

__attribute__((destructor)) void stop_engine() {
  if (the_engine == nullptr || __atomic_exchange_n(&engine_stopped, true, __ATOMIC_ACQ_REL)) return;
  const PassThrough engine_runs;
  the_engine->stop();
}

bool device_request(unsigned long request) {
  const unsigned type = _IOC_TYPE(request);
  return type == 'K' || type == 'd';
}

void* map_device(void* address, size_t length, int prot, int flags, int fd, off_t offset) {
  char device[32];
  const int error = errno;
  if (session() == nullptr || !device_of_descriptor(fd, device)) {
    errno = error;
    return MAP_FAILED;
  }
  const Engine* e = engine();
  if (e == nullptr) return null_with<void>(ENODEV), MAP_FAILED;
  const PassThrough engine_runs;
  const int64_t result =
      e->mmap(device, fd, address, length, prot, flags, static_cast<uint64_t>(offset));
  if (result < 0 && result >= -4095) {
    errno = static_cast<int>(-result);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(result);
}

}  // namespace
}  // namespace rocdrill::interpose

using namespace rocdrill::interpose;

ROCDRILL_HOOK(int, ioctl, int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  char device[32];
  if (!device_request(request) || session() == nullptr || !device_of_descriptor(fd, device))
    return static_cast<int>(
        answer(raw::call(SYS_ioctl, fd, static_cast<long>(request), raw::arg(argument))));
  const Engine* e = engine();
  if (e == nullptr) return static_cast<int>(answer(-ENODEV));
  const int saved = errno;
  const PassThrough engine_runs;
  const int64_t result = e->ioctl(device, fd, request, argument);
  errno = saved;
  return static_cast<int>(answer(result));
}

ROCDRILL_HOOK(void*, mmap, void* address, size_t length, int prot, int flags, int fd,
              off_t offset) {
  // A socket's own mmap refuses, but only after MAP_FIXED has unmapped what was there.
  const bool file = fd >= 0 && (flags & MAP_ANONYMOUS) == 0;
  char device[32];
  if (file && (flags & MAP_FIXED) != 0 && session() != nullptr && device_of_descriptor(fd, device))
    return map_device(address, length, prot, flags, fd, offset);
  const long result =
      raw::call(SYS_mmap, raw::arg(address), static_cast<long>(length), prot, flags, fd, offset);
  if (__builtin_expect(result >= 0 || result < -4095, 1)) return reinterpret_cast<void*>(result);
  errno = static_cast<int>(-result);
  // EOVERFLOW: a socket takes no offset with the top bit, as KFD's doorbells have.
  if (file && (result == -ENODEV || result == -EINVAL || result == -EACCES || result == -EOVERFLOW))
    return map_device(address, length, prot, flags, fd, offset);
  return MAP_FAILED;
}
ROCDRILL_ALIAS(mmap64, mmap);

namespace {

struct ThreadStart {
  void* (*run)(void*);
  void* argument;
};

void* run_engine_thread(void* start) {
  const ThreadStart own = *static_cast<ThreadStart*>(start);
  free(start);
  const PassThrough engine_runs;
  return own.run(own.argument);
}

}  // namespace

// A thread that the engine starts is the engine's: its calls pass through as well.
ROCDRILL_HOOK(int, pthread_create, pthread_t* thread, const pthread_attr_t* attributes,
              void* (*run)(void*), void* argument) {
  const auto real = ROCDRILL_REAL(pthread_create);
  if (depth == 0) return real(thread, attributes, run, argument);
  auto* start = static_cast<ThreadStart*>(malloc(sizeof(ThreadStart)));
  if (start == nullptr) return EAGAIN;
  *start = {run, argument};
  const int error = real(thread, attributes, run_engine_thread, start);
  if (error != 0) free(start);
  return error;
}
