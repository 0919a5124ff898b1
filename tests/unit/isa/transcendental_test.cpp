// Exponential, logarithm, sine, cosine, reciprocals, square roots.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

double flush(double x) { return std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x; }

/// On single precision without denormals, of a function on doubles.
auto single(double (*f)(double)) {
  return [f](Bits a, Bits, Bits, Bits) {
    return bits(static_cast<float>(flush(static_cast<float>(f(flush(f32(a)))))));
  };
}
double sine(double x) {
  return std::isfinite(x) && std::fabs(x) > 256 ? 0 : std::sin(2 * M_PI * std::remainder(x, 1));
}
double cosine(double x) {
  return std::isfinite(x) && std::fabs(x) > 256 ? 1 : std::cos(2 * M_PI * std::remainder(x, 1));
}

TEST(Transcendental, Single) {
  Options options;
  options.ulps = 1;
  check_modified({"v_exp_f32", "ff", single([](double x) { return std::exp2(x); })}, options);
  check_modified({"v_log_f32", "ff", single([](double x) { return std::log2(x); })}, options);
  check_modified({"v_rcp_f32", "ff", single([](double x) { return 1 / x; })}, options);
  check_modified({"v_rcp_iflag_f32", "ff", single([](double x) { return 1 / x; })}, options);
  check_modified({"v_rsq_f32", "ff", single([](double x) { return 1 / std::sqrt(x); })}, options);
  check_modified({"v_sqrt_f32", "ff", single([](double x) { return std::sqrt(x); })}, options);
  check_everywhere({"v_exp_legacy_f32", "ff", single([](double x) { return std::exp2(x); })},
                   options);
  check_everywhere({"v_log_legacy_f32", "ff", single([](double x) { return std::log2(x); })},
                   options);
}

/// Near a zero of sine the reference itself has no more bits; what counts is the distance.
TEST(Transcendental, SineAndCosineOfTurns) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    std::mt19937 random(7);
    for (unsigned round = 0; round < 20; ++round) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto spread = static_cast<float>(random()) / 0x1p32f - 0.5f;
        m.v(0)[lane] = static_cast<std::uint32_t>(bits(spread * std::ldexp(1.0f, random() % 12)));
      }
      ASSERT_EQ(m.run("v_sin_f32 v1, v0\n v_cos_f32 v2, v0"), isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const double x = f32(m.v(0)[lane]);
        EXPECT_NEAR(f32(m.v(1)[lane]), sine(x), 0x1p-24) << x;
        EXPECT_NEAR(f32(m.v(2)[lane]), cosine(x), 0x1p-24) << x;
      }
    }
  }
}

TEST(Transcendental, ValuesThatAreExact) {
  struct Case {
    const char* mnemonic;
    std::uint32_t source, result;
  };
  const Case cases[] = {
      {"v_sin_f32", 0xFF800000, 0xFFC00000},  {"v_sin_f32", 0xFF7FFFFF, 0x00000000},
      {"v_sin_f32", 0x80000000, 0x80000000},  {"v_sin_f32", 0x3E800000, 0x3F800000},
      {"v_sin_f32", 0xBE800000, 0xBF800000},  {"v_cos_f32", 0xFF800000, 0xFFC00000},
      {"v_cos_f32", 0xFF7FFFFF, 0x3F800000},  {"v_cos_f32", 0x80000000, 0x3F800000},
      {"v_cos_f32", 0x3F000000, 0xBF800000},  {"v_exp_f32", 0xFF800000, 0x00000000},
      {"v_exp_f32", 0x80000000, 0x3F800000},  {"v_exp_f32", 0x7F800000, 0x7F800000},
      {"v_exp_f32", 0x43000000, 0x7F800000},  {"v_exp_f32", 0xC2FC0000, 0x00800000},
      {"v_exp_f32", 0xC3160000, 0x00000000},  {"v_exp_f32", 0x40400000, 0x41000000},
      {"v_log_f32", 0xFF800000, 0xFFC00000},  {"v_log_f32", 0xBF800000, 0xFFC00000},
      {"v_log_f32", 0x80000000, 0xFF800000},  {"v_log_f32", 0x00000001, 0xFF800000},
      {"v_log_f32", 0x3F800000, 0x00000000},  {"v_log_f32", 0x7F800000, 0x7F800000},
      {"v_log_f32", 0x41000000, 0x40400000},  {"v_rcp_f32", 0xFF800000, 0x80000000},
      {"v_rcp_f32", 0xC0000000, 0xBF000000},  {"v_rcp_f32", 0x80000000, 0xFF800000},
      {"v_rcp_f32", 0x7F000000, 0x00000000},  {"v_rcp_f32", 0x00000001, 0x7F800000},
      {"v_rsq_f32", 0x40800000, 0x3F000000},  {"v_rsq_f32", 0x80000000, 0xFF800000},
      {"v_rsq_f32", 0xFF800000, 0xFFC00000},  {"v_rsq_f32", 0x7F800000, 0x00000000},
      {"v_sqrt_f32", 0x80000000, 0x80000000}, {"v_sqrt_f32", 0xBF800000, 0xFFC00000},
      {"v_sqrt_f32", 0x41100000, 0x40400000}, {"v_sqrt_f32", 0x00400000, 0x00000000}};
  for (const isa::Level level : levels()) {
    for (const Case& one : cases) {
      Machine m("gfx90a", level);
      m.v(0)[0] = one.source;
      ASSERT_EQ(m.run(std::string(one.mnemonic) + " v1, v0"), isa::Stop::ended);
      EXPECT_EQ(m.v(1)[0], one.result) << one.mnemonic << std::hex << " " << one.source;
    }
  }
}

TEST(Transcendental, Double) {
  Options options;
  options.ulps = 1;
  check_modified({"v_rcp_f64", "dd", on([](double x) { return 1 / x; })}, options);
  check_modified({"v_rsq_f64", "dd", on([](double x) { return 1 / std::sqrt(x); })}, options);
  check_modified({"v_sqrt_f64", "dd", on([](double x) { return std::sqrt(x); })}, options);
}

/// A node's history is the same on every host: so are the results of every level.
TEST(Transcendental, LevelsAgree) {
  std::vector<std::vector<std::uint32_t>> seen;
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    std::mt19937 random(3);
    std::vector<std::uint32_t>& results = seen.emplace_back();
    for (unsigned round = 0; round < 20; ++round) {
      for (unsigned lane = 0; lane < 64; ++lane)
        m.v(0)[lane] = static_cast<std::uint32_t>(bits(std::ldexp(
            static_cast<float>(random() % 100000), static_cast<int>(random() % 24) - 20)));
      ASSERT_EQ(m.run("v_exp_f32 v1, v0\n v_log_f32 v2, v0\n v_sin_f32 v3, v0\n v_cos_f32 v4, v0\n"
                      "v_rsq_f32 v5, v0\n v_rcp_f32 v6, v0"),
                isa::Stop::ended);
      for (unsigned number = 1; number < 7; ++number)
        results.insert(results.end(), m.v(number), m.v(number) + 64);
    }
    EXPECT_EQ(results, seen.front());
  }
}

}  // namespace
}  // namespace rocdrill::test
