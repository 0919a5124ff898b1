// A client's memory where the client had it, as far as its devices touch it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

#include "sim/kernel/process/surroundings.hpp"

namespace rocdrill::replay {

/// An address of the client's is in use by this program.
struct AddressTaken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// What stands for VRAM and GTT.
  std::optional<kernel::Backing> allocate(std::size_t bytes);
  void free(const kernel::Backing& backing, std::size_t bytes);

  /// Zeroed memory at [address, address + bytes), in whole pages; what is ours already stays as it
  /// is. Throws AddressTaken.
  void claim(std::uint64_t address, std::uint64_t bytes);
  /// mmap() of a render node at an address. Throws AddressTaken. 0 or an errno.
  int map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset);
  /// Writes; false, and nothing is written, if it is not all ours.
  bool store(std::uint64_t address, std::span<const std::byte> bytes);
  bool load(std::uint64_t address, std::span<std::byte> bytes) const;

 private:
  bool owns(std::uint64_t address, std::uint64_t bytes) const;

  int fd_ = -1;
  std::uint64_t end_ = 0;
  std::map<std::uint64_t, std::uint64_t> buffers_;  ///< offset -> bytes
  std::map<std::uint64_t, std::uint64_t> owned_;    ///< start -> end, apart from each other
};

}  // namespace rocdrill::replay
