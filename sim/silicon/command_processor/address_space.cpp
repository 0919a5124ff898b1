#include "sim/silicon/command_processor/address_space.hpp"

#include <stdexcept>

namespace rocdrill::cp {

void RangeAddressSpace::add(std::uint64_t va, std::size_t bytes, Permissions permissions,
                            void* host) {
  if (va == 0 || bytes == 0 || va + (bytes - 1) < va) {
    throw std::invalid_argument("address space: range is empty, holds address 0 or wraps around");
  }
  const auto next = ranges_.upper_bound(va);
  const bool overlaps_next = next != ranges_.end() && next->first - va < bytes;
  if (overlaps_next || find(va) != nullptr) {
    throw std::invalid_argument("address space: range overlaps one that is registered");
  }
  const std::uint64_t to_host = host ? reinterpret_cast<std::uintptr_t>(host) - va : 0;
  ranges_.emplace(va, Range{va, bytes, permissions, to_host});
}

bool RangeAddressSpace::remove(std::uint64_t va) {
  last_ = {};
  return ranges_.erase(va) != 0;
}

const RangeAddressSpace::Range* RangeAddressSpace::find(std::uint64_t va) const {
  auto after = ranges_.upper_bound(va);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return va - range.begin < range.bytes ? &range : nullptr;
}

// Neighbouring ranges count as one, as pages do: an object may lie across two of them.
void* RangeAddressSpace::translate_slow(std::uint64_t va, std::size_t bytes, Access access) {
  if (bytes == 0 || va + (bytes - 1) < va) return nullptr;
  std::uint64_t at = va;
  std::uint64_t left = bytes;
  const Range* first = find(va);
  while (true) {
    const Range* range = find(at);
    if (range == nullptr || !range->permissions.allow(access)) return nullptr;
    if (range->to_host != first->to_host) return nullptr;  // not contiguous for the host
    const std::uint64_t here = range->bytes - (at - range->begin);
    if (left <= here) {
      last_ = *range;
      return reinterpret_cast<void*>(va + range->to_host);
    }
    at += here;
    left -= here;
  }
}

}  // namespace rocdrill::cp
