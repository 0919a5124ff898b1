// Dot products of two halves in single precision: v_dot2_f32_f16, v_dot2c_f32_f16.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("VOP3P instructions"), which give the sum but not how it is rounded: here from left to right,
// each sum by itself. Single denormals are flushed whatever MODE says (LLVM's SIISelLowering.cpp on
// fdot2).
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

/// The half that goes with the low or the high half of the others.
ROCDRILL_INLINE F32 half(U32 value, std::uint8_t modifiers, bool high) {
  const bool upper = (modifiers & (high ? op_sel_hi : op_sel)) != 0;
  const std::uint32_t flip = (modifiers & (high ? abs : neg)) != 0 ? 0x8000u : 0u;
  return from_half(((upper ? value >> 16 : value) & 0xFFFFu) ^ flip);
}

constexpr std::uint8_t plain = op_sel_hi;

template <bool vop3p>
const Instruction* dot(Wave& w, const Instruction* i) {
  if (vop3p && (i->modifiers[2] & abs) != 0)
    return w.refuse(i, "v_dot2_f32_f16 with neg_hi of src2");
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const std::uint8_t how_a = vop3p ? i->modifiers[0] : plain;
  const std::uint8_t how_b = vop3p ? i->modifiers[1] : plain;
  const Change<true> addend(vop3p ? i->modifiers[2] : std::uint8_t{0});
  const Finish<true> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 x = a.low_of(n);
    const U32 y = b.low_of(n);
    const F32 low = half(x, how_a, false) * half(y, how_b, false);
    const F32 high = half(x, how_a, true) * half(y, how_b, true);
    return finish(low + high + addend(c.low_of(n)));
  });
  return i + 1;
}

const Entry table[] = {
    {"v_dot2_f32_f16", flushing<dot<true>>, nullptr, Class::valu, Element::packed,
     Precision::single},
    {"v_dot2c_f32_f16", flushing<dot<false>>, nullptr, Class::valu, Element::b32,
     Precision::single},
};

}  // namespace

std::span<const Entry> dot_float_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
