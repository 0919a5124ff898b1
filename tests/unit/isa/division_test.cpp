// V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP, and what compilers make of them: quotients and square roots
// that are rounded correctly.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

template <class F>
struct Format;
template <>
struct Format<float> {
  static constexpr int bias = 127, scale = 64, near_overflow = 96, tiny = 23, fraction = 23;
  static constexpr char type = 'f';
  static float of(Bits bits) { return f32(bits); }
};
template <>
struct Format<double> {
  static constexpr int bias = 1023, scale = 128, near_overflow = 768, tiny = 53, fraction = 52;
  static constexpr char type = 'd';
  static double of(Bits bits) { return f64(bits); }
};

template <class F>
int exponent(Bits value) {
  return static_cast<int>(value >> Format<F>::fraction & (2 * Format<F>::bias + 1));
}

template <class F>
struct Scaled {
  F value;
  bool vcc;
};
/// Quotients in 113 bits say whether they would be denormal.
template <class F>
Scaled<F> scaled(Bits value, Bits denominator, Bits numerator) {
  using T = Format<F>;
  const F v = T::of(value);
  const F d = T::of(denominator);
  const F n = T::of(numerator);
  const F up = std::ldexp(v, T::scale);
  const F down = std::ldexp(v, -T::scale);
  const auto least = static_cast<__float128>(std::numeric_limits<F>::min());
  const auto wide = [](F x) { return static_cast<__float128>(std::fabs(x)); };
  const bool reciprocal_denormal = std::isfinite(d) && wide(d) * least > 1;
  const bool quotient_denormal = std::isfinite(d) && n != 0 && wide(n) < wide(d) * least;
  if (n == 0 || d == 0) return {std::numeric_limits<F>::quiet_NaN(), false};
  if (exponent<F>(numerator) - exponent<F>(denominator) >= T::near_overflow)
    return {v == d ? up : v, true};
  if (exponent<F>(denominator) == 0) return {up, false};
  if (reciprocal_denormal && quotient_denormal) return {v == d ? down : v, true};
  if (reciprocal_denormal) return {down, false};
  if (quotient_denormal) return {v == n ? up : v, true};
  if (exponent<F>(numerator) <= T::tiny) return {up, false};
  return {v, false};
}

template <class F>
void check_scale(const char* mnemonic) {
  const std::string types(4, Format<F>::type);
  // As compilers use it: the first source is one of the others.
  std::vector<Row> rows = rows_for(types, 3000);
  for (std::size_t n = 0; n < rows.size(); ++n)
    if (n % 3 != 2) rows[n][0] = rows[n][1 + n % 3];
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    const unsigned step = sizeof(F) / 4;
    for (std::size_t begin = 0; begin < rows.size(); begin += 64) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned k = 0; k < 3; ++k) {
          m.v(2 + 2 * k)[lane] = static_cast<std::uint32_t>(rows[begin + lane][k]);
          m.v(3 + 2 * k)[lane] = static_cast<std::uint32_t>(rows[begin + lane][k] >> 32);
        }
      }
      m.wave().set_exec(0xFFFFFFFFFFFFFFF7);
      ASSERT_EQ(
          m.run(std::string(mnemonic) + (step == 1 ? " v0, s[10:11], v2, v4, v6"
                                                   : " v[0:1], s[10:11], v[2:3], v[4:5], v[6:7]")),
          isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const Row& row = rows[begin + lane];
        const Scaled<F> expected = scaled<F>(row[0], row[1], row[2]);
        const bool vcc = (m.wave().pair(10) >> lane & 1) != 0;
        EXPECT_EQ(vcc, lane != 3 && expected.vcc) << std::hex << row[1] << " " << row[2];
        if (lane == 3) continue;
        const Bits got = step == 1 ? m.v(0)[lane] : m.v(0)[lane] | Bits{m.v(1)[lane]} << 32;
        if (std::isnan(expected.value)) {
          EXPECT_TRUE(std::isnan(Format<F>::of(got)));
        } else {
          EXPECT_EQ(got, bits(expected.value))
              << std::hex << row[0] << " " << row[1] << " " << row[2];
        }
      }
    }
  }
}

