#include "sim/interpose/engine/client_memory.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::interpose {
namespace {

constexpr std::uint64_t page_bytes = 4096;
/// DRM's fake offsets begin here, so that none is 0.
constexpr std::uint64_t first_offset = 0x1'0000'0000;
constexpr int high_descriptor = 800;

std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

int memory_file(const char* name) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC);
  const int moved = fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved < 0) return fd;
  ::close(fd);
  return moved;
}

}  // namespace

BufferMemory::BufferMemory() : fd_(memory_file("rocdrill-buffers")) {}

BufferMemory::~BufferMemory() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<kernel::Backing> BufferMemory::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t size = round_up(bytes);
  const std::uint64_t at = end_;
  if (fd_ < 0 || ::ftruncate(fd_, static_cast<off_t>(at + size)) != 0) return std::nullopt;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_,
                        static_cast<off_t>(at));
  if (memory == MAP_FAILED) return std::nullopt;
  ::madvise(memory, size, MADV_DONTFORK);
  end_ += size;
  buffers_[at] = size;
  return kernel::Backing{memory, first_offset + at};
}

void BufferMemory::free(const kernel::Backing& backing, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t at = backing.offset - first_offset;
  ::munmap(backing.memory, round_up(bytes));
  ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
              static_cast<off_t>(round_up(bytes)));
  buffers_.erase(at);
}

std::int64_t BufferMemory::map(void* address, std::size_t length, int prot, int flags,
                               std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  if (offset < first_offset || offset % page_bytes != 0) return -EINVAL;
  const std::uint64_t at = offset - first_offset;
  auto buffer = buffers_.upper_bound(at);
  if (buffer == buffers_.begin()) return -EINVAL;
  --buffer;
  if (at >= buffer->first + buffer->second ||
      round_up(length) > buffer->first + buffer->second - at)
    return -EINVAL;
  const int shared = (flags & ~MAP_PRIVATE) | MAP_SHARED;
  void* memory = ::mmap(address, length, prot, shared, fd_, static_cast<off_t>(at));
  return memory == MAP_FAILED ? -errno
                              : static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory));
}

DoorbellMemory::~DoorbellMemory() {
  if (page_) ::munmap(page_, kfd::doorbell_page_size);
  if (fd_ >= 0) ::close(fd_);
}

std::uint64_t* DoorbellMemory::page() {
  if (page_) return page_;
  fd_ = memory_file("rocdrill-doorbells");
  if (fd_ < 0 || ::ftruncate(fd_, kfd::doorbell_page_size) != 0) return nullptr;
  void* memory =
      ::mmap(nullptr, kfd::doorbell_page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return nullptr;
  ::madvise(memory, kfd::doorbell_page_size, MADV_DONTFORK);
  page_ = static_cast<std::uint64_t*>(memory);
  return page_;
}

std::int64_t DoorbellMemory::map(void* address, std::size_t length, int prot, int flags) {
  if (length != kfd::doorbell_page_size) return -EINVAL;
  if (!page()) return -ENOMEM;
  const int shared = (flags & ~MAP_PRIVATE) | MAP_SHARED;
  void* memory = ::mmap(address, length, prot, shared, fd_, 0);
  if (memory == MAP_FAILED) return -errno;
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  // A write protection holds for pages that are there.
  if ((prot & PROT_READ) != 0) {
    for (std::size_t byte = 0; byte < length; byte += page_bytes)
      static_cast<void>(static_cast<volatile char*>(memory)[byte]);
  }
  uffdio_register range{};
  range.range = {at, length};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  mappings_[at] = userfault_ >= 0 && ::ioctl(userfault_, UFFDIO_REGISTER, &range) == 0;
  return static_cast<std::int64_t>(at);
}

bool DoorbellMemory::arm() {
  if (userfault_ < 0 || mappings_.empty()) return false;
  bool all = true;
  for (auto at = mappings_.begin(); at != mappings_.end();) {
    uffdio_writeprotect protect{};
    protect.range = {at->first, kfd::doorbell_page_size};
    protect.mode = UFFDIO_WRITEPROTECT_MODE_WP;
    if (at->second && ::ioctl(userfault_, UFFDIO_WRITEPROTECT, &protect) != 0) {
      if (errno == ENOENT) {  // the program has unmapped it
        at = mappings_.erase(at);
        continue;
      }
      all = false;
    }
    all = all && at->second;
    ++at;
  }
  return all;
}

void DoorbellMemory::disarm() {
  for (const auto& [at, registered] : mappings_) {
    if (!registered) continue;
    uffdio_writeprotect protect{};
    protect.range = {at, kfd::doorbell_page_size};
    protect.mode = 0;  // and wakes who stands there
    ::ioctl(userfault_, UFFDIO_WRITEPROTECT, &protect);
  }
}

int open_userfault() {
  const long fd = ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  if (fd < 0) return -1;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features =
      UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM | UFFD_FEATURE_THREAD_ID;
  if (::ioctl(static_cast<int>(fd), UFFDIO_API, &api) != 0) {
    ::close(static_cast<int>(fd));
    return -1;
  }
  const int moved = ::fcntl(static_cast<int>(fd), F_DUPFD_CLOEXEC, high_descriptor);
  if (moved < 0) return static_cast<int>(fd);
  ::close(static_cast<int>(fd));
  return moved;
}

}  // namespace rocdrill::interpose
