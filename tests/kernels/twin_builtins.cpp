// What twins call: kernel.h declares it. Lanes that have ended or never were read as 0.
//
// DPP and ds_swizzle: AMD "CDNA 3" ISA, "DPP" and "DS_SWIZZLE_B32".
#include <bit>
#include <optional>

#include "kernels/twin_item.hpp"

#define ON_FIBER __attribute__((no_sanitize("address", "thread", "undefined")))

namespace rocdrill::twin {
namespace {

/// Writes this lane's value and waits until all lanes of the wave have.
ON_FIBER const WaveLanes::Slots& exchange(std::uint32_t value, std::uint32_t target = 0) {
  Item& item = *current;
  WaveLanes& wave = item.group->waves[item.wave];
  WaveLanes::Slots& slots = wave.slots[item.exchanges++ & 1];
  if (wave.arrived++ == 0) slots.present = 0;
  slots.value[item.lane] = value;
  slots.target[item.lane] = target;
  slots.present |= std::uint64_t{1} << item.lane;
  leave(Wait::exchange);
  return slots;
}

ON_FIBER std::optional<std::uint32_t> value_of(const WaveLanes::Slots& slots, unsigned lane) {
  if (lane >= wave_lanes || (slots.present >> lane & 1) == 0) return std::nullopt;
  return slots.value[lane];
}

/// The lane that DPP reads from; nothing if it is outside of the row or wave.
ON_FIBER std::optional<unsigned> dpp_source(unsigned lane, unsigned control) {
  const unsigned row = lane & ~15u;
  const unsigned in_row = lane & 15;
  const unsigned amount = control & 15;
  const auto within = [row](int n) -> std::optional<unsigned> {
    if (n < 0 || n > 15) return std::nullopt;
    return row + static_cast<unsigned>(n);
  };
  if (control < 0x100) return (lane & ~3u) + (control >> 2 * (lane & 3) & 3);  // quad_perm
  if (control > 0x100 && control < 0x110) return within(static_cast<int>(in_row + amount));
  if (control > 0x110 && control < 0x120)
    return within(static_cast<int>(in_row) - static_cast<int>(amount));
  if (control > 0x120 && control < 0x130) return row + ((in_row - amount) & 15);  // row_ror
  switch (control) {
    case 0x130:  // wave_shl:1
      return lane == 63 ? std::nullopt : std::optional(lane + 1);
    case 0x134:  // wave_rol:1
      return (lane + 1) & 63;
    case 0x138:  // wave_shr:1
      return lane == 0 ? std::nullopt : std::optional(lane - 1);
    case 0x13C:  // wave_ror:1
      return (lane - 1) & 63;
    case 0x140:  // row_mirror
      return row + 15 - in_row;
    case 0x141:  // row_half_mirror
      return (lane & ~7u) + 7 - (lane & 7);
    case 0x142:  // row_bcast:15
      return row == 0 ? std::nullopt : std::optional(row - 1);
    case 0x143:  // row_bcast:31
      return lane < 32 ? std::nullopt : std::optional(31u);
    default:
      if (control >= 0x150 && control < 0x160) return row + amount;  // row_newbcast
      return std::nullopt;
  }
}

ON_FIBER unsigned swizzle_source(unsigned lane, unsigned pattern) {
  if ((pattern & 0x8000) != 0) return (lane & ~3u) + (pattern >> 2 * (lane & 3) & 3);
  const unsigned in_half = lane & 31;
  return (lane & 32) + (((in_half & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
}

}  // namespace

extern "C" {

ON_FIBER std::uint32_t twin_local_id(std::uint32_t n) { return current->local[n]; }
ON_FIBER std::uint32_t twin_group_id(std::uint32_t n) { return current->group->id[n]; }
ON_FIBER std::uint32_t twin_local_size(std::uint32_t n) { return current->group->size[n]; }
ON_FIBER std::uint32_t twin_full_group_size(std::uint32_t n) {
  return current->group->facts->group[n];
}
ON_FIBER std::uint32_t twin_global_size(std::uint32_t n) { return current->group->facts->size[n]; }
ON_FIBER std::uint32_t twin_lane_id() { return current->lane; }
ON_FIBER void* twin_shared(std::uint64_t bytes) { return shared_memory(bytes); }
ON_FIBER void twin_spin() { leave(Wait::spin); }
ON_FIBER void twin_barrier() {
  ++current->group->at_barrier;
  leave(Wait::barrier);
}

ON_FIBER std::int32_t twin_shuffle(std::int32_t value, std::uint32_t lane) {
  const auto& slots = exchange(static_cast<std::uint32_t>(value));
  return static_cast<std::int32_t>(value_of(slots, lane & 63).value_or(0));
}

ON_FIBER std::int32_t twin_shuffle_to(std::int32_t value, std::uint32_t lane) {
  const std::uint32_t own = current->lane;
  const auto& slots = exchange(static_cast<std::uint32_t>(value), lane & 63);
  std::uint32_t result = 0;
  for (unsigned n = 0; n < wave_lanes; ++n)
    if ((slots.present >> n & 1) != 0 && slots.target[n] == own) result = slots.value[n];
  return static_cast<std::int32_t>(result);
}

ON_FIBER std::uint64_t twin_ballot(std::int32_t condition) {
  const auto& slots = exchange(condition != 0 ? 1 : 0);
  std::uint64_t mask = 0;
  for (unsigned n = 0; n < wave_lanes; ++n)
    if (value_of(slots, n).value_or(0) != 0) mask |= std::uint64_t{1} << n;
  return mask;
}

ON_FIBER std::int32_t twin_first_lane(std::int32_t value) {
  const auto& slots = exchange(static_cast<std::uint32_t>(value));
  return static_cast<std::int32_t>(slots.value[std::countr_zero(slots.present) & 63]);
}

ON_FIBER std::int32_t twin_dpp(std::int32_t old, std::int32_t value, std::uint32_t control,
                               std::uint32_t row_mask, std::uint32_t bank_mask,
                               std::int32_t bound) {
  const unsigned lane = current->lane;
  const auto& slots = exchange(static_cast<std::uint32_t>(value));
  if ((row_mask >> (lane / 16) & 1) == 0 || (bank_mask >> (lane / 4 & 3) & 1) == 0) return old;
  const auto from = dpp_source(lane, control);
  const auto read = from ? value_of(slots, *from) : std::nullopt;
  if (read) return static_cast<std::int32_t>(*read);
  return bound != 0 ? 0 : old;
}

ON_FIBER std::int32_t twin_swizzle(std::int32_t value, std::uint32_t pattern) {
  const unsigned from = swizzle_source(current->lane, pattern);
  const auto& slots = exchange(static_cast<std::uint32_t>(value));
  return static_cast<std::int32_t>(value_of(slots, from).value_or(0));
}

// OpenCL's own names, as mangled by clang.
ON_FIBER std::size_t twin_get_global_id(std::uint32_t n) asm("_Z13get_global_idj");
ON_FIBER std::size_t twin_get_global_id(std::uint32_t n) {
  return std::size_t{twin_group_id(n)} * twin_full_group_size(n) + twin_local_id(n);
}
ON_FIBER std::size_t twin_get_local_id(std::uint32_t n) asm("_Z12get_local_idj");
ON_FIBER std::size_t twin_get_local_id(std::uint32_t n) { return twin_local_id(n); }
ON_FIBER std::size_t twin_get_group_id(std::uint32_t n) asm("_Z12get_group_idj");
ON_FIBER std::size_t twin_get_group_id(std::uint32_t n) { return twin_group_id(n); }
ON_FIBER std::size_t twin_get_local_size(std::uint32_t n) asm("_Z14get_local_sizej");
ON_FIBER std::size_t twin_get_local_size(std::uint32_t n) { return twin_local_size(n); }
ON_FIBER std::size_t twin_get_global_size(std::uint32_t n) asm("_Z15get_global_sizej");
ON_FIBER std::size_t twin_get_global_size(std::uint32_t n) { return twin_global_size(n); }
ON_FIBER std::size_t twin_get_num_groups(std::uint32_t n) asm("_Z14get_num_groupsj");
ON_FIBER std::size_t twin_get_num_groups(std::uint32_t n) {
  return current->group->facts->groups[n];
}
ON_FIBER void twin_barrier_of_opencl(std::uint32_t flags) asm("_Z7barrierj");
ON_FIBER void twin_barrier_of_opencl(std::uint32_t) { twin_barrier(); }

}  // extern "C"

}  // namespace rocdrill::twin
