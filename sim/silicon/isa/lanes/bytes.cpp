// Bytes within dwords: permutations, sums of absolute differences, averages.
//
// Source: AMD Instinct MI200 and MI300 instruction set architecture reference guides, chapter 12
// ("VOP3A instructions").
#include "sim/silicon/isa/lanes/integer.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// --- v_perm_b32 --------------------------------------------------------------------------------

/// One byte of the result, in the low byte. Selectors from 8 on: the signs of the four halves, 0,
/// and 0xFF from 13 on.
ROCDRILL_INLINE U32 permuted_byte(U32 high, U32 low, U32 selector) {
  const U32 from = as<U32>((selector & 4u) != 0u) & high;
  const U32 word = from | (as<U32>((selector & 4u) == 0u) & low);
  const U32 byte = (word >> ((selector & 3u) << 3)) & 0xFFu;
  const U32 signs = (selector & 2u) != 0u ? high : low;
  const U32 sign = (selector & 1u) != 0u ? signs : signs << 16;
  U32 filled = as<U32>(as<I32>(sign) >> 31) & 0xFFu;
  filled = selector == 12u ? U32{} : selector > 12u ? splat(0xFF) : filled;
  return selector < 8u ? byte : filled;
}
ROCDRILL_INLINE U32 permute_each(U32 high, U32 low, U32 selectors) {
  return permuted_byte(high, low, selectors & 0xFFu) |
         permuted_byte(high, low, selectors >> 8 & 0xFFu) << 8 |
         permuted_byte(high, low, selectors >> 16 & 0xFFu) << 16 |
         permuted_byte(high, low, selectors >> 24) << 24;
}
#if defined(__AVX2__)
ROCDRILL_INLINE U64 shuffle_bytes(U64 bytes, U32 how) {
#if defined(__AVX512F__)
  return as<U64>(_mm512_shuffle_epi8(as<__m512i>(bytes), as<__m512i>(how)));
#else
  return as<U64>(_mm256_shuffle_epi8(as<__m256i>(bytes), as<__m256i>(how)));
#endif
}
/// Selectors below 8: a shuffle works on two lanes of 8 bytes at a time.
ROCDRILL_INLINE U32 permute_plain(U32 high, U32 low, U32 selectors) {
  const P64 both = widen(low, high);
  const U32 upper_lane = shuffle<0>(U32{}, splat(0x08080808u));
  return low_dwords({shuffle_bytes(both.a, unpack_low(selectors, selectors) | upper_lane),
                     shuffle_bytes(both.b, unpack_high(selectors, selectors) | upper_lane)});
}
ROCDRILL_INLINE U32 permute(U32 high, U32 low, U32 selectors) {
  const U32 special = selectors & 0xF8F8F8F8u;
  if (equal(special, U32{}) == mask_of(~0ull, 0)) [[likely]]
    return permute_plain(high, low, selectors);
  return permute_each(high, low, selectors);
}
#else
ROCDRILL_INLINE U32 permute(U32 high, U32 low, U32 selectors) {
  return permute_each(high, low, selectors);
}
#endif
const Instruction* permute_bytes(Wave& w, const Instruction* i) {
  const Source a = source(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source(w, *i, src2);
  long_results(w, *i, [&](unsigned n) ROCDRILL_INLINE_LAMBDA {
    return permute(a.low_of(n), b.low_of(n), c.low_of(n));
  });
  return i + 1;
}

// --- sums of absolute differences ----------------------------------------------------------------

ROCDRILL_INLINE U32 differences(U32 a, U32 b) {
  const U8 x = as<U8>(a);
  const U8 y = as<U8>(b);
  return as<U32>(x > y ? x - y : y - x);
}
ROCDRILL_INLINE U32 sum_of_bytes(U32 a) {
  const U32 pairs = (a & 0x00FF00FFu) + (a >> 8 & 0x00FF00FFu);
  return low_half(pairs) + (pairs >> 16);
}
ROCDRILL_INLINE U32 sad(U32 a, U32 b) { return sum_of_bytes(differences(a, b)); }
/// Without the bytes whose reference is 0.
ROCDRILL_INLINE U32 masked_sad(U32 a, U32 reference) {
  return sum_of_bytes(differences(a, reference) & as<U32>(as<U8>(reference) != 0));
}
ROCDRILL_INLINE U32 sad_u8(U32 a, U32 b, U32 c) { return sad(a, b) + c; }
ROCDRILL_INLINE U32 sad_hi_u8(U32 a, U32 b, U32 c) { return (sad(a, b) << 16) + c; }
ROCDRILL_INLINE U32 msad_u8(U32 a, U32 b, U32 c) { return masked_sad(a, b) + c; }
ROCDRILL_INLINE U32 sad_u32(U32 a, U32 b, U32 c) { return max(a, b) - min(a, b) + c; }
ROCDRILL_INLINE U32 sad_u16(U32 a, U32 b, U32 c) {
  return sad_u32(low_half(a), low_half(b), sad_u32(a >> 16, b >> 16, c));
}

/// Four bytes of eight, from byte `first` on.
ROCDRILL_INLINE U32 window(U32 low, U32 high, unsigned first) {
  return first == 0 ? low : low >> (8 * first) | high << (32 - 8 * first);
}
/// v_qsad_pk_u16_u8, v_mqsad_pk_u16_u8: four windows, sums of 16 bits.
template <U32 (*sum)(U32, U32)>
const Instruction* quad_sad(Wave& w, const Instruction* i) {
  const Source a = source<2>(w, *i, src0);
  const Source b = source(w, *i, src1);
  const Source c = source<2>(w, *i, src2);
  std::byte* const to = operand(w, *i, dst);
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 low = a.low_of(n);
    const U32 high = a.high_of(n);
    const U32 reference = b.low_of(n);
    const std::uint32_t mask = mask_of(w.exec(), n);
    U32 results[2] = {c.low_of(n), c.high_of(n)};
    for (unsigned k = 0; k < 2; ++k) {
      const U32 first = sum(window(low, high, 2 * k), reference) + low_half(results[k]);
      const U32 second = sum(window(low, high, 2 * k + 1), reference) + (results[k] >> 16);
      store(to + n * 4 * width + k * vgpr_bytes, select_halves(first, second), mask);
    }
  }
  return i + 1;
}
/// v_mqsad_u32_u8: sums of 32 bits.
const Instruction* quad_sad_u32(Wave& w, const Instruction* i) {
  if (i->kind[src2] != Kind::vgpr) return w.refuse(i, "v_mqsad_u32_u8 without VGPRs to add to");
  const Source a = source<2>(w, *i, src0);
  const Source b = source(w, *i, src1);
  const std::byte* const c = operand(w, *i, src2);
  std::byte* const to = operand(w, *i, dst);
  for (unsigned n = 0; n < blocks; ++n) {
    const U32 low = a.low_of(n);
    const U32 high = a.high_of(n);
    const U32 reference = b.low_of(n);
    const unsigned at = n * 4 * width;
    U32 results[4];
    for (unsigned k = 0; k < 4; ++k)
      results[k] = masked_sad(window(low, high, k), reference) + load(c + at + k * vgpr_bytes);
    for (unsigned k = 0; k < 4; ++k)
      store(to + at + k * vgpr_bytes, results[k], mask_of(w.exec(), n));
  }
  return i + 1;
}

