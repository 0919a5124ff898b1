// Matrix instructions. EXEC does not matter to them.
//
// Layout (AMD CDNA 3 ISA guide, "Matrix Arithmetic Instructions"): of a problem of `blocks`
// products of n x n x k, lane l holds of A the row l % n, of B the column l % n, of block l / n %
// blocks, and of k the `per_lane` values from l / n / blocks * per_lane on. Register r of D in lane
// l holds column l % n and, per block of n * n / 64 registers, row (r / 4) * 4 * (64 / n) + 4 * (l
// / n) + r % 4. Where n is 4, block l / 4 and row r; doubles: row l / 16 + 4 * r.
//
// Order and rounding of the sums are assumed: one fused multiply-add after the other, k upwards.
#include "sim/silicon/isa/lanes/modifiers.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;

constexpr unsigned most_values = 16;  // of a lane: bytes of a dense B against a sparse A

/// What the lanes give of A or B, value by value.
template <class T>
struct alignas(64) Values {
  T v[most_values][wave_lanes];
};

// --- fields of the immediate ---------------------------------------------------------------------

unsigned cbsz(const Instruction& i) { return static_cast<u32>(i.immediate) & 15; }
unsigned abid(const Instruction& i) { return static_cast<u32>(i.immediate) >> 4 & 15; }
unsigned blgp(const Instruction& i) { return static_cast<u32>(i.immediate) >> 8 & 7; }

/// The block of A that is multiplied with block `b` of B.
unsigned block_of_a(const Instruction& i, unsigned b) {
  const unsigned group = 1u << cbsz(i);
  return group == 1 ? b : (b & ~(group - 1)) + abid(i);
}

/// The lane from which lane `l` of B comes.
unsigned lane_of_b(unsigned pattern, unsigned l) {
  switch (pattern) {
    case 0:
      return l;
    case 1:
      return l % 32;
    case 2:
      return l % 32 + 32;
    case 3:
      return (l + 16) % 64;
    default:
      return l % 16 + 16 * (pattern - 4);
  }
}
template <class T>
void permute_b(Values<T>& b, unsigned pattern, unsigned count) {
  if (pattern == 0) return;
  T from[wave_lanes];
  for (unsigned e = 0; e < count; ++e) {
    __builtin_memcpy(from, b.v[e], sizeof from);
    for (unsigned l = 0; l < wave_lanes; ++l) b.v[e][l] = from[lane_of_b(pattern, l)];
  }
}

// --- elements ------------------------------------------------------------------------------------

