// Single precision: arithmetic, minimum and maximum, parts of a number, cube maps.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

constexpr std::uint32_t ieee = 1 << 9;

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
/// MAD rounds twice and knows no denormals.
float mad(float a, float b, float c) {
  const float product = flush(flush(a) * flush(b));
  return flush(product + flush(c));
}
float times_legacy(float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }

bool signals(Bits value) { return std::isnan(f32(value)) && (value & 0x400000) == 0; }
/// Which of two signalling NaNs is left is not compared.
std::vector<Row> without_two_signals(const std::string& types) {
  std::vector<Row> rows = rows_for(types);
  for (Row& row : rows)
    if (signals(row[0]) + signals(row[1]) + signals(row[2]) > 1) row = rows.front();
  return rows;
}
void check_exactly(const FloatOperation& operation, Options options = {}) {
  options.exact_nan = true;
  for (const isa::Level level : levels()) {
    options.level = level;
    check(operation, without_two_signals(operation.types), options);
  }
}

/// The table of V_MIN_F32 and V_MAX_F32 in the ISA guides.
Bits extreme(Bits a, Bits b, bool least, bool is_ieee) {
  if (is_ieee && signals(a)) return a | 0x400000;
  if (is_ieee && signals(b)) return b | 0x400000;
  if (std::isnan(f32(a))) return b;
  if (std::isnan(f32(b))) return a;
  if (f32(a) == 0 && f32(b) == 0) return least ? a | b : a & b;
  return (f32(a) < f32(b)) == least ? a : b;
}
Bits minimum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, true, true); }
Bits maximum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, false, true); }
Bits minimum3(Bits a, Bits b, Bits c, Bits) { return minimum(minimum(a, b, 0, 0), c, 0, 0); }
Bits maximum3(Bits a, Bits b, Bits c, Bits) { return maximum(maximum(a, b, 0, 0), c, 0, 0); }
Bits median(Bits a, Bits b, Bits c, Bits) {
  if (std::isnan(f32(a)) || std::isnan(f32(b)) || std::isnan(f32(c))) return minimum3(a, b, c, 0);
  const float most = f32(maximum3(a, b, c, 0));
  if (most == f32(a)) return maximum(b, c, 0, 0);
  if (most == f32(b)) return maximum(a, c, 0, 0);
  return maximum(a, b, 0, 0);
}

float fraction(float x) { return std::fmin(x - std::floor(x), 0x0.ffffffp0f); }
Bits fraction_of(Bits a, Bits, Bits, Bits) {
  const float x = f32(a);
  return std::isfinite(x) ? bits(fraction(x)) : bits(std::nanf(""));
}

float cube(float x, float y, float z, int what) {
  const bool is_z = std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y);
  const bool is_y = !is_z && std::fabs(y) >= std::fabs(x);
  const float axis = is_z ? z : is_y ? y : x;
  const bool negative = axis < 0;
  const float id = (is_z ? 4.0f : is_y ? 2.0f : 0.0f) + (negative ? 1.0f : 0.0f);
  const float s = is_z ? (negative ? -x : x) : is_y ? x : negative ? z : -z;
  const float t = is_y ? (negative ? -z : z) : -y;
  return what == 0 ? id : what == 1 ? s : what == 2 ? t : axis * 2;
}

TEST(Float, Arithmetic) {
  check_modified({"v_add_f32", "fff", on([](float a, float b) { return a + b; })});
  check_modified({"v_sub_f32", "fff", on([](float a, float b) { return a - b; })});
  check_modified({"v_subrev_f32", "fff", on([](float a, float b) { return b - a; })});
  check_modified({"v_mul_f32", "fff", on([](float a, float b) { return a * b; })});
  check_modified(
      {"v_fma_f32", "ffff", on([](float a, float b, float c) { return std::fma(a, b, c); })});
  Options vop3;
  vop3.encoding = "";
  check_everywhere({"v_mul_legacy_f32", "fff", on(times_legacy)}, vop3);
}

