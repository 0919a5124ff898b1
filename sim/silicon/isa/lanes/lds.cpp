// DS: loads and stores of LDS, and what only passes through it.
//
// Source: MI200 and MI300 ISA reference guides, "Data share instructions". Out of range: reads give
// 0, writes are dropped, for each of a lane's values as a whole. GDS, GWS and ordered counts: none.
#include "sim/silicon/isa/lanes/pairs.hpp"
#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

typedef u32 u32b __attribute__((aligned(1), may_alias));

ROCDRILL_INLINE u32 offset_of(const Instruction* i) { return static_cast<u32>(i->immediate); }

/// As quick() of memory.
template <unsigned bytes>
ROCDRILL_INLINE std::byte* quick_shared(Wave& w, const Instruction* i, u32 plus) {
  const std::byte* address = operand(w, *i, ds_addr);
  const u64 first = *reinterpret_cast<const u32*>(address) + plus;
  const bool run = w.exec() == ~u64{0} && is_run<bytes>(address) &&
                   first + wave_lanes * bytes <= w.group->lds_bytes;
  return run ? w.group->lds + first : nullptr;
}

/// All lanes, where those of each block follow each other, or are one: tiles of matrices. `values`
/// of so many bytes lie at address + at[n] and go to registers one after the other.
template <unsigned bytes, unsigned values>
ROCDRILL_INLINE bool read_blocks(Wave& w, const Instruction* i, const u32 (&at)[values]) {
  constexpr unsigned dwords = bytes / 4;
  if (w.exec() != ~u64{0}) return false;
  const Lanes32 offsets = lanes_at(operand(w, *i, ds_addr));
  U32 differ = {};
  U32 apart = {};
  for (unsigned b = 0; b < blocks; ++b) {
    const U32 from_first = offsets.v[b] - splat(offsets.v[b][0]);
    differ |= from_first;
    apart |= from_first ^ ramp(0, bytes);
  }
  const bool one = !any(differ);
  if (!one && (dwords > 2 || any(apart))) return false;
  u32 reach = 0;
  for (const u32 offset : at) reach = offset > reach ? offset : reach;
  reach += one ? bytes : width * bytes;
  const u32 room = w.group->lds_bytes;
  if (room < reach) return false;
  for (unsigned b = 0; b < blocks; ++b)
    if (offsets.v[b][0] > room - reach) return false;
  std::byte* const to = operand(w, *i, ds_dst);
  for (unsigned b = 0; b < blocks; ++b) {
    for (unsigned v = 0; v < values; ++v) {
      const std::byte* const from = w.group->lds + offsets.v[b][0] + at[v];
      std::byte* const own = to + v * dwords * vgpr_bytes + std::size_t{b} * 4 * width;
      if (one) {
        for (unsigned n = 0; n < dwords; ++n)
          keep_bytes(own + n * vgpr_bytes, splat(reinterpret_cast<const u32b*>(from)[n]));
      } else if constexpr (dwords == 1) {
        keep_bytes(own, load_bytes(from));
      } else if constexpr (dwords == 2) {
        const U32 x = load_bytes(from);
        const U32 y = load_bytes(from + 4 * width);
        keep_bytes(own, even(x, y));
        keep_bytes(own + vgpr_bytes, odd(x, y));
      }
    }
  }
  return true;
}

template <Move move, unsigned bytes>
const Instruction* read(Wave& w, const Instruction* i) {
  if (std::byte* first = quick_shared<bytes>(w, i, offset_of(i))) {
    move_run<move, bytes>(operand(w, *i, ds_dst), first);
    return i + 1;
  }
  if constexpr (same<move, load_b32> || same<move, load_b64> || same<move, load_b128>) {
    if (read_blocks<bytes>(w, i, {offset_of(i)})) return i + 1;
  }
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place_lds(w, i, p, {.bytes = bytes}, offset_of(i))) return nullptr;
  move(operand(w, *i, ds_dst), p);
  return i + 1;
}
template <Move move, unsigned bytes>
const Instruction* write(Wave& w, const Instruction* i) {
  if (std::byte* first = quick_shared<bytes>(w, i, offset_of(i))) {
    move_run<move, bytes>(operand(w, *i, ds_data0), first);
    return i + 1;
  }
  if (w.exec() == 0) return i + 1;
  Places p;
  if (!place_lds(w, i, p, {.bytes = bytes, .write = true}, offset_of(i))) return nullptr;
  move(operand(w, *i, ds_data0), p);
  return i + 1;
}

