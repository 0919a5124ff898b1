// Functions of single precision; half precision shares them. Those that are transcendental are
// within one unit in the last place: computed with
// polynomials in double precision, by additions and multiplications alone, so that all levels have
// the same results. Coefficients: interpolation at Chebyshev nodes; the relative error of each
// polynomial is below 3e-10.
#pragma once

#include "sim/silicon/isa/lanes/modifiers.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

ROCDRILL_INLINE F32 fraction(F32 a) {
  const F32 rest = a - round<To::down>(a);
  return choose(rest >= splat_f(1), splat_f(0x0.ffffffp0f), rest);  // of -2^-149
}

/// Exponent and mantissa of frexp(): the value is mantissa * 2^exponent, 0.5 <= mantissa < 1.
struct Parts {
  I32 exponent;
  F32 mantissa;
};
ROCDRILL_INLINE Parts parts(F32 a) {
  const F32 magnitude = as<F32>(as<U32>(a) & 0x7FFFFFFFu);
  const I32 none = ~((magnitude > F32{}) & (magnitude < splat_f(__builtin_inff())));
  const I32 denormal = magnitude < splat_f(0x1p-126f);
  const U32 normal = as<U32>(choose(denormal, F32(a * splat_f(0x1p32f)), a));
  const I32 exponent = as<I32>(normal >> 23 & 0xFFu) - 126 - (denormal & 32);
  const F32 mantissa = as<F32>((normal & 0x807FFFFFu) | 0x3F000000u);
  return {exponent & ~none, choose(none, F32(a + a), mantissa)};  // twice 0, infinity, NaN
}
/// a * 2^exponent, rounded once.
ROCDRILL_INLINE F32 scale(F32 a, I32 exponent) {
  exponent = as<I32>(choose(exponent > 300, splat(300), as<U32>(exponent)));
  exponent = as<I32>(choose(exponent < -300, splat(-300u), as<U32>(exponent)));
#if defined(__AVX512F__)
  return _mm512_maskz_scalef_ps(all, a, __builtin_convertvector(exponent, F32));
#else
  const D64 wide = to_double(a);
  const D64 powers = doubles(widen(U32{}, as<U32>((exponent + 1023) << 20)));
  return to_single({wide.a * powers.a, wide.b * powers.b});
#endif
}

// --- transcendental ------------------------------------------------------------------------------

ROCDRILL_INLINE F32 quiet_nan() { return as<F32>(splat(0xFFC00000)); }
ROCDRILL_INLINE F32 infinite() { return splat_f(__builtin_inff()); }

/// Horner's scheme from coefficient n on.
template <unsigned n, unsigned count>
ROCDRILL_INLINE F64 polynomial(F64 x, const double (&coefficients)[count]) {
  if constexpr (n + 1 == count) {
    return splat_d(coefficients[n]);
  } else {
    return polynomial<n + 1>(x, coefficients) * x + splat_d(coefficients[n]);
  }
}

/// 2^a. Denormal results are there: flush them where the instruction has none.
ROCDRILL_INLINE F32 exp2(F32 a) {
  static constexpr double coefficients[] = {1,
                                            0x1.62e42fefa39efp-1,
                                            0x1.ebfbe045f4d3cp-3,
                                            0x1.c6b08d883dca1p-5,
                                            0x1.3b2a1b7152befp-7,
                                            0x1.5d879ead06a82p-10,
                                            0x1.443fffc90db59p-13,
                                            0x1.00a581594758ep-16};
  F32 x = choose(a > splat_f(-200), a, splat_f(-200));  // NaN too: it is put back below
  x = choose(x < splat_f(200), x, splat_f(200));
  const F32 whole = round<To::even>(x);
  const D64 rest = to_double(F32(x - whole));
  const D64 power = to_double(whole);
  // 2^whole by its exponent
  const auto one = [](F64 fraction, F64 n) __attribute__((always_inline)) {
    const U64 exponent = as<U64>(F64(n + splat_d(0x1p52 + 0x1p51 + 1023))) << 52;
    return F64(polynomial<0>(fraction, coefficients) * as<F64>(exponent));
  };
  const F32 result = to_single({one(rest.a, power.a), one(rest.b, power.b)});
  return choose(a != a, F32(a + a), result);
}

