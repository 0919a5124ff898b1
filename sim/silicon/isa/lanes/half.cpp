// Half precision: VOP1, VOP2, VOP3. The high half of the destination becomes zero, except where the
// ISA guides have an instruction preserve it.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides.
#include "sim/silicon/isa/lanes/functions.hpp"
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <F32 (*operation)(F32), bool modified>
const Instruction* unary(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return unary<operation, true>(w, i);
  const Source a = source(w, *i, src0);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(x(a.low_of(n))));
  });
  return i + 1;
}
template <F32 (*operation)(F32, F32), bool modified>
const Instruction* binary(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return binary<operation, true>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(x(a.low_of(n)), y(b.low_of(n))));
  });
  return i + 1;
}

enum class Third : std::uint8_t { source, destination };
enum class High : std::uint8_t { zero, kept };

template <F32 (*operation)(F32, F32, F32), bool modified, Third third, High high>
const Instruction* ternary(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return ternary<operation, true, third, high>(w, i);
  constexpr bool in_place = third == Third::destination;
  const Source before{operand(w, *i, dst), 4 * width, 0};
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = in_place ? before : source(w, *i, src2);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  const ChangeHalf<modified> z(w, in_place ? std::uint8_t{0} : i->modifiers[2]);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 out = finish(operation(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))));
    return high == High::kept ? out | (before.low_of(n) & 0xFFFF0000u) : out;
  });
  return i + 1;
}

ROCDRILL_INLINE F32 add(F32 a, F32 b) { return a + b; }
ROCDRILL_INLINE F32 subtract(F32 a, F32 b) { return a - b; }
ROCDRILL_INLINE F32 subtract_reversed(F32 a, F32 b) { return b - a; }
ROCDRILL_INLINE F32 multiply(F32 a, F32 b) { return a * b; }
/// Rounds the product, too.
ROCDRILL_INLINE F32 multiply_add(F32 a, F32 b, F32 c) { return from_half(to_half(F32(a * b))) + c; }
ROCDRILL_INLINE F32 fraction_of(F32 a) {
  const F32 rest = fraction(a);
  return choose(rest > splat_f(0x0.ffep0f), splat_f(0x0.ffep0f), rest);
}
ROCDRILL_INLINE F32 mantissa(F32 a) { return parts(a).mantissa; }

// --- minimum, maximum, median --------------------------------------------------------------------

/// Two or three sources, on their bits: conversion to single precision quiets a signalling NaN.
template <Ordered (*operation)(Ordered, Ordered, Ordered), unsigned sources, bool modified>
const Instruction* order(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return order<operation, sources, true>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = sources == 3 ? source(w, *i, src2) : b;
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const ChangeHalf<modified> y(w, i->modifiers[1]);
  const ChangeHalf<modified> z(w, i->modifiers[sources == 3 ? 2 : 1]);
  const FinishHalf<modified> finish(w, *i);
  const bool ieee = (w.mode & mode_ieee) != 0;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(Ordered(x.bits(a.low_of(n)), ieee), Ordered(y.bits(b.low_of(n)), ieee),
                            Ordered(z.bits(c.low_of(n)), ieee))
                      .value);
  });
  return i + 1;
}
ROCDRILL_INLINE Ordered minimum2(Ordered a, Ordered b, Ordered) { return minimum(a, b); }
ROCDRILL_INLINE Ordered maximum2(Ordered a, Ordered b, Ordered) { return maximum(a, b); }
ROCDRILL_INLINE Ordered minimum3(Ordered a, Ordered b, Ordered c) {
  return minimum(minimum(a, b), c);
}
ROCDRILL_INLINE Ordered maximum3(Ordered a, Ordered b, Ordered c) {
  return maximum(maximum(a, b), c);
}
ROCDRILL_INLINE Ordered median(Ordered a, Ordered b, Ordered c) {
  const F32 most = maximum3(a, b, c).value;
  F32 middle = choose(most == b.value, maximum(a, c).value, maximum(a, b).value);
  middle = choose(most == a.value, maximum(b, c).value, middle);
  const I32 nan = (a.value != a.value) | (b.value != b.value) | (c.value != c.value);
  return Ordered(choose(nan, minimum3(a, b, c).value, middle));
}

