// Matrix instructions against plain products: what the kernels of tests/kernels/mfma.cl leave out,
// which is sparse A, broadcast patterns of B, negation of doubles, constants for C.
#include <gtest/gtest.h>

#include <random>

#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

using std::uint32_t;

/// A small whole number as a half: products and sums are exact.
uint32_t half_of(int value) { return static_cast<uint32_t>(half_bits(value)); }

/// Row of D in register r of lane l.
unsigned row_of(unsigned n, unsigned r, unsigned l) {
  return r / 4 * 4 * (64 / n) + 4 * (l / n) + r % 4;
}

struct Random {
  std::mt19937 numbers{7};
  int small() { return static_cast<int>(numbers() % 17) - 8; }
};

/// Two of every four values of k, at places that differ per lane.
TEST(Mfma, SparseA) {
  for (const unsigned n : {16u, 32u}) {
    Machine m("gfx942");
    Random random;
    const unsigned groups = 64 / n;
    const unsigned k_count = 8 * groups;
    std::vector<int> a(n * k_count);
    std::vector<int> b(k_count * n);
    for (int& value : b) value = random.small();
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t places = 0;
      int held[4];
      for (unsigned pair = 0; pair < 2; ++pair) {
        const unsigned first = random.numbers() % 3;
        const unsigned second = first + 1 + random.numbers() % (3 - first);
        for (unsigned e = 0; e < 2; ++e) {
          const unsigned place = e == 0 ? first : second;
          held[2 * pair + e] = random.small();
          places |= place << (4 * pair + 2 * e);
          a[l % n * k_count + 8 * (l / n) + 4 * pair + place] = held[2 * pair + e];
        }
      }
      m.v(0)[l] = places << 8 | 0xEE;  // the second of four sets of indices
      m.v(2)[l] = half_of(held[0]) | half_of(held[1]) << 16;
      m.v(3)[l] = half_of(held[2]) | half_of(held[3]) << 16;
      for (unsigned d = 0; d < 4; ++d) {
        const unsigned k = 8 * (l / n) + 2 * d;
        m.v(4 + d)[l] = half_of(b[k * n + l % n]) | half_of(b[(k + 1) * n + l % n]) << 16;
      }
      for (unsigned r = 0; r < n * n / 64; ++r)
        m.v(8 + r)[l] = std::bit_cast<uint32_t>(static_cast<float>(r));
    }
    ASSERT_EQ(m.run(n == 16 ? "v_smfmac_f32_16x16x32_f16 v[8:11], v[2:3], v[4:7], v0 abid:1"
                            : "v_smfmac_f32_32x32x16_f16 v[8:23], v[2:3], v[4:7], v0 abid:1"),
              isa::Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned r = 0; r < n * n / 64; ++r) {
        int sum = static_cast<int>(r);
        for (unsigned k = 0; k < k_count; ++k)
          sum += a[row_of(n, r, l) * k_count + k] * b[k * n + l % n];
        ASSERT_EQ(std::bit_cast<float>(m.v(8 + r)[l]), static_cast<float>(sum)) << n << " " << l;
      }
    }
  }
}

TEST(Mfma, PatternsOfB) {
  const auto source_lane = [](unsigned pattern, unsigned l) -> unsigned {
    if (pattern == 0) return l;
    if (pattern == 1) return l % 32;
    if (pattern == 2) return 32 + l % 32;
    if (pattern == 3) return (l + 16) % 64;
    return 16 * (pattern - 4) + l % 16;
  };
  for (const isa::Level level : levels()) {
    for (unsigned pattern = 0; pattern < 8; ++pattern) {
      Machine m("gfx90a", level);
      for (unsigned l = 0; l < 64; ++l) {
        m.v(0)[l] = std::bit_cast<uint32_t>(static_cast<float>(l + 1));
        m.v(1)[l] = std::bit_cast<uint32_t>(static_cast<float>(3 * l + 2));
      }
      m.wave().set_exec(1);  // does not matter
      ASSERT_EQ(m.run("v_mfma_f32_32x32x2f32 a[0:15], v0, v1, 1.0 blgp:" + std::to_string(pattern)),
                isa::Stop::ended);
      for (unsigned l = 0; l < 64; ++l) {
        for (unsigned r = 0; r < 16; ++r) {
          float sum = 1.0f;
          for (unsigned k = 0; k < 2; ++k) {
            const unsigned from = source_lane(pattern, l % 32 + 32 * k);
            sum += static_cast<float>(row_of(32, r, l) + 32 * k + 1) *
                   static_cast<float>(3 * from + 2);
          }
          ASSERT_EQ(std::bit_cast<float>(m.a(r)[l]), sum) << pattern << " " << l << " " << r;
        }
      }
    }
  }
}

TEST(Mfma, DoublesAreNegated) {
  Machine m("gfx90a");
  const auto put = [&](unsigned v, unsigned l, double value) {
    const auto bits64 = std::bit_cast<std::uint64_t>(value);
    m.v(v)[l] = static_cast<uint32_t>(bits64);
    m.v(v + 1)[l] = static_cast<uint32_t>(bits64 >> 32);
  };
  for (unsigned negate = 0; negate < 8; ++negate) {
    for (unsigned l = 0; l < 64; ++l) {
      put(0, l, l + 1);
      put(2, l, 2.0 * l - 5);
      put(4, l, 0.5 * l);
    }
    ASSERT_EQ(
        m.run("v_mfma_f64_4x4x4f64 v[6:7], v[0:1], v[2:3], v[4:5] blgp:" + std::to_string(negate)),
        isa::Stop::ended);
    for (unsigned l = 0; l < 64; ++l) {
      const unsigned block = l / 4 % 4;
      double sum = 0.5 * l * ((negate & 4) != 0 ? -1 : 1);
      for (unsigned k = 0; k < 4; ++k)
        sum += (l / 16 + 4 * block + 16 * k + 1.0) * ((negate & 1) != 0 ? -1 : 1) *
               (2.0 * (l % 4 + 4 * block + 16 * k) - 5) * ((negate & 2) != 0 ? -1 : 1);
      const std::uint64_t got = m.v(6)[l] | std::uint64_t{m.v(7)[l]} << 32;
      ASSERT_EQ(std::bit_cast<double>(got), sum) << negate << " " << l;
    }
  }
}

TEST(Mfma, AShapeThatTheTargetLacksIsIllegal) {
  Machine m("gfx90a");
  // v_mfma_f32_16x16x32_fp8_fp8 of gfx942
  EXPECT_EQ(m.run(".long 0xd3f38000\n.long 0x04020500"), isa::Stop::exception);
  EXPECT_EQ(m.wave().exception.code, cp::KfdException::wave_illegal_instruction);
}

}  // namespace
}  // namespace rocdrill::test
