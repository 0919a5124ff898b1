// Control flow, calls, and programs in HIP.
#include <string_view>

#include "kernels/cases.hpp"

extern "C" {
void twin_mandelbrot(unsigned, unsigned, unsigned, std::uint32_t*);
void twin_collatz(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_interpreter(unsigned, const std::uint8_t*, std::uint32_t*);
void twin_uniform(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_nested(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_long_loop(unsigned, std::uint64_t*);
void twin_sha256(unsigned, const std::uint8_t*, const std::uint32_t*, std::uint32_t*);
void twin_function_table(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_recursion(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_block_maximum(unsigned, const std::int32_t*, std::int32_t*);
void twin_moving_sum(unsigned, unsigned, const std::uint32_t*, std::uint32_t*);
void twin_complex_power(unsigned, const double*, double*);
void twin_count_bits(unsigned, const std::uint64_t*, std::uint64_t*);
void twin_make_shapes(unsigned, const std::uint32_t*, std::uint8_t*, std::uint64_t*);
void twin_use_shapes(unsigned, const std::uint64_t*, std::uint32_t*);
void twin_grow_shapes(unsigned, const std::uint64_t*);
}

namespace rocdrill::test {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

void mandelbrot(Trial& t) {
  const u32 width = t.whole(40u, 60u), height = t.whole(20u, 30u);
  auto out = t.zeros<u32>(width * height);
  t.launch("mandelbrot", twin_mandelbrot, twin::Grid{{64, 32, 1}, {16, 16, 1}}, width, height, 60,
           out);
  expect_same("out", out);
}

void collatz(Trial& t) {
  auto in = t.noise<u32>(300);
  auto steps = t.zeros<u32>(300);
  t.launch("collatz", twin_collatz, line(300, 128), 300, in, steps);
  expect_same("steps", steps);
}

void interpreter(Trial& t) {
  auto programs = t.noise<u8>(256 * 24);
  auto out = t.zeros<u32>(256 * 3);
  t.launch("interpreter", twin_interpreter, line(256, 64), 24, programs, out);
  expect_same("out", out);
}

void uniform(Trial& t) {
  auto program = t.noise<u32>(200);
  auto out = t.zeros<u32>(100);
  t.launch("uniform", twin_uniform, line(100, 64), 200, program, out);
  expect_same("out", out);
}

void nested(Trial& t) {
  auto in = t.noise<u32>(300);
  auto out = t.zeros<u32>(300);
  t.launch("nested", twin_nested, line(300, 128), 300, in, out);
  expect_same("out", out);
}

void long_loop(Trial& t) {
  auto state = t.noise<u64>(70);
  t.launch("long_loop", twin_long_loop, line(70, 64), 20000, state);
  expect_same("state", state);
}

/// Of messages; the first is FIPS 180's "abc".
void sha256(Trial& t) {
  constexpr u32 n = 100;
  auto messages = t.noise<u8>(n * 64);
  auto lengths = t.array<u32>(n, [&] { return t.whole(0u, 55u); });
  auto digests = t.zeros<u32>(n * 8);
  for (const auto one : {messages.twin(), messages.device()})
    std::ranges::copy(std::string_view("abc"), one.begin());
  lengths.twin()[0] = lengths.device()[0] = 3;
  t.launch("sha256", twin_sha256, line(n, 64), n, messages, lengths, digests);
  expect_same("digests", digests);
  EXPECT_EQ(digests.device()[0], 0xba7816bfu);
  EXPECT_EQ(digests.device()[7], 0xf20015adu);
}

void function_table(Trial& t) {
  auto in = t.noise<u32>(300);
  auto out = t.zeros<u32>(300);
  t.launch("function_table", twin_function_table, line(300, 128), 300, in, out);
  expect_same("out", out);
}

void recursion(Trial& t) {
  auto in = t.noise<u32>(200);
  auto out = t.zeros<u32>(200);
  t.launch("recursion", twin_recursion, line(200, 64), 200, in, out);
  expect_same("out", out);
}

void block_maximum(Trial& t) {
  const u32 n = t.whole(900u, 1100u);
  auto in = t.noise<std::int32_t>(n);
  auto most = t.zeros<std::int32_t>(5);
  t.launch("block_maximum", twin_block_maximum, whole_line(n, 256), n, in, most);
  expect_same("most", most);
}

void moving_sum(Trial& t) {
  const u32 n = t.whole(900u, 1100u), window = t.whole(2u, 40u);
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  // Static HIP LDS of no length: it is no argument.
  t.launch_with_lds((192 + window) * 4, "moving_sum", twin_moving_sum, whole_line(n, 192), n,
                    window, in, out);
  expect_same("out", out);
}

void complex_power(Trial& t) {
  auto in = t.reals<double>(2 * 333, -0.9, 0.9);
  auto out = t.zeros<double>(2 * 333);
  t.launch("complex_power", twin_complex_power, line(256, 128), 333, in, out);
  expect_same("out", out);
}

void count_bits(Trial& t) {
  auto in = t.noise<u64>(500);
  auto total = t.zeros<u64>(1);
  t.launch("count_bits", twin_count_bits, line(500, 128), 500, in, total);
  expect_same("total", total);
}

/// The objects hold pointers of their own side: only what they answer is compared.
void shapes(Trial& t) {
  constexpr u32 n = 200;
  auto in = t.noise<u32>(n);
  auto rooms = t.zeros<u8>(n * 64);
  auto pointers = t.zeros<u64>(n);
  auto out = t.zeros<u32>(n);
  t.launch("make_shapes", twin_make_shapes, line(n, 64), n, in, rooms, pointers);
  t.launch("use_shapes", twin_use_shapes, line(n, 64), n, pointers, out);
  expect_same("areas", out);
  t.launch("grow_shapes", twin_grow_shapes, line(n, 64), n, pointers);
  t.launch("use_shapes", twin_use_shapes, line(n, 64), n, pointers, out);
  expect_same("areas when grown", out);
}

const Case table[] = {
    {"mandelbrot", "flow", mandelbrot},   {"collatz", "flow", collatz},
    {"interpreter", "flow", interpreter}, {"uniform", "flow", uniform},
    {"nested", "flow", nested},           {"long_loop", "flow", long_loop},
    {"sha256", "sha256", sha256},         {"function_table", "calls", function_table},
    {"recursion", "calls", recursion},    {"block_maximum", "blocks", block_maximum},
    {"moving_sum", "blocks", moving_sum}, {"complex_power", "blocks", complex_power},
    {"count_bits", "blocks", count_bits}, {"shapes", "shapes", shapes}};

}  // namespace

std::span<const Case> control_cases() { return table; }

}  // namespace rocdrill::test