/// Two values at two offsets, which count values, or 64 of them. Where the second follows the first
/// and all are in range, they are one of twice the size: `pair` moves those.
template <Move move, Move pair, unsigned bytes, unsigned unit>
const Instruction* read2(Wave& w, const Instruction* i) {
  const u32 at0 = (offset_of(i) & 0xFF) * unit;
  const u32 at1 = (offset_of(i) >> 8 & 0xFF) * unit;
  if (w.exec() == 0) return i + 1;
  std::byte* to = operand(w, *i, ds_dst);
  std::byte* second = to + bytes / 4 * vgpr_bytes;
  std::byte* run0 = quick_shared<bytes>(w, i, at0);
  std::byte* run1 = run0 != nullptr ? quick_shared<bytes>(w, i, at1) : nullptr;
  if (run0 != nullptr && run1 != nullptr) {
    move_run<move, bytes>(to, run0);
    move_run<move, bytes>(second, run1);
    return i + 1;
  }
  if (read_blocks<bytes>(w, i, {at0, at1})) return i + 1;
  Places p;
  if (at1 == at0 + bytes) {
    if (!place_lds(w, i, p, {.bytes = 2 * bytes}, at0)) return nullptr;
    if (p.zero == 0) {
      pair(to, p);
      return i + 1;
    }
  }
  Places q;
  if (!place_lds(w, i, p, {.bytes = bytes}, at0)) return nullptr;
  if (!place_lds(w, i, q, {.bytes = bytes}, at1)) return nullptr;
  move(to, p);
  move(second, q);
  return i + 1;
}
template <Move move, unsigned bytes, unsigned unit>
const Instruction* write2(Wave& w, const Instruction* i) {
  if (w.exec() == 0) return i + 1;
  for (const unsigned n : {0u, 1u}) {
    const u32 at = (offset_of(i) >> (8 * n) & 0xFF) * unit;
    std::byte* from = operand(w, *i, ds_data0 + n);
    if (std::byte* first = quick_shared<bytes>(w, i, at)) {
      move_run<move, bytes>(from, first);
      continue;
    }
    Places p;
    if (!place_lds(w, i, p, {.bytes = bytes, .write = true}, at)) return nullptr;
    move(from, p);
  }
  return i + 1;
}

/// At M0[15:0] + offset + 4 * lane.
template <bool writes>
const Instruction* at_lane(Wave& w, const Instruction* i) {
  const u32 base = (w.s[reg::m0] & 0xFFFF) + offset_of(i);
  std::byte* registers = operand(w, *i, writes ? ds_data0 : ds_dst);
  for (u64 left = w.exec(); left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    const bool inside = u64{base} + l * 4 + 4 <= w.group->lds_bytes;
    std::byte* shared = w.group->lds + base + l * 4;
    std::byte* own = registers + std::size_t{l} * 4;
    if (writes) {
      if (inside) __builtin_memcpy(shared, own, 4);
    } else if (inside) {
      __builtin_memcpy(own, shared, 4);
    } else {
      __builtin_memset(own, 0, 4);
    }
  }
  return i + 1;
}

/// EXEC's population is added to the dword at M0[15:0] + offset, or taken from it.
template <bool adds>
const Instruction* count(Wave& w, const Instruction* i) {
  const u64 lanes = w.exec();
  const u32 at = (w.s[reg::m0] & 0xFFFF) + offset_of(i);
  u32 before = 0;
  if (at % 4 != 0) {
    violation(w, i, w.environment->shared_base + at, true);
    return nullptr;
  }
  if (u64{at} + 4 <= w.group->lds_bytes) {
    __builtin_memcpy(&before, w.group->lds + at, 4);
    const u32 active = static_cast<u32>(__builtin_popcountll(lanes));
    const u32 after = adds ? before + active : before - active;
    __builtin_memcpy(w.group->lds + at, &after, 4);
  }
  std::byte* to = operand(w, *i, ds_dst);
  for (unsigned b = 0; b < blocks; ++b)
    store(to + std::size_t{b} * 4 * width, splat(before), mask_of(lanes, b));
  return i + 1;
}

