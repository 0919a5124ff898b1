// Integers of 16 bits, one per lane: VOP2, VOP3. Products of 16 bits with a 32-bit sum.
//
// Most of them clear the high half of the result. Those that only VOP3 has keep it: op_sel could
// have written there instead.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12.
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

enum class High : bool { cleared, kept };

template <High high>
ROCDRILL_INLINE U32 half_result(const Wave& w, const Instruction& i, unsigned block, U32 value) {
  if constexpr (high == High::cleared) return low_half(value);
  return low_half(value) | (load(operand(w, i, dst) + block * 4 * width) & 0xFFFF0000u);
}
template <U32 (*operation)(U32, U32), High high = High::cleared>
const Instruction* binary16(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return half_result<high>(w, *i, n, operation(a.low_of(n), b.low_of(n)));
  });
  return i + 1;
}
template <U32 (*operation)(U32, U32, U32), High high>
const Instruction* ternary16(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return half_result<high>(w, *i, n, operation(a.low_of(n), b.low_of(n), c.low_of(n)));
  });
  return i + 1;
}

ROCDRILL_INLINE I32 extended(U32 value) { return low_half_signed(value); }
ROCDRILL_INLINE U32 held(I32 value) {
  return as<U32>(min(max(value, splat_signed(-32768)), splat_signed(32767)));
}

ROCDRILL_INLINE U32 add(U32 a, U32 b) { return a + b; }
ROCDRILL_INLINE U32 subtract(U32 a, U32 b) { return a - b; }
ROCDRILL_INLINE U32 subtract_from(U32 a, U32 b) { return b - a; }
ROCDRILL_INLINE U32 add_clamped(U32 a, U32 b) {
  return min(low_half(a) + low_half(b), splat(0xFFFF));
}
ROCDRILL_INLINE U32 subtract_clamped(U32 a, U32 b) {
  return max(low_half(a), low_half(b)) - low_half(b);
}
ROCDRILL_INLINE U32 subtract_from_clamped(U32 a, U32 b) { return subtract_clamped(b, a); }
ROCDRILL_INLINE U32 add_clamped_signed(U32 a, U32 b) { return held(extended(a) + extended(b)); }
ROCDRILL_INLINE U32 subtract_clamped_signed(U32 a, U32 b) {
  return held(extended(a) - extended(b));
}
ROCDRILL_INLINE U32 multiply(U32 a, U32 b) { return low_half(a) * low_half(b); }
ROCDRILL_INLINE U32 shift_left(U32 count, U32 a) { return a << (count & 15u); }
ROCDRILL_INLINE U32 shift_right(U32 count, U32 a) { return low_half(a) >> (count & 15u); }
ROCDRILL_INLINE U32 shift_right_signed(U32 count, U32 a) {
  return as<U32>(extended(a) >> as<I32>(count & 15u));
}
ROCDRILL_INLINE U32 least(U32 a, U32 b) { return min(low_half(a), low_half(b)); }
ROCDRILL_INLINE U32 greatest(U32 a, U32 b) { return max(low_half(a), low_half(b)); }
ROCDRILL_INLINE U32 least_signed(U32 a, U32 b) { return as<U32>(min(extended(a), extended(b))); }
ROCDRILL_INLINE U32 greatest_signed(U32 a, U32 b) { return as<U32>(max(extended(a), extended(b))); }
ROCDRILL_INLINE U32 least3(U32 a, U32 b, U32 c) { return min(least(a, b), low_half(c)); }
ROCDRILL_INLINE U32 greatest3(U32 a, U32 b, U32 c) { return max(greatest(a, b), low_half(c)); }
ROCDRILL_INLINE U32 middle3(U32 a, U32 b, U32 c) {
  return middle(low_half(a), low_half(b), low_half(c));
}
ROCDRILL_INLINE U32 least3_signed(U32 a, U32 b, U32 c) {
  return as<U32>(min(min(extended(a), extended(b)), extended(c)));
}
ROCDRILL_INLINE U32 greatest3_signed(U32 a, U32 b, U32 c) {
  return as<U32>(max(max(extended(a), extended(b)), extended(c)));
}
ROCDRILL_INLINE U32 middle3_signed(U32 a, U32 b, U32 c) {
  return as<U32>(middle(extended(a), extended(b), extended(c)));
}
ROCDRILL_INLINE U32 multiply_add(U32 a, U32 b, U32 c) { return multiply(a, b) + c; }
ROCDRILL_INLINE U32 multiply_add_clamped(U32 a, U32 b, U32 c) {
  // At most 0xFFFF0000: the sum does not leave 32 bits.
  return min(multiply(a, b) + low_half(c), splat(0xFFFF));
}
ROCDRILL_INLINE U32 multiply_add_clamped_signed(U32 a, U32 b, U32 c) {
  return held(extended(a) * extended(b) + extended(c));
}

