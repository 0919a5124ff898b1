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

void Memory::refresh() {
  const std::uint64_t generation = space_.generation();
  if (generation == generation_) return;
  generation_ = generation;
  for (auto& list : ranges_)
    for (Range& range : list) range = {};
}

}  // namespace rocdrill::isa