struct Single {
  using Sum = float;
  static constexpr unsigned per_dword = 1;
  static float value(u32 dword, unsigned) { return __builtin_bit_cast(float, dword); }
};
/// 10 bits of mantissa are multiplied; that the rest is rounded to even is assumed.
struct XF32 {
  using Sum = float;
  static constexpr unsigned per_dword = 1;
  static float value(u32 dword, unsigned) {
    const u32 rounded =
        (dword & 0x7F800000u) == 0x7F800000u ? dword : dword + 0xFFFu + (dword >> 13 & 1);
    return __builtin_bit_cast(float, rounded & ~0x1FFFu);
  }
};
struct Bf16 {
  using Sum = float;
  static constexpr unsigned per_dword = 2;
  static float value(u32 dword, unsigned n) {
    return __builtin_bit_cast(float, n == 0 ? dword << 16 : dword & 0xFFFF0000u);
  }
};
struct Half {
  using Sum = float;
  static constexpr unsigned per_dword = 2;
  static float value(u32 dword, unsigned n) {
    const u32 bits = n == 0 ? dword & 0xFFFFu : dword >> 16;
    const u32 sign = (bits & 0x8000u) << 16;
    const u32 magnitude = bits & 0x7FFFu;
    if (magnitude >= 0x7C00u)
      return __builtin_bit_cast(float, sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
    const float size = magnitude >= 0x400u
                           ? __builtin_bit_cast(float, (magnitude << 13) + 0x38000000u)
                           : static_cast<float>(magnitude) * 0x1p-24f;
    return __builtin_bit_cast(float, __builtin_bit_cast(u32, size) | sign);
  }
};
struct Int8 {
  using Sum = i32;
  static constexpr unsigned per_dword = 4;
  static i32 value(u32 dword, unsigned n) {
    return static_cast<std::int8_t>(dword >> (8 * n) & 0xFFu);
  }
};
/// FNUZ: no infinities, one zero, 0x80 is NaN.
template <unsigned mantissa_bits, int bias>
struct Tiny {
  using Sum = float;
  static constexpr unsigned per_dword = 4;
  static float value(u32 dword, unsigned n) {
    const u32 bits = dword >> (8 * n) & 0xFFu;
    if (bits == 0x80) return __builtin_bit_cast(float, 0x7FC00000u);
    const u32 sign = (bits & 0x80u) << 24;
    const u32 exponent = (bits & 0x7Fu) >> mantissa_bits;
    const u32 mantissa = bits & ((1u << mantissa_bits) - 1);
    constexpr float unit = __builtin_bit_cast(
        float, static_cast<u32>(127 + 1 - bias - static_cast<int>(mantissa_bits)) << 23);
    const float size =
        exponent == 0 ? static_cast<float>(mantissa) * unit
                      : __builtin_bit_cast(float, (exponent + 127u - static_cast<u32>(bias)) << 23 |
                                                      mantissa << (23 - mantissa_bits));
    return __builtin_bit_cast(float, __builtin_bit_cast(u32, size) | sign);
  }
};
using Fp8 = Tiny<3, 8>;
using Bf8 = Tiny<2, 16>;

template <class Type>
void read(const Wave& w, const Instruction& i, unsigned source, unsigned count,
          Values<typename Type::Sum>& to) {
  const std::byte* at = operand(w, i, source);
  for (unsigned e = 0; e < count; ++e) {
    const auto* dwords = reinterpret_cast<const u32*>(at + e / Type::per_dword * vgpr_bytes);
    for (unsigned l = 0; l < wave_lanes; ++l)
      to.v[e][l] = Type::value(dwords[l], e % Type::per_dword);
  }
}

// --- sums
// ------------------------------------------------------------------------------------------

ROCDRILL_INLINE F32 add_product(F32 a, F32 b, F32 sum) { return fused(a, b, sum); }
ROCDRILL_INLINE I32 add_product(I32 a, I32 b, I32 sum) {
  return as<I32>(as<U32>(a) * as<U32>(b) + as<U32>(sum));
}

template <class Sum>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type = F32;
};
template <>
struct VectorOf<i32> {
  using Type = I32;
};

/// A vector of them: not through load(), for they are no dwords to the compiler.
ROCDRILL_INLINE U32 values(const void* from) {
  U32 out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}

/// Register `r` of C: a VGPR, an AccVGPR, or a constant for all of them.
ROCDRILL_INLINE U32 addend(const Source& c, unsigned r, unsigned block) {
  return load(c.at + (c.step != 0 ? r * std::size_t{vgpr_bytes} : 0) + block * c.step);
}

