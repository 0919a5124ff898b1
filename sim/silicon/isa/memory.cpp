#include "sim/silicon/isa/memory.hpp"

namespace rocdrill::isa {

const Memory::Range* Memory::look_up(std::uint64_t va, cp::Access access) {
  const auto extent = space_.extent(va, access);
  if (!extent) return nullptr;
  const unsigned which = access == cp::Access::write ? 1 : 0;
  Range& range = ranges_[which][next_[which]++ % kept];
  range = {extent->begin, extent->bytes, extent->to_host};
  return &range;
}

std::byte* Memory::across(std::uint64_t va, std::uint64_t bytes, cp::Access access) {
  const Range first = *find(va, access);
  std::uint64_t done = first.bytes - (va - first.begin);
  while (done < bytes) {
    const Range* next = find(va + done, access);
    if (next == nullptr || next->to_host != first.to_host || va + done < va) return nullptr;
    done += next->bytes - (va + done - next->begin);
  }
  return first.host(va);
}

void Memory::refresh() {
  const std::uint64_t generation = space_.generation();
  if (generation == generation_) return;
  generation_ = generation;
  for (auto& list : ranges_)
    for (Range& range : list) range = {};
}

}  // namespace rocdrill::isa
