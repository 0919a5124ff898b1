// copy_from_user and copy_to_user: addresses in an argument come from the client, and one that
// leads nowhere must be EFAULT, never a crash.
#pragma once

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace rocdrill::kernel {

inline bool copy_from_user(void* to, std::uint64_t from, std::size_t bytes) {
  iovec local{to, bytes};
  iovec remote{reinterpret_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

inline bool copy_to_user(std::uint64_t to, const void* from, std::size_t bytes) {
  iovec local{const_cast<void*>(from), bytes};
  iovec remote{reinterpret_cast<void*>(to), bytes};
  return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

/// Whether all of the page-aligned range can be written; its pages are there afterwards, as after
/// get_user_pages(). True where the kernel is too old to say (before 5.14).
inline bool populate_for_write(std::uint64_t va, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr int advice = MADV_POPULATE_WRITE;
#else
  constexpr int advice = 23;
#endif
  static const bool known = [] {
    alignas(4096) static char page[4096];
    return madvise(page, sizeof page, advice) == 0;
  }();
  return !known || madvise(reinterpret_cast<void*>(va), bytes, advice) == 0;
}

}  // namespace rocdrill::kernel
