// Matrix instructions on doubles. BLGP negates: A, B and C. EXEC does not matter.
//
// Layout: lane l holds of A the row and of B the column l % n of block l / n % blocks, and k
// l / 16. Register pair r of D in lane l holds column l % n and row l / 16 + 4 * r of the block.
//
// Order and rounding of the sums are assumed: one fused multiply-add after the other, k upwards.
#include "sim/silicon/isa/lanes/matrix.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

constexpr unsigned k_count = 4;

/// One double per lane, in the order of widen(): of each `width` lanes those of its `a`, then of
/// `b`.
struct alignas(64) Doubles {
  double of[wave_lanes];
};
/// Where a lane's is.
ROCDRILL_INLINE constexpr unsigned at(unsigned lane) {
  return lane / width * width + (lane >> 1 & 1) * (width / 2) + lane % width / 4 * 2 + (lane & 1);
}
ROCDRILL_INLINE D64 vectors(const Doubles& from, unsigned lane) {
  return {*reinterpret_cast<const F64*>(from.of + lane),
          *reinterpret_cast<const F64*>(from.of + lane + width / 2)};
}

ROCDRILL_INLINE D64 read(const Source& source, unsigned pair, unsigned block, U32 flip) {
  const std::byte* from =
      source.at + block * source.step + (source.step != 0 ? pair * 2 * std::size_t{vgpr_bytes} : 0);
  return doubles(widen(load(from), load(from + source.high) ^ flip));
}
ROCDRILL_INLINE U32 sign_if(bool negative) { return splat(negative ? 0x80000000u : 0u); }

ROCDRILL_INLINE void read_all(const Source& source, bool negative, Doubles& to) {
  for (unsigned v = 0; v < blocks; ++v) {
    const D64 value = read(source, 0, v, sign_if(negative));
    *reinterpret_cast<F64*>(to.of + v * width) = value.a;
    *reinterpret_cast<F64*>(to.of + v * width + width / 2) = value.b;
  }
}
ROCDRILL_INLINE void write(std::byte* d, unsigned pair, unsigned block, D64 value) {
  std::byte* to = d + pair * 2 * std::size_t{vgpr_bytes} + block * 4 * width;
  store_all(to, low_dwords(bits64(value)));
  store_all(to + vgpr_bytes, high_dwords(bits64(value)));
}

/// One product of 16 x 16 x 4.
ROCDRILL_INLINE void multiply(const Instruction&, const Doubles& a, const Doubles& b,
                              const Source& c, U32 flip_c, std::byte* d) {
  for (unsigned v = 0; v < blocks; ++v) {
    const unsigned lane = v * width;
    D64 sum[4];
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) sum[r] = read(c, r, v, flip_c);
    for (unsigned k = 0; k < k_count; ++k) {
      const D64 of_b = vectors(b, lane % 16 + 16 * k);
#pragma GCC unroll 4
      for (unsigned r = 0; r < 4; ++r) {
        const F64 of_a = splat_d(a.of[at(lane / 16 + 4 * r + 16 * k)]);
        sum[r] = fused(D64{of_a, of_a}, of_b, sum[r]);
      }
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < 4; ++r) write(d, r, v, sum[r]);
  }
}

/// Four products of 4 x 4 x 4.
ROCDRILL_INLINE void multiply_small(const Instruction& i, const Doubles& a, const Doubles& b,
                                    const Source& c, U32 flip_c, std::byte* d) {
  Doubles rows[k_count];
  for (unsigned k = 0; k < k_count; ++k)
    for (unsigned l = 0; l < wave_lanes; ++l)
      rows[k].of[at(l)] = a.of[at(l / 16 + 4 * block_of_a(i, l / 4 % 4) + 16 * k)];
  for (unsigned v = 0; v < blocks; ++v) {
    const unsigned lane = v * width;
    D64 sum = read(c, 0, v, flip_c);
    for (unsigned k = 0; k < k_count; ++k)
      sum = fused(vectors(rows[k], lane), vectors(b, lane % 16 + 16 * k), sum);
    write(d, 0, v, sum);
  }
}

template <unsigned n>
const Instruction* mfma(Wave& w, const Instruction* i) {
  Doubles a;
  Doubles b;
  const unsigned negative = blgp(*i);
  read_all(source<2>(w, *i, src0), (negative & 1) != 0, a);
  read_all(source<2>(w, *i, src1), (negative & 2) != 0, b);
  const Source c = source<2>(w, *i, src2);
  const U32 flip_c = sign_if((negative & 4) != 0);
  std::byte* d = operand(w, *i, dst);
  if constexpr (n == 16) {
    multiply(*i, a, b, c, flip_c, d);
  } else {
    multiply_small(*i, a, b, c, flip_c, d);
  }
  return i + 1;
}

consteval Entry entry(std::string_view mnemonic, Handler run) {
  return {mnemonic, run, nullptr, Class::mfma};
}

const Entry table[] = {
    entry("v_mfma_f64_16x16x4f64", mfma<16>),
    entry("v_mfma_f64_16x16x4_f64", mfma<16>),
    entry("v_mfma_f64_4x4x4f64", mfma<4>),
    entry("v_mfma_f64_4x4x4_4b_f64", mfma<4>),
};

}  // namespace

std::span<const Entry> mfma_double_entries() { return table; }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
