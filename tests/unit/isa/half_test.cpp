// Half precision.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Ternary = double (*)(double, double, double);

double value(Bits half) { return half_to_float(half & 0xFFFF); }
auto half(Unary f) {
  return [f](Bits a, Bits, Bits, Bits) { return half_bits(f(value(a))); };
}
auto half(Binary f) {
  return [f](Bits a, Bits b, Bits, Bits) { return half_bits(f(value(a), value(b))); };
}
/// The exact sum of products fits into 113 bits, and what is beyond 53 only breaks ties.
Bits fused(Bits a, Bits b, Bits c) {
  const double x = value(a);
  const double y = value(b);
  const double z = value(c);
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return half_bits(x * y + z);
  const __float128 exact = static_cast<__float128>(x * y) + z;
  const auto near = static_cast<double>(exact);
  if (near == exact || near == 0) return half_bits(x * y + z);
  const double toward = near < exact ? std::numeric_limits<double>::infinity()
                                     : -std::numeric_limits<double>::infinity();
  const Bits whole = bits(near);
  return half_bits((whole & 1) != 0 ? near : std::nextafter(near, toward));
}
auto fma_zeroing() {
  return [](Bits a, Bits b, Bits c, Bits) { return fused(a, b, c); };
}
Bits mad(Bits a, Bits b, Bits c) {
  return half_bits(value(half_bits(value(a) * value(b))) + value(c));
}
Bits keep(Bits result, Bits before) { return result | (before & 0xFFFF0000); }

bool signals(Bits h) { return std::isnan(value(h)) && (h & 0x200) == 0; }
Bits extreme(Bits a, Bits b, bool least) {
  if (signals(a)) return a | 0x200;
  if (signals(b)) return b | 0x200;
  if (std::isnan(value(a))) return b;
  if (std::isnan(value(b))) return a;
  if (value(a) == 0 && value(b) == 0) return least ? a | b : a & b;
  return (value(a) < value(b)) == least ? a : b;
}
Bits minimum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, true); }
Bits maximum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, false); }
Bits minimum3(Bits a, Bits b, Bits c, Bits) { return extreme(extreme(a, b, true), c, true); }
Bits maximum3(Bits a, Bits b, Bits c, Bits) { return extreme(extreme(a, b, false), c, false); }
Bits median(Bits a, Bits b, Bits c, Bits) {
  if (std::isnan(value(a)) || std::isnan(value(b)) || std::isnan(value(c)))
    return minimum3(a, b, c, 0);
  const double most = value(maximum3(a, b, c, 0));
  if (most == value(a)) return extreme(b, c, false);
  if (most == value(b)) return extreme(a, c, false);
  return extreme(a, b, false);
}

TEST(Half, ConversionsOfTheTestItself) {
  EXPECT_EQ(half_bits(1.0), 0x3C00u);
  EXPECT_EQ(half_bits(65504.0), 0x7BFFu);
  EXPECT_EQ(half_bits(65519.9), 0x7BFFu);
  EXPECT_EQ(half_bits(65520.0), 0x7C00u);
  EXPECT_EQ(half_bits(-0x1p-24), 0x8001u);
  EXPECT_EQ(half_bits(0x1p-25), 0u);
  EXPECT_EQ(half_bits(0x1.8p-25), 1u);
  EXPECT_EQ(half_bits(0x1.ffcp-15 + 0x1p-26), 0x400u);
  for (Bits h = 0; h < 0x7C00; ++h) EXPECT_EQ(half_bits(half_to_float(h)), h);
}

TEST(Half, Arithmetic) {
  check_modified({"v_add_f16", "hhh", half(Binary([](double a, double b) { return a + b; }))});
  check_modified({"v_sub_f16", "hhh", half(Binary([](double a, double b) { return a - b; }))});
  check_modified({"v_subrev_f16", "hhh", half(Binary([](double a, double b) { return b - a; }))});
  check_modified({"v_mul_f16", "hhh", half(Binary([](double a, double b) { return a * b; }))});
}

TEST(Half, MultipliesAndAdds) {
  check_modified({"v_fma_legacy_f16", "hhhh", fma_zeroing()});
  check_modified(
      {"v_mad_legacy_f16", "hhhh", [](Bits a, Bits b, Bits c, Bits) { return mad(a, b, c); }});
  check_everywhere({"v_fma_f16", "hhhh", [](Bits a, Bits b, Bits c, Bits before) {
                      return keep(fused(a, b, c), before);
                    }});
  check_everywhere({"v_mad_f16", "hhhh", [](Bits a, Bits b, Bits c, Bits before) {
                      return keep(mad(a, b, c), before);
                    }});
  check_everywhere({"v_mac_f16", "hhh",
                    [](Bits a, Bits b, Bits, Bits before) { return mad(a, b, before & 0xFFFF); }});
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(1)[lane] = lane << 8;
    m.set(2, m.lanes(1));
    ASSERT_EQ(m.run("v_madak_f16 v3, v1, v2, 0x3e00\n v_madmk_f16 v4, v1, 0x3e00, v2"),
              isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(m.v(3)[lane], mad(lane << 8, lane << 8, 0x3E00));
      EXPECT_EQ(m.v(4)[lane], mad(lane << 8, 0x3E00, lane << 8));
    }
  }
}

