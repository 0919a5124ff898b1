// Floating-point arithmetic on vectors: what the three levels need different words for.
//
// Everything computes in the host's current rounding and denormal mode.
#pragma once

#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

using D64 = Pair<F64>;
ROCDRILL_INLINE D64 doubles(P64 value) { return {as<F64>(value.a), as<F64>(value.b)}; }
ROCDRILL_INLINE P64 bits64(D64 value) { return {as<U64>(value.a), as<U64>(value.b)}; }
#if defined(__AVX512F__)
ROCDRILL_INLINE F32 splat_f(float value) { return _mm512_set1_ps(value); }
ROCDRILL_INLINE F64 splat_d(double value) { return _mm512_set1_pd(value); }
#elif defined(__AVX2__)
ROCDRILL_INLINE F32 splat_f(float value) { return _mm256_set1_ps(value); }
ROCDRILL_INLINE F64 splat_d(double value) { return _mm256_set1_pd(value); }
#else
ROCDRILL_INLINE F32 splat_f(float value) { return _mm_set1_ps(value); }
ROCDRILL_INLINE F64 splat_d(double value) { return _mm_set1_pd(value); }
#endif

/// mask ? x : y, where every element of the mask is all ones or zero.
ROCDRILL_INLINE U32 choose(I32 mask, U32 x, U32 y) {
  return (as<U32>(mask) & x) | (~as<U32>(mask) & y);
}
ROCDRILL_INLINE F32 choose(I32 mask, F32 x, F32 y) { return mask ? x : y; }
ROCDRILL_INLINE F64 choose(I64 mask, F64 x, F64 y) { return mask ? x : y; }

// Where a level has no instruction, or a long substitute: lane by lane.
template <float (*operation)(float)>
ROCDRILL_INLINE F32 each(F32 a) {
  F32 out;
  for (unsigned n = 0; n < width; ++n) out[n] = operation(a[n]);
  return out;
}
template <double (*operation)(double)>
ROCDRILL_INLINE F64 each(F64 a) {
  F64 out;
  for (unsigned n = 0; n < width / 2; ++n) out[n] = operation(a[n]);
  return out;
}

// --- fused multiply-add, square root, rounding to an integer -------------------------------------

enum class To : std::uint8_t { even, down, up, zero };

