// Memory of a client that device and program share: what stands for VRAM and GTT, and the
// doorbells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "sim/kernel/process/surroundings.hpp"

namespace rocdrill::interpose {

/// One sparse file holds all buffers of the process; an offset is never used twice.
class BufferMemory {
 public:
  BufferMemory();
  ~BufferMemory();
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;

  std::optional<kernel::Backing> allocate(std::size_t bytes);
  void free(const kernel::Backing& backing, std::size_t bytes);
  /// mmap() of a render node. The address, or -errno.
  std::int64_t map(void* address, std::size_t length, int prot, int flags, std::uint64_t offset);

 private:
  std::mutex mutex_;
  int fd_ = -1;
  std::uint64_t end_ = 0;
  std::map<std::uint64_t, std::size_t> buffers_;  ///< offset -> bytes
};

/// The doorbell page of one GPU, and who notices a store to it: a write to a protected mapping is
/// an event that a thread can wait for (userfaultfd, in user mode only).
class DoorbellMemory {
 public:
  explicit DoorbellMemory(int userfault) : userfault_(userfault) {}
  ~DoorbellMemory();
  DoorbellMemory(const DoorbellMemory&) = delete;
  DoorbellMemory& operator=(const DoorbellMemory&) = delete;

  std::uint64_t* page();
  std::int64_t map(void* address, std::size_t length, int prot, int flags);
  /// Protects every mapping of the page: the next store wakes whoever reads the userfaultfd. False
  /// where that does not work.
  bool arm();
  void disarm();

 private:
  int userfault_;
  int fd_ = -1;
  std::uint64_t* page_ = nullptr;
  std::map<std::uintptr_t, bool> mappings_;  ///< address -> registered
};

/// A userfaultfd for write protection of shared memory, or -1 where it is not allowed.
int open_userfault();

}  // namespace rocdrill::interpose
