// Lanes of a wave as vectors of the machine, 64 / width of them per register.
//
// Files that include this are compiled once per level of x86-64 (CMakeLists.txt), each in a
// namespace of its own: ROCDRILL_LEVEL is avx512, avx2 or baseline. They must not emit inline
// functions of other headers that a linker could merge across levels: no std containers, no
// algorithms; everything here is forced inline.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "sim/silicon/isa/semantics.hpp"
#include "sim/silicon/isa/wave.hpp"

namespace rocdrill::isa {
/// What SRC_SCC, SRC_SHARED_BASE and the like read (control.hpp).
std::uint64_t special_value(const Wave& wave, std::uint32_t number);
}  // namespace rocdrill::isa

namespace rocdrill::isa::ROCDRILL_LEVEL {

#if defined(__AVX512F__)
inline constexpr unsigned width = 16;  ///< dwords in a vector
#elif defined(__AVX2__)
inline constexpr unsigned width = 8;
#else
inline constexpr unsigned width = 4;
#endif
inline constexpr unsigned blocks = wave_lanes / width;

typedef std::uint32_t U32 __attribute__((vector_size(4 * width)));
typedef std::int32_t I32 __attribute__((vector_size(4 * width)));
typedef float F32 __attribute__((vector_size(4 * width)));
typedef std::uint64_t U64 __attribute__((vector_size(4 * width)));
typedef std::int64_t I64 __attribute__((vector_size(4 * width)));
typedef double F64 __attribute__((vector_size(4 * width)));
typedef std::uint16_t U16 __attribute__((vector_size(4 * width)));
typedef std::int16_t I16 __attribute__((vector_size(4 * width)));
/// Unaligned by type: what lies behind pointers into the register file is aligned, but GCC need not
/// rely on it.
typedef U32 U32u __attribute__((aligned(4)));

template <class To, class From>
ROCDRILL_INLINE To as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To>(value);
}
ROCDRILL_INLINE U32 splat(std::uint32_t value) { return U32{} + value; }
ROCDRILL_INLINE U64 splat64(std::uint64_t value) { return U64{} + value; }

/// Lanes of block `block` that a 64-bit mask has.
ROCDRILL_INLINE std::uint32_t mask_of(std::uint64_t lanes, unsigned block) {
  return static_cast<std::uint32_t>(lanes >> (block * width)) &
         static_cast<std::uint32_t>((1ull << width) - 1);
}

/// All ones in the lanes that the mask has.
ROCDRILL_INLINE U32 expand(std::uint32_t mask) {
#if defined(__AVX512F__)
  return as<U32>(_mm512_maskz_set1_epi32(static_cast<__mmask16>(mask), -1));
#elif defined(__AVX2__)
  const U32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return as<U32>((splat(mask) & bit) == bit);
#else
  const U32 bit = {1, 2, 4, 8};
  return as<U32>((splat(mask) & bit) == bit);
#endif
}

/// The sign bits of a block, one bit per lane.
ROCDRILL_INLINE std::uint32_t bits(U32 value) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(as<__m512i>(value));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(as<__m256>(value)));
#else
  return static_cast<std::uint32_t>(_mm_movemask_ps(as<__m128>(value)));
#endif
}

ROCDRILL_INLINE U32 load(const void* from) { return *static_cast<const U32u*>(from); }

/// Stores the lanes that the mask has, in registers: others may be written back as they were.
ROCDRILL_INLINE void store(void* to, U32 value, std::uint32_t mask) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), as<__m512i>(value));
#elif defined(__AVX2__)
  // Not a masked store: those take dozens of cycles on some processors.
  *static_cast<U32u*>(to) =
      as<U32>(_mm256_blendv_ps(as<__m256>(load(to)), as<__m256>(value), as<__m256>(expand(mask))));
#else
  const U32 keep = expand(mask);
  *static_cast<U32u*>(to) = (value & keep) | (load(to) & ~keep);
#endif
}

// --- 64-bit lanes ------------------------------------------------------------------------------
// A block of 64-bit values takes two vectors, in an order of lanes that costs only shuffles within
// 128 bits: per group of four lanes 0, 1 in `a` and 2, 3 in `b`. Element-wise code need not know;
// masks and results come back in the lanes' own order through join().

template <class V>
struct Pair {
  V a, b;
};
using P64 = Pair<U64>;

