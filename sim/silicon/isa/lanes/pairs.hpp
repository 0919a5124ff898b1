// Two vectors as pairs of elements: the even and the odd ones of both, and the way back.
#pragma once

#include "sim/silicon/isa/lanes/lanes.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {

#if defined(__AVX512F__)
ROCDRILL_INLINE U32 pick(U32 a, U32 b, const std::uint32_t* which) {
  return as<U32>(
      _mm512_permutex2var_epi32(as<__m512i>(a), _mm512_load_si512(which), as<__m512i>(b)));
}
alignas(64) inline constexpr std::uint32_t even_elements[16] = {0,  2,  4,  6,  8,  10, 12, 14,
                                                                16, 18, 20, 22, 24, 26, 28, 30};
alignas(64) inline constexpr std::uint32_t odd_elements[16] = {1,  3,  5,  7,  9,  11, 13, 15,
                                                               17, 19, 21, 23, 25, 27, 29, 31};
alignas(64) inline constexpr std::uint32_t low_pairs[16] = {0, 16, 1, 17, 2, 18, 3, 19,
                                                            4, 20, 5, 21, 6, 22, 7, 23};
alignas(64) inline constexpr std::uint32_t high_pairs[16] = {8,  24, 9,  25, 10, 26, 11, 27,
                                                             12, 28, 13, 29, 14, 30, 15, 31};
ROCDRILL_INLINE U32 even(U32 a, U32 b) { return pick(a, b, even_elements); }
ROCDRILL_INLINE U32 odd(U32 a, U32 b) { return pick(a, b, odd_elements); }
ROCDRILL_INLINE U32 zip_low(U32 a, U32 b) { return pick(a, b, low_pairs); }
ROCDRILL_INLINE U32 zip_high(U32 a, U32 b) { return pick(a, b, high_pairs); }
#elif defined(__AVX2__)
ROCDRILL_INLINE U32 even(U32 a, U32 b) {
  return as<U32>(_mm256_permute4x64_epi64(as<__m256i>(shuffle<0x88>(a, b)), 0xD8));
}
ROCDRILL_INLINE U32 odd(U32 a, U32 b) {
  return as<U32>(_mm256_permute4x64_epi64(as<__m256i>(shuffle<0xDD>(a, b)), 0xD8));
}
ROCDRILL_INLINE U32 zip_low(U32 a, U32 b) {
  return as<U32>(_mm256_permute2x128_si256(as<__m256i>(unpack_low(a, b)),
                                           as<__m256i>(unpack_high(a, b)), 0x20));
}
ROCDRILL_INLINE U32 zip_high(U32 a, U32 b) {
  return as<U32>(_mm256_permute2x128_si256(as<__m256i>(unpack_low(a, b)),
                                           as<__m256i>(unpack_high(a, b)), 0x31));
}
#else
ROCDRILL_INLINE U32 even(U32 a, U32 b) { return shuffle<0x88>(a, b); }
ROCDRILL_INLINE U32 odd(U32 a, U32 b) { return shuffle<0xDD>(a, b); }
ROCDRILL_INLINE U32 zip_low(U32 a, U32 b) { return unpack_low(a, b); }
ROCDRILL_INLINE U32 zip_high(U32 a, U32 b) { return unpack_high(a, b); }
#endif

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
