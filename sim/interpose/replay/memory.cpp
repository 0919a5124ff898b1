#include "sim/interpose/replay/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rocdrill::replay {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t user_space_end = 1ull << 47;
constexpr std::uint64_t first_offset = 0x1'0000'0000;  // none is 0, as with DRM's fake offsets

std::uint64_t up(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }
void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

Memory::Memory() : fd_(::memfd_create("rocdrill-replay", MFD_CLOEXEC)) {
  if (fd_ < 0) throw std::runtime_error(fmt::format("memfd_create: {}", std::strerror(errno)));
}

Memory::~Memory() {
  for (const auto& [start, end] : owned_) ::munmap(pointer(start), end - start);
  ::close(fd_);
}

std::optional<kernel::Backing> Memory::allocate(std::size_t bytes) {
  const std::uint64_t at = end_;
  if (bytes > user_space_end || ::ftruncate(fd_, static_cast<off_t>(at + up(bytes))) != 0)
    return std::nullopt;
  void* memory = ::mmap(nullptr, up(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_,
                        static_cast<off_t>(at));
  if (memory == MAP_FAILED) return std::nullopt;
  end_ += up(bytes);
  buffers_[at] = up(bytes);
  return kernel::Backing{memory, first_offset + at};
}

void Memory::free(const kernel::Backing& backing, std::size_t bytes) {
  const std::uint64_t at = backing.offset - first_offset;
  ::munmap(backing.memory, up(bytes));
  ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
              static_cast<off_t>(up(bytes)));
  buffers_.erase(at);
}

void Memory::claim(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t at = address / page * page;
  if (bytes > user_space_end || address > user_space_end - bytes)
    throw AddressTaken(fmt::format("{:#x} is no address of a program", address));
  const std::uint64_t end = up(address + bytes);
  while (at < end) {
    auto next = owned_.upper_bound(at);
    if (next != owned_.begin() && std::prev(next)->second > at) {
      at = std::prev(next)->second;
      continue;
    }
    const std::uint64_t until = next == owned_.end() ? end : std::min(end, next->first);
    void* got = ::mmap(pointer(at), until - at, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != pointer(at)) {
      if (got != MAP_FAILED) ::munmap(got, until - at);
      throw AddressTaken(fmt::format(
          "the client had memory at {:#x}..{:#x}, and this program has its own there", at, until));
    }
    owned_[at] = until;
    at = until;
  }
}

int Memory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset) {
  if (offset < first_offset || offset % page != 0) return EINVAL;
  const std::uint64_t at = offset - first_offset;
  auto buffer = buffers_.upper_bound(at);
  if (buffer == buffers_.begin()) return EINVAL;
  --buffer;
  if (at >= buffer->first + buffer->second || up(bytes) > buffer->first + buffer->second - at)
    return EINVAL;
  claim(address, bytes);
  void* got = ::mmap(pointer(address), bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd_, static_cast<off_t>(at));
  return got == MAP_FAILED ? errno : 0;
}

bool Memory::owns(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const auto next = owned_.upper_bound(address);
    if (next == owned_.begin() || std::prev(next)->second <= address) return false;
    address = std::prev(next)->second;
  }
  return true;
}

bool Memory::store(std::uint64_t address, std::span<const std::byte> bytes) {
  if (!owns(address, bytes.size())) return false;
  std::memcpy(pointer(address), bytes.data(), bytes.size());
  return true;
}

bool Memory::load(std::uint64_t address, std::span<std::byte> bytes) const {
  if (!owns(address, bytes.size())) return false;
  std::memcpy(bytes.data(), pointer(address), bytes.size());
  return true;
}

}  // namespace rocdrill::replay