TEST(Float, Accumulates) {
  const auto fmac = [](Bits a, Bits b, Bits, Bits before) {
    return bits(std::fma(f32(a), f32(b), f32(before)));
  };
  check_modified({"v_fmac_f32", "fff", fmac});
  const auto mac = [](Bits a, Bits b, Bits, Bits before) {
    return bits(mad(f32(a), f32(b), f32(before)));
  };
  check_everywhere({"v_mac_f32", "fff", mac});
}

TEST(Float, MadFlushesDenormalsAndRoundsTwice) {
  check_everywhere({"v_mad_f32", "ffff", on(mad)});
  check_everywhere({"v_mad_legacy_f32", "ffff", on([](float a, float b, float c) {
                      const float product = flush(times_legacy(flush(a), flush(b)));
                      return flush(product + flush(c));
                    })});
}

TEST(Float, LiteralsInTheMiddleAndAtTheEnd) {
  const float k = 0.1f;
  const std::vector<Row> rows = rows_for("fff", 200);
  for (const isa::Level level : levels()) {
    for (const std::string processor : {"gfx90a", "gfx942"}) {
      const bool fused = processor == "gfx942";
      Machine m(processor, level);
      for (unsigned lane = 0; lane < 64; ++lane) {
        m.v(1)[lane] = static_cast<std::uint32_t>(rows[lane + 800][0]);
        m.v(2)[lane] = static_cast<std::uint32_t>(rows[lane + 800][1]);
      }
      ASSERT_EQ(m.run(fused ? "v_fmaak_f32 v3, v1, v2, 0x3dcccccd\n"
                              "v_fmamk_f32 v4, v1, 0x3dcccccd, v2"
                            : "v_madak_f32 v3, v1, v2, 0x3dcccccd\n"
                              "v_madmk_f32 v4, v1, 0x3dcccccd, v2"),
                isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const float a = f32(m.v(1)[lane]);
        const float b = f32(m.v(2)[lane]);
        const float ak = fused ? std::fma(a, b, k) : mad(a, b, k);
        const float mk = fused ? std::fma(a, k, b) : mad(a, k, b);
        EXPECT_TRUE(std::isnan(ak) || m.v(3)[lane] == bits(ak)) << ak;
        EXPECT_TRUE(std::isnan(mk) || m.v(4)[lane] == bits(mk)) << mk;
      }
    }
  }
}