#if defined(__AVX512F__)
// The forms with a mask do not make GCC 12 warn of what its header leaves undefined.
inline constexpr __mmask16 all = 0xFFFF;
inline constexpr __mmask8 all8 = 0xFF;
template <int which>
ROCDRILL_INLINE __m256i half_of(__m512i a) {
  return _mm512_maskz_extracti64x4_epi64(all8, a, which);
}
ROCDRILL_INLINE __m512i joined(__m256i low, __m256i high) {
  return _mm512_maskz_inserti64x4(all8, _mm512_castsi256_si512(low), high, 1);
}
ROCDRILL_INLINE F32 fused(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }
ROCDRILL_INLINE F64 fused(F64 a, F64 b, F64 c) { return _mm512_fmadd_pd(a, b, c); }
ROCDRILL_INLINE F32 root(F32 a) { return _mm512_maskz_sqrt_ps(all, a); }
ROCDRILL_INLINE F64 root(F64 a) { return _mm512_maskz_sqrt_pd(all8, a); }
template <To to>
ROCDRILL_INLINE F32 round(F32 a) {
  return _mm512_maskz_roundscale_ps(all, a, static_cast<int>(to) | _MM_FROUND_NO_EXC);
}
template <To to>
ROCDRILL_INLINE F64 round(F64 a) {
  return _mm512_maskz_roundscale_pd(all8, a, static_cast<int>(to) | _MM_FROUND_NO_EXC);
}
#elif defined(__AVX2__)
ROCDRILL_INLINE F32 fused(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }
ROCDRILL_INLINE F64 fused(F64 a, F64 b, F64 c) { return _mm256_fmadd_pd(a, b, c); }
ROCDRILL_INLINE F32 root(F32 a) { return _mm256_sqrt_ps(a); }
ROCDRILL_INLINE F64 root(F64 a) { return _mm256_sqrt_pd(a); }
template <To to>
ROCDRILL_INLINE F32 round(F32 a) {
  return _mm256_round_ps(a, static_cast<int>(to) | _MM_FROUND_NO_EXC);
}
template <To to>
ROCDRILL_INLINE F64 round(F64 a) {
  return _mm256_round_pd(a, static_cast<int>(to) | _MM_FROUND_NO_EXC);
}
#else
ROCDRILL_INLINE F32 fused(F32 a, F32 b, F32 c) {
  F32 out;
  for (unsigned n = 0; n < width; ++n) out[n] = __builtin_fmaf(a[n], b[n], c[n]);
  return out;
}
ROCDRILL_INLINE F64 fused(F64 a, F64 b, F64 c) {
  F64 out;
  for (unsigned n = 0; n < width / 2; ++n) out[n] = __builtin_fma(a[n], b[n], c[n]);
  return out;
}
ROCDRILL_INLINE F32 root(F32 a) { return _mm_sqrt_ps(a); }
ROCDRILL_INLINE F64 root(F64 a) { return _mm_sqrt_pd(a); }
// Adding and subtracting 2^23 (2^52) rounds to even; the sum is exact in any mode once the value
// has been truncated, so directed rounding goes through the truncated value.
template <class F, class I, class U>
ROCDRILL_INLINE F truncated(F a, F limit, U sign, F (*to_integer)(F)) {
  const F magnitude = as<F>(as<U>(a) & ~sign);
  const F whole = to_integer(a);
  const I large = ~(magnitude < limit);  // also NaN, which a + a quiets
  const F kept = choose(I(a != a), F(a + a), a);
  return choose(large, kept, as<F>(as<U>(whole) | (as<U>(a) & sign)));
}
ROCDRILL_INLINE F32 through_i32(F32 a) { return _mm_cvtepi32_ps(_mm_cvttps_epi32(a)); }
ROCDRILL_INLINE F64 through_i64(F64 a) {
  F64 out;
  for (unsigned n = 0; n < 2; ++n) out[n] = static_cast<double>(_mm_cvttsd_si64(_mm_set_sd(a[n])));
  return out;
}
ROCDRILL_INLINE F32 truncate(F32 a) {
  return truncated<F32, I32>(a, splat_f(0x1p23f), splat(0x80000000u), through_i32);
}
ROCDRILL_INLINE F64 truncate(F64 a) {
  return truncated<F64, I64>(a, splat_d(0x1p52), splat64(1ull << 63), through_i64);
}
template <To to, class F, class I, class U>
ROCDRILL_INLINE F rounded(F a, F one, F half, U sign) {
  const F whole = truncate(a);
  if constexpr (to == To::zero) return whole;
  const F step = as<F>(as<U>(one) | (as<U>(a) & sign));
  I away;
  if constexpr (to == To::down) {
    away = whole > a;
  } else if constexpr (to == To::up) {
    away = whole < a;
  } else {
    const F rest = as<F>(as<U>(a - whole) & ~sign);
    const F halved = whole * half;
    away = (rest > half) | ((rest == half) & (truncate(halved) != halved));
  }
  return choose(away, as<F>(as<U>(whole + step) | (as<U>(a) & sign)), whole);
}
template <To to>
ROCDRILL_INLINE F32 round(F32 a) {
  return rounded<to, F32, I32>(a, splat_f(1), splat_f(0.5f), splat(0x80000000u));
}
template <To to>
ROCDRILL_INLINE F64 round(F64 a) {
  return rounded<to, F64, I64>(a, splat_d(1), splat_d(0.5), splat64(1ull << 63));
}
#endif

ROCDRILL_INLINE D64 fused(D64 x, D64 y, D64 z) {
  return {fused(x.a, y.a, z.a), fused(x.b, y.b, z.b)};
}

// --- minimum and maximum -------------------------------------------------------------------------
// As the ISA guides define V_MIN and V_MAX when MODE.IEEE is set: a signalling NaN is quieted and
// wins, a quiet one loses, -0 < +0. (AVX-512 keeps the second of two signalling NaNs, not the
// first.)

