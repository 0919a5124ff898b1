// Single precision: VOP1, VOP2, VOP3.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, "Vector ALU"
// and the descriptions of the instructions.
#include "sim/silicon/isa/lanes/functions.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <F32 (*operation)(F32), bool modified>
const Instruction* unary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(x(a.low_of(n))));
  });
  return i + 1;
}
template <F32 (*operation)(F32, F32), bool modified>
const Instruction* binary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(x(a.low_of(n)), y(b.low_of(n))));
  });
  return i + 1;
}
/// `in_place`: the third source is what the destination holds.
template <F32 (*operation)(F32, F32, F32), bool modified, bool in_place = false>
const Instruction* ternary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = in_place ? Source{operand(w, *i, dst), 4 * width, 0} : source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Change<modified> z(in_place ? std::uint8_t{0} : i->modifiers[2]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(operation(x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))));
  });
  return i + 1;
}

ROCDRILL_INLINE F32 add(F32 a, F32 b) { return a + b; }
ROCDRILL_INLINE F32 subtract(F32 a, F32 b) { return a - b; }
ROCDRILL_INLINE F32 subtract_reversed(F32 a, F32 b) { return b - a; }
ROCDRILL_INLINE F32 multiply(F32 a, F32 b) { return a * b; }
ROCDRILL_INLINE F32 fma(F32 a, F32 b, F32 c) { return fused(a, b, c); }

/// Zero times anything is zero.
ROCDRILL_INLINE F32 multiply_legacy(F32 a, F32 b) {
  return choose((a == F32{}) | (b == F32{}), F32{}, F32(a * b));
}

// --- MAD: a rounded product and a rounded sum; knows no denormals, whatever MODE says ------------

ROCDRILL_INLINE F32 multiply_add(F32 a, F32 b, F32 c) { return a * b + c; }
ROCDRILL_INLINE F32 multiply_add_legacy(F32 a, F32 b, F32 c) { return multiply_legacy(a, b) + c; }

// --- minimum, maximum, median --------------------------------------------------------------------

ROCDRILL_INLINE F32 minimum3(F32 a, F32 b, F32 c) { return minimum(minimum(a, b), c); }
ROCDRILL_INLINE F32 maximum3(F32 a, F32 b, F32 c) { return maximum(maximum(a, b), c); }
ROCDRILL_INLINE F32 median(F32 a, F32 b, F32 c) {
  const F32 most = maximum3(a, b, c);
  F32 middle = choose(most == b, maximum(a, c), maximum(a, b));
  middle = choose(most == a, maximum(b, c), middle);
  const I32 nan = (a != a) | (b != b) | (c != c);
  if (bits(as<U32>(nan)) == 0) [[likely]]
    return middle;
  return choose(nan, minimum3(a, b, c), middle);
}

// With MODE other than IEEE and denormals. A NaN then loses whether it signals or not, so the
// operations above get it quieted; the one that is left is the source as it is.
template <F32 (*operation)(F32, F32), bool modified>
const Instruction* binary_in_mode(Wave& w, const Instruction* i) {
  if ((w.mode & (mode_ieee | mode_single_denormals)) == (mode_ieee | mode_single_denormals))
    return binary<operation, modified>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Finish<modified> finish(w, *i);
  const bool ieee = (w.mode & mode_ieee) != 0;
  const bool flush = (w.mode & mode_single_denormals) != mode_single_denormals;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    F32 p = x(a.low_of(n));
    F32 q = y(b.low_of(n));
    if (flush) {
      p = flushed(p);
      q = flushed(q);
    }
    F32 result = operation(p, q);
    if (!ieee) result = choose(p != p, q, choose(q != q, p, result));
    return finish(result);
  });
  return i + 1;
}

template <F32 (*operation)(F32, F32, F32), bool modified>
const Instruction* ternary_in_mode(Wave& w, const Instruction* i) {
  if ((w.mode & (mode_ieee | mode_single_denormals)) == (mode_ieee | mode_single_denormals))
    return ternary<operation, modified>(w, i);
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  const Change<modified> x(i->modifiers[0]);
  const Change<modified> y(i->modifiers[1]);
  const Change<modified> z(i->modifiers[2]);
  const Finish<modified> finish(w, *i);
  const bool ieee = (w.mode & mode_ieee) != 0;
  const bool flush = (w.mode & mode_single_denormals) != mode_single_denormals;
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    F32 values[3] = {x(a.low_of(n)), y(b.low_of(n)), z(c.low_of(n))};
    for (F32& value : values) {
      if (flush) value = flushed(value);
      if (!ieee) value = as<F32>(as<U32>(value) | (as<U32>(I32(value != value)) & splat(0x400000)));
    }
    return finish(operation(values[0], values[1], values[2]));
  });
  return i + 1;
}

// --- parts of a number ---------------------------------------------------------------------------

ROCDRILL_INLINE F32 frexp_exponent(F32 a) { return as<F32>(parts(a).exponent); }
ROCDRILL_INLINE F32 frexp_mantissa(F32 a) { return parts(a).mantissa; }

/// abs and neg are of the first source only.
template <bool modified>
const Instruction* ldexp(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change<modified> x(i->modifiers[0]);
  const Finish<modified> finish(w, *i);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(scale(x(a.low_of(n)), as<I32>(b.low_of(n))));
  });
  return i + 1;
}
/// neg and abs alone: the result is an integer.
template <bool modified>
const Instruction* exponent_of(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Change<modified> x(i->modifiers[0]);
  walk(w, *i,
       [&](unsigned n) __attribute__((always_inline)) { return frexp_exponent(x(a.low_of(n))); });
  return i + 1;
}

