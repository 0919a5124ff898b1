// Two integers of 16 bits per lane: VOP3P. Each half of the result takes a half of each source that
// op_sel and op_sel_hi name.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("VOP3P instructions").
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// Both halves of a source, in their places.
ROCDRILL_INLINE U32 halves(U32 value, std::uint8_t modifiers) {
  const bool low_of_high = (modifiers & op_sel) != 0;
  const bool high_of_high = (modifiers & op_sel_hi) != 0;
  if (high_of_high && !low_of_high) return value;
  return select_halves(low_of_high ? value >> 16 : value, high_of_high ? value >> 16 : value);
}
template <U16 (*operation)(U16, U16)>
const Instruction* packed(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return as<U32>(operation(as<U16>(halves(a.low_of(n), i->modifiers[0])),
                             as<U16>(halves(b.low_of(n), i->modifiers[1]))));
  });
  return i + 1;
}
template <U16 (*operation)(U16, U16), U16 (*clamped)(U16, U16)>
const Instruction* packed_or_clamped(Wave& w, const Instruction* i) {
  return (i->flags & clamp) != 0 ? packed<clamped>(w, i) : packed<operation>(w, i);
}
/// Without a clamped form.
template <U16 (*operation)(U16, U16)>
const Instruction* packed_plain(Wave& w, const Instruction* i) {
  if ((i->flags & clamp) != 0)
    return w.refuse(i, "packed 16-bit shift, minimum or product with clamp");
  return packed<operation>(w, i);
}

ROCDRILL_INLINE U16 both(std::uint16_t value) { return U16{} + value; }
ROCDRILL_INLINE U16 add(U16 a, U16 b) { return a + b; }
ROCDRILL_INLINE U16 subtract(U16 a, U16 b) { return a - b; }
ROCDRILL_INLINE U16 add_clamped(U16 a, U16 b) {
  const U16 sum = a + b;
  return sum | as<U16>(sum < a);
}
ROCDRILL_INLINE U16 subtract_clamped(U16 a, U16 b) { return (a - b) & as<U16>(a >= b); }
/// The extreme on the first operand's side where the result overflows.
ROCDRILL_INLINE U16 held(U16 a, U16 result, U16 overflow) {
  const U16 over = as<U16>(as<I16>(overflow) >> 15);
  return (result & ~over) | ((as<U16>(as<I16>(a) >> 15) ^ both(0x7FFF)) & over);
}
ROCDRILL_INLINE U16 add_clamped_signed(U16 a, U16 b) {
  const U16 sum = a + b;
  return held(a, sum, (a ^ sum) & (b ^ sum));
}
ROCDRILL_INLINE U16 subtract_clamped_signed(U16 a, U16 b) {
  const U16 difference = a - b;
  return held(a, difference, (a ^ b) & (a ^ difference));
}
ROCDRILL_INLINE U16 multiply(U16 a, U16 b) { return a * b; }
ROCDRILL_INLINE U16 least(U16 a, U16 b) { return a < b ? a : b; }
ROCDRILL_INLINE U16 greatest(U16 a, U16 b) { return a > b ? a : b; }
ROCDRILL_INLINE U16 least_signed(U16 a, U16 b) { return as<I16>(a) < as<I16>(b) ? a : b; }
ROCDRILL_INLINE U16 greatest_signed(U16 a, U16 b) { return as<I16>(a) > as<I16>(b) ? a : b; }

// AVX2 has no shifts of 16-bit lanes by counts of their own.
ROCDRILL_INLINE U16 shift_left(U16 counts, U16 values) {
  const U32 count = as<U32>(counts) & 0x000F000Fu;
  const U32 value = as<U32>(values);
  return as<U16>(select_halves(value << low_half(count), value >> 16 << (count >> 16)));
}
ROCDRILL_INLINE U16 shift_right(U16 counts, U16 values) {
  const U32 count = as<U32>(counts) & 0x000F000Fu;
  const U32 value = as<U32>(values);
  return as<U16>(select_halves(low_half(value) >> low_half(count), value >> 16 >> (count >> 16)));
}
ROCDRILL_INLINE U16 shift_right_signed(U16 counts, U16 values) {
  const I32 count = as<I32>(as<U32>(counts) & 0x000F000Fu);
  const I32 value = as<I32>(as<U32>(values));
  const I32 low = low_half_signed(as<U32>(values)) >> (count & 0xFFFF);
  return as<U16>(select_halves(as<U32>(low), as<U32>(value >> 16 >> (count >> 16))));
}

template <bool is_signed>
ROCDRILL_INLINE U32 multiply_add_clamped(U32 a, U32 b, U32 c) {
  if constexpr (is_signed) {
    const I32 sum = low_half_signed(a) * low_half_signed(b) + low_half_signed(c);
    return as<U32>(min(max(sum, splat_signed(-32768)), splat_signed(32767)));
  }
  return min(low_half(a) * low_half(b) + low_half(c), splat(0xFFFF));
}
template <bool is_signed>
const Instruction* multiply_add(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const bool clamped = (i->flags & clamp) != 0;
  long_results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const U32 x = halves(a.low_of(n), i->modifiers[0]);
    const U32 y = halves(b.low_of(n), i->modifiers[1]);
    const U32 z = halves(c.low_of(n), i->modifiers[2]);
    if (!clamped) return as<U32>(as<U16>(x) * as<U16>(y) + as<U16>(z));
    return select_halves(multiply_add_clamped<is_signed>(x, y, z),
                         multiply_add_clamped<is_signed>(x >> 16, y >> 16, z >> 16));
  });
  return i + 1;
}

#define PACKED(mnemonic, ...) {mnemonic, __VA_ARGS__, nullptr, Class::valu, Element::packed}
const Entry table[] = {
    PACKED("v_pk_add_u16", packed_or_clamped<add, add_clamped>),
    PACKED("v_pk_sub_u16", packed_or_clamped<subtract, subtract_clamped>),
    PACKED("v_pk_add_i16", packed_or_clamped<add, add_clamped_signed>),
    PACKED("v_pk_sub_i16", packed_or_clamped<subtract, subtract_clamped_signed>),
    PACKED("v_pk_mul_lo_u16", packed_plain<multiply>),
    PACKED("v_pk_min_u16", packed_plain<least>),
    PACKED("v_pk_max_u16", packed_plain<greatest>),
    PACKED("v_pk_min_i16", packed_plain<least_signed>),
    PACKED("v_pk_max_i16", packed_plain<greatest_signed>),
    PACKED("v_pk_lshlrev_b16", packed_plain<shift_left>),
    PACKED("v_pk_lshrrev_b16", packed_plain<shift_right>),
    PACKED("v_pk_ashrrev_i16", packed_plain<shift_right_signed>),
    PACKED("v_pk_mad_u16", multiply_add<false>),
    PACKED("v_pk_mad_i16", multiply_add<true>),
};
#undef PACKED

}  // namespace

std::span<const Entry> packed_integer_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
