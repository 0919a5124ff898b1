// Double precision: VOP1, VOP2, VOP3.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides.
#include "sim/silicon/isa/lanes/modifiers.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

template <F64 (*operation)(F64), bool modified>
const Instruction* unary(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    return finish(D64{operation(p.a), operation(p.b)});
  });
  return i + 1;
}
template <F64 (*operation)(F64, F64), bool modified>
const Instruction* binary(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    const D64 q = y(b, n);
    return finish(D64{operation(p.a, q.a), operation(p.b, q.b)});
  });
  return i + 1;
}
/// `in_place`: the third source is what the destination holds.
template <bool modified, bool in_place>
const Instruction* multiply_add(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Source c =
      in_place ? Source{operand(w, *i, dst), 4 * width, vgpr_bytes} : source<2>(w, *i, src2);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Change64<modified> z(in_place ? std::uint8_t{0} : i->modifiers[2]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(fused(x(a, n), y(b, n), z(c, n)));
  });
  return i + 1;
}

ROCDRILL_INLINE F64 add(F64 a, F64 b) { return a + b; }
ROCDRILL_INLINE F64 multiply(F64 a, F64 b) { return a * b; }

/// Minimum and maximum; with MODE other than IEEE and denormals as in float.cpp.
template <F64 (*operation)(F64, F64), bool modified>
const Instruction* extreme(Wave& w, const Instruction* i) {
  if ((w.mode & (mode_ieee | mode_half_denormals)) == (mode_ieee | mode_half_denormals))
    return binary<operation, modified>(w, i);
  const Source a = source<2>(w, *i, src0);
  const Source b = source<2>(w, *i, src1);
  const Change64<modified> x(i->modifiers[0]);
  const Change64<modified> y(i->modifiers[1]);
  const Finish64<modified> finish(w, *i);
  const bool ieee = (w.mode & mode_ieee) != 0;
  const bool flush = (w.mode & mode_half_denormals) != mode_half_denormals;
  const auto one = [&](F64 p, F64 q) __attribute__((always_inline)) {
    const F64 result = operation(p, q);
    return ieee ? result : choose(p != p, q, choose(q != q, p, result));
  };
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    D64 p = x(a, n);
    D64 q = y(b, n);
    if (flush) {
      p = flushed(p);
      q = flushed(q);
    }
    return finish(D64{one(p.a, q.a), one(p.b, q.b)});
  });
  return i + 1;
}

ROCDRILL_INLINE F64 fraction(F64 a) {
  const F64 rest = a - round<To::down>(a);
  return choose(rest >= splat_d(1), splat_d(0x0.fffffffffffff8p0), rest);
}

/// frexp(): the value is mantissa * 2^exponent, 0.5 <= mantissa < 1.
struct Parts {
  U64 exponent;
  F64 mantissa;
};
ROCDRILL_INLINE Parts parts(F64 a) {
  const F64 magnitude = as<F64>(as<U64>(a) & ~(1ull << 63));
  const I64 none = ~((magnitude > F64{}) & (magnitude < splat_d(__builtin_inf())));
  const I64 denormal = magnitude < splat_d(0x1p-1022);
  const U64 normal = as<U64>(choose(denormal, F64(a * splat_d(0x1p64)), a));
  const U64 exponent = (normal >> 52 & 0x7FF) - 1022 - (as<U64>(denormal) & 64);
  const F64 mantissa = as<F64>((normal & 0x800FFFFFFFFFFFFF) | 0x3FE0000000000000);
  return {exponent & ~as<U64>(none), choose(none, F64(a + a), mantissa)};
}
ROCDRILL_INLINE F64 mantissa(F64 a) { return parts(a).mantissa; }

template <bool modified>
const Instruction* exponent_of(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Change64<modified> x(i->modifiers[0]);
  walk(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const D64 p = x(a, n);
    return low_dwords({parts(p.a).exponent, parts(p.b).exponent});
  });
  return i + 1;
}

