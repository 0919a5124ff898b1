// Conversions between floating point of all widths and integers.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

Bits saturated(double x, double least, double most) {
  if (std::isnan(x)) return 0;
  const double value = std::min(std::max(std::trunc(x), least), most);
  return static_cast<Bits>(static_cast<std::int64_t>(value)) & 0xFFFFFFFF;
}
Bits to_i32(double x) { return saturated(x, -0x1p31, 0x1p31 - 1); }
Bits to_u32(double x) { return saturated(x, 0, 0x1p32 - 1); }
double half(Bits h) { return half_to_float(h & 0xFFFF); }
std::int32_t as_int(Bits value) { return static_cast<std::int32_t>(value); }

/// Bits of NaNs go along.
Bits narrow(Bits single) {
  const float x = f32(single);
  if (std::isnan(x)) return (single >> 16 & 0x8000) | 0x7E00 | (single >> 13 & 0x3FF);
  return half_bits(x);
}

TEST(Convert, SingleAndIntegers) {
  check_modified({"v_cvt_i32_f32", "if", [](Bits a, Bits, Bits, Bits) { return to_i32(f32(a)); }});
  check_modified({"v_cvt_u32_f32", "if", [](Bits a, Bits, Bits, Bits) { return to_u32(f32(a)); }});
  check_modified({"v_cvt_flr_i32_f32", "if",
                  [](Bits a, Bits, Bits, Bits) { return to_i32(std::floor(f32(a))); }});
  check_modified({"v_cvt_rpi_i32_f32", "if",
                  [](Bits a, Bits, Bits, Bits) { return to_i32(std::floor(f32(a) + 0.5f)); }});
  check_modified({"v_cvt_f32_i32", "fi",
                  [](Bits a, Bits, Bits, Bits) { return bits(static_cast<float>(as_int(a))); }});
  check_modified({"v_cvt_f32_u32", "fi", [](Bits a, Bits, Bits, Bits) {
                    return bits(static_cast<float>(static_cast<std::uint32_t>(a)));
                  }});
  for (const unsigned byte : {0u, 1u, 2u, 3u})
    check_modified(
        {"v_cvt_f32_ubyte" + std::to_string(byte), "fi", [byte](Bits a, Bits, Bits, Bits) {
           return bits(static_cast<float>(a >> (byte * 8) & 0xFF));
         }});
  check_modified({"v_cvt_off_f32_i4", "fi", [](Bits a, Bits, Bits, Bits) {
                    return bits(static_cast<float>(a & 7) / 16 - ((a & 8) != 0 ? 0.5f : 0.0f));
                  }});
  for (const std::uint32_t rounding : {1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding;
    check_everywhere({"v_cvt_f32_u32", "fi",
                      [](Bits a, Bits, Bits, Bits) {
                        return bits(static_cast<float>(static_cast<double>(a & 0xFFFFFFFF)));
                      }},
                     options);
    check_everywhere(
        {"v_cvt_i32_f32", "if", [](Bits a, Bits, Bits, Bits) { return to_i32(f32(a)); }}, options);
  }
}

TEST(Convert, Double) {
  check_modified({"v_cvt_f64_f32", "df",
                  [](Bits a, Bits, Bits, Bits) { return bits(static_cast<double>(f32(a))); }});
  check_modified({"v_cvt_f32_f64", "fd",
                  [](Bits a, Bits, Bits, Bits) { return bits(static_cast<float>(f64(a))); }});
  check_modified({"v_cvt_f64_i32", "di",
                  [](Bits a, Bits, Bits, Bits) { return bits(static_cast<double>(as_int(a))); }});
  check_modified({"v_cvt_f64_u32", "di", [](Bits a, Bits, Bits, Bits) {
                    return bits(static_cast<double>(a & 0xFFFFFFFF));
                  }});
  check_modified({"v_cvt_i32_f64", "id", [](Bits a, Bits, Bits, Bits) { return to_i32(f64(a)); }});
  check_modified({"v_cvt_u32_f64", "id", [](Bits a, Bits, Bits, Bits) { return to_u32(f64(a)); }});
}

TEST(Convert, Half) {
  check_modified({"v_cvt_f32_f16", "fh",
                  [](Bits a, Bits, Bits, Bits) { return bits(half_to_float(a & 0xFFFF)); }});
  check_modified({"v_cvt_f16_f32", "hf", [](Bits a, Bits, Bits, Bits) { return narrow(a); }});
  check_modified({"v_cvt_f16_i16", "hi", [](Bits a, Bits, Bits, Bits) {
                    return half_bits(static_cast<std::int16_t>(a));
                  }});
  check_modified({"v_cvt_f16_u16", "hi", [](Bits a, Bits, Bits, Bits) {
                    return half_bits(static_cast<std::uint16_t>(a));
                  }});
  check_modified({"v_cvt_i16_f16", "ih", [](Bits a, Bits, Bits, Bits) {
                    return saturated(half(a), -32768, 32767) & 0xFFFF;
                  }});
  check_modified({"v_cvt_u16_f16", "ih",
                  [](Bits a, Bits, Bits, Bits) { return saturated(half(a), 0, 65535); }});
  for (const std::uint32_t rounding : {1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding << 2;
    check_everywhere({"v_cvt_f16_f32", "hf", [](Bits a, Bits, Bits, Bits) { return narrow(a); }},
                     options);
  }
  Options flushing;
  flushing.mode &= ~0xC0u;
  check_everywhere({"v_cvt_f32_f16", "fh",
                    [](Bits a, Bits, Bits, Bits) {
                      return bits(half_to_float((a & 0x7C00) == 0 ? a & 0x8000 : a & 0xFFFF));
                    }},
                   flushing);
}

TEST(Convert, OverflowsOfHalvesSaturateIfModeSaysSo) {
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    m.wave().mode |= 1 << 23;
    const float values[] = {70000, -70000, 65519, std::numeric_limits<float>::infinity(), 1};
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(0)[lane] = static_cast<std::uint32_t>(bits(values[lane % 5]));
      m.v(1)[lane] = lane % 2 == 0 ? 0x7BFF7BFF : 0xFC007C00;
    }
    ASSERT_EQ(m.run("v_cvt_f16_f32 v2, v0\n v_add_f16 v3, v1, v1\n v_pk_add_f16 v4, v1, v1\n"
                    "v_fma_mixlo_f16 v5, v0, 1.0, 0\n"),
              isa::Stop::ended);
    const std::uint32_t expected[] = {0x7BFF, 0xFBFF, 0x7BFF, 0x7C00, 0x3C00};
    for (unsigned lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(m.v(2)[lane], expected[lane % 5]);
      EXPECT_EQ(m.v(5)[lane] & 0xFFFF, expected[lane % 5]);
      EXPECT_EQ(m.v(3)[lane], lane % 2 == 0 ? 0x7BFFu : 0x7C00u);
      EXPECT_EQ(m.v(4)[lane], lane % 2 == 0 ? 0x7BFF7BFFu : 0xFC007C00u);
    }
  }
}