#if defined(__AVX512F__)
ROCDRILL_INLINE F32 minimum(F32 a, F32 b) { return _mm512_maskz_range_ps(all, b, a, 4); }
ROCDRILL_INLINE F32 maximum(F32 a, F32 b) { return _mm512_maskz_range_ps(all, b, a, 5); }
ROCDRILL_INLINE F64 minimum(F64 a, F64 b) { return _mm512_maskz_range_pd(all8, b, a, 4); }
ROCDRILL_INLINE F64 maximum(F64 a, F64 b) { return _mm512_maskz_range_pd(all8, b, a, 5); }
#else
template <class I, class U, class F>
ROCDRILL_INLINE F with_nan(F a, F b, F result, U quiet) {
  const I nan_a = a != a;
  const I nan_b = b != b;
  const I signals_a = nan_a & ((as<I>(a) & as<I>(quiet)) == I{});
  const I signals_b = nan_b & ((as<I>(b) & as<I>(quiet)) == I{});
  result = choose(nan_b, a, result);
  result = choose(nan_a, b, result);
  result = choose(signals_b, as<F>(as<U>(b) | quiet), result);
  return choose(signals_a, as<F>(as<U>(a) | quiet), result);
}
ROCDRILL_INLINE F32 with_nan(F32 a, F32 b, F32 result) {
  return with_nan<I32, U32>(a, b, result, splat(0x400000));
}
ROCDRILL_INLINE F64 with_nan(F64 a, F64 b, F64 result) {
  return with_nan<I64, U64>(a, b, result, splat64(1ull << 51));
}
ROCDRILL_INLINE F32 minimum(F32 a, F32 b) {
  const F32 less = choose(a < b, a, b);
  return with_nan(a, b, choose(a == b, as<F32>(as<U32>(a) | as<U32>(b)), less));
}
ROCDRILL_INLINE F32 maximum(F32 a, F32 b) {
  const F32 more = choose(a > b, a, b);
  return with_nan(a, b, choose(a == b, as<F32>(as<U32>(a) & as<U32>(b)), more));
}
ROCDRILL_INLINE F64 minimum(F64 a, F64 b) {
  const F64 less = choose(a < b, a, b);
  return with_nan(a, b, choose(a == b, as<F64>(as<U64>(a) | as<U64>(b)), less));
}
ROCDRILL_INLINE F64 maximum(F64 a, F64 b) {
  const F64 more = choose(a > b, a, b);
  return with_nan(a, b, choose(a == b, as<F64>(as<U64>(a) & as<U64>(b)), more));
}
#endif

// --- between widths ------------------------------------------------------------------------------
// In the order of widen(): per group of four lanes 0, 1 in `a` and 2, 3 in `b`.

#if defined(__AVX512F__)
ROCDRILL_INLINE __m512i group_order() {
  return _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
}
ROCDRILL_INLINE __m512i lane_order() {
  return _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
}
ROCDRILL_INLINE D64 to_double(F32 a) {
  const __m512i grouped = _mm512_maskz_permutexvar_epi32(all, group_order(), as<__m512i>(a));
  return {_mm512_maskz_cvtps_pd(all8, _mm256_castsi256_ps(half_of<0>(grouped))),
          _mm512_maskz_cvtps_pd(all8, _mm256_castsi256_ps(half_of<1>(grouped)))};
}
ROCDRILL_INLINE F32 to_single(D64 a) {
  const __m512i grouped = joined(_mm256_castps_si256(_mm512_maskz_cvtpd_ps(all8, a.a)),
                                 _mm256_castps_si256(_mm512_maskz_cvtpd_ps(all8, a.b)));
  return as<F32>(_mm512_maskz_permutexvar_epi32(all, lane_order(), grouped));
}
ROCDRILL_INLINE D64 to_double(I32 a) {
  const __m512i grouped = _mm512_maskz_permutexvar_epi32(all, group_order(), as<__m512i>(a));
  return {_mm512_maskz_cvtepi32_pd(all8, half_of<0>(grouped)),
          _mm512_maskz_cvtepi32_pd(all8, half_of<1>(grouped))};
}
#elif defined(__AVX2__)
ROCDRILL_INLINE D64 to_double(F32 a) {
  const __m256d grouped = _mm256_permute4x64_pd(_mm256_castps_pd(a), 0xD8);
  const __m256 lanes = _mm256_castpd_ps(grouped);
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(lanes)),
          _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1))};
}
ROCDRILL_INLINE F32 to_single(D64 a) {
  const __m256 grouped = _mm256_set_m128(_mm256_cvtpd_ps(a.b), _mm256_cvtpd_ps(a.a));
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(grouped), 0xD8));
}
ROCDRILL_INLINE D64 to_double(I32 a) {
  const __m256i grouped = _mm256_permute4x64_epi64(as<__m256i>(a), 0xD8);
  return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(grouped)),
          _mm256_cvtepi32_pd(_mm256_extracti128_si256(grouped, 1))};
}
#else
ROCDRILL_INLINE D64 to_double(F32 a) {
  return {_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))};
}
ROCDRILL_INLINE F32 to_single(D64 a) { return _mm_movelh_ps(_mm_cvtpd_ps(a.a), _mm_cvtpd_ps(a.b)); }
ROCDRILL_INLINE D64 to_double(I32 a) {
  const __m128i lanes = as<__m128i>(a);
  return {_mm_cvtepi32_pd(lanes), _mm_cvtepi32_pd(_mm_unpackhi_epi64(lanes, lanes))};
}
#endif

