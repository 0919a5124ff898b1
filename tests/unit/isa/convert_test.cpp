// Conversions between integers and floating point of all widths.
#include "float_cases.hpp"

namespace rocdrill::test {
namespace {

using std::int16_t;
using std::int32_t;
using std::uint32_t;

template <class T>
Bits saturated(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return static_cast<std::make_unsigned_t<T>>(std::numeric_limits<T>::min());
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return static_cast<std::make_unsigned_t<T>>(std::numeric_limits<T>::max());
  return static_cast<std::make_unsigned_t<T>>(static_cast<T>(std::trunc(value)));
}
int32_t as_signed(Bits a) { return static_cast<int32_t>(static_cast<uint32_t>(a)); }

TEST(Convert, SingleToInteger) {
  check_everywhere(
      {"v_cvt_i32_f32", "if", [](Bits a, Bits, Bits, Bits) { return saturated<int32_t>(f32(a)); }});
  check_everywhere({"v_cvt_u32_f32", "if",
                    [](Bits a, Bits, Bits, Bits) { return saturated<uint32_t>(f32(a)); }});
  check_everywhere({"v_cvt_flr_i32_f32", "if", [](Bits a, Bits, Bits, Bits) {
                      return saturated<int32_t>(std::floor(f32(a)));
                    }});
  check_everywhere({"v_cvt_rpi_i32_f32", "if", [](Bits a, Bits, Bits, Bits) {
                      return saturated<int32_t>(std::floor(f32(a) + 0.5f));
                    }});
}

TEST(Convert, IntegerToSingle) {
  check_everywhere({"v_cvt_f32_i32", "fi", [](Bits a, Bits, Bits, Bits) {
                      return bits(static_cast<float>(as_signed(a)));
                    }});
  check_everywhere({"v_cvt_f32_u32", "fi", [](Bits a, Bits, Bits, Bits) {
                      return bits(static_cast<float>(static_cast<uint32_t>(a)));
                    }});
  check_everywhere({"v_cvt_f32_ubyte0", "fi",
                    [](Bits a, Bits, Bits, Bits) { return bits(static_cast<float>(a & 0xFF)); }});
  check_everywhere({"v_cvt_f32_ubyte3", "fi", [](Bits a, Bits, Bits, Bits) {
                      return bits(static_cast<float>(a >> 24 & 0xFF));
                    }});
  check_everywhere({"v_cvt_off_f32_i4", "fi", [](Bits a, Bits, Bits, Bits) {
                      const int nibble = static_cast<int>(a & 15);
                      return bits(static_cast<float>(nibble < 8 ? nibble : nibble - 16) / 16);
                    }});
}

TEST(Convert, DoubleAndTheOthers) {
  check_everywhere({"v_cvt_f32_f64", "fd",
                    [](Bits a, Bits, Bits, Bits) { return bits(static_cast<float>(f64(a))); }});
  check_everywhere({"v_cvt_f64_f32", "df",
                    [](Bits a, Bits, Bits, Bits) { return bits(static_cast<double>(f32(a))); }});
  check_everywhere({"v_cvt_f64_i32", "di", [](Bits a, Bits, Bits, Bits) {
                      return bits(static_cast<double>(as_signed(a)));
                    }});
  check_everywhere({"v_cvt_f64_u32", "di", [](Bits a, Bits, Bits, Bits) {
                      return bits(static_cast<double>(static_cast<uint32_t>(a)));
                    }});
  check_everywhere(
      {"v_cvt_i32_f64", "id", [](Bits a, Bits, Bits, Bits) { return saturated<int32_t>(f64(a)); }});
  check_everywhere({"v_cvt_u32_f64", "id",
                    [](Bits a, Bits, Bits, Bits) { return saturated<uint32_t>(f64(a)); }});
}

TEST(Convert, Halves) {
  check_everywhere({"v_cvt_f32_f16", "fh",
                    [](Bits a, Bits, Bits, Bits) { return bits(half_to_float(a & 0xFFFF)); }});
  for (const uint32_t rounding : {0u, 1u, 2u, 3u}) {
    Options options;
    options.mode |= rounding << 2;
    check_everywhere(
        {"v_cvt_f16_f32", "hf",
         [](Bits a, Bits, Bits, Bits) { return half_bits(static_cast<double>(f32(a))); }},
        options);
  }
  check_everywhere({"v_cvt_f16_i16", "hi", [](Bits a, Bits, Bits, Bits) {
                      return half_bits(static_cast<int16_t>(a & 0xFFFF));
                    }});
  check_everywhere({"v_cvt_f16_u16", "hi", [](Bits a, Bits, Bits, Bits) {
                      return half_bits(static_cast<double>(a & 0xFFFF));
                    }});
  check_everywhere({"v_cvt_i16_f16", "ih", [](Bits a, Bits, Bits, Bits) {
                      return saturated<int16_t>(half_to_float(a & 0xFFFF)) & 0xFFFF;
                    }});
  check_everywhere({"v_cvt_u16_f16", "ih", [](Bits a, Bits, Bits, Bits) {
                      return saturated<std::uint16_t>(half_to_float(a & 0xFFFF)) & 0xFFFF;
                    }});
}

Bits toward_zero(float value) {
  const int before = std::fegetround();
  std::fesetround(FE_TOWARDZERO);
  const Bits half = half_bits(static_cast<double>(value));
  std::fesetround(before);
  return half;
}
Bits norm(float value, float low, float scale) {
  if (std::isnan(value)) return 0;
  const float in_range = std::min(std::max(value, low), 1.0f);
  return static_cast<Bits>(static_cast<std::int64_t>(std::nearbyint(in_range * scale))) & 0xFFFF;
}

TEST(Convert, Pairs) {
  const std::vector<float> values = {0.0f,     -0.0f,    1.0f,  -1.0f, 0.3f,   -0.7f,    2.0f,
                                     65504.0f, 65520.0f, 1e-7f, 6e-8f, -1e30f, 0x1p-24f, 0x1p-25f};
  for (const isa::Level level : levels()) {
    Machine m("gfx90a", level);
    for (const float a : values) {
      for (const float b : values) {
        m.v(1)[5] = static_cast<uint32_t>(bits(a));
        m.v(2)[5] = static_cast<uint32_t>(bits(b));
        ASSERT_EQ(m.run("v_cvt_pkrtz_f16_f32 v3, v1, v2\n v_cvt_pknorm_i16_f32 v4, v1, v2\n"
                        "v_cvt_pknorm_u16_f32 v5, v1, v2\n v_cvt_pkrtz_f16_f32 v6, -v1, |v2|"),
                  isa::Stop::ended);
        EXPECT_EQ(m.v(3)[5], toward_zero(a) | toward_zero(b) << 16) << a << " " << b;
        EXPECT_EQ(m.v(4)[5], norm(a, -1, 32767) | norm(b, -1, 32767) << 16) << a << " " << b;
        EXPECT_EQ(m.v(5)[5], norm(a, 0, 65535) | norm(b, 0, 65535) << 16) << a << " " << b;
        EXPECT_EQ(m.v(6)[5], toward_zero(-a) | toward_zero(std::fabs(b)) << 16) << a << " " << b;
      }
    }
    m.v(1)[5] = 70000;
    m.v(2)[5] = static_cast<uint32_t>(-70000);
    m.v(6)[5] = static_cast<uint32_t>(bits(300.0f));
    m.v(7)[5] = 2;
    m.v(8)[5] = 0x11223344;
    ASSERT_EQ(m.run("v_cvt_pk_u16_u32 v3, v1, v7\n v_cvt_pk_i16_i32 v4, v1, v2\n"
                    "v_cvt_pk_u8_f32 v5, v6, v7, v8"),
              isa::Stop::ended);
    EXPECT_EQ(m.v(3)[5], 0x0002FFFFu);
    EXPECT_EQ(m.v(4)[5], 0x80007FFFu);
    EXPECT_EQ(m.v(5)[5], 0x11FF3344u);
  }
}

/// All 256 values of an 8-bit format, largest first written out by hand.
double tiny(unsigned bits, int mantissa_bits, int bias) {
  if (bits == 0x80) return NAN;
  const int exponent = static_cast<int>(bits & 0x7F) >> mantissa_bits;
  const int mantissa = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const double size =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return (bits & 0x80) != 0 ? -size : size;
}

TEST(Convert, EightBitFloatsOfGfx942) {
  struct Format {
    const char* name;
    int mantissa_bits, bias;
    double largest;
  };
  for (const Format& format : {Format{"fp8", 3, 8, 240}, Format{"bf8", 2, 16, 57344}}) {
    Machine m("gfx942");
    ASSERT_EQ(tiny(0x7F, format.mantissa_bits, format.bias), format.largest);
    const std::string name = format.name;
    for (unsigned bits8 = 0; bits8 < 256; ++bits8) {
      const double value = tiny(bits8, format.mantissa_bits, format.bias);
      m.v(1)[9] = 0xAB000000u | bits8;
      ASSERT_EQ(m.run("v_cvt_f32_" + name + " v2, v1\n v_cvt_pk_" + name + "_f32 v3, v2, v2"),
                isa::Stop::ended);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(f32(m.v(2)[9])));
      } else {
        EXPECT_EQ(f32(m.v(2)[9]), static_cast<float>(value)) << name << " " << bits8;
      }
      EXPECT_EQ(m.v(3)[9] & 0xFFFF, bits8 | bits8 << 8) << name;
      // Half-way to the next one: to even.
      const double next = tiny((bits8 + 1) & 0xFF, format.mantissa_bits, format.bias);
      if ((bits8 & 0x7F) == 0x7F || std::isnan(value) || std::isnan(next)) continue;
      m.v(2)[9] = static_cast<uint32_t>(bits(static_cast<float>((value + next) / 2)));
      m.run("v_cvt_pk_" + name + "_f32 v3, v2, v2");
      EXPECT_EQ(m.v(3)[9] & 0xFF, bits8 + (bits8 & 1)) << name << " " << bits8;
    }
    m.v(2)[9] = static_cast<uint32_t>(bits(1e9f));
    m.v(3)[9] = 0x12345678;
    m.run("v_cvt_pk_" + name + "_f32 v3, v2, v2 op_sel:[0,0,1]");
    EXPECT_EQ(m.v(3)[9], 0x80805678u) << "too large is NaN; into the high half";
    m.wave().mode |= 1u << 23;
    m.run("v_cvt_pk_" + name + "_f32 v3, v2, v2");
    EXPECT_EQ(m.v(3)[9] & 0xFFFF, 0x7F7Fu) << "FP16_OVFL: the largest";
  }
}

}  // namespace
}  // namespace rocdrill::test