Bits norm(double x, double least, double units) {
  if (std::isnan(x)) return 0;
  const double value = std::min(std::max(x, least), 1.0);
  const auto scaled = static_cast<float>(value * units);
  return static_cast<Bits>(static_cast<std::int64_t>(std::nearbyint(scaled))) & 0xFFFF;
}

TEST(Convert, Packed) {
  check_modified({"v_cvt_pknorm_i16_f32", "iff", [](Bits a, Bits b, Bits, Bits) {
                    return norm(f32(a), -1, 32767) | norm(f32(b), -1, 32767) << 16;
                  }});
  check_modified({"v_cvt_pknorm_u16_f32", "iff", [](Bits a, Bits b, Bits, Bits) {
                    return norm(f32(a), 0, 65535) | norm(f32(b), 0, 65535) << 16;
                  }});
  check_modified({"v_cvt_pknorm_i16_f16", "ihh", [](Bits a, Bits b, Bits, Bits) {
                    return norm(half(a), -1, 32767) | norm(half(b), -1, 32767) << 16;
                  }});
  check_modified({"v_cvt_pknorm_u16_f16", "ihh", [](Bits a, Bits b, Bits, Bits) {
                    return norm(half(a), 0, 65535) | norm(half(b), 0, 65535) << 16;
                  }});
  check_modified({"v_cvt_norm_i16_f16", "ih",
                  [](Bits a, Bits, Bits, Bits) { return norm(half(a), -1, 32767); }});
  check_modified({"v_cvt_norm_u16_f16", "ih",
                  [](Bits a, Bits, Bits, Bits) { return norm(half(a), 0, 65535); }});
  check_everywhere({"v_cvt_pk_i16_i32", "iii", [](Bits a, Bits b, Bits, Bits) {
                      return (saturated(as_int(a), -32768, 32767) & 0xFFFF) |
                             (saturated(as_int(b), -32768, 32767) & 0xFFFF) << 16;
                    }});
  check_everywhere({"v_cvt_pk_u16_u32", "iii", [](Bits a, Bits b, Bits, Bits) {
                      return std::min(a, Bits{65535}) | std::min(b, Bits{65535}) << 16;
                    }});
  const auto truncated = [](Bits a) {
    std::fesetround(FE_TOWARDZERO);
    const Bits out = narrow(a);
    std::fesetround(FE_TONEAREST);
    return out;
  };
  check_everywhere({"v_cvt_pkrtz_f16_f32", "pff", [truncated](Bits a, Bits b, Bits, Bits) {
                      return truncated(a) | truncated(b) << 16;
                    }});
  const auto byte = [](Bits a, Bits b, Bits c) {
    const unsigned shift = static_cast<unsigned>(b & 3) * 8;
    return (c & ~(Bits{0xFF} << shift) & 0xFFFFFFFF) | saturated(std::nearbyint(f32(a)), 0, 255)
                                                           << shift;
  };
  check_modified(
      {"v_cvt_pk_u8_f32", "ifii", [byte](Bits a, Bits b, Bits c, Bits) { return byte(a, b, c); }});
  check_everywhere({"v_cvt_pkaccum_u8_f32", "ifi",
                    [byte](Bits a, Bits b, Bits, Bits before) { return byte(a, b, before); }});
}

