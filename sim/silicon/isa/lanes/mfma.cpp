// Matrix instructions on single precision sums and on integers. EXEC does not matter to them.
//
// Layout: of a problem of `blocks_of` products of n x n x k, lane l holds of A the row l % n, of B
// the column l % n, of block l / n % blocks_of, and of k the `count` values from
// l / (n * blocks_of) * count on. Register r of D in lane l holds column l % n and, per block of
// n * n / 64 registers, row 4 * (64 / n) * (r / 4) + 4 * (l / n) + r % 4. Where n is 4: block l / 4
// and row r.
//
// Order and rounding of the sums are assumed: one fused multiply-add after the other, k upwards.
#include "sim/silicon/isa/lanes/matrix.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

// --- what is added up ----------------------------------------------------------------------------

struct Floats {
  static ROCDRILL_INLINE U32 add_product(U32 a, U32 b, U32 sum) {
    return as<U32>(fused(as<F32>(a), as<F32>(b), as<F32>(sum)));
  }
};
/// Of dwords that hold two 16-bit integers each.
struct Integers {
  static ROCDRILL_INLINE U32 add_product(U32 a, U32 b, U32 sum) {
#if defined(__AVX512F__)
    return sum + as<U32>(_mm512_madd_epi16(as<__m512i>(a), as<__m512i>(b)));
#elif defined(__AVX2__)
    return sum + as<U32>(_mm256_madd_epi16(as<__m256i>(a), as<__m256i>(b)));
#else
    return sum + as<U32>(_mm_madd_epi16(as<__m128i>(a), as<__m128i>(b)));
#endif
  }
};

// --- types of A and B ----------------------------------------------------------------------------

template <Unpack unpack_, unsigned per_dword_, class Sum_ = Floats>
struct Type {
  static constexpr Unpack unpack = unpack_;
  static constexpr unsigned per_dword = per_dword_;  ///< values in a register
  using Sum = Sum_;
};
using Single = Type<whole_dwords, 1>;
using XF32 = Type<reduced_singles, 1>;
using Bf16 = Type<brain_halves, 2>;
using F16 = Type<halves, 2>;
using NormalF16 = Type<normal_halves, 2>;
using FP8 = Type<tiny_floats<Fp8>, 4>;
using BF8 = Type<tiny_floats<Bf8>, 4>;
using I8 = Type<pairs_of_bytes, 2, Integers>;  // a value is a pair
using OneI8 = Type<single_bytes, 4, Integers>;

// --- C and D -------------------------------------------------------------------------------------

/// Register `r` of C: VGPRs, AccVGPRs, or a constant for all of them.
struct Addend {
  const std::byte* at;
  unsigned register_step, lane_step;
  ROCDRILL_INLINE Addend(const Instruction& i, const Source& c)
      : at(c.at),
        register_step(i.kind[src2] == Kind::constant ? 0 : vgpr_bytes),
        lane_step(i.kind[src2] == Kind::constant ? 0 : 4) {}
  /// What D holds.
  ROCDRILL_INLINE explicit Addend(const std::byte* d)
      : at(d), register_step(vgpr_bytes), lane_step(4) {}
  ROCDRILL_INLINE U32 operator()(unsigned r, unsigned lane) const {
    return load(at + r * register_step + lane * lane_step);
  }
};

/// Where a row of D lies.
template <unsigned n>
struct Place {
  unsigned r, lane;
  ROCDRILL_INLINE explicit Place(unsigned row)
      : r(row / (4 * (wave_lanes / n)) * 4 + row % 4), lane(row / 4 % (wave_lanes / n) * n) {}
};

ROCDRILL_INLINE std::byte* result(std::byte* d, unsigned r, unsigned lane) {
  return d + r * std::size_t{vgpr_bytes} + lane * 4;
}

// --- n 16 or 32 ----------------------------------------------------------------------------------

/// Rows and vectors of columns that are computed at a time: as much as registers hold.
template <unsigned n>
struct Tile {
  static constexpr unsigned rows = 8;
#if defined(__AVX512F__)
  static constexpr unsigned columns = n / width >= 2 ? 2 : 1;
#else
  static constexpr unsigned columns = 1;
#endif
};

