// Shapes of integer operations: how many operands they have and where the result goes.
#pragma once

#include "sim/silicon/isa/lanes/lanes.hpp"

#define ROCDRILL_INLINE_LAMBDA __attribute__((always_inline))

namespace rocdrill::isa::ROCDRILL_LEVEL {

typedef std::uint8_t U8 __attribute__((vector_size(4 * width)));

// --- results -----------------------------------------------------------------------------------

ROCDRILL_INLINE void deposit(std::byte* to, U32 value) { *reinterpret_cast<U32u*>(to) = value; }
ROCDRILL_INLINE void deposit(std::byte* to, P64 value) {
  deposit(to, low_dwords(value));
  deposit(to + vgpr_bytes, high_dwords(value));
}
ROCDRILL_INLINE void deposit(std::byte* to, U32 value, std::uint32_t mask) {
  store(to, value, mask);
}
ROCDRILL_INLINE void deposit(std::byte* to, P64 value, std::uint32_t mask) {
  store(to, low_dwords(value), mask);
  store(to + vgpr_bytes, high_dwords(value), mask);
}

/// `value(block)`, a U32 or a P64, into dst for all blocks, in the lanes of EXEC.
template <class F>
ROCDRILL_INLINE void results(Wave& w, const Instruction& i, F value) {
  std::byte* const to = operand(w, i, dst);
  const std::uint64_t exec = w.exec();
  if (exec == ~0ull) [[likely]] {
#pragma GCC unroll 4
    for (unsigned n = 0; n < blocks; ++n) deposit(to + n * 4 * width, value(n));
  } else {
#pragma GCC unroll 4
    for (unsigned n = 0; n < blocks; ++n) deposit(to + n * 4 * width, value(n), mask_of(exec, n));
  }
}
/// The same for operations so long that a second copy of them gains nothing.
template <class F>
ROCDRILL_INLINE void long_results(Wave& w, const Instruction& i, F value) {
  std::byte* const to = operand(w, i, dst);
  const std::uint64_t exec = w.exec();
#pragma GCC unroll 1
  for (unsigned n = 0; n < blocks; ++n) deposit(to + n * 4 * width, value(n), mask_of(exec, n));
}

// --- masks -------------------------------------------------------------------------------------

/// A source with one bit per lane: an SGPR pair, VCC, a constant.
ROCDRILL_INLINE std::uint64_t lane_bits(const Wave& w, const Instruction& i, unsigned n) {
  if (i.kind[n] == Kind::special) return special_value(w, i.offset[n]);
  const std::byte* at = operand(w, i, n);
  std::uint32_t low;
  std::uint32_t high;
  __builtin_memcpy(&low, at, sizeof low);
  __builtin_memcpy(&high, at + (i.kind[n] == Kind::constant ? 64 : 4), sizeof high);
  return low | std::uint64_t{high} << 32;
}
ROCDRILL_INLINE void put_bits(Wave& w, const Instruction& i, unsigned n, std::uint64_t bits) {
  __builtin_memcpy(operand(w, i, n), &bits, sizeof bits);
}
/// One block's bits in the place that they have among 64.
ROCDRILL_INLINE std::uint64_t placed(std::uint32_t bits, unsigned block) {
  return std::uint64_t{bits} << (block * width);
}

/// `b` in the lanes of the mask, else `a`.
ROCDRILL_INLINE U32 blend(std::uint32_t mask, U32 a, U32 b) {
#if defined(__AVX512F__)
  return as<U32>(
      _mm512_mask_blend_epi32(static_cast<__mmask16>(mask), as<__m512i>(a), as<__m512i>(b)));
#elif defined(__AVX2__)
  return as<U32>(_mm256_blendv_ps(as<__m256>(a), as<__m256>(b), as<__m256>(expand(mask))));
#else
  const U32 m = expand(mask);
  return (a & ~m) | (b & m);
#endif
}
ROCDRILL_INLINE std::uint32_t less(U32 a, U32 b) {
#if defined(__AVX512F__)
  return _mm512_cmplt_epu32_mask(as<__m512i>(a), as<__m512i>(b));
#else
  return bits(as<U32>(a < b));
#endif
}
ROCDRILL_INLINE std::uint32_t less(I32 a, I32 b) {
#if defined(__AVX512F__)
  return _mm512_cmplt_epi32_mask(as<__m512i>(a), as<__m512i>(b));
#else
  return bits(as<U32>(a < b));
#endif
}
ROCDRILL_INLINE std::uint32_t equal(U32 a, U32 b) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(as<__m512i>(a), as<__m512i>(b));
#else
  return bits(as<U32>(a == b));
#endif
}

