// Half precision: computed in single precision, which holds sums, products, quotients and roots of
// two halves well enough that rounding them again is rounding them once.
#pragma once

#include "sim/silicon/isa/lanes/modifiers.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

typedef std::uint64_t Pair64u __attribute__((aligned(4), may_alias));

// --- conversion; the low half of each dword, rounded in the host's mode --------------------------

#if defined(__AVX512F__)
ROCDRILL_INLINE F32 from_half(U32 value) {
  return _mm512_maskz_cvtph_ps(all, _mm512_maskz_cvtepi32_epi16(all, as<__m512i>(value)));
}
ROCDRILL_INLINE U32 to_half(F32 value) {
  return as<U32>(_mm512_maskz_cvtepu16_epi32(
      all, _mm512_maskz_cvtps_ph(all, value, _MM_FROUND_CUR_DIRECTION)));
}
#elif defined(__AVX2__)
ROCDRILL_INLINE F32 from_half(U32 value) {
  const __m256i lanes = as<__m256i>(value & 0xFFFFu);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(lanes, lanes), 0xD8);
  return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}
ROCDRILL_INLINE U32 to_half(F32 value) {
  return as<U32>(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(value, _MM_FROUND_CUR_DIRECTION)));
}
#else
ROCDRILL_INLINE F32 from_half(U32 value) {
  const U32 magnitude = (value & 0x7FFFu) << 13;
  const U32 sign = (value & 0x8000u) << 16;
  const I32 special = as<I32>(magnitude) >= 0x0F800000;
  const I32 denormal = as<I32>(magnitude) < 0x00800000;
  const U32 quiet = as<U32>(I32(magnitude != splat(0x0F800000))) & 0x00400000u;
  const F32 tiny = __builtin_convertvector(as<I32>(magnitude >> 13), F32) * splat_f(0x1p-24f);
  U32 out = magnitude + 0x38000000u;
  out = choose(special, (out + 0x38000000u) | quiet, out);
  out = choose(denormal, as<U32>(tiny), out);
  return as<F32>(out | sign);
}
ROCDRILL_INLINE std::uint32_t to_half(std::uint32_t value, unsigned rounding) {
  const std::uint32_t sign = value >> 16 & 0x8000;
  const std::uint32_t magnitude = value & 0x7FFFFFFF;
  const bool outwards = rounding == (sign != 0 ? 1u : 2u);  // MXCSR: 1 down, 2 up
  if (magnitude > 0x7F800000) return sign | 0x7E00 | (magnitude >> 13 & 0x3FF);
  if (magnitude >= 0x47800000)
    return sign | (magnitude == 0x7F800000 || rounding == 0 || outwards ? 0x7C00 : 0x7BFF);
  const std::uint32_t exponent = magnitude >> 23;
  unsigned shift = 13;
  std::uint32_t whole = magnitude - (112u << 23);
  if (exponent < 113) {
    whole = exponent == 0 ? magnitude : (magnitude & 0x7FFFFF) | 0x800000;
    shift = 126 - exponent < 31 ? 126 - exponent : 31;
  }
  const std::uint32_t rest = whole & ((1u << shift) - 1);
  const std::uint32_t half = 1u << (shift - 1);
  whole >>= shift;
  const bool up =
      rounding == 0 ? rest > half || (rest == half && (whole & 1) != 0) : rest != 0 && outwards;
  return sign | (whole + (up ? 1 : 0));
}
ROCDRILL_INLINE U32 to_half(F32 value) {
  const unsigned rounding = _mm_getcsr() >> 13 & 3;
  U32 out;
  for (unsigned n = 0; n < width; ++n) out[n] = to_half(as<U32>(value)[n], rounding);
  return out;
}
#endif

/// All 2 * width halves of a vector of dwords, in an order of their own.
struct Halves {
  F32 a, b;
};
#if defined(__AVX512F__)
ROCDRILL_INLINE Halves unpack(U32 value) {
  const auto halves = as<__m512i>(value);
  return {_mm512_maskz_cvtph_ps(all, half_of<0>(halves)),
          _mm512_maskz_cvtph_ps(all, half_of<1>(halves))};
}
ROCDRILL_INLINE U32 pack(Halves value) {
  const __m256i low = _mm512_maskz_cvtps_ph(all, value.a, _MM_FROUND_CUR_DIRECTION);
  const __m256i high = _mm512_maskz_cvtps_ph(all, value.b, _MM_FROUND_CUR_DIRECTION);
  return as<U32>(joined(low, high));
}
#elif defined(__AVX2__)
ROCDRILL_INLINE Halves unpack(U32 value) {
  const auto halves = as<__m256i>(value);
  return {_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
          _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1))};
}
ROCDRILL_INLINE U32 pack(Halves value) {
  return as<U32>(_mm256_set_m128i(_mm256_cvtps_ph(value.b, _MM_FROUND_CUR_DIRECTION),
                                  _mm256_cvtps_ph(value.a, _MM_FROUND_CUR_DIRECTION)));
}
#else
ROCDRILL_INLINE Halves unpack(U32 value) { return {from_half(value), from_half(value >> 16)}; }
ROCDRILL_INLINE U32 pack(Halves value) { return to_half(value.a) | to_half(value.b) << 16; }
#endif

// --- fused multiply-add --------------------------------------------------------------------------
// A product of halves is exact in single precision. The sum is rounded to odd there, so that
// rounding it to half sees which side of a tie it lies on.