// --- integers beside halves ----------------------------------------------------------------------

template <bool modified>
const Instruction* exponent_of(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return exponent_of<true>(w, i);
  const Source a = source(w, *i, src0);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return as<U32>(parts(x(a.low_of(n))).exponent) & 0xFFFFu;
  });
  return i + 1;
}
template <bool modified>
const Instruction* ldexp(Wave& w, const Instruction* i) {
  if (!modified && !plain_halves(w)) return ldexp<true>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const ChangeHalf<modified> x(w, i->modifiers[0]);
  const FinishHalf<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    // Beyond these there is nothing but zero and infinity, and single precision stays exact.
    I32 power = as<I32>(b.low_of(n) << 16) >> 16;
    power = as<I32>(choose(power > 60, splat(60), as<U32>(power)));
    power = as<I32>(choose(power < -60, splat(-60u), as<U32>(power)));
    return finish(x(a.low_of(n)) * as<F32>((power + 127) << 23));
  });
  return i + 1;
}
// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified,
                      Class counted_as = Class::valu) {
  return {mnemonic, run, modified, counted_as, Element::b16, Precision::half_double};
}
template <F32 (*operation)(F32)>
consteval Entry one(std::string_view mnemonic, Class counted_as = Class::valu) {
  return entry(mnemonic, unary<operation, false>, unary<operation, true>, counted_as);
}
template <F32 (*operation)(F32, F32)>
consteval Entry two(std::string_view mnemonic) {
  return entry(mnemonic, binary<operation, false>, binary<operation, true>);
}
template <F32 (*operation)(F32, F32, F32), Third third = Third::source, High high = High::zero>
consteval Entry three(std::string_view mnemonic) {
  return entry(mnemonic, ternary<operation, false, third, high>,
               ternary<operation, true, third, high>);
}
template <Ordered (*operation)(Ordered, Ordered, Ordered), unsigned sources>
consteval Entry ordered(std::string_view mnemonic) {
  return entry(mnemonic, order<operation, sources, false>, order<operation, sources, true>);
}

const Entry table[] = {
    two<add>("v_add_f16"),
    two<subtract>("v_sub_f16"),
    two<subtract_reversed>("v_subrev_f16"),
    two<multiply>("v_mul_f16"),
    three<multiply_add, Third::source, High::kept>("v_mad_f16"),
    three<multiply_add>("v_mad_legacy_f16"),
    three<multiply_add, Third::destination>("v_mac_f16"),
    three<multiply_add>("v_madak_f16"),
    three<multiply_add>("v_madmk_f16"),
    three<fused_half, Third::source, High::kept>("v_fma_f16"),
    three<fused_half>("v_fma_legacy_f16"),
    ordered<minimum2, 2>("v_min_f16"),
    ordered<maximum2, 2>("v_max_f16"),
    ordered<minimum3, 3>("v_min3_f16"),
    ordered<maximum3, 3>("v_max3_f16"),
    ordered<median, 3>("v_med3_f16"),
    one<round<To::zero>>("v_trunc_f16"),
    one<round<To::up>>("v_ceil_f16"),
    one<round<To::down>>("v_floor_f16"),
    one<round<To::even>>("v_rndne_f16"),
    one<fraction_of>("v_fract_f16"),
    one<mantissa>("v_frexp_mant_f16"),
    entry("v_frexp_exp_i16_f16", exponent_of<false>, exponent_of<true>),
    entry("v_ldexp_f16", ldexp<false>, ldexp<true>),
    one<exp2>("v_exp_f16", Class::transcendental),
    one<log2>("v_log_f16", Class::transcendental),
    one<sine<false>>("v_sin_f16", Class::transcendental),
    one<sine<true>>("v_cos_f16", Class::transcendental),
    one<reciprocal>("v_rcp_f16", Class::transcendental),
    one<reciprocal_root>("v_rsq_f16", Class::transcendental),
    one<root>("v_sqrt_f16", Class::transcendental),
};

}  // namespace

std::span<const Entry> half_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