/// The logarithm to base 2 of a number that is no denormal.
ROCDRILL_INLINE F32 log2(F32 a) {
  static constexpr double coefficients[] = {0x1.71547652bed4fp+1, 0x1.ec709d13713b1p-1,
                                            0x1.27777f854fcf7p-1, 0x1.a58daf71ca71ap-2,
                                            0x1.5ce5fef726fe2p-2};
  // a = m * 2^e with m around 1; log2(m) = s * P(s^2), s = (m - 1) / (m + 1)
  const U32 shifted = as<U32>(a) - 0x3F3504F3u;  // sqrt(1/2)
  const I32 e = as<I32>(shifted) >> 23;
  const F32 m = as<F32>((shifted & 0x7FFFFFu) + 0x3F3504F3u);
  const D64 mantissa = to_double(m);
  const D64 exponent = to_double(e);
  const auto one = [](F64 x, F64 n) __attribute__((always_inline)) {
    const F64 s = (x - splat_d(1)) / (x + splat_d(1));
    return F64(n + s * polynomial<0>(F64(s * s), coefficients));
  };
  F32 result = to_single({one(mantissa.a, exponent.a), one(mantissa.b, exponent.b)});
  result = choose(a == infinite(), a, result);
  result = choose(a < F32{}, quiet_nan(), result);
  result = choose(a == F32{}, F32(-infinite()), result);
  return choose(a != a, F32(a + a), result);
}

/// Sine (or cosine) of a whole turns.
template <bool cosine>
ROCDRILL_INLINE F32 sine(F32 a) {
  static constexpr double sines[] = {0x1.921fb5443b587p+2, -0x1.4abbce56ae6e6p+5,
                                     0x1.466bbac8a54e8p+6, -0x1.32ca9d79fc665p+6,
                                     0x1.4bc85ccb213adp+5};
  static constexpr double cosines[] = {0x1.ffffffff9785fp-1, -0x1.3bd3cc7313b31p+4,
                                       0x1.03c1dc16cde6ep+6, -0x1.55c57912f05fdp+6,
                                       0x1.d9c2e7f15bcf2p+5};
  const F32 turn = a - round<To::even>(a);  // exact
  const F32 quarters = round<To::even>(F32(turn * splat_f(4)));
  const D64 angle = to_double(F32(turn - quarters * splat_f(0.25f)));
  const auto sin = [](F64 t) __attribute__((always_inline)) {
    return F64(t * polynomial<0>(F64(t * t), sines));
  };
  const auto cos = [](F64 t) __attribute__((always_inline)) {
    return polynomial<0>(F64(t * t), cosines);
  };
  const F32 s = to_single({sin(angle.a), sin(angle.b)});
  const F32 c = to_single({cos(angle.a), cos(angle.b)});
  const I32 quadrant = __builtin_convertvector(quarters, I32) + (cosine ? 1 : 0);
  F32 result = choose((quadrant & 1) != 0, c, s);
  result = as<F32>(as<U32>(result) ^ (as<U32>(quadrant & 2) << 30));
  if constexpr (!cosine) result = choose(a == F32{}, a, result);
  const F32 size = as<F32>(as<U32>(a) & 0x7FFFFFFFu);
  result = choose(size > splat_f(256), splat_f(cosine ? 1 : 0), result);
  result = choose(size == infinite(), quiet_nan(), result);
  return choose(a != a, F32(a + a), result);
}

ROCDRILL_INLINE F32 reciprocal(F32 a) { return splat_f(1) / a; }

/// 1 / sqrt(a): a step of Newton's method in double precision makes up for two roundings.
ROCDRILL_INLINE F32 reciprocal_root(F32 a) {
  const F32 first = splat_f(1) / root(a);
  const D64 x = to_double(a);
  const D64 y = to_double(first);
  const auto one = [](F64 value, F64 near) __attribute__((always_inline)) {
    return F64(near * (splat_d(1.5) - splat_d(0.5) * value * near * near));
  };
  const F32 result = to_single({one(x.a, y.a), one(x.b, y.b)});
  return choose((a > F32{}) & (a < infinite()), result, first);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
