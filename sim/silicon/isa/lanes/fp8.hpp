// The 8-bit formats of gfx940 to gfx942: FP8 (1 sign, 4 exponent, 3 fraction bits, bias 8) and BF8
// (1, 5, 2, bias 16). Neither has infinities or -0; 0x80 is NaN.
//
// Source: AMD Instinct MI300 instruction set architecture reference guide, "Data formats".
#pragma once

#include "sim/silicon/isa/lanes/modifiers.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

struct Fp8 {
  static constexpr unsigned fraction = 3;
  static constexpr unsigned bias = 8;
};
struct Bf8 {
  static constexpr unsigned fraction = 2;
  static constexpr unsigned bias = 16;
};

/// Of the low byte of each dword. The host must not flush denormals.
template <class Format>
ROCDRILL_INLINE F32 from_byte(U32 code) {
  const U32 magnitude = (code & 0x7Fu) << (23 - Format::fraction);
  const U32 sign = (code & 0x80u) << 24;
  const F32 scaled = as<F32>(magnitude) * as<F32>(splat((254u - Format::bias) << 23));
  const I32 nan = (code & 0xFFu) == splat(0x80);
  return as<F32>(choose(nan, splat(0x7FC00000), as<U32>(scaled) | sign));
}

/// `code` in its range: what is beyond becomes NaN, or the largest if MODE says so.
ROCDRILL_INLINE U32 finished_byte(F32 value, U32 code, bool saturates) {
  const U32 sign = (as<U32>(value) >> 24) & 0x80u;
  const I32 finite = (as<U32>(value) & 0x7FFFFFFFu) < splat(0x7F800000);
  const I32 large = code > splat(0x7F);
  const U32 beyond = saturates ? splat(0x7F) | sign : splat(0x80);
  const U32 signed_code = choose(code == U32{}, code, code | sign);
  return choose(finite, choose(large, beyond, signed_code), splat(0x80));
}

/// To the nearest, ties to even; in the host's mode "to nearest".
template <class Format>
ROCDRILL_INLINE U32 to_byte(F32 value, bool saturates) {
  constexpr unsigned shift = 23 - Format::fraction;
  const U32 magnitude = as<U32>(value) & 0x7FFFFFFFu;
  const U32 even = magnitude + (splat((1u << (shift - 1)) - 1) + (magnitude >> shift & 1u));
  const U32 normal = (even >> shift) - ((127u - Format::bias) << Format::fraction);
  // Adding 2^23 units of the denormals rounds to them.
  const F32 anchor = as<F32>(splat((128u - Format::bias + 23 - Format::fraction) << 23));
  const U32 denormal = as<U32>(F32(as<F32>(magnitude) + anchor)) - as<U32>(anchor);
  const I32 small = magnitude < splat((128u - Format::bias) << 23);
  return finished_byte(value, choose(small, denormal, normal), saturates);
}

/// Up with the probability of the bits that are cut off: `random`, of which the upper ones count,
/// is added to them.
template <class Format>
ROCDRILL_INLINE U32 to_byte_randomly(F32 value, U32 random, bool saturates) {
  constexpr unsigned shift = 23 - Format::fraction;
  const U32 noise = random >> (32 - shift);
  const U32 magnitude = as<U32>(value) & 0x7FFFFFFFu;
  const U32 normal = ((magnitude + noise) >> shift) - ((127u - Format::bias) << Format::fraction);
  const U32 exponent = magnitude >> 23;
  const I32 small = exponent < splat(128u - Format::bias);
  const U32 distance = choose(small, 128u - Format::bias - exponent, U32{});
  const U32 whole = (magnitude & 0x7FFFFFu) | 0x800000u;
  U32 aligned{};
  for (unsigned n = 0; n < width; ++n) aligned[n] = distance[n] < 24 ? whole[n] >> distance[n] : 0;
  const U32 denormal = (aligned + noise) >> shift;
  return finished_byte(value, choose(small, denormal, normal), saturates);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