TEST(Division, ScaleOfBothFormats) {
  check_scale<float>("v_div_scale_f32");
  check_scale<double>("v_div_scale_f64");
}

TEST(Division, FmasIsFmaWithoutVcc) {
  Options plain;
  plain.scalars = false;  // VCC is the one SGPR that it reads
  check_modified(
      {"v_div_fmas_f32", "ffff", on([](float a, float b, float c) { return std::fma(a, b, c); })},
      plain);
  check_modified({"v_div_fmas_f64", "dddd",
                  on([](double a, double b, double c) { return std::fma(a, b, c); })},
                 plain);
}

/// With VCC: scaled and rounded once, also where the result is denormal.
TEST(Division, FmasWithVccRoundsOnce) {
  for (const isa::Level level : levels()) {
    for (const int direction : {-1, 1}) {
      Machine m("gfx90a", level);
      std::mt19937_64 random(5);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const int power = direction < 0 ? -63 - static_cast<int>(lane) / 2 : 40;
        const float q = std::ldexp(1 + static_cast<float>(random() % 8388608) / 8388608, power);
        const float r = std::ldexp(static_cast<float>(random() % 1024) - 512, power - 32);
        m.v(1)[lane] = static_cast<std::uint32_t>(bits(r));
        m.v(2)[lane] = static_cast<std::uint32_t>(bits(1.0f + static_cast<float>(lane) / 64));
        m.v(3)[lane] = static_cast<std::uint32_t>(bits(q));
        const double d = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                    direction < 0 ? -895 - static_cast<int>(lane) : 40);
        for (unsigned k = 0; k < 3; ++k) {
          const Bits value = bits(k == 0 ? d * 0x1p-60 : k == 1 ? 1.5 : d);
          m.v(10 + 2 * k)[lane] = static_cast<std::uint32_t>(value);
          m.v(11 + 2 * k)[lane] = static_cast<std::uint32_t>(value >> 32);
        }
      }
      m.wave().set_vcc(~0ull);
      ASSERT_EQ(m.run("v_div_fmas_f32 v0, v1, v2, v3\n"
                      "v_div_fmas_f64 v[4:5], v[10:11], v[12:13], v[14:15]"),
                isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const __float128 exact =
            static_cast<__float128>(f32(m.v(1)[lane])) * f32(m.v(2)[lane]) + f32(m.v(3)[lane]);
        const double scale = direction < 0 ? 0x1p-64 : 0x1p64;
        EXPECT_EQ(m.v(0)[lane], bits(static_cast<float>(exact * scale)));
        const double q = f64(m.v(14)[lane] | Bits{m.v(15)[lane]} << 32);
        const __float128 wide = static_cast<__float128>(q * 0x1p-60) * 1.5 + q;
        const double scale64 = direction < 0 ? 0x1p-128 : 0x1p128;
        EXPECT_EQ(m.v(4)[lane] | Bits{m.v(5)[lane]} << 32,
                  bits(static_cast<double>(wide * scale64)));
      }
    }
  }
}

template <class F>
Bits fixed(Bits quotient, Bits denominator, Bits numerator) {
  using T = Format<F>;
  const F d = T::of(denominator);
  const F n = T::of(numerator);
  const bool negative = std::signbit(d) != std::signbit(n);
  const F infinity = std::numeric_limits<F>::infinity();
  if (std::isnan(n)) return bits(n + n);
  if (std::isnan(d)) return bits(d + d);
  if ((d == 0 && n == 0) || (std::isinf(d) && std::isinf(n)))
    return T::type == 'f' ? Bits{0xFFC00000} : Bits{0xFFF8000000000000};
  F out = std::fabs(T::of(quotient));
  if (!std::isfinite(out)) out = infinity;
  if (exponent<F>(numerator) - exponent<F>(denominator) < (T::type == 'f' ? -150 : -1075)) out = 0;
  if (std::isinf(d) || n == 0) out = 0;
  if (d == 0 || std::isinf(n)) out = infinity;
  return bits(std::copysign(out, negative ? F(-1) : F(1)));
}