// --- cube maps -----------------------------------------------------------------------------------

ROCDRILL_INLINE F32 magnitude(F32 a) { return as<F32>(as<U32>(a) & 0x7FFFFFFFu); }
/// Which axis is the longest; x where neither y nor z is.
struct Axis {
  I32 z, y;
  ROCDRILL_INLINE Axis(F32 x_value, F32 y_value, F32 z_value) {
    const F32 ax = magnitude(x_value);
    const F32 ay = magnitude(y_value);
    const F32 az = magnitude(z_value);
    z = (az >= ax) & (az >= ay);
    y = ay >= ax;
  }
  ROCDRILL_INLINE F32 operator()(F32 of_x, F32 of_y, F32 of_z) const {
    return choose(z, of_z, choose(y, of_y, of_x));
  }
};
ROCDRILL_INLINE F32 by_sign(F32 of, F32 negative, F32 other) {
  return choose(of < F32{}, negative, other);
}
ROCDRILL_INLINE F32 opposite(F32 a) { return as<F32>(as<U32>(a) ^ 0x80000000u); }
ROCDRILL_INLINE F32 cube_id(F32 x, F32 y, F32 z) {
  return Axis(x, y, z)(by_sign(x, splat_f(1), splat_f(0)), by_sign(y, splat_f(3), splat_f(2)),
                       by_sign(z, splat_f(5), splat_f(4)));
}
ROCDRILL_INLINE F32 cube_s(F32 x, F32 y, F32 z) {
  return Axis(x, y, z)(by_sign(x, z, opposite(z)), x, by_sign(z, opposite(x), x));
}
ROCDRILL_INLINE F32 cube_t(F32 x, F32 y, F32 z) {
  return Axis(x, y, z)(opposite(y), by_sign(y, opposite(z), z), opposite(y));
}
ROCDRILL_INLINE F32 cube_major(F32 x, F32 y, F32 z) { return Axis(x, y, z)(x, y, z) * splat_f(2); }

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified) {
  return {mnemonic, run, modified, Class::valu, Element::b32, Precision::single};
}
template <F32 (*operation)(F32)>
consteval Entry one(std::string_view mnemonic) {
  return entry(mnemonic, unary<operation, false>, unary<operation, true>);
}
template <F32 (*operation)(F32, F32)>
consteval Entry two(std::string_view mnemonic) {
  return entry(mnemonic, binary<operation, false>, binary<operation, true>);
}
template <F32 (*operation)(F32, F32, F32), bool in_place = false>
consteval Entry three(std::string_view mnemonic) {
  return entry(mnemonic, ternary<operation, false, in_place>, ternary<operation, true, in_place>);
}
template <F32 (*operation)(F32, F32)>
consteval Entry two_in_mode(std::string_view mnemonic) {
  return entry(mnemonic, binary_in_mode<operation, false>, binary_in_mode<operation, true>);
}
template <F32 (*operation)(F32, F32, F32)>
consteval Entry three_in_mode(std::string_view mnemonic) {
  return entry(mnemonic, ternary_in_mode<operation, false>, ternary_in_mode<operation, true>);
}
template <F32 (*operation)(F32, F32, F32), bool in_place = false>
consteval Entry mad(std::string_view mnemonic) {
  return entry(mnemonic, flushing<ternary<operation, false, in_place>>,
               flushing<ternary<operation, true, in_place>>);
}

constexpr bool accumulates = true;

const Entry table[] = {
    two<add>("v_add_f32"),
    two<subtract>("v_sub_f32"),
    two<subtract_reversed>("v_subrev_f32"),
    two<multiply>("v_mul_f32"),
    two<multiply_legacy>("v_mul_legacy_f32"),
    three<fma>("v_fma_f32"),
    three<fma, accumulates>("v_fmac_f32"),
    three<fma>("v_fmaak_f32"),
    three<fma>("v_fmamk_f32"),
    mad<multiply_add>("v_mad_f32"),
    mad<multiply_add, accumulates>("v_mac_f32"),
    mad<multiply_add>("v_madak_f32"),
    mad<multiply_add>("v_madmk_f32"),
    mad<multiply_add_legacy>("v_mad_legacy_f32"),
    two_in_mode<minimum>("v_min_f32"),
    two_in_mode<maximum>("v_max_f32"),
    three_in_mode<minimum3>("v_min3_f32"),
    three_in_mode<maximum3>("v_max3_f32"),
    three_in_mode<median>("v_med3_f32"),
    one<round<To::zero>>("v_trunc_f32"),
    one<round<To::up>>("v_ceil_f32"),
    one<round<To::down>>("v_floor_f32"),
    one<round<To::even>>("v_rndne_f32"),
    one<fraction>("v_fract_f32"),
    entry("v_frexp_exp_i32_f32", exponent_of<false>, exponent_of<true>),
    one<frexp_mantissa>("v_frexp_mant_f32"),
    entry("v_ldexp_f32", ldexp<false>, ldexp<true>),
    three<cube_id>("v_cubeid_f32"),
    three<cube_s>("v_cubesc_f32"),
    three<cube_t>("v_cubetc_f32"),
    three<cube_major>("v_cubema_f32"),
};

}  // namespace

std::span<const Entry> float_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