TEST(Float, ObeysTheRoundingMode) {
  for (const std::uint32_t rounding : {1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding;
    check_everywhere({"v_add_f32", "fff", on([](float a, float b) { return a + b; })}, options);
    check_everywhere({"v_mul_f32", "fff", on([](float a, float b) { return a * b; })}, options);
    check_everywhere(
        {"v_fma_f32", "ffff", on([](float a, float b, float c) { return std::fma(a, b, c); })},
        options);
    check_everywhere({"v_rndne_f32", "ff",
                      [](Bits a, Bits, Bits, Bits) {
                        std::fesetround(FE_TONEAREST);
                        return bits(std::nearbyint(f32(a)));
                      }},
                     options);
  }
}

TEST(Float, FlushesDenormalsWhereModeSaysSo) {
  Options options;
  options.mode &= ~0x30u;
  check_everywhere(
      {"v_add_f32", "fff", on([](float a, float b) { return flush(flush(a) + flush(b)); })},
      options);
  check_everywhere(
      {"v_mul_f32", "fff", on([](float a, float b) { return flush(flush(a) * flush(b)); })},
      options);
  check_exactly({"v_min_f32", "fff",
                 [](Bits a, Bits b, Bits, Bits) {
                   return minimum(bits(flush(f32(a))), bits(flush(f32(b))), 0, 0);
                 }},
                options);
  check_everywhere({"v_frexp_mant_f32", "ff",
                    [](Bits a, Bits, Bits, Bits) {
                      int power;
                      const float x = flush(f32(a));
                      return std::isnan(x) ? a | 0x400000 : bits(std::frexp(x, &power));
                    }},
                   options);
}

TEST(Float, MinimumAndMaximum) {
  check_exactly({"v_min_f32", "fff", minimum});
  check_exactly({"v_max_f32", "fff", maximum});
  check_exactly({"v_min3_f32", "ffff", minimum3});
  check_exactly({"v_max3_f32", "ffff", maximum3});
  check_exactly({"v_med3_f32", "ffff", median});
  check_modified({"v_min_f32", "fff", minimum});
  check_modified({"v_min3_f32", "ffff", minimum3});
  check_modified({"v_max3_f32", "ffff", maximum3});
  check_modified({"v_max_f32", "fff", maximum});
  check_modified({"v_med3_f32", "ffff", median});
  Options options;
  options.exact_nan = true;
  options.mode &= ~ieee;
  check_everywhere(
      {"v_min_f32", "fff", [](Bits a, Bits b, Bits, Bits) { return extreme(a, b, true, false); }},
      options);
  check_everywhere(
      {"v_max_f32", "fff", [](Bits a, Bits b, Bits, Bits) { return extreme(a, b, false, false); }},
      options);
}

TEST(Float, RoundsToIntegers) {
  check_modified({"v_trunc_f32", "ff", on([](float a) { return std::trunc(a); })});
  check_modified({"v_ceil_f32", "ff", on([](float a) { return std::ceil(a); })});
  check_modified({"v_floor_f32", "ff", on([](float a) { return std::floor(a); })});
  check_modified({"v_rndne_f32", "ff", on([](float a) { return std::nearbyint(a); })});
  check_modified({"v_fract_f32", "ff", fraction_of});
}

TEST(Float, PartsOfANumber) {
  check_modified({"v_frexp_mant_f32", "ff", on([](float a) {
                    int power;
                    return std::frexp(a, &power);
                  })});
  const auto exponent = [](Bits a, Bits, Bits, Bits) -> Bits {
    int power = 0;
    if (std::isfinite(f32(a))) std::frexp(f32(a), &power);
    return static_cast<std::uint32_t>(power);
  };
  check_modified({"v_frexp_exp_i32_f32", "if", exponent});
  const auto ldexp = [](Bits a, Bits b, Bits, Bits) {
    return bits(std::ldexp(f32(a), static_cast<std::int32_t>(b)));
  };
  Options vop3;
  check_modified({"v_ldexp_f32", "ffi", ldexp}, vop3);
}

TEST(Float, CubeMaps) {
  Options exact;
  exact.exact_nan = true;
  check_everywhere(
      {"v_cubeid_f32", "ffff", on([](float x, float y, float z) { return cube(x, y, z, 0); })});
  check_everywhere(
      {"v_cubesc_f32", "ffff",
       [](Bits x, Bits y, Bits z, Bits) { return bits(cube(f32(x), f32(y), f32(z), 1)); }},
      exact);
  check_everywhere(
      {"v_cubetc_f32", "ffff",
       [](Bits x, Bits y, Bits z, Bits) { return bits(cube(f32(x), f32(y), f32(z), 2)); }},
      exact);
  check_everywhere(
      {"v_cubema_f32", "ffff", on([](float x, float y, float z) { return cube(x, y, z, 3); })});
}

TEST(Float, SourcesOfEveryKind) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(1)[lane] = bits(static_cast<float>(lane));
    m.s(6) = static_cast<std::uint32_t>(bits(100.0f));
    ASSERT_EQ(m.run("v_add_f32 v2, 1.0, v1\n v_add_f32 v3, 0x3e000000, v1\n v_add_f32 v4, s6, v1\n"
                    "v_fma_f32 v5, v1, s6, s6\n v_mul_f32 v6, 0.15915494, v1\n"
                    "v_add_f32 v7, -16, v1\n s_mov_b32 vcc_lo, s6\n v_add_f32 v8, vcc_lo, v1\n"
                    "v_add_f32 v1, v1, v1"),
              isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto x = static_cast<float>(lane);
      EXPECT_EQ(m.v(2)[lane], bits(x + 1));
      EXPECT_EQ(m.v(3)[lane], bits(x + 0.125f));
      EXPECT_EQ(m.v(4)[lane], bits(x + 100));
      EXPECT_EQ(m.v(5)[lane], bits(x * 100 + 100));
      EXPECT_EQ(m.v(6)[lane], bits(x * f32(0x3E22F983)));
      EXPECT_EQ(m.v(8)[lane], bits(x + 100));
      EXPECT_EQ(m.v(1)[lane], bits(2 * x));
      EXPECT_TRUE(std::isnan(f32(m.v(7)[lane])));
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