TEST(Half, ObeysTheRoundingMode) {
  for (const std::uint32_t rounding : {1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding << 2;
    check_everywhere({"v_add_f16", "hhh", half(Binary([](double a, double b) { return a + b; }))},
                     options);
    check_everywhere({"v_mul_f16", "hhh", half(Binary([](double a, double b) { return a * b; }))},
                     options);
  }
  // Not on zeros of either sign, which the reference does not get right.
  for (const std::uint32_t rounding : {0u, 1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding << 2;
    std::mt19937_64 random(9);
    std::vector<Row> rows;
    for (unsigned n = 0; n < 4096; ++n)
      rows.push_back({(random() & 0x83FF) | 0x3C00, (random() & 0x83FF) | (0x2000 + (n % 8 << 10)),
                      (random() & 0x83FF) | (0x1C00 + (n / 8 % 16 << 10))});
    for (const isa::Level level : levels()) {
      options.level = level;
      check({"v_fma_legacy_f16", "hhhh", fma_zeroing()}, rows, options);
    }
  }
}

TEST(Half, FlushesDenormalsWhereModeSaysSo) {
  Options options;
  options.mode &= ~0xC0u;
  const auto flush = [](Bits h) { return (h & 0x7C00) == 0 ? h & 0x8000 : h; };
  check_everywhere({"v_add_f16", "hhh",
                    [flush](Bits a, Bits b, Bits, Bits) {
                      return flush(half_bits(value(flush(a)) + value(flush(b))));
                    }},
                   options);
  check_everywhere({"v_mul_f16", "hhh",
                    [flush](Bits a, Bits b, Bits, Bits) {
                      return flush(half_bits(value(flush(a)) * value(flush(b))));
                    }},
                   options);
  check_everywhere(
      {"v_max_f16", "hhh",
       [flush](Bits a, Bits b, Bits, Bits) { return extreme(flush(a), flush(b), false); }},
      options);
}

TEST(Half, MinimumAndMaximum) {
  check_modified({"v_min_f16", "hhh", minimum});
  check_modified({"v_max_f16", "hhh", maximum});
  check_modified({"v_min3_f16", "hhhh", minimum3});
  check_modified({"v_max3_f16", "hhhh", maximum3});
  check_modified({"v_med3_f16", "hhhh", median});
}

TEST(Half, RoundsToIntegers) {
  check_modified({"v_trunc_f16", "hh", half(Unary([](double a) { return std::trunc(a); }))});
  check_modified({"v_ceil_f16", "hh", half(Unary([](double a) { return std::ceil(a); }))});
  check_modified({"v_floor_f16", "hh", half(Unary([](double a) { return std::floor(a); }))});
  check_modified({"v_rndne_f16", "hh", half(Unary([](double a) { return std::nearbyint(a); }))});
  check_modified({"v_fract_f16", "hh", half(Unary([](double a) {
                    return std::isfinite(a) ? std::fmin(a - std::floor(a), 0x0.ffep0) : NAN;
                  }))});
}

TEST(Half, PartsOfANumber) {
  check_modified({"v_frexp_mant_f16", "hh", half(Unary([](double a) {
                    int power;
                    return std::frexp(a, &power);
                  }))});
  check_modified({"v_frexp_exp_i16_f16", "ih", [](Bits a, Bits, Bits, Bits) -> Bits {
                    int power = 0;
                    if (std::isfinite(value(a))) std::frexp(value(a), &power);
                    return static_cast<std::uint16_t>(power);
                  }});
  check_modified({"v_ldexp_f16", "hhi", [](Bits a, Bits b, Bits, Bits) {
                    return half_bits(std::ldexp(value(a), static_cast<std::int16_t>(b)));
                  }});
  check_everywhere(
      {"v_pack_b32_f16", "ihh", [](Bits a, Bits b, Bits, Bits) { return a | b << 16; }});
}

TEST(Half, Transcendental) {
  Options options;
  check_modified({"v_rcp_f16", "hh", half(Unary([](double a) { return 1 / a; }))}, options);
  check_modified({"v_sqrt_f16", "hh", half(Unary([](double a) { return std::sqrt(a); }))}, options);
  options.ulps = 1;
  check_modified({"v_rsq_f16", "hh", half(Unary([](double a) { return 1 / std::sqrt(a); }))},
                 options);
  check_modified({"v_exp_f16", "hh", half(Unary([](double a) { return std::exp2(a); }))}, options);
  check_modified({"v_log_f16", "hh", half(Unary([](double a) { return std::log2(a); }))}, options);
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(0)[lane] = 0x2000 + lane * 0x101;
    ASSERT_EQ(m.run("v_sin_f16 v1, v0\n v_cos_f16 v2, v0"), isa::Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const double x = value(m.v(0)[lane]);
      const bool inside = std::fabs(x) <= 256;
      const double turn = 2 * M_PI * std::remainder(x, 1);
      EXPECT_NEAR(value(m.v(1)[lane]), inside ? std::sin(turn) : 0, 0x1p-11);
      EXPECT_NEAR(value(m.v(2)[lane]), inside ? std::cos(turn) : 1, 0x1p-11);
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