/// Times a power of two, rounded once.
ROCDRILL_INLINE D64 scale(D64 value, I32 power) {
  power = as<I32>(choose(power > 2200, splat(2200), as<U32>(power)));
  power = as<I32>(choose(power < -2200, splat(-2200u), as<U32>(power)));
#if defined(__AVX512F__)
  const D64 powers = to_double(power);
  return {_mm512_maskz_scalef_pd(all8, value.a, powers.a),
          _mm512_maskz_scalef_pd(all8, value.b, powers.b)};
#else
  const P64 exponent = widen_signed(as<U32>(power));
  for (unsigned n = 0; n < width / 2; ++n) {
    value.a[n] = __builtin_ldexp(value.a[n], static_cast<int>(exponent.a[n]));
    value.b[n] = __builtin_ldexp(value.b[n], static_cast<int>(exponent.b[n]));
  }
  return value;
#endif
}
template <bool modified>
const Instruction* ldexp(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Change64<modified> x(i->modifiers[0]);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    return finish(scale(x(a, n), as<I32>(b.low_of(n))));
  });
  return i + 1;
}

// --- V_TRIG_PREOP_F64 ----------------------------------------------------------------------------

/// The first 1201 bits of 2 / pi behind the point.
constexpr std::uint64_t two_over_pi[20] = {
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
    0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B0000, 0};

/// 53 bits of it in their place, for the reduction of an argument with this exponent.
std::uint64_t segment(std::uint32_t exponent, std::uint32_t select) {
  unsigned shift = (select & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  if (shift >= 1201) return 0;
  const unsigned word = shift / 64;
  const unsigned bit = shift % 64;
  std::uint64_t window = two_over_pi[word] << bit;
  if (bit != 0) window |= two_over_pi[word + 1] >> (64 - bit);
  std::uint64_t fraction = window >> 11;
  if (fraction == 0) return 0;
  // fraction * 2^(-53 - shift), cut off where it becomes a denormal
  int power = -53 - static_cast<int>(shift) + (exponent >= 1968 ? 128 : 0) + 1075;
  const int zeros = __builtin_clzll(fraction) - 11;
  const int up = zeros < power - 1 ? zeros : power - 1;
  if (up < 0) return -up < 53 ? fraction >> -up : 0;
  fraction <<= up;
  power -= up;
  const bool normal = (fraction >> 52) != 0;
  return (fraction & 0x000FFFFFFFFFFFFF) | std::uint64_t{normal ? static_cast<unsigned>(power) : 0u}
                                               << 52;
}

template <bool modified>
const Instruction* trig_preop(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Finish64<modified> finish(w, *i);
  walk64(w, *i, [&](unsigned n) __attribute__((always_inline)) {
    const U32 high = a.high_of(n);
    const U32 select = b.low_of(n);
    U32 low{};
    U32 out{};
    for (unsigned lane = 0; lane < width; ++lane) {
      const std::uint64_t bits = segment(high[lane] >> 20 & 0x7FF, select[lane]);
      low[lane] = static_cast<std::uint32_t>(bits);
      out[lane] = static_cast<std::uint32_t>(bits >> 32);
    }
    return finish(doubles(widen(low, out)));
  });
  return i + 1;
}

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run, Handler modified) {
  return {mnemonic, run, modified, Class::valu, Element::b64, Precision::half_double};
}
template <F64 (*operation)(F64)>
consteval Entry one(std::string_view mnemonic) {
  return entry(mnemonic, unary<operation, false>, unary<operation, true>);
}
template <F64 (*operation)(F64, F64)>
consteval Entry two(std::string_view mnemonic) {
  return entry(mnemonic, binary<operation, false>, binary<operation, true>);
}
template <F64 (*operation)(F64, F64)>
consteval Entry two_in_mode(std::string_view mnemonic) {
  return entry(mnemonic, extreme<operation, false>, extreme<operation, true>);
}

const Entry table[] = {
    two<add>("v_add_f64"),
    two<multiply>("v_mul_f64"),
    entry("v_fma_f64", multiply_add<false, false>, multiply_add<true, false>),
    entry("v_fmac_f64", multiply_add<false, true>, multiply_add<true, true>),
    two_in_mode<minimum>("v_min_f64"),
    two_in_mode<maximum>("v_max_f64"),
    one<round<To::zero>>("v_trunc_f64"),
    one<round<To::up>>("v_ceil_f64"),
    one<round<To::down>>("v_floor_f64"),
    one<round<To::even>>("v_rndne_f64"),
    one<fraction>("v_fract_f64"),
    entry("v_frexp_exp_i32_f64", exponent_of<false>, exponent_of<true>),
    one<mantissa>("v_frexp_mant_f64"),
    entry("v_ldexp_f64", ldexp<false>, ldexp<true>),
    entry("v_trig_preop_f64", trig_preop<false>, trig_preop<true>),
};

}  // namespace

std::span<const Entry> double_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
