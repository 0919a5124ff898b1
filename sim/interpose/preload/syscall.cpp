// syscall(2) for programs that name the call by its number: the few that lead to files and devices.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/interpose/preload/raw.hpp"
#include "sim/interpose/preload/session.hpp"

using namespace rocdrill::interpose;

// Seven plain arguments arrive where the variable ones of libc's declaration do.
ROCDRILL_HOOK(long, syscall, long number, long a, long b, long c, long d, long e, long f) {
  if (session() == nullptr) return ROCDRILL_REAL(syscall)(number, a, b, c, d, e, f);
  const auto text = [](long pointer) { return reinterpret_cast<const char*>(pointer); };
  switch (number) {
    case SYS_open:
      return open(text(a), static_cast<int>(b), static_cast<mode_t>(c));
    case SYS_openat:
      return openat(static_cast<int>(a), text(b), static_cast<int>(c), static_cast<mode_t>(d));
    case SYS_ioctl:
      return ioctl(static_cast<int>(a), static_cast<unsigned long>(b), reinterpret_cast<void*>(c));
    case SYS_statx: {
      const auto real_statx = statx;
      return real_statx(static_cast<int>(a), text(b), static_cast<int>(c), static_cast<unsigned>(d),
                        reinterpret_cast<struct statx*>(e));
    }
    case SYS_newfstatat:
      return fstatat(static_cast<int>(a), text(b), reinterpret_cast<struct stat*>(c),
                     static_cast<int>(d));
    case SYS_faccessat:
      return faccessat(static_cast<int>(a), text(b), static_cast<int>(c), 0);
    case SYS_getcwd:
      // Unlike libc's it returns the length.
      if (getcwd(reinterpret_cast<char*>(a), static_cast<size_t>(b)) == nullptr) return -1;
      return static_cast<long>(__builtin_strlen(text(a))) + 1;
    case SYS_getuid:
      return getuid();
    case SYS_geteuid:
      return geteuid();
    case SYS_getgid:
      return getgid();
    case SYS_getegid:
      return getegid();
    default:
      return ROCDRILL_REAL(syscall)(number, a, b, c, d, e, f);
  }
}