// --- between lanes, without LDS ------------------------------------------------------------------

struct alignas(64) Row {
  u32 lane[wave_lanes];
};
ROCDRILL_INLINE void keep(Row& row, unsigned block, U32 value) {
  *reinterpret_cast<U32u*>(row.lane + std::size_t{block} * width) = value;
}
ROCDRILL_INLINE void put_block(Wave& w, const Instruction* i, unsigned block, U32 value) {
  store(operand(w, *i, ds_dst) + std::size_t{block} * 4 * width, value, mask_of(w.exec(), block));
}
/// A register; lanes outside EXEC are 0.
ROCDRILL_INLINE Row active_row(const Wave& w, const std::byte* registers) {
  Row out;
  for (unsigned b = 0; b < blocks; ++b)
    keep(out, b, load(registers + std::size_t{b} * 4 * width) & expand(mask_of(w.exec(), b)));
  return out;
}
/// Lane numbers: (address + offset) / 4 modulo 64.
ROCDRILL_INLINE U32 lane_numbers(const Wave& w, const Instruction* i, unsigned block) {
  const U32 address = load(operand(w, *i, ds_addr) + std::size_t{block} * 4 * width);
  return ((address + splat(offset_of(i))) >> splat(2)) & splat(wave_lanes - 1);
}
/// The elements of `row` that `index` names.
ROCDRILL_INLINE U32 take(const Row& row, U32 index) {
#if defined(__AVX512F__)
  const auto part = [&row](unsigned n) { return _mm512_load_si512(row.lane + 16 * n); };
  const __m512i low = _mm512_permutex2var_epi32(part(0), as<__m512i>(index), part(1));
  const __m512i high = _mm512_permutex2var_epi32(part(2), as<__m512i>(index), part(3));
  return as<U32>(_mm512_mask_blend_epi32(
      _mm512_test_epi32_mask(as<__m512i>(index), _mm512_set1_epi32(32)), low, high));
#else
  U32 out;
  for (unsigned n = 0; n < width; ++n) out[n] = row.lane[index[n]];
  return out;
#endif
}

/// Each lane takes from the lane that it names.
const Instruction* bpermute(Wave& w, const Instruction* i) {
  const Row from = active_row(w, operand(w, *i, ds_data0));
  U32 out[blocks];
  for (unsigned b = 0; b < blocks; ++b) out[b] = take(from, lane_numbers(w, i, b));
  for (unsigned b = 0; b < blocks; ++b) put_block(w, i, b, out[b]);
  return i + 1;
}
/// Each lane gives to the lane that it names; the highest of several wins.
const Instruction* permute(Wave& w, const Instruction* i) {
  const auto* from = reinterpret_cast<const u32*>(operand(w, *i, ds_data0));
  Row target;
  for (unsigned b = 0; b < blocks; ++b) keep(target, b, lane_numbers(w, i, b));
  Row out = {};
  for (u64 left = w.exec(); left != 0; left &= left - 1) {
    const unsigned l = first_of(left);
    out.lane[target.lane[l]] = from[l];
  }
  for (unsigned b = 0; b < blocks; ++b) put_block(w, i, b, load(out.lane + std::size_t{b} * width));
  return i + 1;
}

/// Which lane each takes from.
ROCDRILL_INLINE U32 swizzled(u32 offset, U32 lane) {
  const U32 low = lane & splat(31);
  U32 from;
  if (offset >= 0xE000) {  // FFT: bits reversed, but for those of the mask
    const u32 mask = offset & 31;
    if (mask == 31) return lane;
    const U32 reversed = low >> splat(4) | (low >> splat(2) & splat(2)) | (low & splat(4)) |
                         (low << splat(2) & splat(8)) | (low << splat(4) & splat(16));
    from = reversed >> splat(static_cast<u32>(__builtin_popcount(mask))) | (low & splat(mask));
  } else if (offset >= 0xC000) {  // rotation
    const u32 by = offset >> 5 & 31;
    const u32 mask = offset & 31;
    const U32 turned = low + splat((offset >> 10 & 1) != 0 ? 0u - by : by);
    from = (low & splat(mask)) | (turned & splat(~mask));
  } else if ((offset & 0x8000) != 0) {  // among four
    return (lane & splat(~3u)) | (splat(offset) >> ((lane & splat(3)) * splat(2)) & splat(3));
  } else {
    from = ((low & splat(offset)) | splat(offset >> 5)) ^ splat(offset >> 10);
  }
  return (from & splat(31)) | (lane & splat(32));
}
const Instruction* swizzle(Wave& w, const Instruction* i) {
  const Row from = active_row(w, operand(w, *i, ds_addr));
  const u32 offset = offset_of(i) & 0xFFFF;
  for (unsigned b = 0; b < blocks; ++b)
    put_block(w, i, b, take(from, swizzled(offset, ramp(b, 1))));
  return i + 1;
}