#if defined(__AVX512F__)
ROCDRILL_INLINE U32 unpack_low(U32 x, U32 y) {
  return as<U32>(_mm512_maskz_unpacklo_epi32(0xFFFF, as<__m512i>(x), as<__m512i>(y)));
}
ROCDRILL_INLINE U32 unpack_high(U32 x, U32 y) {
  return as<U32>(_mm512_maskz_unpackhi_epi32(0xFFFF, as<__m512i>(x), as<__m512i>(y)));
}
template <int how>
ROCDRILL_INLINE U32 shuffle(U32 x, U32 y) {
  return as<U32>(_mm512_shuffle_ps(as<__m512>(x), as<__m512>(y), how));
}
#elif defined(__AVX2__)
ROCDRILL_INLINE U32 unpack_low(U32 x, U32 y) {
  return as<U32>(_mm256_unpacklo_epi32(as<__m256i>(x), as<__m256i>(y)));
}
ROCDRILL_INLINE U32 unpack_high(U32 x, U32 y) {
  return as<U32>(_mm256_unpackhi_epi32(as<__m256i>(x), as<__m256i>(y)));
}
template <int how>
ROCDRILL_INLINE U32 shuffle(U32 x, U32 y) {
  return as<U32>(_mm256_shuffle_ps(as<__m256>(x), as<__m256>(y), how));
}
#else
ROCDRILL_INLINE U32 unpack_low(U32 x, U32 y) {
  return as<U32>(_mm_unpacklo_epi32(as<__m128i>(x), as<__m128i>(y)));
}
ROCDRILL_INLINE U32 unpack_high(U32 x, U32 y) {
  return as<U32>(_mm_unpackhi_epi32(as<__m128i>(x), as<__m128i>(y)));
}
template <int how>
ROCDRILL_INLINE U32 shuffle(U32 x, U32 y) {
  return as<U32>(_mm_shuffle_ps(as<__m128>(x), as<__m128>(y), how));
}
#endif

/// 64-bit values from their low and high dwords.
ROCDRILL_INLINE P64 widen(U32 low, U32 high) {
  return {as<U64>(unpack_low(low, high)), as<U64>(unpack_high(low, high))};
}
ROCDRILL_INLINE U32 low_dwords(P64 value) {
  return shuffle<0x88>(as<U32>(value.a), as<U32>(value.b));
}
ROCDRILL_INLINE U32 high_dwords(P64 value) {
  return shuffle<0xDD>(as<U32>(value.a), as<U32>(value.b));
}
/// Zero-extended.
ROCDRILL_INLINE P64 widen(U32 low) { return widen(low, U32{}); }
ROCDRILL_INLINE P64 widen_signed(U32 low) { return widen(low, as<U32>(as<I32>(low) >> 31)); }

// --- operands ----------------------------------------------------------------------------------

/// A source of a vector instruction, block by block.
struct Source {
  const std::byte* at;
  std::uint32_t step;  ///< bytes from block to block: 0 for scalars
  std::uint32_t high;  ///< bytes to the high dword

  ROCDRILL_INLINE U32 low_of(unsigned block) const { return load(at + block * step); }
  ROCDRILL_INLINE U32 high_of(unsigned block) const { return load(at + block * step + high); }
  ROCDRILL_INLINE P64 wide_of(unsigned block) const { return widen(low_of(block), high_of(block)); }
};

/// `dwords`: 1 or 2 of them are wanted.
template <unsigned dwords = 1>
ROCDRILL_INLINE Source source(Wave& wave, const Instruction& i, unsigned n) {
  const Kind kind = i.kind[n];
  const std::byte* at = operand(wave, i, n);
  if (kind == Kind::vgpr || kind == Kind::agpr) return {at, 4 * width, vgpr_bytes};
  if (kind == Kind::constant) return {at, 0, 64};
  std::uint32_t(*line)[16] = wave.splat[n - 1];
  std::uint64_t value;
  if (kind == Kind::special) {
    value = special_value(wave, i.offset[n]);
  } else {
    value = *reinterpret_cast<const std::uint32_t*>(at);
    if constexpr (dwords == 2)
      value |= std::uint64_t{*reinterpret_cast<const std::uint32_t*>(at + 4)} << 32;
  }
  *reinterpret_cast<U32*>(line[0]) = splat(static_cast<std::uint32_t>(value));
  if constexpr (dwords == 2)
    *reinterpret_cast<U32*>(line[1]) = splat(static_cast<std::uint32_t>(value >> 32));
  return {reinterpret_cast<const std::byte*>(line[0]), 0, 64};
}

/// The result in lanes of EXEC; of dword `n` after the first.
ROCDRILL_INLINE void put(Wave& wave, const Instruction& i, unsigned block, U32 value,
                         unsigned n = 0) {
  store(operand(wave, i, dst) + block * 4 * width + n * vgpr_bytes, value,
        mask_of(wave.exec(), block));
}
ROCDRILL_INLINE void put(Wave& wave, const Instruction& i, unsigned block, P64 value) {
  put(wave, i, block, low_dwords(value), 0);
  put(wave, i, block, high_dwords(value), 1);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