TEST(Division, Fixup) {
  check_modified({"v_div_fixup_f32", "ffff",
                  [](Bits a, Bits b, Bits c, Bits) { return fixed<float>(a, b, c); }});
  check_modified({"v_div_fixup_f64", "dddd",
                  [](Bits a, Bits b, Bits c, Bits) { return fixed<double>(a, b, c); }});
  const auto half = [](Bits q, Bits d, Bits n, Bits) -> Bits {
    const float x = half_to_float(n);
    const float y = half_to_float(d);
    const Bits sign = (d ^ n) & 0x8000;
    if (std::isnan(x)) return n | 0x200;
    if (std::isnan(y)) return d | 0x200;
    if ((x == 0 && y == 0) || (std::isinf(x) && std::isinf(y))) return 0xFE00;
    if (y == 0 || std::isinf(x)) return sign | 0x7C00;
    if (x == 0 || std::isinf(y)) return sign;
    return sign | (q & 0x7FFF);
  };
  check_modified({"v_div_fixup_legacy_f16", "hhhh", half});
  const auto kept = [half](Bits q, Bits d, Bits n, Bits before) {
    return half(q, d, n, 0) | (before & 0xFFFF0000);
  };
  check_everywhere({"v_div_fixup_f16", "hhhh", kept});
}

// --- what clang makes of a / b -------------------------------------------------------------------

/// Compares a division of v[0...], v[2...] with the CPU's.
template <class F>
void check_quotients(const std::string& text, std::uint32_t mode) {
  const std::string types(3, Format<F>::type);
  const std::vector<Row> rows = rows_for(types, 20000);
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    m.wave().mode = mode;
    unsigned failures = 0;
    for (std::size_t begin = 0; begin < rows.size() && failures < 5; begin += 64) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned k = 0; k < 2; ++k) {
          m.v(2 * k)[lane] = static_cast<std::uint32_t>(rows[begin + lane][k]);
          m.v(2 * k + 1)[lane] = static_cast<std::uint32_t>(rows[begin + lane][k] >> 32);
        }
      }
      ASSERT_EQ(m.run(text), isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const F a = Format<F>::of(rows[begin + lane][0]);
        const F b = Format<F>::of(rows[begin + lane][1]);
        const F expected = a / b;
        const Bits got = sizeof(F) == 4 ? m.v(0)[lane] : m.v(0)[lane] | Bits{m.v(1)[lane]} << 32;
        if (std::isnan(expected) ? std::isnan(Format<F>::of(got)) : bits(expected) == got) continue;
        ADD_FAILURE() << isa::name(level) << " " << std::hexfloat << a << " / " << b << " = "
                      << expected << ", got " << Format<F>::of(got);
        ++failures;
      }
    }
  }
}

constexpr char divide_single[] =
    "v_mov_b32 v1, v2\n"
    "v_div_scale_f32 v2, s[4:5], v1, v1, v0\n v_rcp_f32_e32 v3, v2\n v_fma_f32 v4, -v2, v3, 1.0\n"
    "v_fmac_f32_e32 v3, v4, v3\n v_div_scale_f32 v4, vcc, v0, v1, v0\n v_mul_f32_e32 v5, v4, v3\n"
    "v_fma_f32 v6, -v2, v5, v4\n v_fmac_f32_e32 v5, v6, v3\n v_fma_f32 v2, -v2, v5, v4\n"
    "v_div_fmas_f32 v2, v2, v3, v5\n v_div_fixup_f32 v0, v2, v1, v0\n";
constexpr char divide_double[] =
    "v_div_scale_f64 v[4:5], s[4:5], v[2:3], v[2:3], v[0:1]\n v_rcp_f64_e32 v[6:7], v[4:5]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]\n"
    "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]\n v_mul_f64 v[10:11], v[8:9], v[6:7]\n"
    "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]\n s_nop 1\n"
    "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]\n"
    "v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]\n";

TEST(Division, QuotientsAreRoundedCorrectly) {
  check_quotients<float>(divide_single, 0x3F0);
  check_quotients<double>(divide_double, 0x3F0);
}

}  // namespace
}  // namespace rocdrill::test
