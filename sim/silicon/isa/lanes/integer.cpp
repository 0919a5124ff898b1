// Integers of 32 bits: VOP1, VOP2, VOP3.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12.
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

ROCDRILL_INLINE U32 move(U32 a) { return a; }
ROCDRILL_INLINE U32 invert(U32 a) { return ~a; }
ROCDRILL_INLINE U32 reverse(U32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0F0F0F0Fu) | (a & 0x0F0F0F0Fu) << 4;
  a = (a >> 8 & 0x00FF00FFu) | (a & 0x00FF00FFu) << 8;
  return a >> 16 | a << 16;
}
/// All ones where there is no bit to be found.
ROCDRILL_INLINE U32 none_if_zero(U32 a) { return as<U32>(a == 0u); }
ROCDRILL_INLINE U32 first_high(U32 a) {
  U32 filled = a | a >> 1;
  filled |= filled >> 2;
  filled |= filled >> 4;
  filled |= filled >> 8;
  filled |= filled >> 16;
  return count_bits(~filled) | none_if_zero(a);
}
ROCDRILL_INLINE U32 first_high_signed(U32 a) { return first_high(a ^ as<U32>(as<I32>(a) >> 31)); }
ROCDRILL_INLINE U32 first_low(U32 a) { return count_bits((a & -a) - 1u) | none_if_zero(a); }

ROCDRILL_INLINE U32 add(U32 a, U32 b) { return a + b; }
ROCDRILL_INLINE U32 subtract(U32 a, U32 b) { return a - b; }
ROCDRILL_INLINE U32 subtract_from(U32 a, U32 b) { return b - a; }
ROCDRILL_INLINE U32 add_clamped(U32 a, U32 b) {
  const U32 sum = a + b;
  return sum | as<U32>(sum < a);
}
ROCDRILL_INLINE U32 subtract_clamped(U32 a, U32 b) { return (a - b) & as<U32>(a >= b); }
ROCDRILL_INLINE U32 subtract_from_clamped(U32 a, U32 b) { return subtract_clamped(b, a); }
/// What an overflowing signed result is held at: the extreme on the first operand's side.
ROCDRILL_INLINE U32 extreme(U32 a) { return as<U32>(as<I32>(a) >> 31) ^ 0x7FFFFFFFu; }
ROCDRILL_INLINE U32 add_clamped_signed(U32 a, U32 b) {
  const U32 sum = a + b;
  const U32 overflow = as<U32>(as<I32>((a ^ sum) & (b ^ sum)) >> 31);
  return (sum & ~overflow) | (extreme(a) & overflow);
}
ROCDRILL_INLINE U32 subtract_clamped_signed(U32 a, U32 b) {
  const U32 difference = a - b;
  const U32 overflow = as<U32>(as<I32>((a ^ b) & (a ^ difference)) >> 31);
  return (difference & ~overflow) | (extreme(a) & overflow);
}

ROCDRILL_INLINE U32 both(U32 a, U32 b) { return a & b; }
ROCDRILL_INLINE U32 either(U32 a, U32 b) { return a | b; }
ROCDRILL_INLINE U32 differ(U32 a, U32 b) { return a ^ b; }
ROCDRILL_INLINE U32 agree(U32 a, U32 b) { return ~(a ^ b); }
ROCDRILL_INLINE U32 shift_left(U32 count, U32 a) { return a << (count & 31u); }
ROCDRILL_INLINE U32 shift_right(U32 count, U32 a) { return a >> (count & 31u); }
ROCDRILL_INLINE U32 shift_right_signed(U32 count, U32 a) {
  return as<U32>(as<I32>(a) >> as<I32>(count & 31u));
}
ROCDRILL_INLINE U32 least(U32 a, U32 b) { return min(a, b); }
ROCDRILL_INLINE U32 greatest(U32 a, U32 b) { return max(a, b); }
ROCDRILL_INLINE U32 least_signed(U32 a, U32 b) { return as<U32>(min(as<I32>(a), as<I32>(b))); }
ROCDRILL_INLINE U32 greatest_signed(U32 a, U32 b) { return as<U32>(max(as<I32>(a), as<I32>(b))); }
ROCDRILL_INLINE U32 ones(U32 a, U32 b) { return ((splat(1) << (a & 31u)) - 1u) << (b & 31u); }
ROCDRILL_INLINE U32 count(U32 a, U32 b) { return count_bits(a) + b; }