/// n is 16 or 32: all lanes of a vector are in one row of D.
template <unsigned n, unsigned blocks_of, unsigned per_lane, class Sum>
void multiply(Wave& w, const Instruction& i, const Source& c, const Values<Sum>& a,
              const Values<Sum>& b) {
  using V = typename VectorOf<Sum>::Type;
  constexpr unsigned groups = wave_lanes / (n * blocks_of);
  constexpr unsigned registers = n * n / wave_lanes;
  std::byte* const to = operand(w, i, dst);
  for (unsigned block = 0; block < blocks_of; ++block) {
    const unsigned from = block_of_a(i, block);
    for (unsigned v = 0; v < blocks; ++v) {
      const unsigned lane = v * width;
      const unsigned column = lane % n + n * block;
      for (unsigned r = 0; r < registers; ++r) {
        const unsigned row = r / 4 * 4 * (wave_lanes / n) + 4 * (lane / n) + r % 4 + n * from;
        V sum = as<V>(addend(c, block * registers + r, v));
        for (unsigned g = 0; g < groups; ++g) {
          const unsigned skip = n * blocks_of * g;
          for (unsigned e = 0; e < per_lane; ++e)
            sum = add_product(as<V>(splat(__builtin_bit_cast(u32, a.v[e][row + skip]))),
                              as<V>(values(&b.v[e][column + skip])), sum);
        }
        *reinterpret_cast<U32u*>(to + (block * registers + r) * std::size_t{vgpr_bytes} +
                                 4 * lane) = as<U32>(sum);
      }
    }
  }
}

/// 16 products of 4 x 4: block l / 4, row r.
template <unsigned per_lane, class Sum>
void multiply_small(Wave& w, const Instruction& i, const Source& c, const Values<Sum>& a,
                    const Values<Sum>& b) {
  using V = typename VectorOf<Sum>::Type;
  std::byte* const to = operand(w, i, dst);
  U32 result[4][blocks];
  for (unsigned r = 0; r < 4; ++r) {
    alignas(64) Sum rows[per_lane][wave_lanes];
    for (unsigned e = 0; e < per_lane; ++e)
      for (unsigned l = 0; l < wave_lanes; ++l) rows[e][l] = a.v[e][4 * block_of_a(i, l / 4) + r];
    for (unsigned v = 0; v < blocks; ++v) {
      V sum = as<V>(addend(c, r, v));
      for (unsigned e = 0; e < per_lane; ++e)
        sum =
            add_product(as<V>(values(&rows[e][v * width])), as<V>(values(&b.v[e][v * width])), sum);
      result[r][v] = as<U32>(sum);
    }
  }
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned v = 0; v < blocks; ++v)
      *reinterpret_cast<U32u*>(to + r * std::size_t{vgpr_bytes} + v * 4 * width) = result[r][v];
}

template <class Type, class TypeB, unsigned n, unsigned blocks_of, unsigned per_lane>
const Instruction* mfma(Wave& w, const Instruction* i) {
  using Sum = typename Type::Sum;
  Values<Sum> a;
  Values<Sum> b;
  read<Type>(w, *i, src0, per_lane, a);
  read<TypeB>(w, *i, src1, per_lane, b);
  permute_b(b, blgp(*i), per_lane);
  const Source c = source(w, *i, src2);
  if constexpr (n == 4) {
    multiply_small<per_lane>(w, *i, c, a, b);
  } else {
    multiply<n, blocks_of, per_lane>(w, *i, c, a, b);
  }
  return i + 1;
}

/// A is sparse: of every four values of k it holds two, whose places are in src2, two bits each.
template <class Type, class TypeB, unsigned n, unsigned per_lane>
const Instruction* smfmac(Wave& w, const Instruction* i) {
  using Sum = typename Type::Sum;
  constexpr unsigned held = per_lane / 2;
  constexpr unsigned index_bits = 2 * held;  // of a lane
  Values<Sum> a{};
  Values<Sum> sparse;
  Values<Sum> b;
  read<Type>(w, *i, src0, held, sparse);
  read<TypeB>(w, *i, src1, per_lane, b);
  const auto* places = reinterpret_cast<const u32*>(operand(w, *i, src2));
  const unsigned shift = cbsz(*i) == 0 ? abid(*i) % (32 / index_bits) * index_bits : 0;
  for (unsigned l = 0; l < wave_lanes; ++l) {
    const u32 places_of_lane = places[l] >> shift;
    for (unsigned e = 0; e < held; ++e)
      a.v[e / 2 * 4 + (places_of_lane >> (2 * e) & 3)][l] = sparse.v[e][l];
  }
  Instruction dense = *i;
  dense.immediate = 0;
  const Source c{operand(w, *i, dst), 4 * width, 0};
  multiply<n, 1, per_lane>(w, dense, c, a, b);
  return i + 1;
}