// --- FP8 and BF8 ---------------------------------------------------------------------------------

double value_of(unsigned code, bool bf8) {
  const int fraction = bf8 ? 2 : 3;
  const int bias = bf8 ? 16 : 8;
  const int exponent = static_cast<int>(code & 0x7F) >> fraction;
  const int mantissa = static_cast<int>(code) & ((1 << fraction) - 1);
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, 1 - bias - fraction)
                               : std::ldexp(mantissa + (1 << fraction), exponent - bias - fraction);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}
/// The nearest of all codes; of two the even one.
unsigned nearest(double x, bool bf8) {
  if (!std::isfinite(x)) return 0x80;
  unsigned best = 0;
  for (unsigned code = 1; code < 0x80; ++code) {
    const double distance = std::fabs(value_of(code, bf8) - std::fabs(x));
    const double least = std::fabs(value_of(best, bf8) - std::fabs(x));
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  // Half a unit beyond the largest there is no number.
  const double step = value_of(0x7F, bf8) - value_of(0x7E, bf8);
  if (std::fabs(x) >= value_of(0x7F, bf8) + step / 2) return 0x80;
  return best == 0 || !std::signbit(x) ? best : best | 0x80;
}

TEST(Convert, BytesToSingles) {
  for (const isa::Level level : levels()) {
    Machine m("gfx942", level);
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      for (unsigned lane = 0; lane < 64; ++lane)
        m.v(0)[lane] = (quarter * 64 + lane) | (255 - quarter * 64 - lane) << 8;
      ASSERT_EQ(m.run("v_cvt_f32_fp8 v2, v0\n v_cvt_f32_bf8 v3, v0\n"
                      "v_cvt_pk_f32_fp8 v[4:5], v0\n v_cvt_pk_f32_bf8 v[6:7], v0"),
                isa::Stop::ended);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto expect = [](std::uint32_t got, unsigned code, bool bf8) {
          if (code == 0x80) {
            EXPECT_TRUE(std::isnan(f32(got)));
          } else {
            EXPECT_EQ(got, bits(static_cast<float>(value_of(code, bf8)))) << code;
          }
        };
        const unsigned code = quarter * 64 + lane;
        expect(m.v(2)[lane], code, false);
        expect(m.v(3)[lane], code, true);
        expect(m.v(4)[lane], code, false);
        expect(m.v(5)[lane], 255 - code, false);
        expect(m.v(6)[lane], code, true);
        expect(m.v(7)[lane], 255 - code, true);
      }
    }
  }
}

