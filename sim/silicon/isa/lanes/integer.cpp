// Integers of 32 bits: VOP1, VOP2, VOPC, VOP3.
#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <U32 (*operation)(U32)>
const Instruction* unary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  for (unsigned n = 0; n < blocks; ++n) put(w, *i, n, operation(a.low_of(n)));
  return i + 1;
}
template <U32 (*operation)(U32, U32)>
const Instruction* binary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  for (unsigned n = 0; n < blocks; ++n) put(w, *i, n, operation(a.low_of(n), b.low_of(n)));
  return i + 1;
}

ROCDRILL_INLINE U32 move(U32 a) { return a; }
ROCDRILL_INLINE U32 add(U32 a, U32 b) { return a + b; }

const Entry table[] = {
    {"v_mov_b32", unary<move>},
    {"v_add_u32", binary<add>},
};

}  // namespace

std::span<const Entry> integer_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
