// Dot products of short vectors that lie in a dword: v_dot2_*, v_dot4_*, v_dot8_*. The forms with a
// `c` add to the result's register.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("VOP3P instructions").
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// Element k of `bits` bits.
template <unsigned bits>
ROCDRILL_INLINE U32 element(U32 value, unsigned k) {
  return value << (32 - bits * (k + 1)) >> (32 - bits);
}
template <unsigned bits>
ROCDRILL_INLINE U32 element_signed(U32 value, unsigned k) {
  return as<U32>(as<I32>(value << (32 - bits * (k + 1))) >> (32 - bits));
}

/// The sum of products, held at the extremes of 32 bits: what does not fit is too rare to be fast.
template <unsigned bits, bool is_signed>
ROCDRILL_INLINE std::uint32_t clamped_dot(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto field = [](std::uint32_t value, unsigned k) ROCDRILL_INLINE_LAMBDA -> std::int64_t {
    const std::uint32_t top = value << (32 - bits * (k + 1));
    if constexpr (is_signed) return static_cast<std::int32_t>(top) >> (32 - bits);
    return top >> (32 - bits);
  };
  std::int64_t sum = is_signed ? std::int64_t{static_cast<std::int32_t>(c)} : std::int64_t{c};
  for (unsigned k = 0; k < 32 / bits; ++k) sum += field(a, k) * field(b, k);
  const std::int64_t least = is_signed ? -0x80000000ll : 0;
  const std::int64_t greatest = is_signed ? 0x7FFFFFFFll : 0xFFFFFFFFll;
  return static_cast<std::uint32_t>(sum < least ? least : sum > greatest ? greatest : sum);
}

/// As op_sel and op_sel_hi have the halves of a source.
ROCDRILL_INLINE U32 halves(U32 value, std::uint8_t modifiers) {
  const bool low_of_high = (modifiers & op_sel) != 0;
  const bool high_of_high = (modifiers & op_sel_hi) != 0;
  if (high_of_high && !low_of_high) return value;
  return select_halves(low_of_high ? value >> 16 : value, high_of_high ? value >> 16 : value);
}

enum class Form { vop3p, vop2 };  // VOP2 has no modifiers

template <unsigned bits, bool is_signed, Form form>
const Instruction* dot(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const bool clamped = (i->flags & clamp) != 0;
  const bool picks = form == Form::vop3p && bits == 16;
  long_results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    const U32 x = picks ? halves(a.low_of(n), i->modifiers[0]) : a.low_of(n);
    const U32 y = picks ? halves(b.low_of(n), i->modifiers[1]) : b.low_of(n);
    U32 sum = c.low_of(n);
    if (clamped) {
      for (unsigned k = 0; k < width; ++k)
        sum[k] = clamped_dot<bits, is_signed>(x[k], y[k], sum[k]);
      return sum;
    }
    for (unsigned k = 0; k < 32 / bits; ++k) {
      if constexpr (is_signed)
        sum += element_signed<bits>(x, k) * element_signed<bits>(y, k);
      else
        sum += element<bits>(x, k) * element<bits>(y, k);
    }
    return sum;
  });
  return i + 1;
}

#define VOP3P(mnemonic, bits, is_signed) \
  {mnemonic, dot<bits, is_signed, Form::vop3p>, nullptr, Class::valu, Element::packed}
#define VOP2(mnemonic, bits) {mnemonic, dot<bits, true, Form::vop2>}
const Entry table[] = {
    VOP3P("v_dot2_i32_i16", 16, true), VOP3P("v_dot2_u32_u16", 16, false),
    VOP3P("v_dot4_i32_i8", 8, true),   VOP3P("v_dot4_u32_u8", 8, false),
    VOP3P("v_dot8_i32_i4", 4, true),   VOP3P("v_dot8_u32_u4", 4, false),
    VOP2("v_dot2c_i32_i16", 16),       VOP2("v_dot4c_i32_i8", 8),
    VOP2("v_dot8c_i32_i4", 4),
};
#undef VOP3P
#undef VOP2

}  // namespace

std::span<const Entry> dot_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
