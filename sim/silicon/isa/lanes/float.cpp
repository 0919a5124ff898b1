// Single precision: VOP1, VOP2, VOPC, VOP3.
#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// neg and abs of a source, omod and clamp of the result.
struct Change {
  U32 keep, flip;
  ROCDRILL_INLINE explicit Change(std::uint8_t modifiers)
      : keep(splat((modifiers & abs) != 0 ? 0x7FFFFFFFu : 0xFFFFFFFFu)),
        flip(splat((modifiers & neg) != 0 ? 0x80000000u : 0u)) {}
  ROCDRILL_INLINE F32 operator()(U32 value) const { return as<F32>((value & keep) ^ flip); }
};

template <F32 (*operation)(F32, F32)>
const Instruction* binary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  for (unsigned n = 0; n < blocks; ++n)
    put(w, *i, n, as<U32>(operation(as<F32>(a.low_of(n)), as<F32>(b.low_of(n)))));
  return i + 1;
}

ROCDRILL_INLINE F32 add(F32 a, F32 b) { return a + b; }
ROCDRILL_INLINE F32 multiply(F32 a, F32 b) { return a * b; }

const Entry table[] = {
    {"v_add_f32", binary<add>, nullptr, Class::valu, Element::b32, Precision::single},
    {"v_mul_f32", binary<multiply>, nullptr, Class::valu, Element::b32, Precision::single},
};

}  // namespace

std::span<const Entry> float_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