// --- 16 bits in, 32 out --------------------------------------------------------------------------
// These pick the halves of their sources themselves: their results have no halves to choose.

ROCDRILL_INLINE U32 picked(U32 value, std::uint8_t modifiers) {
  return (modifiers & op_sel) != 0 ? value >> 16 : low_half(value);
}
/// v_mad_u32_u16, v_mad_i32_i16.
template <bool is_signed>
const Instruction* multiply_add_32(Wave& w, const Instruction* i) {
  if ((i->flags & clamp) != 0) return w.refuse(i, "v_mad_*32_*16 with clamp");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const U32 x = picked(a.low_of(n), i->modifiers[0]);
    const U32 y = picked(b.low_of(n), i->modifiers[1]);
    if constexpr (is_signed) return as<U32>(extended(x) * extended(y)) + c.low_of(n);
    return x * y + c.low_of(n);
  });
  return i + 1;
}
/// v_pack_b32_f16: neg and abs are of halves.
const Instruction* pack(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const auto half = [](U32 value, std::uint8_t modifiers) ROCDRILL_INLINE_LAMBDA {
    const std::uint32_t keep = (modifiers & abs) != 0 ? 0x7FFFu : 0xFFFFu;
    const std::uint32_t flip = (modifiers & neg) != 0 ? 0x8000u : 0u;
    return (picked(value, modifiers) & keep) ^ flip;
  };
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return half(a.low_of(n), i->modifiers[0]) | half(b.low_of(n), i->modifiers[1]) << 16;
  });
  return i + 1;
}

#define CLEARED(mnemonic, ...) {mnemonic, binary16<__VA_ARGS__>, nullptr, Class::valu, Element::b16}
#define TERNARY_KEPT(mnemonic, operation) \
  {mnemonic, ternary16<operation, High::kept>, nullptr, Class::valu, Element::b16}
const Entry table[] = {
    {"v_add_u16", binary16<add>, binary16<add_clamped>, Class::valu, Element::b16},
    {"v_sub_u16", binary16<subtract>, binary16<subtract_clamped>, Class::valu, Element::b16},
    {"v_subrev_u16", binary16<subtract_from>, binary16<subtract_from_clamped>, Class::valu,
     Element::b16},
    {"v_add_i16", binary16<add, High::kept>, binary16<add_clamped_signed, High::kept>, Class::valu,
     Element::b16},
    {"v_sub_i16", binary16<subtract, High::kept>, binary16<subtract_clamped_signed, High::kept>,
     Class::valu, Element::b16},
    CLEARED("v_mul_lo_u16", multiply),
    CLEARED("v_lshlrev_b16", shift_left),
    CLEARED("v_lshrrev_b16", shift_right),
    CLEARED("v_ashrrev_i16", shift_right_signed),
    CLEARED("v_min_u16", least),
    CLEARED("v_max_u16", greatest),
    CLEARED("v_min_i16", least_signed),
    CLEARED("v_max_i16", greatest_signed),
    {"v_mad_legacy_u16", ternary16<multiply_add, High::cleared>,
     ternary16<multiply_add_clamped, High::cleared>, Class::valu, Element::b16},
    {"v_mad_legacy_i16", ternary16<multiply_add, High::cleared>,
     ternary16<multiply_add_clamped_signed, High::cleared>, Class::valu, Element::b16},
    {"v_mad_u16", ternary16<multiply_add, High::kept>, ternary16<multiply_add_clamped, High::kept>,
     Class::valu, Element::b16},
    {"v_mad_i16", ternary16<multiply_add, High::kept>,
     ternary16<multiply_add_clamped_signed, High::kept>, Class::valu, Element::b16},
    TERNARY_KEPT("v_min3_u16", least3),
    TERNARY_KEPT("v_max3_u16", greatest3),
    TERNARY_KEPT("v_med3_u16", middle3),
    TERNARY_KEPT("v_min3_i16", least3_signed),
    TERNARY_KEPT("v_max3_i16", greatest3_signed),
    TERNARY_KEPT("v_med3_i16", middle3_signed),
    {"v_mad_u32_u16", multiply_add_32<false>, nullptr, Class::valu, Element::packed},
    {"v_mad_i32_i16", multiply_add_32<true>, nullptr, Class::valu, Element::packed},
    {"v_pack_b32_f16", pack, nullptr, Class::valu, Element::packed},
};
#undef CLEARED
#undef TERNARY_KEPT

}  // namespace

std::span<const Entry> integer16_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