std::vector<Row> rows_near_bytes() {
  std::vector<Row> rows = rows_for("iff", 200);
  std::mt19937 random(4);
  for (unsigned n = 0; n < 4096; ++n) {
    const float near = std::ldexp(1.0f + static_cast<float>(random() % 4096) / 4096,
                                  static_cast<int>(random() % 36) - 19);
    const float tie = static_cast<float>(value_of(random() % 128, n % 2 == 0) +
                                         value_of(random() % 128, n % 2 == 0)) /
                      2;
    rows.push_back({bits(n % 3 == 0 ? -near : near), bits(n % 5 == 0 ? -tie : tie), 0});
  }
  rows.resize(rows.size() / 64 * 64);
  return rows;
}

TEST(Convert, SinglesToBytes) {
  for (const bool bf8 : {false, true}) {
    const std::string mnemonic = bf8 ? "v_cvt_pk_bf8_f32" : "v_cvt_pk_fp8_f32";
    for (const isa::Level level : levels()) {
      Options options;
      options.processor = "gfx942";
      options.level = level;
      options.exec = 0xFFFFFFFFFFFFFFFD;
      const auto word = [bf8](Bits a, Bits b) -> Bits {
        return nearest(f32(a), bf8) | nearest(f32(b), bf8) << 8;
      };
      check({mnemonic, "iff",
             [word](Bits a, Bits b, Bits, Bits before) {
               return (before & 0xFFFF0000) | word(a, b);
             }},
            rows_near_bytes(), options);
      options.suffix = "op_sel:[0,0,1]";
      options.modifiers[0] = "-";
      options.modifiers[1] = "||";
      check({mnemonic, "iff",
             [word](Bits a, Bits b, Bits, Bits before) {
               return (before & 0xFFFF) | word(a, b) << 16;
             }},
            rows_near_bytes(), options);
    }
  }
  Machine m("gfx942");
  m.wave().mode |= 1 << 23;
  m.v(0)[0] = static_cast<std::uint32_t>(bits(1e6f));
  m.v(1)[0] = static_cast<std::uint32_t>(bits(-1e6f));
  m.v(2)[0] = 0;
  ASSERT_EQ(m.run("v_cvt_pk_fp8_f32 v2, v0, v1"), isa::Stop::ended);
  EXPECT_EQ(m.v(2)[0], 0xFF7Fu);
}

/// Rounds up as often as the bits that are cut off have it, and never further than to a neighbour.
TEST(Convert, StochasticRounding) {
  for (const bool bf8 : {false, true}) {
    for (const isa::Level level : levels()) {
      Machine m("gfx942", level);
      for (const float x : {1.1f, 0.0123f, -3.7f, 1.99f, 0.0009f, 200.0f}) {
        unsigned ups = 0;
        double sum = 0;
        for (unsigned round = 0; round < 16; ++round) {
          for (unsigned lane = 0; lane < 64; ++lane) {
            m.v(0)[lane] = static_cast<std::uint32_t>(bits(x));
            m.v(1)[lane] = (round * 64 + lane) << 22;
            m.v(2)[lane] = 0x11111111;
          }
          ASSERT_EQ(m.run(bf8 ? "v_cvt_sr_bf8_f32 v2, v0, v1 op_sel:[0,0,1,1]"
                              : "v_cvt_sr_fp8_f32 v2, v0, v1 op_sel:[0,0,1,0]"),
                    isa::Stop::ended);
          for (unsigned lane = 0; lane < 64; ++lane) {
            const unsigned shift = bf8 ? 24 : 8;
            const std::uint32_t out = m.v(2)[lane];
            EXPECT_EQ(out & ~(0xFFu << shift), 0x11111111u & ~(0xFFu << shift));
            const double got = value_of(out >> shift & 0xFF, bf8);
            sum += got;
            ups += std::fabs(got) > std::fabs(x) ? 1 : 0;
            const unsigned code = nearest(x, bf8);
            EXPECT_LE(std::fabs(got - x), std::fabs(value_of(code ^ 1, bf8) - x) +
                                              std::fabs(value_of(code, bf8) - x) +
                                              std::fabs(x) * 0.13);
          }
        }
        EXPECT_GT(ups, 0u) << x;
        EXPECT_LT(ups, 1024u) << x;
        EXPECT_NEAR(sum / 1024, x, std::fabs(x) * 0.002 + 1e-6) << x << " " << bf8;
      }
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
