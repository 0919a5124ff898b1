// How a hook is written, and when it steps aside.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include <initializer_list>

/// Defines the function that programs call by `name`. The C++ name differs, so that libc's headers
/// (their exception specifications, their fortified inline versions) do not get in the way.
#define ROCDRILL_HOOK(result, name, ...)                                                     \
  extern "C"                                                                                 \
      __attribute__((visibility("default"))) result hook_##name(__VA_ARGS__) __asm__(#name); \
  extern "C" result hook_##name(__VA_ARGS__)

/// Another name for a hook of the same file: x86-64 has one off_t and one struct stat.
#define ROCDRILL_ALIAS(other, name)                \
  extern "C" __attribute__((visibility("default"), \
                            alias(#name))) decltype(hook_##name) hook_##other __asm__(#other)

/// The function that would have been called without this library.
#define ROCDRILL_REAL(name)                                                         \
  ([] {                                                                             \
    static decltype(&hook_##name) cached;                                           \
    decltype(&hook_##name) function = __atomic_load_n(&cached, __ATOMIC_RELAXED);   \
    if (function == nullptr) {                                                      \
      function = reinterpret_cast<decltype(&hook_##name)>(dlsym(RTLD_NEXT, #name)); \
      __atomic_store_n(&cached, function, __ATOMIC_RELAXED);                        \
    }                                                                               \
    return function;                                                                \
  }())

namespace rocdrill::interpose {

/// Above zero while this thread runs the engine or this library: hooks pass straight through.
extern __thread int depth;

class PassThrough {
 public:
  PassThrough() { ++depth; }
  ~PassThrough() { --depth; }
  PassThrough(const PassThrough&) = delete;
  PassThrough& operator=(const PassThrough&) = delete;
};

/// A kernel's result as libc hands it on: -errno becomes errno and -1.
inline long answer(long result) {
  if (result < 0 && result >= -4095) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

/// What libc's functions of the other kind do: null and errno.
template <typename T>
T* null_with(int error) {
  errno = error;
  return nullptr;
}

}  // namespace rocdrill::interpose