#if defined(__AVX512F__)
ROCDRILL_INLINE F32 fused_half(F32 a, F32 b, F32 c) {
  const F32 product = a * b;
  const F32 sum = product + c;
  const F32 down =
      _mm512_maskz_add_round_ps(all, product, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const F32 up =
      _mm512_maskz_add_round_ps(all, product, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  const __mmask16 inexact = _mm512_cmp_ps_mask(down, up, _CMP_NEQ_OQ);
  const __mmask16 odd = _mm512_test_epi32_mask(as<__m512i>(down), _mm512_set1_epi32(1));
  return _mm512_mask_blend_ps(inexact, sum, _mm512_mask_blend_ps(odd, up, down));
}
#else
ROCDRILL_INLINE D64 odd_single(D64 value) {
  const auto one = [](F64 x) __attribute__((always_inline)) {
    const U64 bits = as<U64>(x);
    const I64 finite = (bits & (0x7FFull << 52)) != splat64(0x7FFull << 52);
    const U64 sticky = as<U64>(I64((bits & 0x1FFFFFFF) != U64{})) & 0x20000000u;
    const U64 odd = (bits & ~0x1FFFFFFFull) | sticky;
    return as<F64>((as<U64>(finite) & odd) | (~as<U64>(finite) & bits));
  };
  return {one(value.a), one(value.b)};
}
ROCDRILL_INLINE F32 fused_half(F32 a, F32 b, F32 c) {
  const D64 product = to_double(F32(a * b));
  const D64 addend = to_double(c);
  return to_single(odd_single({product.a + addend.a, product.b + addend.b}));
}
#endif

// --- minimum and maximum -------------------------------------------------------------------------

/// A half as single precision, and whether it was a signalling NaN that MODE.IEEE lets win.
struct Ordered {
  F32 value;
  I32 signals;
  ROCDRILL_INLINE explicit Ordered(F32 converted) : value(converted), signals{} {}
  ROCDRILL_INLINE Ordered(U32 half, bool ieee) : value(from_half(half)), signals{} {
    if (ieee && bits(as<U32>(I32(value != value))) != 0) [[unlikely]]
      signals = (value != value) & ((half & 0x200u) == U32{});
  }
};
ROCDRILL_INLINE Ordered minimum(Ordered a, Ordered b) {
  const F32 least = minimum(a.value, b.value);
  return Ordered(choose(a.signals, a.value, choose(b.signals, b.value, least)));
}
ROCDRILL_INLINE Ordered maximum(Ordered a, Ordered b) {
  const F32 most = maximum(a.value, b.value);
  return Ordered(choose(a.signals, a.value, choose(b.signals, b.value, most)));
}

// --- modifiers -----------------------------------------------------------------------------------

/// Half denormals are kept: what the handlers without modifiers take for granted.
ROCDRILL_INLINE bool plain_halves(const Wave& w) {
  return (w.mode & mode_half_denormals) == mode_half_denormals;
}

/// Denormal halves become zeros of their sign; in both halves of the dwords.
ROCDRILL_INLINE U32 flushed_halves(U32 value) {
  const U32 exponent = value & 0x7C007C00u;
  const I32 low = (exponent & 0x7C00u) == U32{};
  const I32 high = (exponent >> 16) == U32{};
  return value & ~((as<U32>(low) & 0x7FFFu) | (as<U32>(high) & 0x7FFF0000u));
}

template <bool modified>
struct ChangeHalf;
template <>
struct ChangeHalf<false> {
  ROCDRILL_INLINE ChangeHalf(const Wave&, std::uint8_t) {}
  ROCDRILL_INLINE U32 bits(U32 value) const { return value; }
  ROCDRILL_INLINE F32 operator()(U32 value) const { return from_half(value); }
};
template <>
struct ChangeHalf<true> {
  U32 keep, flip;
  bool flush;
  ROCDRILL_INLINE ChangeHalf(const Wave& w, std::uint8_t modifiers)
      : keep(splat((modifiers & abs) != 0 ? 0x7FFFu : 0xFFFFu)),
        flip(splat((modifiers & neg) != 0 ? 0x8000u : 0u)),
        flush((w.mode & 0x40) == 0) {}
  ROCDRILL_INLINE U32 bits(U32 value) const {
    const U32 changed = (value & keep) ^ flip;
    return flush ? flushed_halves(changed) : changed;
  }
  ROCDRILL_INLINE F32 operator()(U32 value) const { return from_half(bits(value)); }
};

/// Rounds to half and applies omod and clamp; the high half is zero.
template <bool modified>
struct FinishHalf;
template <>
struct FinishHalf<false> {
  ROCDRILL_INLINE FinishHalf(const Wave&, const Instruction&) {}
  ROCDRILL_INLINE U32 operator()(F32 value) const { return to_half(value); }
};
template <>
struct FinishHalf<true> {
  Finish<true> how;
  bool flush;
  ROCDRILL_INLINE FinishHalf(const Wave& w, const Instruction& i)
      : how(w, i, mode_half_denormals), flush((w.mode & 0x80) == 0) {}
  ROCDRILL_INLINE U32 operator()(F32 value) const {
    U32 half = to_half(value);
    if (how.scale != 0 || how.clamps) half = to_half(how(from_half(half)));
    return flush ? flushed_halves(half) : half;
  }
};

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
