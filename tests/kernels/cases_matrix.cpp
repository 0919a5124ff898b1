// Matrix products: tiled through LDS and registers, and by matrix instructions.
//
// Small whole numbers give exact sums in any order, so that each element must be there bit for bit.
// Of fractions the hardware's order and roundings are its own: they are near.
#include <array>
#include <bit>
#include <functional>

#include "kernels/cases.hpp"

extern "C" {
void twin_sgemm(unsigned, unsigned, unsigned, const float*, const float*, float*);
void twin_dgemm(unsigned, unsigned, unsigned, const double*, const double*, double*);
void twin_hgemm(unsigned, unsigned, unsigned, const rocdrill::test::Half*,
                const rocdrill::test::Half*, rocdrill::test::Half*);
void twin_sgemm_registers(unsigned, const float*, const float*, float*);
void twin_mfma_hgemm(unsigned, unsigned, const rocdrill::test::Half*, const rocdrill::test::Half*,
                     float*);
}

extern "C" {
using MfmaTwin = void(const void*, const void*, const void*, void*);
MfmaTwin twin_mfma_f32_32x32x1f32, twin_mfma_f32_16x16x1f32, twin_mfma_f32_4x4x1f32,
    twin_mfma_f32_32x32x2f32, twin_mfma_f32_16x16x4f32, twin_mfma_broadcast,
    twin_mfma_f32_32x32x4f16, twin_mfma_f32_16x16x4f16, twin_mfma_f32_4x4x4f16,
    twin_mfma_f32_32x32x8f16, twin_mfma_f32_16x16x16f16, twin_mfma_f32_32x32x4bf16_1k,
    twin_mfma_f32_16x16x4bf16_1k, twin_mfma_f32_4x4x4bf16_1k, twin_mfma_f32_32x32x8bf16_1k,
    twin_mfma_f32_16x16x16bf16_1k, twin_mfma_f32_32x32x2bf16, twin_mfma_f32_16x16x2bf16,
    twin_mfma_f32_4x4x2bf16, twin_mfma_f32_32x32x4bf16, twin_mfma_f32_16x16x8bf16,
    twin_mfma_i32_32x32x4i8, twin_mfma_i32_16x16x4i8, twin_mfma_i32_4x4x4i8,
    twin_mfma_i32_32x32x8i8, twin_mfma_i32_16x16x16i8, twin_mfma_i32_32x32x16_i8,
    twin_mfma_i32_16x16x32_i8, twin_mfma_f64_16x16x4f64, twin_mfma_f64_4x4x4f64,
    twin_mfma_f32_16x16x8_xf32, twin_mfma_f32_32x32x4_xf32, twin_mfma_f32_16x16x32_fp8_fp8,
    twin_mfma_f32_32x32x16_fp8_fp8, twin_mfma_f32_16x16x32_fp8_bf8, twin_mfma_f32_32x32x16_fp8_bf8,
    twin_mfma_f32_16x16x32_bf8_fp8, twin_mfma_f32_32x32x16_bf8_fp8, twin_mfma_f32_16x16x32_bf8_bf8,
    twin_mfma_f32_32x32x16_bf8_bf8, twin_smfmac_f32_16x16x32_f16, twin_smfmac_f32_32x32x16_f16,
    twin_smfmac_i32_16x16x64_i8, twin_smfmac_i32_32x32x32_i8;
}

