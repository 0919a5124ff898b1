// What surrounds a floating-point operation: neg and abs of its sources, omod and clamp of its
// result, EXEC, and what MODE says about denormals.
#pragma once

#include "sim/silicon/isa/lanes/real.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

// MODE, as wave.hpp numbers its bits.
inline constexpr std::uint32_t mode_single_denormals = 0x30;
inline constexpr std::uint32_t mode_half_denormals = 0xC0;
inline constexpr std::uint32_t mode_dx10_clamp = 1 << 8;
inline constexpr std::uint32_t mode_ieee = 1 << 9;

// --- results -------------------------------------------------------------------------------------

ROCDRILL_INLINE void store_all(std::byte* to, U32 value) { *reinterpret_cast<U32u*>(to) = value; }
ROCDRILL_INLINE void store_some(std::byte* to, U32 value, std::uint32_t mask) {
#if defined(__AVX512F__)
  store(to, value, mask);
#else  // masked stores of AVX2 are microcoded
  store_all(to, choose(as<I32>(expand(mask)), value, load(to)));
#endif
}

/// Stores what `result(block)` returns into the lanes of EXEC. Sources of a block are read before
/// it is written.
template <class Result>
ROCDRILL_INLINE void walk(Wave& w, const Instruction& i, Result result) {
  std::byte* to = operand(w, i, dst);
  const std::uint64_t exec = w.exec();
  if (exec == ~0ull) [[likely]] {
#pragma GCC unroll 4
    for (unsigned n = 0; n < blocks; ++n) store_all(to + n * 4 * width, as<U32>(result(n)));
  } else {
    for (unsigned n = 0; n < blocks; ++n)
      store_some(to + n * 4 * width, as<U32>(result(n)), mask_of(exec, n));
  }
}
/// The same for results of two dwords, as P64 or D64.
template <class Result>
ROCDRILL_INLINE void walk64(Wave& w, const Instruction& i, Result result) {
  std::byte* to = operand(w, i, dst);
  const std::uint64_t exec = w.exec();
  for (unsigned n = 0; n < blocks; ++n) {
    const auto value = result(n);
    const P64 pair = {as<U64>(value.a), as<U64>(value.b)};
    std::byte* at = to + n * 4 * width;
    if (exec == ~0ull) [[likely]] {
      store_all(at, low_dwords(pair));
      store_all(at + vgpr_bytes, high_dwords(pair));
    } else {
      store_some(at, low_dwords(pair), mask_of(exec, n));
      store_some(at + vgpr_bytes, high_dwords(pair), mask_of(exec, n));
    }
  }
}
/// A mask from bits per block, without the lanes that EXEC lacks.
template <class Bits>
ROCDRILL_INLINE std::uint64_t gather(const Wave& w, Bits of_block) {
  std::uint64_t mask = 0;
#pragma GCC unroll 4
  for (unsigned n = 0; n < blocks; ++n) mask |= std::uint64_t{of_block(n)} << (n * width);
  return mask & w.exec();
}

// --- sources -------------------------------------------------------------------------------------

/// neg and abs. `modified` false: there are none, at no cost.
template <bool modified>
struct Change;
template <>
struct Change<false> {
  ROCDRILL_INLINE explicit Change(std::uint8_t) {}
  ROCDRILL_INLINE F32 operator()(U32 value) const { return as<F32>(value); }
};
template <>
struct Change<true> {
  U32 keep, flip;
  ROCDRILL_INLINE explicit Change(std::uint8_t modifiers)
      : keep(splat((modifiers & abs) != 0 ? 0x7FFFFFFFu : 0xFFFFFFFFu)),
        flip(splat((modifiers & neg) != 0 ? 0x80000000u : 0u)) {}
  ROCDRILL_INLINE F32 operator()(U32 value) const { return as<F32>((value & keep) ^ flip); }
};
template <bool modified>
struct Change64 {
  Change<modified> high;
  ROCDRILL_INLINE explicit Change64(std::uint8_t modifiers) : high(modifiers) {}
  ROCDRILL_INLINE D64 operator()(U32 low_dwords, U32 high_dwords) const {
    return doubles(widen(low_dwords, as<U32>(high(high_dwords))));
  }
  ROCDRILL_INLINE D64 operator()(const Source& source, unsigned block) const {
    return (*this)(source.low_of(block), source.high_of(block));
  }
};

