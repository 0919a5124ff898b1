// Double precision.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

bool signals(Bits value) { return std::isnan(f64(value)) && (value >> 51 & 1) == 0; }
Bits extreme(Bits a, Bits b, bool least, bool is_ieee) {
  if (is_ieee && signals(a)) return a | 1ull << 51;
  if (is_ieee && signals(b)) return b | 1ull << 51;
  if (std::isnan(f64(a))) return b;
  if (std::isnan(f64(b))) return a;
  if (f64(a) == 0 && f64(b) == 0) return least ? a | b : a & b;
  return (f64(a) < f64(b)) == least ? a : b;
}
Bits minimum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, true, true); }
Bits maximum(Bits a, Bits b, Bits, Bits) { return extreme(a, b, false, true); }

Options plain() {
  Options options;
  options.encoding = "";
  return options;
}

TEST(Double, Arithmetic) {
  check_modified({"v_add_f64", "ddd", on([](double a, double b) { return a + b; })}, plain());
  check_modified({"v_mul_f64", "ddd", on([](double a, double b) { return a * b; })}, plain());
  check_modified(
      {"v_fma_f64", "dddd", on([](double a, double b, double c) { return std::fma(a, b, c); })},
      plain());
  check_everywhere({"v_fmac_f64", "ddd", [](Bits a, Bits b, Bits, Bits before) {
                      return bits(std::fma(f64(a), f64(b), f64(before)));
                    }});
}

TEST(Double, ObeysTheRoundingMode) {
  for (const std::uint32_t rounding : {1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding << 2;
    check_everywhere({"v_add_f64", "ddd", on([](double a, double b) { return a + b; })}, options);
    check_everywhere({"v_mul_f64", "ddd", on([](double a, double b) { return a * b; })}, options);
  }
}

TEST(Double, MinimumAndMaximum) {
  check_modified({"v_min_f64", "ddd", minimum}, plain());
  check_modified({"v_max_f64", "ddd", maximum}, plain());
  Options options;
  options.exact_nan = true;
  options.mode &= ~(1u << 9);
  check_everywhere(
      {"v_min_f64", "ddd", [](Bits a, Bits b, Bits, Bits) { return extreme(a, b, true, false); }},
      options);
  check_everywhere(
      {"v_max_f64", "ddd", [](Bits a, Bits b, Bits, Bits) { return extreme(a, b, false, false); }},
      options);
  options.mode = 0x130;  // doubles' denormals are flushed
  const auto flush = [](Bits a) { return (a >> 52 & 0x7FF) == 0 ? a & 1ull << 63 : a; };
  check_everywhere(
      {"v_max_f64", "ddd",
       [flush](Bits a, Bits b, Bits, Bits) { return extreme(flush(a), flush(b), false, false); }},
      options);
}

TEST(Double, RoundsToIntegers) {
  Options e64;
  check_modified({"v_trunc_f64", "dd", on([](double a) { return std::trunc(a); })}, e64);
  check_modified({"v_ceil_f64", "dd", on([](double a) { return std::ceil(a); })}, e64);
  check_modified({"v_floor_f64", "dd", on([](double a) { return std::floor(a); })}, e64);
  check_modified({"v_rndne_f64", "dd", on([](double a) { return std::nearbyint(a); })}, e64);
  check_modified({"v_fract_f64", "dd",
                  [](Bits a, Bits, Bits, Bits) {
                    const double x = f64(a);
                    if (!std::isfinite(x)) return bits(std::nan(""));
                    return bits(std::fmin(x - std::floor(x), 0x0.fffffffffffff8p0));
                  }},
                 e64);
}

TEST(Double, PartsOfANumber) {
  check_modified({"v_frexp_mant_f64", "dd", on([](double a) {
                    int power;
                    return std::frexp(a, &power);
                  })});
  const auto exponent = [](Bits a, Bits, Bits, Bits) -> Bits {
    int power = 0;
    if (std::isfinite(f64(a))) std::frexp(f64(a), &power);
    return static_cast<std::uint32_t>(power);
  };
  check_modified({"v_frexp_exp_i32_f64", "id", exponent});
  const auto ldexp = [](Bits a, Bits b, Bits, Bits) {
    return bits(std::ldexp(f64(a), static_cast<std::int32_t>(b)));
  };
  check_modified({"v_ldexp_f64", "ddi", ldexp}, plain());
}

/// The segments of 2 / pi add up to it.
TEST(Double, TrigPreop) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const Bits x =
          lane < 32 ? bits(1.0) : bits(std::ldexp(1.0, 40 + static_cast<int>(lane) * 14));
      m.v(2)[lane] = static_cast<std::uint32_t>(x);
      m.v(3)[lane] = static_cast<std::uint32_t>(x >> 32);
      m.v(4)[lane] = lane < 32 ? lane : 0;
    }
    ASSERT_EQ(m.run("v_trig_preop_f64 v[0:1], v[2:3], v4"), isa::Stop::ended);
    const auto result = [&m](unsigned lane) {
      return f64(m.v(0)[lane] | Bits{m.v(1)[lane]} << 32);
    };
    // 0.A2F9836E4E441529FC2757D1F534DDC0...
    EXPECT_EQ(result(0), 0x0.A2F9836E4E4410p0);
    EXPECT_EQ(result(1), 0x1.4A7F09D5F47D4p-54);
    double sum = 0;
    for (unsigned lane = 20; lane-- > 0;) sum += result(lane);
    EXPECT_EQ(sum, 2 / M_PI);
    // Times the argument, whole periods of 8 aside, each segment has the weight that it should.
    for (unsigned lane = 32; lane < 64; ++lane) {
      const int power = 40 + static_cast<int>(lane) * 14;
      EXPECT_LT(result(lane),
                power > 54 ? std::ldexp(1.0, 54 - power + (power >= 945 ? 128 : 0)) : 1.0)
          << power;
      EXPECT_GE(result(lane), 0);
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