namespace rocdrill::test {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

template <class T>
void gemm(Trial& t, const char* name,
          void (*twin)(unsigned, unsigned, unsigned, const T*, const T*, T*)) {
  const u32 m = t.whole(20u, 40u), n = t.whole(20u, 40u), k = t.whole(20u, 60u);
  auto a = t.reals<T>(m * k, -1, 1);
  auto b = t.reals<T>(k * n, -1, 1);
  auto c = t.zeros<T>(m * n);
  const twin::Grid grid{{(n + 15) / 16 * 16, (m + 15) / 16 * 16, 1}, {16, 16, 1}};
  t.launch(name, twin, grid, m, n, k, a, b, c);
  expect_same("c", c);
}
void sgemm(Trial& t) { gemm<float>(t, "sgemm", twin_sgemm); }
void dgemm(Trial& t) { gemm<double>(t, "dgemm", twin_dgemm); }
void hgemm(Trial& t) { gemm<Half>(t, "hgemm", twin_hgemm); }

void sgemm_registers(Trial& t) {
  constexpr u32 n = 64;
  auto a = t.reals<float>(n * n, -1, 1);
  auto b = t.reals<float>(n * n, -1, 1);
  auto c = t.zeros<float>(n * n);
  t.launch("sgemm_registers", twin_sgemm_registers, twin::Grid{{16, 16, 1}, {8, 8, 1}}, n, a, b, c);
  expect_same("c", c);
}

struct Mfma {
  const char* name;
  void (*twin)(const void*, const void*, const void*, void*);
  u32 n, k, blocks;
};
#define MFMA(name, n, k, blocks) \
  Mfma { #name, twin_##name, n, k, blocks }

/// `element`: of A and B. Three waves, each with a problem of its own.
template <class A, class B, class C>
Array<C> multiply(Trial& t, const Mfma& one, const std::function<A()>& a_element,
                  const std::function<B()>& b_element, const std::function<C()>& addend) {
  constexpr u32 waves = 3;
  auto a = t.array<A>(waves * one.blocks * one.n * one.k, a_element);
  auto b = t.array<B>(waves * one.blocks * one.n * one.k, b_element);
  auto c = t.array<C>(waves * one.blocks * one.n * one.n, addend);
  auto d = t.zeros<C>(waves * one.blocks * one.n * one.n);
  t.launch(one.name, one.twin, line(waves * 64, 64), a, b, c, d);
  return d;
}

/// `encode` makes an A of a float.
template <class A, class C, class Encode>
void float_products(Trial& t, std::initializer_list<Mfma> list, Encode encode, double error) {
  for (const Mfma& one : list) {
    const std::function<A()> whole = [&] { return encode(t.whole(-8, 8)); };
    auto exact = multiply<A, A, C>(t, one, whole, whole, [&] { return C(t.whole(-100, 100)); });
    expect_same(one.name, exact);
    const std::function<A()> real = [&] { return encode(t.real(-1, 1)); };
    auto rounded = multiply<A, A, C>(t, one, real, real, [&] { return C(t.real(-1, 1)); });
    expect_near(one.name, rounded, error);
  }
}

constexpr double few_roundings = 1e-5;  // of sums of up to 33 terms below 1, in float

void mfma_f32(Trial& t) {
  float_products<float, float>(
      t,
      {MFMA(mfma_f32_32x32x1f32, 32, 1, 2), MFMA(mfma_f32_16x16x1f32, 16, 1, 4),
       MFMA(mfma_f32_4x4x1f32, 4, 1, 16), MFMA(mfma_f32_32x32x2f32, 32, 2, 1),
       MFMA(mfma_f32_16x16x4f32, 16, 4, 1), MFMA(mfma_broadcast, 4, 1, 16)},
      [](double x) { return static_cast<float>(x); }, few_roundings);
}

/// Without denormals, which MI200 takes as zeros (tests/unit/isa/mfma_shapes_test.cpp).
Half normal_half(double x) {
  constexpr double smallest = 0x1p-14;
  return static_cast<Half>(std::abs(x) < smallest ? 0.0 : x);
}

void mfma_f16(Trial& t) {
  float_products<Half, float>(
      t,
      {MFMA(mfma_f32_32x32x4f16, 32, 4, 2), MFMA(mfma_f32_16x16x4f16, 16, 4, 4),
       MFMA(mfma_f32_4x4x4f16, 4, 4, 16), MFMA(mfma_f32_32x32x8f16, 32, 8, 1),
       MFMA(mfma_f32_16x16x16f16, 16, 16, 1)},
      normal_half, few_roundings);
}

u16 bf16(double x) { return static_cast<u16>(std::bit_cast<u32>(static_cast<float>(x)) >> 16); }

void mfma_bf16(Trial& t) {
  float_products<u16, float>(
      t,
      {MFMA(mfma_f32_32x32x4bf16_1k, 32, 4, 2), MFMA(mfma_f32_16x16x4bf16_1k, 16, 4, 4),
       MFMA(mfma_f32_4x4x4bf16_1k, 4, 4, 16), MFMA(mfma_f32_32x32x8bf16_1k, 32, 8, 1),
       MFMA(mfma_f32_16x16x16bf16_1k, 16, 16, 1)},
      bf16, few_roundings);
}

void mfma_bf16_early(Trial& t) {
  float_products<u16, float>(
      t,
      {MFMA(mfma_f32_32x32x2bf16, 32, 2, 2), MFMA(mfma_f32_16x16x2bf16, 16, 2, 4),
       MFMA(mfma_f32_4x4x2bf16, 4, 2, 16), MFMA(mfma_f32_32x32x4bf16, 32, 4, 1),
       MFMA(mfma_f32_16x16x8bf16, 16, 8, 1)},
      bf16, few_roundings);
}

void mfma_f64(Trial& t) {
  float_products<double, double>(
      t, {MFMA(mfma_f64_16x16x4f64, 16, 4, 1), MFMA(mfma_f64_4x4x4f64, 4, 4, 4)},
      [](double x) { return x; }, 4e-15);
}

/// Ten bits of fraction are all that is multiplied.
void mfma_xf32(Trial& t) {
  float_products<float, float>(
      t, {MFMA(mfma_f32_16x16x8_xf32, 16, 8, 1), MFMA(mfma_f32_32x32x4_xf32, 32, 4, 1)},
      [](double x) {
        return std::bit_cast<float>(std::bit_cast<u32>(static_cast<float>(x)) & 0xFFFFE000u);
      },
      few_roundings);
}

void int8_products(Trial& t, std::initializer_list<Mfma> list) {
  using Int8 = std::int8_t;
  using Int32 = std::int32_t;
  for (const Mfma& one : list) {
    const std::function<Int8()> any = [&] { return static_cast<Int8>(t.random()()); };
    auto d = multiply<Int8, Int8, Int32>(t, one, any, any,
                                         [&] { return t.whole<Int32>(-1000000000, 1000000000); });
    expect_same(one.name, d);
  }
}
void mfma_i8(Trial& t) {
  int8_products(t, {MFMA(mfma_i32_32x32x4i8, 32, 4, 2), MFMA(mfma_i32_16x16x4i8, 16, 4, 4),
                    MFMA(mfma_i32_4x4x4i8, 4, 4, 16)});
}
void mfma_i8_early(Trial& t) {
  int8_products(t, {MFMA(mfma_i32_32x32x8i8, 32, 8, 1), MFMA(mfma_i32_16x16x16i8, 16, 16, 1)});
}
void mfma_i8_gfx942(Trial& t) {
  int8_products(t, {MFMA(mfma_i32_32x32x16_i8, 32, 16, 1), MFMA(mfma_i32_16x16x32_i8, 16, 32, 1)});
}

/// FNUZ formats: 1.0 is 0x40 in both; 0x80 is the NaN.
void mfma_fp8(Trial& t) {
  struct Pair {
    Mfma mfma;
    double most_a, most_b;  ///< the greatest value of the format
  };
  constexpr double fp8 = 240, bf8 = 57344;
  const Pair pairs[] = {{MFMA(mfma_f32_16x16x32_fp8_fp8, 16, 32, 1), fp8, fp8},
                        {MFMA(mfma_f32_32x32x16_fp8_fp8, 32, 16, 1), fp8, fp8},
                        {MFMA(mfma_f32_16x16x32_fp8_bf8, 16, 32, 1), fp8, bf8},
                        {MFMA(mfma_f32_32x32x16_fp8_bf8, 32, 16, 1), fp8, bf8},
                        {MFMA(mfma_f32_16x16x32_bf8_fp8, 16, 32, 1), bf8, fp8},
                        {MFMA(mfma_f32_32x32x16_bf8_fp8, 32, 16, 1), bf8, fp8},
                        {MFMA(mfma_f32_16x16x32_bf8_bf8, 16, 32, 1), bf8, bf8},
                        {MFMA(mfma_f32_32x32x16_bf8_bf8, 32, 16, 1), bf8, bf8}};
  for (const Pair& pair : pairs) {
    const std::function<u8()> small = [&] {
      return static_cast<u8>(t.whole(0x3Cu, 0x4Fu) | t.whole(0u, 1u) << 7);
    };
    auto exact = multiply<u8, u8, float>(t, pair.mfma, small, small,
                                         [&] { return static_cast<float>(t.whole(-100, 100)); });
    expect_same(pair.mfma.name, exact);
    const std::function<u8()> any = [&] {
      const auto bits = static_cast<u8>(t.random()());
      return bits == 0x80 ? u8{0} : bits;
    };
    auto rounded =
        multiply<u8, u8, float>(t, pair.mfma, any, any, [&] { return float(t.real(-1, 1)); });
    expect_near(pair.mfma.name, rounded, pair.most_a * pair.most_b * 32 * 0x1p-22);
  }
}

/// Pairs of places among four, in ascending order, 2 bits each.
u32 sparse_index(Trial& t) {
  constexpr std::array<u32, 6> pairs{0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110};
  u32 index = 0;
  for (u32 at = 0; at < 32; at += 4) index |= pairs[t.whole(0u, 5u)] << at;
  return index;
}
template <class A, class C>
void sparse(Trial& t, const Mfma& one) {
  const auto small = [&] { return t.whole(-8, 8); };
  auto a = t.array<A>(one.n * one.k / 2, small);
  auto b = t.array<A>(one.n * one.k, small);
  auto index = t.array<u32>(64, [&] { return sparse_index(t); });
  auto d = t.array<C>(one.n * one.n, small);
  t.launch(one.name, one.twin, line(64, 64), a, b, index, d);
  expect_same(one.name, d);
}
void smfmac(Trial& t) {
  sparse<Half, float>(t, MFMA(smfmac_f32_16x16x32_f16, 16, 32, 1));
  sparse<Half, float>(t, MFMA(smfmac_f32_32x32x16_f16, 32, 16, 1));
  sparse<std::int8_t, std::int32_t>(t, MFMA(smfmac_i32_16x16x64_i8, 16, 64, 1));
  sparse<std::int8_t, std::int32_t>(t, MFMA(smfmac_i32_32x32x32_i8, 32, 32, 1));
}

void mfma_hgemm(Trial& t) {
  constexpr u32 n = 64, k = 96;
  auto a = t.array<Half>(n * k, [&] { return t.whole(-8, 8); });
  auto b = t.array<Half>(n * k, [&] { return t.whole(-8, 8); });
  auto c = t.array<float>(n * n, [&] { return t.whole(-100, 100); });
  t.launch("mfma_hgemm", twin_mfma_hgemm, twin::Grid{{2 * 64, 2, 1}, {64, 1, 1}}, n, k, a, b, c);
  expect_same("c", c);
}

constexpr char all_cdna[] = "gfx908 gfx90a gfx942";

const Case table[] = {{"sgemm", "gemm", sgemm},
                      {"dgemm", "gemm", dgemm},
                      {"hgemm", "gemm", hgemm},
                      {"sgemm_registers", "gemm", sgemm_registers},
                      {"mfma_f32", "mfma", mfma_f32, all_cdna},
                      {"mfma_f16", "mfma", mfma_f16, all_cdna},
                      {"mfma_bf16", "mfma", mfma_bf16, "gfx90a gfx942"},
                      {"mfma_bf16_early", "mfma", mfma_bf16_early, "gfx908 gfx90a"},
                      {"mfma_f64", "mfma", mfma_f64, "gfx90a gfx942"},
                      {"mfma_xf32", "mfma", mfma_xf32, "gfx942"},
                      {"mfma_i8", "mfma", mfma_i8, all_cdna},
                      {"mfma_i8_early", "mfma", mfma_i8_early, "gfx908 gfx90a"},
                      {"mfma_i8_gfx942", "mfma", mfma_i8_gfx942, "gfx942"},
                      {"mfma_fp8", "mfma", mfma_fp8, "gfx942"},
                      {"smfmac", "mfma", smfmac, "gfx942"},
                      {"mfma_hgemm", "mfma", mfma_hgemm, all_cdna}};

}  // namespace

std::span<const Case> matrix_cases() { return table; }

}  // namespace rocdrill::test
