// Runs one instruction on many operands and compares each lane with a reference.
#pragma once

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "machine.hpp"

namespace rocdrill::test {

/// Operands and results as bits, whatever their type.
using Bits = std::uint64_t;
using Row = std::array<Bits, 3>;

/// `types`: of the result, then of the sources: f, d and h are floating point of 32, 64 and 16
/// bits; i and q are integers of 32 and 64 bits; m is a mask in SGPRs (each lane's bit).
struct FloatOperation {
  std::string mnemonic;
  std::string types;
  std::function<Bits(Bits a, Bits b, Bits c, Bits before)> expected;
};

inline float f32(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double f64(Bits bits) { return std::bit_cast<double>(bits); }
inline Bits bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline Bits bits(double value) { return std::bit_cast<std::uint64_t>(value); }

inline float half_to_float(Bits half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const auto fraction = static_cast<float>(half & 0x3FF);
  float magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    magnitude = (half & 0x3FF) == 0 ? std::numeric_limits<float>::infinity()
                                    : f32(0x7F800000u | (half & 0x3FF) << 13 | 0x400000u);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}
/// Rounded once, in the host's rounding mode.
inline Bits half_bits(double value) {
  const Bits sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7E00 | (bits(value) >> 42 & 0x3FF);
  if (std::isinf(value)) return sign | 0x7C00;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 11, -24);
  const double scaled = std::fabs(std::nearbyint(std::ldexp(value, -unit)));
  if (std::ldexp(scaled, unit) >= 65536) {
    const int mode = std::fegetround();
    const bool away = mode == FE_TONEAREST || mode == (sign != 0 ? FE_DOWNWARD : FE_UPWARD);
    return sign | (away ? 0x7C00 : 0x7BFF);
  }
  const auto whole = static_cast<Bits>(scaled);
  if (unit == -24) return sign | whole;  // denormals, and what they round up to
  return sign | (whole + (static_cast<Bits>(unit + 24) << 10));
}

// References on values.
inline auto on(float (*f)(float)) {
  return [f](Bits a, Bits, Bits, Bits) { return bits(f(f32(a))); };
}
inline auto on(float (*f)(float, float)) {
  return [f](Bits a, Bits b, Bits, Bits) { return bits(f(f32(a), f32(b))); };
}
inline auto on(float (*f)(float, float, float)) {
  return [f](Bits a, Bits b, Bits c, Bits) { return bits(f(f32(a), f32(b), f32(c))); };
}
inline auto on(double (*f)(double)) {
  return [f](Bits a, Bits, Bits, Bits) { return bits(f(f64(a))); };
}
inline auto on(double (*f)(double, double)) {
  return [f](Bits a, Bits b, Bits, Bits) { return bits(f(f64(a), f64(b))); };
}
inline auto on(double (*f)(double, double, double)) {
  return [f](Bits a, Bits b, Bits c, Bits) { return bits(f(f64(a), f64(b), f64(c))); };
}

struct Options {
  std::string processor = "gfx90a";
  isa::Level level = isa::best_level();
  std::uint32_t mode = 0x1F0 | 1 << 9;
  std::uint64_t exec = ~0ull;
  std::string modifiers[3];  ///< "-", "||", "-||" around a source
  std::string suffix;        ///< "clamp", "mul:2", "op_sel:[...]"
  int scalar = -1;           ///< the source that is an SGPR, with the first row's value
  bool scalars = true;       ///< check_everywhere() may use one
  std::string encoding;      ///< "_e64"
  /// What may differ: bits of NaNs always; by how many units in the last place.
  unsigned ulps = 0;
  bool exact_nan = false;
};

/// All combinations of special values of the types, and random ones.
std::vector<Row> rows_for(const std::string& types, unsigned random_rows = 1500);
/// Compares every lane of every row.
void check(const FloatOperation& operation, const std::vector<Row>& rows, const Options& options);
/// The operation in all levels that the CPU has: with all lanes, with some, with an SGPR.
void check_everywhere(const FloatOperation& operation, Options options = {});
/// The same, and with modifiers of sources and result.
void check_modified(const FloatOperation& operation, Options options = {});

std::vector<isa::Level> levels();

}  // namespace rocdrill::test
