// System calls without libc's wrappers: they neither come back through the hooks nor touch errno.
// Results are the kernel's: a negative number is -errno.
#pragma once

#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "the preload library knows x86-64's system calls and its one set of struct stat"
#endif

namespace rocdrill::interpose::raw {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long arg(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline int open(const char* path, int flags, int mode = 0) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, arg(path), flags, mode));
}
inline void close(int fd) { call(SYS_close, fd); }
inline long read(int fd, void* data, size_t size) {
  return call(SYS_read, fd, arg(data), static_cast<long>(size));
}
inline long pread(int fd, void* data, size_t size, long offset) {
  return call(SYS_pread64, fd, arg(data), static_cast<long>(size), offset);
}
inline long write(int fd, const void* data, size_t size) {
  return call(SYS_write, fd, arg(data), static_cast<long>(size));
}
inline int stat_at(int dirfd, const char* path, struct stat* out, int flags) {
  return static_cast<int>(call(SYS_newfstatat, dirfd, arg(path), arg(out), flags));
}
inline int fstat(int fd, struct stat* out) {
  return static_cast<int>(call(SYS_fstat, fd, arg(out)));
}
inline long readlink_at(int dirfd, const char* path, char* out, size_t size) {
  return call(SYS_readlinkat, dirfd, arg(path), arg(out), static_cast<long>(size));
}
/// Length with the zero byte.
inline long getcwd(char* out, size_t size) {
  return call(SYS_getcwd, arg(out), static_cast<long>(size));
}
inline long getpid() { return call(SYS_getpid); }

}  // namespace rocdrill::interpose::raw
