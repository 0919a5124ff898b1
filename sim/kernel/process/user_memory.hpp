// copy_from_user and copy_to_user: addresses in an argument come from the client, and one that
// leads nowhere must be EFAULT, never a crash.
#pragma once

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

inline constexpr std::uint64_t user_page = 4096;

/// Whether the client has mapped all of [va, va + bytes), with whatever protection.
bool is_user_memory(std::uint64_t va, std::uint64_t bytes);

/// Whether memory of the client can be read, or written; its pages are there afterwards, as after
/// get_user_pages(). More than 16 MiB are not brought in for that: their ends speak for them. True
/// where the kernel is too old to say (before 5.14).
bool is_populated(std::uint64_t va, std::uint64_t bytes, bool write);

}  // namespace rocdrill::kernel