// --- values ------------------------------------------------------------------------------------

ROCDRILL_INLINE U32 min(U32 a, U32 b) { return a < b ? a : b; }
ROCDRILL_INLINE U32 max(U32 a, U32 b) { return a > b ? a : b; }
ROCDRILL_INLINE I32 min(I32 a, I32 b) { return a < b ? a : b; }
ROCDRILL_INLINE I32 max(I32 a, I32 b) { return a > b ? a : b; }
template <class V>
ROCDRILL_INLINE V middle(V a, V b, V c) {
  return max(min(a, b), min(max(a, b), c));
}
ROCDRILL_INLINE I32 splat_signed(std::int32_t value) { return I32{} + value; }

ROCDRILL_INLINE U32 low_half(U32 value) { return value & 0xFFFFu; }
ROCDRILL_INLINE I32 low_half_signed(U32 value) { return as<I32>(value << 16) >> 16; }
ROCDRILL_INLINE U32 select_halves(U32 low, U32 high) { return low_half(low) | high << 16; }

ROCDRILL_INLINE U32 count_bits(U32 x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0Fu;
  return (x * 0x01010101u) >> 24;
}

/// Full products of unsigned dwords.
ROCDRILL_INLINE P64 multiply_wide(U32 a, U32 b) {
  const U32 a0 = unpack_low(a, a);
  const U32 a1 = unpack_high(a, a);
  const U32 b0 = unpack_low(b, b);
  const U32 b1 = unpack_high(b, b);
#if defined(__AVX512F__)
  return {as<U64>(_mm512_mul_epu32(as<__m512i>(a0), as<__m512i>(b0))),
          as<U64>(_mm512_mul_epu32(as<__m512i>(a1), as<__m512i>(b1)))};
#elif defined(__AVX2__)
  return {as<U64>(_mm256_mul_epu32(as<__m256i>(a0), as<__m256i>(b0))),
          as<U64>(_mm256_mul_epu32(as<__m256i>(a1), as<__m256i>(b1)))};
#else
  return {as<U64>(_mm_mul_epu32(as<__m128i>(a0), as<__m128i>(b0))),
          as<U64>(_mm_mul_epu32(as<__m128i>(a1), as<__m128i>(b1)))};
#endif
}
ROCDRILL_INLINE U32 multiply_high(U32 a, U32 b) { return high_dwords(multiply_wide(a, b)); }
ROCDRILL_INLINE U32 multiply_high(I32 a, I32 b) {
  // Read as unsigned, a negative factor is 2^32 too large.
  const U32 excess = (as<U32>(a >> 31) & as<U32>(b)) + (as<U32>(b >> 31) & as<U32>(a));
  return multiply_high(as<U32>(a), as<U32>(b)) - excess;
}

// --- shapes ------------------------------------------------------------------------------------

namespace {

template <U32 (*operation)(U32)>
const Instruction* unary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA { return operation(a.low_of(n)); });
  return i + 1;
}
template <U32 (*operation)(U32, U32)>
const Instruction* binary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  results(w, *i,
          [&](unsigned n) ROCDRILL_INLINE_LAMBDA { return operation(a.low_of(n), b.low_of(n)); });
  return i + 1;
}
template <U32 (*operation)(U32, U32, U32)>
const Instruction* ternary(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return operation(a.low_of(n), b.low_of(n), c.low_of(n));
  });
  return i + 1;
}

}  // namespace

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