ROCDRILL_INLINE U32 extract(U32 a, U32 offset, U32 size) {
  return (a >> (offset & 31u)) & ((splat(1) << (size & 31u)) - 1u);
}
ROCDRILL_INLINE U32 extract_signed(U32 a, U32 offset, U32 size) {
  const I32 from = as<I32>(offset & 31u);
  const I32 count = as<I32>(size & 31u);
  // The field ends at bit 31: what lies beyond is not there.
  const I32 above = max(splat_signed(32) - from - count, splat_signed(0)) & 31;
  const I32 field = as<I32>(a << as<U32>(above)) >> ((above + from) & 31);
  return as<U32>(field) & ~none_if_zero(as<U32>(count));
}
ROCDRILL_INLINE U32 insert(U32 mask, U32 a, U32 b) { return (mask & a) | (~mask & b); }
ROCDRILL_INLINE U32 align_bit(U32 high, U32 low, U32 count) {
  const U32 shift = count & 31u;
  return low >> shift | high << 1 << (31u - shift);
}
ROCDRILL_INLINE U32 align_byte(U32 high, U32 low, U32 count) {
  return align_bit(high, low, (count & 3u) << 3);
}
ROCDRILL_INLINE U32 and_or(U32 a, U32 b, U32 c) { return (a & b) | c; }
ROCDRILL_INLINE U32 or3(U32 a, U32 b, U32 c) { return a | b | c; }
ROCDRILL_INLINE U32 xor_add(U32 a, U32 b, U32 c) { return (a ^ b) + c; }
ROCDRILL_INLINE U32 shift_or(U32 a, U32 count, U32 c) { return a << (count & 31u) | c; }
ROCDRILL_INLINE U32 shift_add(U32 a, U32 count, U32 c) { return (a << (count & 31u)) + c; }
ROCDRILL_INLINE U32 add_shift(U32 a, U32 b, U32 count) { return (a + b) << (count & 31u); }
ROCDRILL_INLINE U32 add3(U32 a, U32 b, U32 c) { return a + b + c; }
ROCDRILL_INLINE U32 least3(U32 a, U32 b, U32 c) { return min(min(a, b), c); }
ROCDRILL_INLINE U32 greatest3(U32 a, U32 b, U32 c) { return max(max(a, b), c); }
ROCDRILL_INLINE U32 middle3(U32 a, U32 b, U32 c) { return middle(a, b, c); }
ROCDRILL_INLINE U32 least3_signed(U32 a, U32 b, U32 c) {
  return least_signed(least_signed(a, b), c);
}
ROCDRILL_INLINE U32 greatest3_signed(U32 a, U32 b, U32 c) {
  return greatest_signed(greatest_signed(a, b), c);
}
ROCDRILL_INLINE U32 middle3_signed(U32 a, U32 b, U32 c) {
  return as<U32>(middle(as<I32>(a), as<I32>(b), as<I32>(c)));
}

struct alignas(64) BitsBelow {
  std::uint32_t of[wave_lanes];
};
constexpr BitsBelow bits_below(unsigned first_lane) {
  BitsBelow below{};
  for (unsigned lane = first_lane; lane < wave_lanes; ++lane)
    below.of[lane] = lane - first_lane < 32 ? (1u << (lane - first_lane)) - 1 : ~0u;
  return below;
}
/// v_mbcnt: bits of src0 that belong to the lanes below; lanes 0 to 31 or 32 to 63.
template <unsigned first_lane>
const Instruction* count_below(Wave& w, const Instruction* i) {
  static constexpr BitsBelow below = bits_below(first_lane);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return count_bits(a.low_of(n) & load(below.of + n * width)) + b.low_of(n);
  });
  return i + 1;
}

