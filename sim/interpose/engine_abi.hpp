// What the preload library and the engine know of each other. The preload library links nothing but
// libc; the engine (device files of this process: KFD's process part, DRM, queues, SDMA) is loaded
// with dlopen(RTLD_LOCAL) when a program first uses an open device.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace rocdrill::interpose {

inline constexpr uint32_t engine_abi_version = 1;

/// Services of the preload library. Every call of the engine into libc may come through the preload
/// library's own hooks: they must work from any thread and never take a lock that is held while the
/// engine runs. While the engine runs (its functions below, threads that it starts with
/// pthread_create, and its SIGSEGV and SIGBUS handlers if installed with SA_SIGINFO from
/// rocdrill_engine_start or later) they pass through: it sees this machine, and root/ by its path.
struct EngineHost {
  uint32_t abi_version;
  const char* session;  ///< the session folder
  /// Text of the identity ("user:uid:gid:gid,gid,...") of this process on the node.
  const char* identity;
  /// The program's own handler of SIGSEGV or SIGBUS for a fault that is not the engine's: runs it,
  /// or restores the default action and returns (the instruction then faults again).
  void (*chain_signal)(int signal, void* siginfo, void* context);
};

/// What the engine does. Errors are -errno. `device` is "kfd", "renderD128" or "card0".
struct Engine {
  uint32_t abi_version;
  int64_t (*ioctl)(const char* device, int fd, uint64_t request, void* argument);
  /// Returns the address or -errno. `flags` and `address` are mmap's; the engine honours MAP_FIXED.
  int64_t (*mmap)(const char* device, int fd, void* address, size_t length, int prot, int flags,
                  uint64_t offset);
  /// In a forked child, before it does anything else: the parent's queues and mappings are gone.
  void (*forked)();
  /// Before exit(): stops the threads.
  void (*stop)();
};

/// Exported by librocdrill_engine.so under this name; nullptr if it cannot work here, with a line
/// on standard error that says why.
inline constexpr char engine_entry[] = "rocdrill_engine_start";
using EngineStart = const Engine* (*)(const EngineHost*);

}  // namespace rocdrill::interpose
