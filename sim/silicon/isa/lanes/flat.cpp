// FLAT, GLOBAL and SCRATCH: loads and stores.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "Flat memory
// instructions".
#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

const Entry table[] = {
    ROCDRILL_ACCESSES("flat", place_flat, Class::vmem_load, Class::vmem_store),
    ROCDRILL_ACCESSES("global", place_global, Class::vmem_load, Class::vmem_store),
    ROCDRILL_LDS_LOADS("global", place_global, Class::vmem_load),
    ROCDRILL_ACCESSES("scratch", place_scratch, Class::scratch, Class::scratch),
    ROCDRILL_LDS_LOADS("scratch", place_scratch, Class::scratch),
};

}  // namespace

/// What does not fit into LDS is not written.
void store_in_lds(Wave& w, const Instruction* i, Places& p, Move move) {
  alignas(64) std::byte values[vgpr_bytes] = {};
  move(values, p);
  const u32 base = (w.s[reg::m0] & 0xFFFF) + static_cast<u32>(i->immediate);
  for (u64 left = p.lanes | p.zero; left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    if (u64{base + l * 4} + 4 <= w.group->lds_bytes)
      __builtin_memcpy(w.group->lds + base + l * 4, values + std::size_t{l} * 4, 4);
  }
}

std::span<const Entry> flat_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
