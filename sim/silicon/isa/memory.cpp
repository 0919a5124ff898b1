#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa {

const Memory::Range* Memory::look_up(std::uint64_t va, cp::Access access) {
  const unsigned which = access == cp::Access::write ? 1 : 0;
  Range found;
  for (const Range& range : known_[which])
    if (va - range.begin < range.bytes) found = range;
  if (found.bytes == 0) {
    const auto extent = space_.extent(va, access);
    if (!extent) return nullptr;
    found = {extent->begin, extent->bytes, extent->to_host};
    known_[which][next_known_[which]++ % known] = found;
  }
  Range& range = ranges_[which][next_[which]++ % kept];
  range = found;
  return &range;
}

/// Across ranges that lie next to each other on the host, too. Not by translate(), which is not for
/// several threads at once.
std::byte* Memory::across(std::uint64_t va, std::uint64_t bytes, cp::Access access) {
  const Range* range = find(va, access);
  if (range == nullptr) return nullptr;
  const std::uint64_t to_host = range->to_host;
  std::uint64_t found = 0;
  while (range != nullptr && range->to_host == to_host) {
    found += range->begin + range->bytes - (va + found);
    if (found >= bytes) return reinterpret_cast<std::byte*>(va + to_host);
    range = find(va + found, access);
  }
  return nullptr;
}

void Memory::refresh() {
  const std::uint64_t generation = space_.generation();
  if (generation == generation_) return;
  generation_ = generation;
  for (auto& list : ranges_)
    for (Range& range : list) range = {};
  for (auto& list : known_)
    for (Range& range : list) range = {};
}

}  // namespace rocdrill::isa