const Instruction* select(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const std::uint64_t chosen = lane_bits(w, *i, src2);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return blend(mask_of(chosen, n), a.low_of(n), b.low_of(n));
  });
  return i + 1;
}
/// With neg and abs, as if the sources were floats.
const Instruction* select_modified(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const std::uint64_t chosen = lane_bits(w, *i, src2);
  const auto keep = [i](unsigned n) { return (i->modifiers[n] & abs) != 0 ? 0x7FFFFFFFu : ~0u; };
  const auto flip = [i](unsigned n) { return (i->modifiers[n] & neg) != 0 ? 0x80000000u : 0u; };
  const U32 keep0 = splat(keep(0));
  const U32 keep1 = splat(keep(1));
  const U32 flip0 = splat(flip(0));
  const U32 flip1 = splat(flip(1));
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return blend(mask_of(chosen, n), (a.low_of(n) & keep0) ^ flip0, (b.low_of(n) & keep1) ^ flip1);
  });
  return i + 1;
}

const Instruction* swap(Wave& w, const Instruction* i) {
  std::byte* const one = operand(w, *i, dst);
  std::byte* const other = operand(w, *i, sdst);
  for (unsigned n = 0; n < blocks; ++n) {
    const std::uint32_t mask = mask_of(w.exec(), n);
    const U32 kept = load(one + n * 4 * width);
    store(one + n * 4 * width, load(other + n * 4 * width), mask);
    store(other + n * 4 * width, kept, mask);
  }
  return i + 1;
}

const Entry table[] = {
    {"v_mov_b32", unary<move>},
    {"v_accvgpr_read_b32", unary<move>},
    {"v_accvgpr_write_b32", unary<move>},
    {"v_accvgpr_mov_b32", unary<move>},
    {"v_swap_b32", swap},
    {"v_not_b32", unary<invert>},
    {"v_bfrev_b32", unary<reverse>},
    {"v_ffbh_u32", unary<first_high>},
    {"v_ffbh_i32", unary<first_high_signed>},
    {"v_ffbl_b32", unary<first_low>},
    {"v_add_u32", binary<add>, binary<add_clamped>},
    {"v_sub_u32", binary<subtract>, binary<subtract_clamped>},
    {"v_subrev_u32", binary<subtract_from>, binary<subtract_from_clamped>},
    {"v_add_i32", binary<add>, binary<add_clamped_signed>},
    {"v_sub_i32", binary<subtract>, binary<subtract_clamped_signed>},
    {"v_and_b32", binary<both>},
    {"v_or_b32", binary<either>},
    {"v_xor_b32", binary<differ>},
    {"v_xnor_b32", binary<agree>},
    {"v_lshlrev_b32", binary<shift_left>},
    {"v_lshrrev_b32", binary<shift_right>},
    {"v_ashrrev_i32", binary<shift_right_signed>},
    {"v_min_u32", binary<least>},
    {"v_max_u32", binary<greatest>},
    {"v_min_i32", binary<least_signed>},
    {"v_max_i32", binary<greatest_signed>},
    {"v_bfm_b32", binary<ones>},
    {"v_bcnt_u32_b32", binary<count>},
    {"v_mbcnt_lo_u32_b32", count_below<0>},
    {"v_mbcnt_hi_u32_b32", count_below<32>},
    {"v_bfe_u32", ternary<extract>},
    {"v_bfe_i32", ternary<extract_signed>},
    {"v_bfi_b32", ternary<insert>},
    {"v_alignbit_b32", ternary<align_bit>},
    {"v_alignbyte_b32", ternary<align_byte>},
    {"v_and_or_b32", ternary<and_or>},
    {"v_or3_b32", ternary<or3>},
    {"v_xad_u32", ternary<xor_add>},
    {"v_lshl_or_b32", ternary<shift_or>},
    {"v_lshl_add_u32", ternary<shift_add>},
    {"v_add_lshl_u32", ternary<add_shift>},
    {"v_add3_u32", ternary<add3>},
    {"v_min3_u32", ternary<least3>},
    {"v_max3_u32", ternary<greatest3>},
    {"v_med3_u32", ternary<middle3>},
    {"v_min3_i32", ternary<least3_signed>},
    {"v_max3_i32", ternary<greatest3_signed>},
    {"v_med3_i32", ternary<middle3_signed>},
    {"v_cndmask_b32", select, select_modified},
};

}  // namespace

std::span<const Entry> integer_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