// --- doubles
// ---------------------------------------------------------------------------------------

void read_doubles(const Wave& w, const Instruction& i, unsigned source, bool negate, double* to,
                  unsigned pair) {
  const std::byte* at = operand(w, i, source);
  const bool constant = i.kind[source] == Kind::constant;
  const auto* low = reinterpret_cast<const u32*>(at + (constant ? 0 : pair * 2 * vgpr_bytes));
  const auto* high = reinterpret_cast<const u32*>(
      at + (constant ? std::size_t{64} : (pair * 2 + 1) * std::size_t{vgpr_bytes}));
  for (unsigned l = 0; l < wave_lanes; ++l) {
    const unsigned lane = constant ? 0 : l;
    const u64 bits = low[lane] | u64{high[lane]} << 32;
    to[l] = __builtin_bit_cast(double, negate ? bits ^ u64{1} << 63 : bits);
  }
}

/// BLGP negates A, B, C. n 16: one product; n 4: four, whose blocks go with the lanes.
template <unsigned n>
const Instruction* mfma_f64(Wave& w, const Instruction* i) {
  constexpr unsigned k_count = 4;
  constexpr unsigned results = n == 16 ? 4 : 1;
  const unsigned negate = blgp(*i);
  double a[wave_lanes];
  double b[wave_lanes];
  double sum[results][wave_lanes];
  read_doubles(w, *i, src0, (negate & 1) != 0, a, 0);
  read_doubles(w, *i, src1, (negate & 2) != 0, b, 0);
  for (unsigned r = 0; r < results; ++r) {
    read_doubles(w, *i, src2, (negate & 4) != 0, sum[r], r);
    for (unsigned l = 0; l < wave_lanes; ++l) {
      const unsigned block = n == 16 ? 0 : l / 4 % 4;
      const unsigned row = l / 16 + 4 * r + n * block_of_a(*i, block);
      const unsigned column = l % n + n * block;
      for (unsigned k = 0; k < k_count; ++k)
        sum[r][l] = __builtin_fma(a[row + 16 * k], b[column + 16 * k], sum[r][l]);
    }
  }
  std::byte* const to = operand(w, *i, dst);
  for (unsigned r = 0; r < results; ++r) {
    auto* low = reinterpret_cast<u32*>(to + 2 * r * std::size_t{vgpr_bytes});
    auto* high = reinterpret_cast<u32*>(to + (2 * r + 1) * std::size_t{vgpr_bytes});
    for (unsigned l = 0; l < wave_lanes; ++l) {
      const u64 bits = __builtin_bit_cast(u64, sum[r][l]);
      low[l] = static_cast<u32>(bits);
      high[l] = static_cast<u32>(bits >> 32);
    }
  }
  return i + 1;
}

#define MFMA(name, A, B, n, blocks_of, per_lane) \
  Entry { "v_mfma_" name, mfma<A, B, n, blocks_of, per_lane>, nullptr, Class::mfma }
#define SMFMAC(name, A, B, n, per_lane) \
  Entry { "v_smfmac_" name, smfmac<A, B, n, per_lane>, nullptr, Class::mfma }