// --- omod and clamp ------------------------------------------------------------------------------

/// omod counts only where the result's denormals are flushed and MODE.IEEE is not set; it makes -0
/// to +0.
ROCDRILL_INLINE float scale_of(const Wave& w, const Instruction& i, std::uint32_t denormals) {
  if (i.omod == 0 || (w.mode & mode_ieee) != 0 || (w.mode & denormals & 0xA0) != 0) return 0;
  return i.omod == 1 ? 2.0f : i.omod == 2 ? 4.0f : 0.5f;
}

template <class F, class I>
ROCDRILL_INLINE F clamped(F value, F zero, F one, bool nan_to_zero) {
  const F low = choose(I(value > zero), value, zero);
  const F in_range = choose(I(low < one), low, one);
  return nan_to_zero ? in_range : choose(I(value != value), value, in_range);
}

template <bool modified>
struct Finish;
template <>
struct Finish<false> {
  ROCDRILL_INLINE Finish(const Wave&, const Instruction&) {}
  ROCDRILL_INLINE F32 operator()(F32 value) const { return value; }
};
template <>
struct Finish<true> {
  float scale;
  bool clamps, nan_to_zero;
  ROCDRILL_INLINE Finish(const Wave& w, const Instruction& i,
                         std::uint32_t denormals = mode_single_denormals)
      : scale(scale_of(w, i, denormals)),
        clamps((i.flags & clamp) != 0),
        nan_to_zero((w.mode & mode_dx10_clamp) != 0) {}
  ROCDRILL_INLINE F32 operator()(F32 value) const {
    if (scale != 0) value = value * splat_f(scale) + F32{};
    if (clamps) value = clamped<F32, I32>(value, F32{}, splat_f(1), nan_to_zero);
    return value;
  }
};
template <bool modified>
struct Finish64;
template <>
struct Finish64<false> {
  ROCDRILL_INLINE Finish64(const Wave&, const Instruction&) {}
  ROCDRILL_INLINE D64 operator()(D64 value) const { return value; }
};
template <>
struct Finish64<true> {
  Finish<true> how;
  ROCDRILL_INLINE Finish64(const Wave& w, const Instruction& i) : how(w, i, mode_half_denormals) {}
  ROCDRILL_INLINE F64 operator()(F64 value) const {
    if (how.scale != 0) value = value * splat_d(how.scale) + F64{};
    if (how.clamps) value = clamped<F64, I64>(value, F64{}, splat_d(1), how.nan_to_zero);
    return value;
  }
  ROCDRILL_INLINE D64 operator()(D64 value) const { return {(*this)(value.a), (*this)(value.b)}; }
};

// --- denormals -----------------------------------------------------------------------------------

/// Denormals become zeros of their sign. For operations that are no arithmetic to the host.
ROCDRILL_INLINE F32 flushed(F32 value) {
  const U32 bits = as<U32>(value);
  const I32 small = (bits & 0x7F800000u) == U32{};
  return as<F32>(choose(small, bits & 0x80000000u, bits));
}
ROCDRILL_INLINE D64 flushed(D64 value) {
  const auto one = [](F64 x) __attribute__((always_inline)) {
    const U64 bits = as<U64>(x);
    const I64 small = (bits & (0x7FFull << 52)) == U64{};
    return as<F64>((as<U64>(small) & bits & (1ull << 63)) | (~as<U64>(small) & bits));
  };
  return {one(value.a), one(value.b)};
}

/// The same handler while the host flushes single denormals, whatever MODE says.
template <Handler run>
const Instruction* flushing(Wave& w, const Instruction* i) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  asm volatile("" ::: "memory");  // keeps loads below and stores above
  const Instruction* next = run(w, i);
  asm volatile("" ::: "memory");
  _mm_setcsr(before);
  return next;
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
