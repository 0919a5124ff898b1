// Integers and floats, bit for bit but for what the hardware approximates; less common
// instructions.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cases.hpp"

extern "C" {
void twin_mix32(unsigned, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
void twin_bits32(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_divide32(unsigned, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
void twin_divide64(unsigned, const std::uint64_t*, const std::uint64_t*, std::uint64_t*);
void twin_mix64(unsigned, const std::uint64_t*, const std::uint64_t*, std::uint64_t*);
void twin_packed16(unsigned, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
void twin_bytes(unsigned, const std::uint32_t*, const std::uint32_t*, std::uint8_t*);
void twin_arithmetic32(unsigned, const float*, const float*, float*);
void twin_arithmetic64(unsigned, const double*, const double*, double*);
void twin_arithmetic16(unsigned, const rocdrill::test::Half*, const rocdrill::test::Half*,
                       rocdrill::test::Half*);
void twin_packed_half(unsigned, const rocdrill::test::Half*, const rocdrill::test::Half*,
                      rocdrill::test::Half*);
void twin_polynomial(unsigned, const double*, const double*, double*);
void twin_convert(unsigned, const float*, const double*, const std::int32_t*, const std::int64_t*,
                  std::uint64_t*);
void twin_media(unsigned, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*,
                std::uint32_t*);
void twin_dots(unsigned, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*,
               std::uint32_t*);
void twin_float_parts(unsigned, const float*, const float*, const float*, float*);
void twin_approximations(unsigned, const float*, const double*, float*, double*);
void twin_buffers(unsigned, std::uint32_t*, std::uint32_t*);
void twin_clocks(std::uint32_t*);
void twin_load_to_lds(const std::uint32_t*, std::uint32_t*);
void twin_tiny_floats(unsigned, const std::uint32_t*, float*, std::uint32_t*);
}

namespace rocdrill::test {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 n = 600;

/// Random bits, every fourth a value at some edge.
template <class T>
Array<T> integers(Trial& t, std::size_t count = n) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const std::array<T, 8> edges{
      0, 1, 2, 10, low, high, static_cast<T>(high / 2), static_cast<T>(high / 2 + 1)};
  return t.array<T>(count, [&]() -> T {
    if (t.whole(0, 3) == 0) return edges[t.whole(0u, 7u)];
    return static_cast<T>(t.random()() >> t.whole(0u, static_cast<unsigned>(sizeof(T) * 8 - 1)));
  });
}

/// Floats of all sizes, among them zeros, denormals, infinities and NaNs.
template <class T>
Array<T> floats(Trial& t, std::size_t count = n) {
  using Bits = detail::Bits<sizeof(T)>;
  constexpr Bits infinity = sizeof(T) == 2   ? static_cast<Bits>(0x7C00)
                            : sizeof(T) == 4 ? static_cast<Bits>(0x7F800000)
                                             : static_cast<Bits>(0x7FF0000000000000);
  const std::array<Bits, 6> edges{0,
                                  1,
                                  static_cast<Bits>(infinity - 1),
                                  infinity,
                                  static_cast<Bits>(infinity + infinity / 64),
                                  static_cast<Bits>(infinity >> 4)};
  const auto sign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  return t.array<T>(count, [&]() -> T {
    const u64 random = t.random()();
    switch (t.whole(0, 4)) {
      case 0:
        return std::bit_cast<T>(static_cast<Bits>(edges[random % 6] | ((random >> 32) & sign)));
      case 1:
        return std::bit_cast<T>(static_cast<Bits>(random));
      case 2:
        return static_cast<T>(t.whole(-5, 5));
      default:
        return static_cast<T>(t.real(-100, 100));
    }
  });
}

void mix32(Trial& t) {
  auto a = integers<u32>(t), b = integers<u32>(t);
  auto out = t.zeros<u32>(n);
  t.launch("mix32", twin_mix32, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void bits32(Trial& t) {
  auto a = integers<u32>(t);
  auto out = t.zeros<u32>(n);
  t.launch("bits32", twin_bits32, line(n, 128), n, a, out);
  expect_same("out", out);
}

void divide32(Trial& t) {
  auto a = integers<u32>(t), b = integers<u32>(t);
  auto out = t.zeros<u32>(4 * n);
  t.launch("divide32", twin_divide32, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void divide64(Trial& t) {
  auto a = integers<u64>(t), b = integers<u64>(t);
  auto out = t.zeros<u64>(4 * n);
  t.launch("divide64", twin_divide64, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void mix64(Trial& t) {
  auto a = integers<u64>(t), b = integers<u64>(t);
  auto out = t.zeros<u64>(n);
  t.launch("mix64", twin_mix64, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void packed16(Trial& t) {
  auto a = t.noise<u32>(n), b = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  t.launch("packed16", twin_packed16, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void bytes(Trial& t) {
  auto a = t.noise<u32>(n), b = t.noise<u32>(n);
  auto out = t.zeros<u8>(4 * n);
  t.launch("bytes", twin_bytes, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void arithmetic32(Trial& t) {
  auto a = floats<float>(t), b = floats<float>(t);
  auto out = t.zeros<float>(11 * n);
  t.launch("arithmetic32", twin_arithmetic32, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void arithmetic64(Trial& t) {
  auto a = floats<double>(t), b = floats<double>(t);
  auto out = t.zeros<double>(11 * n);
  t.launch("arithmetic64", twin_arithmetic64, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void arithmetic16(Trial& t) {
  auto a = floats<Half>(t), b = floats<Half>(t);
  auto out = t.zeros<Half>(6 * n);
  t.launch("arithmetic16", twin_arithmetic16, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void packed_half(Trial& t) {
  auto a = floats<Half>(t, 2 * n), b = floats<Half>(t, 2 * n);
  auto out = t.zeros<Half>(6 * n);
  t.launch("packed_half", twin_packed_half, line(n, 128), n, a, b, out);
  expect_same("out", out);
}

void polynomial(Trial& t) {
  auto in = t.reals<double>(n, -1.5, 1.5);
  auto c = t.reals<double>(13, -2, 2);
  auto out = t.zeros<double>(2 * n);
  t.launch("polynomial", twin_polynomial, line(n, 128), n, in, c, out);
  expect_same("out", out);
}

void convert(Trial& t) {
  auto f = floats<float>(t);
  auto d = floats<double>(t);
  auto k = integers<std::int32_t>(t);
  auto w = integers<std::int64_t>(t);
  // A NaN as an integer is anything.
  for (const auto one : {f.twin(), f.device()})
    for (float& x : one)
      if (x != x) x = 0.75f;
  for (const auto one : {d.twin(), d.device()})
    for (double& x : one)
      if (x != x) x = -0.75;
  auto out = t.zeros<u64>(10 * n);
  t.launch("convert", twin_convert, line(n, 128), n, f, d, k, w, out);
  expect_same("out", out);
}

void media(Trial& t) {
  auto a = integers<u32>(t), b = integers<u32>(t), c = integers<u32>(t);
  auto out = t.zeros<u32>(14 * n);
  t.launch("media", twin_media, line(n, 128), n, a, b, c, out);
  expect_same("out", out);
}

void dots(Trial& t) {
  auto a = t.noise<u32>(n), b = t.noise<u32>(n), c = t.noise<u32>(n);
  auto out = t.zeros<u32>(7 * n);
  t.launch("dots", twin_dots, line(n, 128), n, a, b, c, out);
  expect_same("out", out);
}

void float_parts(Trial& t) {
  auto a = floats<float>(t), b = floats<float>(t), c = floats<float>(t);
  auto out = t.zeros<float>(7 * n);
  t.launch("float_parts", twin_float_parts, line(n, 128), n, a, b, c, out);
  expect_same("out", out);
}

/// One ULP is what the ISA promises of most; of v_sin_f32 and v_cos_f32 an absolute error, of the
/// double-precision ones a first guess for Newton's steps.
void approximations(Trial& t) {
  auto a = t.reals<float>(n, 0.01, 30);
  auto d = t.reals<double>(n, 0.01, 30);
  auto out = t.zeros<float>(7 * n);
  auto wide = t.zeros<double>(2 * n);
  t.launch("approximations", twin_approximations, line(n, 128), n, a, d, out, wide);
  auto close = t.zeros<float>(5 * n);
  std::ranges::copy(out.twin().first(5 * n), close.twin().begin());
  std::ranges::copy(out.device().first(5 * n), close.device().begin());
  auto waves = t.zeros<float>(2 * n);
  std::ranges::copy(out.twin().subspan(5 * n), waves.twin().begin());
  std::ranges::copy(out.device().subspan(5 * n), waves.device().begin());
  expect_close("rcp, rsq, sqrt, log, exp", close, 1);
  expect_near("sin, cos", waves, 0x1p-20);
  for (const auto one : {wide.twin(), wide.device()})
    for (double& x : one) x = static_cast<double>(static_cast<float>(x));
  expect_near("rcp, rsq of doubles", wide, 1e-5);
}

void buffers(Trial& t) {
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  t.launch("buffers", twin_buffers, line(n, 128), n, in, out);
  expect_same("out", out);
}

void clocks(Trial& t) {
  auto out = t.zeros<u32>(300);
  t.launch("clocks", twin_clocks, line(300, 64), out);
  expect_same("out", out);
}

void load_to_lds(Trial& t) {
  auto in = t.noise<u32>(512);
  auto out = t.zeros<u32>(512);
  t.launch("load_to_lds", twin_load_to_lds, line(512, 256), in, out);
  expect_same("out", out);
}

void tiny_floats(Trial& t) {
  auto in = t.noise<u32>(n);
  for (const auto one : {in.twin(), in.device()})
    for (u32& x : one)
      for (u32 at = 0; at < 32; at += 8)
        if ((x >> at & 0xFF) == 0x80) x ^= 1u << at;
  // The NaNs were taken out of both alike.
  auto out = t.zeros<float>(6 * n);
  auto back = t.zeros<u32>(2 * n);
  t.launch("tiny_floats", twin_tiny_floats, line(n, 128), n, in, out, back);
  expect_same("out", out);
  expect_same("back", back);
}

const Case table[] = {{"mix32", "integer", mix32},
                      {"bits32", "integer", bits32},
                      {"divide32", "integer", divide32},
                      {"divide64", "integer", divide64},
                      {"mix64", "integer", mix64},
                      {"packed16", "integer", packed16},
                      {"bytes", "integer", bytes},
                      {"arithmetic32", "floats", arithmetic32},
                      {"arithmetic64", "floats", arithmetic64},
                      {"arithmetic16", "floats", arithmetic16},
                      {"packed_half", "floats", packed_half},
                      {"polynomial", "floats", polynomial},
                      {"convert", "floats", convert},
                      {"media", "builtins", media},
                      {"dots", "builtins", dots, "gfx906 gfx908 gfx90a gfx942"},
                      {"float_parts", "builtins", float_parts},
                      {"approximations", "builtins", approximations},
                      {"buffers", "builtins", buffers},
                      {"clocks", "builtins", clocks},
                      {"load_to_lds", "builtins", load_to_lds, "gfx90a gfx942"},
                      {"tiny_floats", "builtins", tiny_floats, "gfx942"}};

}  // namespace

std::span<const Case> number_cases() { return table; }

}  // namespace rocdrill::test
