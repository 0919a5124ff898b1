// What matrix instructions read: values of A and B by lane, and the fields that rearrange lanes.
//
// Source: AMD Instinct MI100, MI200 and MI300 instruction set architecture reference guides,
// "Matrix arithmetic instructions"; AMD's matrix instruction calculator has the same layouts.
#pragma once

#include "sim/silicon/isa/lanes/fp8.hpp"
#include "sim/silicon/isa/lanes/halves.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

// --- fields --------------------------------------------------------------------------------------

ROCDRILL_INLINE unsigned cbsz(const Instruction& i) {
  return static_cast<unsigned>(i.immediate) & 15;
}
ROCDRILL_INLINE unsigned abid(const Instruction& i) {
  return static_cast<unsigned>(i.immediate) >> 4 & 15;
}
ROCDRILL_INLINE unsigned blgp(const Instruction& i) {
  return static_cast<unsigned>(i.immediate) >> 8 & 7;
}

/// The block of A that is multiplied with block `b` of B: 2^CBSZ blocks share the one that ABID
/// numbers among them.
ROCDRILL_INLINE unsigned block_of_a(const Instruction& i, unsigned b) {
  const unsigned group = 1u << cbsz(i);
  return group == 1 ? b : (b & ~(group - 1)) + (abid(i) & (group - 1));
}

/// BLGP: the 16 lanes of B whose values lanes 16 * n to 16 * n + 15 have.
ROCDRILL_INLINE unsigned lanes_of_b(unsigned pattern, unsigned n) {
  switch (pattern) {
    case 0:
      return n;
    case 1:
      return n % 2;
    case 2:
      return n % 2 + 2;
    case 3:
      return (n + 1) % 4;
    default:
      return pattern - 4;
  }
}

// --- values --------------------------------------------------------------------------------------

/// Dwords, one per lane: values as they are multiplied, the first of each lane first.
constexpr unsigned most_values = 16;
struct alignas(64) Values {
  std::uint32_t of[most_values][wave_lanes];
};

ROCDRILL_INLINE U32 whole_dwords(U32 dword, unsigned) { return dword; }
/// 10 bits of the fraction are multiplied; that the rest is rounded to even is assumed.
ROCDRILL_INLINE U32 reduced_singles(U32 dword, unsigned) {
  const I32 finite = (dword & 0x7F800000u) != splat(0x7F800000);
  const U32 rounded = dword + (splat(0xFFF) + (dword >> 13 & 1u));
  return choose(finite, rounded, dword) & ~0x1FFFu;
}
ROCDRILL_INLINE U32 brain_halves(U32 dword, unsigned n) {
  return n == 0 ? dword << 16 : dword & 0xFFFF0000u;
}
ROCDRILL_INLINE U32 halves(U32 dword, unsigned n) {
  return as<U32>(from_half(n == 0 ? dword & 0xFFFFu : dword >> 16));
}
/// Without denormals.
ROCDRILL_INLINE U32 normal_halves(U32 dword, unsigned n) {
  return halves(flushed_halves(dword), n);
}
template <class Format>
ROCDRILL_INLINE U32 tiny_floats(U32 dword, unsigned n) {
  return as<U32>(from_byte<Format>(dword >> (8 * n)));
}
/// As 16-bit integers, beside zero.
ROCDRILL_INLINE U32 single_bytes(U32 dword, unsigned n) {
  return as<U32>(as<I32>(dword << (24 - 8 * n)) >> 24) & 0xFFFFu;
}
/// Two neighbours in one dword, as 16-bit integers.
ROCDRILL_INLINE U32 pairs_of_bytes(U32 dword, unsigned n) {
  return single_bytes(dword, 2 * n) | single_bytes(dword, 2 * n + 1) << 16;
}

using Unpack = U32 (*)(U32, unsigned);

/// `count` values of each lane, `per_dword` of them in one register.
template <Unpack unpack, unsigned per_dword, unsigned count>
ROCDRILL_INLINE void read_values(const std::byte* at, Values& to) {
  for (unsigned v = 0; v < blocks; ++v) {
#pragma GCC unroll 16
    for (unsigned e = 0; e < count; ++e) {
      const U32 dword = load(at + e / per_dword * vgpr_bytes + v * 4 * width);
      *reinterpret_cast<U32*>(&to.of[e][v * width]) = unpack(dword, e % per_dword);
    }
  }
}

ROCDRILL_INLINE void arrange_b(Values& b, unsigned pattern, unsigned count) {
  if (pattern == 0) return;
  for (unsigned e = 0; e < count; ++e) {
    alignas(64) std::uint32_t lanes[wave_lanes];
    for (unsigned n = 0; n < 4; ++n)
      __builtin_memcpy(lanes + 16 * n, b.of[e] + 16 * lanes_of_b(pattern, n), 64);
    __builtin_memcpy(b.of[e], lanes, sizeof lanes);
  }
}

ROCDRILL_INLINE U32 at_lane(const std::uint32_t (&lanes)[wave_lanes], unsigned lane) {
  return load(lanes + lane);
}

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