// --- comparison ----------------------------------------------------------------------------------

/// One bit per lane; `predicate` as in VCMPPS.
#if defined(__AVX512F__)
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(F32 a, F32 b) {
  return _mm512_cmp_ps_mask(a, b, predicate);
}
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(D64 x, D64 y) {
  return _pdep_u32(_mm512_cmp_pd_mask(x.a, y.a, predicate), 0x3333) |
         _pdep_u32(_mm512_cmp_pd_mask(x.b, y.b, predicate), 0xCCCC);
}
#elif defined(__AVX2__)
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(F32 a, F32 b) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, predicate)));
}
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(D64 x, D64 y) {
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, predicate));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, predicate));
  return _pdep_u32(static_cast<std::uint32_t>(low), 0x33) |
         _pdep_u32(static_cast<std::uint32_t>(high), 0xCC);
}
#else
template <int predicate, class I, class F>
ROCDRILL_INLINE I holds(F a, F b) {
  if constexpr (predicate == _CMP_FALSE_OQ) return I{};
  if constexpr (predicate == _CMP_TRUE_UQ) return ~I{};
  if constexpr (predicate == _CMP_LT_OQ) return a < b;
  if constexpr (predicate == _CMP_LE_OQ) return a <= b;
  if constexpr (predicate == _CMP_EQ_OQ) return a == b;
  if constexpr (predicate == _CMP_GT_OQ) return b < a;
  if constexpr (predicate == _CMP_GE_OQ) return b <= a;
  if constexpr (predicate == _CMP_NEQ_OQ) return (a < b) | (b < a);
  if constexpr (predicate == _CMP_ORD_Q) return (a == a) & (b == b);
  if constexpr (predicate == _CMP_UNORD_Q) return (a != a) | (b != b);
  if constexpr (predicate == _CMP_NGE_UQ) return ~(b <= a);
  if constexpr (predicate == _CMP_NGT_UQ) return ~(b < a);
  if constexpr (predicate == _CMP_NLE_UQ) return ~(a <= b);
  if constexpr (predicate == _CMP_NLT_UQ) return ~(a < b);
  if constexpr (predicate == _CMP_NEQ_UQ) return a != b;
  if constexpr (predicate == _CMP_EQ_UQ) return ~((a < b) | (b < a));
}
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(F32 a, F32 b) {
  return bits(as<U32>(holds<predicate, I32>(a, b)));
}
template <int predicate>
ROCDRILL_INLINE std::uint32_t compare(D64 x, D64 y) {
  const I64 low = holds<predicate, I64>(x.a, y.a);
  const I64 high = holds<predicate, I64>(x.b, y.b);
  return static_cast<std::uint32_t>(_mm_movemask_pd(as<__m128d>(low)) |
                                    _mm_movemask_pd(as<__m128d>(high)) << 2);
}
#endif

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