// --- the rest ------------------------------------------------------------------------------------

/// Averages of bytes, rounded up where the third operand's byte is odd.
ROCDRILL_INLINE U32 lerp_u8(U32 a, U32 b, U32 c) {
  const U32 differing = a ^ b;
  return (a & b) + (differing >> 1 & 0x7F7F7F7Fu) + (differing & c & 0x01010101u);
}
ROCDRILL_INLINE U32 saturate_u8(U32 a) {
  const I32 low = min(max(low_half_signed(a), splat_signed(0)), splat_signed(255));
  const I32 high = min(max(as<I32>(a) >> 16, splat_signed(0)), splat_signed(255));
  return as<U32>(low | high << 8);
}

const Entry table[] = {
    {"v_perm_b32", permute_bytes},           {"v_sad_u8", ternary<sad_u8>},
    {"v_sad_hi_u8", ternary<sad_hi_u8>},     {"v_sad_u16", ternary<sad_u16>},
    {"v_sad_u32", ternary<sad_u32>},         {"v_msad_u8", ternary<msad_u8>},
    {"v_qsad_pk_u16_u8", quad_sad<sad>},     {"v_mqsad_pk_u16_u8", quad_sad<masked_sad>},
    {"v_mqsad_u32_u8", quad_sad_u32},        {"v_lerp_u8", ternary<lerp_u8>},
    {"v_sat_pk_u8_i16", unary<saturate_u8>},
};

}  // namespace

std::span<const Entry> bytes_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