template <class Sum, unsigned n, unsigned blocks_of, unsigned count>
ROCDRILL_INLINE void multiply_tile(const Addend& c, std::byte* d, const std::uint32_t* a,
                                   const std::uint32_t* b, unsigned first, unsigned row,
                                   unsigned column) {
  using T = Tile<n>;
  constexpr unsigned groups = wave_lanes / (n * blocks_of);
  U32 sum[T::rows][T::columns];
#pragma GCC unroll 8
  for (unsigned j = 0; j < T::rows; ++j) {
    const Place<n> place(row + j);
#pragma GCC unroll 2
    for (unsigned v = 0; v < T::columns; ++v)
      sum[j][v] = c(first + place.r, place.lane + column + v * width);
  }
  for (unsigned g = 0; g < groups; ++g) {
    for (unsigned e = 0; e < count; ++e) {
      const unsigned from = e * wave_lanes + n * blocks_of * g;
      U32 of_b[T::columns];
#pragma GCC unroll 2
      for (unsigned v = 0; v < T::columns; ++v) of_b[v] = load(b + from + column + v * width);
#pragma GCC unroll 8
      for (unsigned j = 0; j < T::rows; ++j) {
        const U32 of_a = splat(a[from + row + j]);
#pragma GCC unroll 2
        for (unsigned v = 0; v < T::columns; ++v)
          sum[j][v] = Sum::add_product(of_a, of_b[v], sum[j][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (unsigned j = 0; j < T::rows; ++j) {
    const Place<n> place(row + j);
#pragma GCC unroll 2
    for (unsigned v = 0; v < T::columns; ++v)
      store_all(result(d, first + place.r, place.lane + column + v * width), sum[j][v]);
  }
}
template <class Sum, unsigned n, unsigned blocks_of, unsigned count>
ROCDRILL_INLINE void multiply(const Instruction& i, const Addend& c, std::byte* d, const Values& a,
                              const Values& b) {
  for (unsigned block = 0; block < blocks_of; ++block) {
    const std::uint32_t* of_a = a.of[0] + n * block_of_a(i, block);
    const std::uint32_t* of_b = b.of[0] + n * block;
    for (unsigned row = 0; row < n; row += Tile<n>::rows)
      for (unsigned column = 0; column < n; column += Tile<n>::columns * width)
        multiply_tile<Sum, n, blocks_of, count>(c, d, of_a, of_b, block * n * n / wave_lanes, row,
                                                column);
  }
}

// --- 16 products of 4 x 4 ------------------------------------------------------------------------

/// The first block of A's that a block of B is multiplied with, block by block.
ROCDRILL_INLINE void arrange_a(const Instruction& i, Values& a, unsigned count) {
  if (cbsz(i) == 0) return;
  for (unsigned e = 0; e < count; ++e) {
    alignas(64) std::uint32_t lanes[wave_lanes];
    for (unsigned block = 0; block < 16; ++block)
      __builtin_memcpy(lanes + 4 * block, a.of[e] + 4 * block_of_a(i, block), 16);
    __builtin_memcpy(a.of[e], lanes, sizeof lanes);
  }
}

template <class Sum, unsigned count, unsigned row>
ROCDRILL_INLINE U32 small_row(const Addend& c, const Values& a, const Values& b, unsigned lane) {
  U32 sum = c(row, lane);
  for (unsigned e = 0; e < count; ++e) {
    const U32 of_a = at_lane(a.of[e], lane);
    sum = Sum::add_product(shuffle<row * 0x55>(of_a, of_a), at_lane(b.of[e], lane), sum);
  }
  return sum;
}
template <class Sum, unsigned count>
ROCDRILL_INLINE void multiply_small(const Addend& c, std::byte* d, const Values& a,
                                    const Values& b) {
  for (unsigned v = 0; v < blocks; ++v) {
    const unsigned lane = v * width;
    const U32 rows[4] = {
        small_row<Sum, count, 0>(c, a, b, lane), small_row<Sum, count, 1>(c, a, b, lane),
        small_row<Sum, count, 2>(c, a, b, lane), small_row<Sum, count, 3>(c, a, b, lane)};
    for (unsigned r = 0; r < 4; ++r) store_all(result(d, r, lane), rows[r]);
  }
}

template <class A, class B, unsigned n, unsigned blocks_of, unsigned count>
const Instruction* mfma(Wave& w, const Instruction* i) {
  Values a;
  Values b;
  read_values<A::unpack, A::per_dword, count>(operand(w, *i, src0), a);
  read_values<B::unpack, B::per_dword, count>(operand(w, *i, src1), b);
  arrange_b(b, blgp(*i), count);
  const Addend c(*i, source(w, *i, src2));
  std::byte* d = operand(w, *i, dst);
  if constexpr (n == 4) {
    arrange_a(*i, a, count);
    multiply_small<typename A::Sum, count>(c, d, a, b);
  } else {
    multiply<typename A::Sum, n, blocks_of, count>(*i, c, d, a, b);
  }
  return i + 1;
}

// --- types whose denormals MI200 does not know ---------------------------------------------------
// There FP16 and BF16 instructions take denormals as zeros, those of the sums as well. (Source:
// "Numerical accuracy" in PyTorch's documentation.)

template <Handler kept, Handler flushed_to_zero>
const Instruction* by_target(Wave& w, const Instruction* i) {
  return w.matrix_flushes_denormals ? flushing<flushed_to_zero>(w, i) : kept(w, i);
}
template <unsigned n, unsigned blocks_of, unsigned count>
constexpr Handler mfma_f16 =
    by_target<mfma<F16, F16, n, blocks_of, count>, mfma<NormalF16, NormalF16, n, blocks_of, count>>;
template <unsigned n, unsigned blocks_of, unsigned count>
constexpr Handler mfma_bf16 =
    by_target<mfma<Bf16, Bf16, n, blocks_of, count>, mfma<Bf16, Bf16, n, blocks_of, count>>;

// --- sparse A ------------------------------------------------------------------------------------

/// Of every four values of k A holds two; src2 has their places, two bits each. `held`: of A, in a
/// lane; B has twice as many. What is not held is not multiplied.
template <class A, class B, unsigned n, unsigned held>
const Instruction* smfmac(Wave& w, const Instruction* i) {
  constexpr unsigned groups = wave_lanes / n;
  Values a;
  Values b;
  read_values<A::unpack, A::per_dword, held>(operand(w, *i, src0), a);
  read_values<B::unpack, B::per_dword, 2 * held>(operand(w, *i, src1), b);
  const auto* places = reinterpret_cast<const std::uint32_t*>(operand(w, *i, src2));
  // CBSZ 0: ABID says which of the sets in a register.
  constexpr unsigned sets = 32 / (2 * held);
  const unsigned shift = cbsz(*i) == 0 ? abid(*i) % sets * (2 * held) : 0;
  std::byte* d = operand(w, *i, dst);
  const Addend c(d);
  for (unsigned row = 0; row < n; ++row) {
    const Place<n> place(row);
    U32 sum[n / width];
#pragma GCC unroll 8
    for (unsigned v = 0; v < n / width; ++v) sum[v] = c(place.r, place.lane + v * width);
    for (unsigned g = 0; g < groups; ++g) {
      const unsigned lane = row + n * g;
      const std::uint32_t set = places[lane] >> shift;
      for (unsigned e = 0; e < held; ++e) {
        const unsigned k = e / 2 * 4 + (set >> (2 * e) & 3);
        const U32 of_a = splat(a.of[e][lane]);
#pragma GCC unroll 8
        for (unsigned v = 0; v < n / width; ++v)
          sum[v] = A::Sum::add_product(of_a, at_lane(b.of[k], n * g + v * width), sum[v]);
      }
    }
#pragma GCC unroll 8
    for (unsigned v = 0; v < n / width; ++v)
      store_all(result(d, place.r, place.lane + v * width), sum[v]);
  }
  return i + 1;
}

// --- the table -----------------------------------------------------------------------------------

consteval Entry entry(std::string_view mnemonic, Handler run) {
  return {mnemonic, run, nullptr, Class::mfma};
}

/// As gfx908 and gfx90a call it, and as gfx940 and later do.
#define ROCDRILL_MFMA(old_name, new_name, run) \
  entry("v_mfma_" old_name, run), entry("v_mfma_" new_name, run)
#define ROCDRILL_TINY(types, A, B)                                \
  entry("v_mfma_f32_16x16x32_" types, mfma<A, B, 16, 1, 8>),      \
      entry("v_mfma_f32_32x32x16_" types, mfma<A, B, 32, 1, 8>),  \
      entry("v_smfmac_f32_16x16x64_" types, smfmac<A, B, 16, 8>), \
      entry("v_smfmac_f32_32x32x32_" types, smfmac<A, B, 32, 8>)

const Entry table[] = {
    ROCDRILL_MFMA("f32_32x32x1f32", "f32_32x32x1_2b_f32", (mfma<Single, Single, 32, 2, 1>)),
    ROCDRILL_MFMA("f32_16x16x1f32", "f32_16x16x1_4b_f32", (mfma<Single, Single, 16, 4, 1>)),
    ROCDRILL_MFMA("f32_4x4x1f32", "f32_4x4x1_16b_f32", (mfma<Single, Single, 4, 16, 1>)),
    ROCDRILL_MFMA("f32_32x32x2f32", "f32_32x32x2_f32", (mfma<Single, Single, 32, 1, 1>)),
    ROCDRILL_MFMA("f32_16x16x4f32", "f32_16x16x4_f32", (mfma<Single, Single, 16, 1, 1>)),
    ROCDRILL_MFMA("f32_32x32x4f16", "f32_32x32x4_2b_f16", (mfma_f16<32, 2, 4>)),
    ROCDRILL_MFMA("f32_16x16x4f16", "f32_16x16x4_4b_f16", (mfma_f16<16, 4, 4>)),
    ROCDRILL_MFMA("f32_4x4x4f16", "f32_4x4x4_16b_f16", (mfma_f16<4, 16, 4>)),
    ROCDRILL_MFMA("f32_32x32x8f16", "f32_32x32x8_f16", (mfma_f16<32, 1, 4>)),
    ROCDRILL_MFMA("f32_16x16x16f16", "f32_16x16x16_f16", (mfma_f16<16, 1, 4>)),
    ROCDRILL_MFMA("f32_32x32x4bf16_1k", "f32_32x32x4_2b_bf16", (mfma_bf16<32, 2, 4>)),
    ROCDRILL_MFMA("f32_16x16x4bf16_1k", "f32_16x16x4_4b_bf16", (mfma_bf16<16, 4, 4>)),
    ROCDRILL_MFMA("f32_4x4x4bf16_1k", "f32_4x4x4_16b_bf16", (mfma_bf16<4, 16, 4>)),
    ROCDRILL_MFMA("f32_32x32x8bf16_1k", "f32_32x32x8_bf16", (mfma_bf16<32, 1, 4>)),
    ROCDRILL_MFMA("f32_16x16x16bf16_1k", "f32_16x16x16_bf16", (mfma_bf16<16, 1, 4>)),
    entry("v_mfma_f32_32x32x2bf16", mfma_bf16<32, 2, 2>),
    entry("v_mfma_f32_16x16x2bf16", mfma_bf16<16, 4, 2>),
    entry("v_mfma_f32_4x4x2bf16", mfma_bf16<4, 16, 2>),
    entry("v_mfma_f32_32x32x4bf16", mfma_bf16<32, 1, 2>),
    entry("v_mfma_f32_16x16x8bf16", mfma_bf16<16, 1, 2>),
    ROCDRILL_MFMA("i32_32x32x4i8", "i32_32x32x4_2b_i8", (mfma<I8, I8, 32, 2, 2>)),
    ROCDRILL_MFMA("i32_16x16x4i8", "i32_16x16x4_4b_i8", (mfma<I8, I8, 16, 4, 2>)),
    ROCDRILL_MFMA("i32_4x4x4i8", "i32_4x4x4_16b_i8", (mfma<I8, I8, 4, 16, 2>)),
    entry("v_mfma_i32_32x32x8i8", mfma<I8, I8, 32, 1, 2>),
    entry("v_mfma_i32_16x16x16i8", mfma<I8, I8, 16, 1, 2>),
    entry("v_mfma_i32_32x32x16_i8", mfma<I8, I8, 32, 1, 4>),
    entry("v_mfma_i32_16x16x32_i8", mfma<I8, I8, 16, 1, 4>),
    entry("v_mfma_f32_16x16x8_xf32", mfma<XF32, XF32, 16, 1, 2>),
    entry("v_mfma_f32_32x32x4_xf32", mfma<XF32, XF32, 32, 1, 2>),
    ROCDRILL_TINY("fp8_fp8", FP8, FP8),
    ROCDRILL_TINY("fp8_bf8", FP8, BF8),
    ROCDRILL_TINY("bf8_fp8", BF8, FP8),
    ROCDRILL_TINY("bf8_bf8", BF8, BF8),
    entry("v_smfmac_f32_16x16x32_f16", smfmac<F16, F16, 16, 4>),
    entry("v_smfmac_f32_32x32x16_f16", smfmac<F16, F16, 32, 4>),
    entry("v_smfmac_f32_16x16x32_bf16", smfmac<Bf16, Bf16, 16, 4>),
    entry("v_smfmac_f32_32x32x16_bf16", smfmac<Bf16, Bf16, 32, 4>),
    entry("v_smfmac_i32_16x16x64_i8", smfmac<OneI8, OneI8, 16, 8>),
    entry("v_smfmac_i32_32x32x32_i8", smfmac<OneI8, OneI8, 32, 8>),
};

}  // namespace

std::span<const Entry> mfma_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
