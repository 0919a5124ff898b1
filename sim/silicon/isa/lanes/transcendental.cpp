// Exponential, logarithm, sine, cosine, reciprocals and square roots of single and double
// precision. Those of single precision know no denormals, whatever MODE says.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides.
#include "sim/silicon/isa/lanes/functions.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <F32 (*operation)(F32), bool modified>
const Instruction* single(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(flushed(operation(flushed(x(a.low_of(n))))));
  });
  return i + 1;
}
template <F64 (*operation)(F64), bool modified>
const Instruction* twofold(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    return finish(D64{operation(p.a), operation(p.b)});
  });
  return i + 1;
}

ROCDRILL_INLINE F64 reciprocal(F64 a) { return splat_d(1) / a; }
ROCDRILL_INLINE F64 reciprocal_root(F64 a) { return splat_d(1) / root(a); }

template <F32 (*operation)(F32)>
consteval Entry one(std::string_view mnemonic) {
  return {mnemonic,     single<operation, false>, single<operation, true>, Class::transcendental,
          Element::b32, Precision::single};
}
template <F64 (*operation)(F64)>
consteval Entry one64(std::string_view mnemonic) {
  return {mnemonic,     twofold<operation, false>, twofold<operation, true>, Class::transcendental,
          Element::b64, Precision::half_double};
}

const Entry table[] = {
    one<exp2>("v_exp_f32"),
    one<exp2>("v_exp_legacy_f32"),
    one<log2>("v_log_f32"),
    one<log2>("v_log_legacy_f32"),
    one<sine<false>>("v_sin_f32"),
    one<sine<true>>("v_cos_f32"),
    one<ROCDRILL_LEVEL::reciprocal>("v_rcp_f32"),
    one<ROCDRILL_LEVEL::reciprocal>("v_rcp_iflag_f32"),
    one<ROCDRILL_LEVEL::reciprocal_root>("v_rsq_f32"),
    one<root>("v_sqrt_f32"),
    one64<reciprocal>("v_rcp_f64"),
    one64<reciprocal_root>("v_rsq_f64"),
    one64<root>("v_sqrt_f64"),
};

}  // namespace

std::span<const Entry> transcendental_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