const Instruction* nothing(Wave&, const Instruction* i) { return i + 1; }

#define ROCDRILL_READ(name, move, bytes) {"ds_read_" name, read<move, bytes>, nullptr, Class::lds}
#define ROCDRILL_WRITE(name, move, bytes) \
  {"ds_write_" name, write<move, bytes>, nullptr, Class::lds}
const Entry table[] = {
    ROCDRILL_READ("u8", load_u8, 1),
    ROCDRILL_READ("i8", load_i8, 1),
    ROCDRILL_READ("u16", load_u16, 2),
    ROCDRILL_READ("i16", load_i16, 2),
    ROCDRILL_READ("u8_d16", load_u8_d16, 1),
    ROCDRILL_READ("i8_d16", load_i8_d16, 1),
    ROCDRILL_READ("u16_d16", load_b16_d16, 2),
    ROCDRILL_READ("u8_d16_hi", load_u8_d16_hi, 1),
    ROCDRILL_READ("i8_d16_hi", load_i8_d16_hi, 1),
    ROCDRILL_READ("u16_d16_hi", load_b16_d16_hi, 2),
    ROCDRILL_READ("b32", load_b32, 4),
    ROCDRILL_READ("b64", load_b64, 8),
    ROCDRILL_READ("b96", load_b96, 12),
    ROCDRILL_READ("b128", load_b128, 16),
    ROCDRILL_WRITE("b8", store_b8, 1),
    ROCDRILL_WRITE("b16", store_b16, 2),
    ROCDRILL_WRITE("b8_d16_hi", store_b8_d16_hi, 1),
    ROCDRILL_WRITE("b16_d16_hi", store_b16_d16_hi, 2),
    ROCDRILL_WRITE("b32", store_b32, 4),
    ROCDRILL_WRITE("b64", store_b64, 8),
    ROCDRILL_WRITE("b96", store_b96, 12),
    ROCDRILL_WRITE("b128", store_b128, 16),
    {"ds_read2_b32", read2<load_b32, load_b64, 4, 4>, nullptr, Class::lds},
    {"ds_read2_b64", read2<load_b64, load_b128, 8, 8>, nullptr, Class::lds},
    {"ds_read2st64_b32", read2<load_b32, load_b64, 4, 4 * 64>, nullptr, Class::lds},
    {"ds_read2st64_b64", read2<load_b64, load_b128, 8, 8 * 64>, nullptr, Class::lds},
    {"ds_write2_b32", write2<store_b32, 4, 4>, nullptr, Class::lds},
    {"ds_write2_b64", write2<store_b64, 8, 8>, nullptr, Class::lds},
    {"ds_write2st64_b32", write2<store_b32, 4, 4 * 64>, nullptr, Class::lds},
    {"ds_write2st64_b64", write2<store_b64, 8, 8 * 64>, nullptr, Class::lds},
    {"ds_read_addtid_b32", at_lane<false>, nullptr, Class::lds},
    {"ds_write_addtid_b32", at_lane<true>, nullptr, Class::lds},
    {"ds_append", count<true>, nullptr, Class::lds},
    {"ds_consume", count<false>, nullptr, Class::lds},
    {"ds_bpermute_b32", bpermute, nullptr, Class::lds},
    {"ds_permute_b32", permute, nullptr, Class::lds},
    {"ds_swizzle_b32", swizzle, nullptr, Class::lds},
    {"ds_nop", nothing, nullptr, Class::lds},
};

}  // namespace

std::span<const Entry> lds_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