/// The five shapes of a type, as gfx90a and as gfx942 calls them; k of the last two is that of a
/// product in one block.
#define SHAPES(sum, old, now, Type, k, per_lane, k32, k16)            \
  MFMA(sum "_32x32x" #k old, Type, Type, 32, 2, per_lane),            \
      MFMA(sum "_16x16x" #k old, Type, Type, 16, 4, per_lane),        \
      MFMA(sum "_4x4x" #k old, Type, Type, 4, 16, per_lane),          \
      MFMA(sum "_32x32x" #k32 old, Type, Type, 32, 1, per_lane),      \
      MFMA(sum "_16x16x" #k16 old, Type, Type, 16, 1, per_lane),      \
      MFMA(sum "_32x32x" #k "_2b_" now, Type, Type, 32, 2, per_lane), \
      MFMA(sum "_16x16x" #k "_4b_" now, Type, Type, 16, 4, per_lane), \
      MFMA(sum "_4x4x" #k "_16b_" now, Type, Type, 4, 16, per_lane)
#define PAIR(types, A, B)                                                                   \
  MFMA("f32_16x16x32_" types, A, B, 16, 1, 8), MFMA("f32_32x32x16_" types, A, B, 32, 1, 8), \
      SMFMAC("f32_16x16x64_" types, A, B, 16, 16), SMFMAC("f32_32x32x32_" types, A, B, 32, 16)

const Entry table[] = {
    SHAPES("f32", "f32", "f32", Single, 1, 1, 2, 4),
    MFMA("f32_32x32x2_f32", Single, Single, 32, 1, 1),
    MFMA("f32_16x16x4_f32", Single, Single, 16, 1, 1),
    SHAPES("f32", "f16", "f16", Half, 4, 4, 8, 16),
    MFMA("f32_32x32x8_f16", Half, Half, 32, 1, 4),
    MFMA("f32_16x16x16_f16", Half, Half, 16, 1, 4),
    SHAPES("f32", "bf16_1k", "bf16", Bf16, 4, 4, 8, 16),
    MFMA("f32_32x32x8_bf16", Bf16, Bf16, 32, 1, 4),
    MFMA("f32_16x16x16_bf16", Bf16, Bf16, 16, 1, 4),
    MFMA("f32_32x32x2bf16", Bf16, Bf16, 32, 2, 2),
    MFMA("f32_16x16x2bf16", Bf16, Bf16, 16, 4, 2),
    MFMA("f32_4x4x2bf16", Bf16, Bf16, 4, 16, 2),
    MFMA("f32_32x32x4bf16", Bf16, Bf16, 32, 1, 2),
    MFMA("f32_16x16x8bf16", Bf16, Bf16, 16, 1, 2),
    SHAPES("i32", "i8", "i8", Int8, 4, 4, 8, 16),
    MFMA("i32_32x32x16_i8", Int8, Int8, 32, 1, 8),
    MFMA("i32_16x16x32_i8", Int8, Int8, 16, 1, 8),
    MFMA("f32_16x16x8_xf32", XF32, XF32, 16, 1, 2),
    MFMA("f32_32x32x4_xf32", XF32, XF32, 32, 1, 2),
    PAIR("fp8_fp8", Fp8, Fp8),
    PAIR("fp8_bf8", Fp8, Bf8),
    PAIR("bf8_fp8", Bf8, Fp8),
    PAIR("bf8_bf8", Bf8, Bf8),
    SMFMAC("f32_16x16x32_f16", Half, Half, 16, 8),
    SMFMAC("f32_32x32x16_f16", Half, Half, 32, 8),
    SMFMAC("f32_16x16x32_bf16", Bf16, Bf16, 16, 8),
    SMFMAC("f32_32x32x16_bf16", Bf16, Bf16, 32, 8),
    SMFMAC("i32_16x16x64_i8", Int8, Int8, 16, 16),
    SMFMAC("i32_32x32x32_i8", Int8, Int8, 32, 16),
    {"v_mfma_f64_16x16x4f64", mfma_f64<16>, nullptr, Class::mfma},
    {"v_mfma_f64_16x16x4_f64", mfma_f64<16>, nullptr, Class::mfma},
    {"v_mfma_f64_4x4x4f64", mfma_f64<4>, nullptr, Class::mfma},
    {"v_mfma_f64_4x4x4_4b_f64", mfma_f64<4>, nullptr, Class::mfma},
};

}  // namespace

std::span<const Entry> mfma_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
