// What a wave reaches of the GPU's memory: the AddressSpace with the few ranges that a kernel uses
// kept at hand. One per host thread that runs waves.
#pragma once

#include <cstdint>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/isa/instruction.hpp"

namespace rocdrill::isa {

class Memory {
 public:
  explicit Memory(cp::AddressSpace& space) : space_(space) {}

  /// A stretch of addresses with host memory behind it: host = va + to_host.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t to_host = 0;

    ROCDRILL_INLINE bool holds(std::uint64_t va, std::uint64_t count) const {
      const std::uint64_t offset = va - begin;
      return offset < bytes && count <= bytes - offset;
    }
    ROCDRILL_INLINE std::byte* host(std::uint64_t va) const {
      return reinterpret_cast<std::byte*>(va + to_host);
    }
  };

  /// The range around `va` that has the access; nullptr if va is not mapped so. Stays valid until
  /// the next call of find() or refresh().
  ROCDRILL_INLINE const Range* find(std::uint64_t va, cp::Access access) {
    Range(&ranges)[kept] = ranges_[access == cp::Access::write ? 1 : 0];
    for (unsigned n = 0; n < kept; ++n)
      if (va - ranges[n].begin < ranges[n].bytes) return &ranges[n];
    return look_up(va, access);
  }
  /// Host memory behind [va, va + bytes), or nullptr. Not for executing.
  std::byte* at(std::uint64_t va, std::uint64_t bytes, cp::Access access) {
    const Range* range = find(va, access);
    if (range != nullptr && range->holds(va, bytes)) [[likely]]
      return range->host(va);
    return across(va, bytes, access);
  }
  /// Forgets what was looked up if the mapping has changed since.
  void refresh();
  cp::AddressSpace& space() { return space_; }

 private:
  static constexpr unsigned kept = 6;
  static constexpr unsigned known = 64;
  const Range* look_up(std::uint64_t va, cp::Access access);
  std::byte* across(std::uint64_t va, std::uint64_t bytes, cp::Access access);

  cp::AddressSpace& space_;
  // For reading, for writing.
  Range ranges_[2][kept];
  unsigned next_[2] = {};
  Range known_[2][known];  ///< what was found before: asking the space takes a lock
  unsigned next_known_[2] = {};
  std::uint64_t generation_ = 0;
};

}  // namespace rocdrill::isa
