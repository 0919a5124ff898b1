// Memory: global, LDS, private, generic; atomics; exchanges between lanes.
#include <numeric>

#include "kernels/cases.hpp"

extern "C" {
void twin_saxpy(unsigned, float, const float*, float*);
void twin_geometry(std::uint32_t*);
void twin_copy4(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_narrow(unsigned, const std::int8_t*, const std::uint8_t*, const std::int16_t*,
                 const std::uint16_t*, std::int32_t*, std::int8_t*, std::uint16_t*);
void twin_unaligned(unsigned, const std::uint8_t*, std::uint8_t*);
void twin_lookup(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_read_counter(std::uint32_t*);
extern std::uint32_t twin_counter;
void twin_reduce_tree(unsigned, const float*, float*);
void twin_reduce_shuffle(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_reduce_dpp(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_reduce_atomic(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_dpp_all(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_dpp_newbcast(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_lanes(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_scan(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_histogram(unsigned, const std::uint8_t*, std::uint32_t*);
void twin_transpose(unsigned, unsigned, const std::uint32_t*, std::uint32_t*);
void twin_bitonic(std::uint32_t*);
void twin_rotate(const std::uint64_t*, std::uint64_t*, void*);
void twin_atomics32(const std::uint32_t*, std::uint32_t*);
void twin_atomics64(const std::uint64_t*, std::uint64_t*);
void twin_atomics_lds(const std::uint32_t*, std::uint32_t*);
void twin_atomics_float(const std::int32_t*, float*, double*);
void twin_tickets(std::uint32_t*, std::uint32_t*);
void twin_grid_barrier(unsigned, std::uint32_t*, std::uint32_t*, std::uint32_t*);
void twin_generic_pointers(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_generic_atomics(const std::uint32_t*, std::uint32_t*);
void twin_structures(unsigned, const std::uint8_t*, std::uint8_t*);
void twin_private_sort(unsigned, const std::uint32_t*, std::uint32_t*);
void twin_private_bytes(unsigned, const std::uint32_t*, std::uint64_t*);
void twin_quicksort(unsigned, std::uint32_t*);
void twin_spills(unsigned, unsigned, const std::uint32_t*, std::uint32_t*);
void twin_stencil2(unsigned, unsigned, const float*, float*);
void twin_stencil3(const double*, double*);
}

namespace rocdrill::test {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

void saxpy(Trial& t) {
  const u32 n = t.whole(900u, 1100u);
  auto x = t.reals<float>(n, -10, 10);
  auto y = t.reals<float>(n, -10, 10);
  t.launch("saxpy", twin_saxpy, line(n, 256), n, static_cast<float>(t.real(-2, 2)), x, y);
  expect_same("y", y);
}

void geometry(Trial& t) {
  const twin::Grid grids[] = {line(1000, 192),
                              {{45, 13, 1}, {16, 8, 1}},
                              {{11, 7, 10}, {4, 3, 5}},
                              {{1, 1, 200}, {1, 1, 100}}};
  for (const twin::Grid& grid : grids) {
    auto out = t.zeros<u32>(std::size_t{6} * grid.size[0] * grid.size[1] * grid.size[2]);
    t.launch("geometry", twin_geometry, grid, out);
    expect_same("record", out);
  }
}

void copy4(Trial& t) {
  const u32 n = t.whole(900u, 1100u);
  auto from = t.noise<u32>(n * 4);
  auto to = t.zeros<u32>(n * 4);
  t.launch("copy4", twin_copy4, line(300, 128), n, from, to);
  expect_same("to", to);
}

void narrow(Trial& t) {
  constexpr u32 n = 777;
  auto c = t.noise<std::int8_t>(n);
  auto uc = t.noise<u8>(n);
  auto s = t.noise<std::int16_t>(n);
  auto us = t.noise<u16>(n);
  auto sum = t.zeros<std::int32_t>(n);
  auto c_out = t.noise<std::int8_t>(n * 3);
  auto us_out = t.noise<u16>(n);
  t.launch("narrow", twin_narrow, line(n, 64), n, c, uc, s, us, sum, c_out, us_out);
  expect_same("sum", sum);
  expect_same("c_out", c_out);
  expect_same("us_out", us_out);
}

void unaligned(Trial& t) {
  constexpr u32 n = 321;
  auto in = t.noise<u8>(n * 15);
  auto out = t.zeros<u8>(n * 15);
  t.launch("unaligned", twin_unaligned, line(n, 64), n, in, out);
  expect_same("out", out);
}

void lookup(Trial& t) {
  constexpr u32 n = 500;
  auto index = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  auto count = t.zeros<u32>(1);
  twin_counter = 7;
  t.launch("lookup", twin_lookup, line(n, 128), n, index, out);
  t.launch("read_counter", twin_read_counter, line(1, 1), count);
  expect_same("out", out);
  expect_same("counter", count);
}

void reduce_tree(Trial& t) {
  const u32 n = t.whole(900u, 1000u);
  auto in = t.reals<float>(n, -1, 1);
  auto sums = t.zeros<float>(4);
  t.launch("reduce_tree", twin_reduce_tree, whole_line(n, 256), n, in, sums);
  expect_same("sums", sums);
}

void reduce_shuffle(Trial& t) {
  const u32 n = t.whole(900u, 1100u);
  auto in = t.noise<u32>(n);
  auto sums = t.zeros<u32>(6);
  t.launch("reduce_shuffle", twin_reduce_shuffle, whole_line(n, 192), n, in, sums);
  expect_same("sums", sums);
  const auto device = sums.device();
  EXPECT_EQ(std::accumulate(device.begin(), device.end(), 0u),
            std::accumulate(in.twin().begin(), in.twin().end(), 0u));
}

void reduce_dpp(Trial& t) {
  const u32 n = t.whole(900u, 1100u);
  auto in = t.noise<u32>(n);
  auto total = t.zeros<u32>(1);
  t.launch("reduce_dpp", twin_reduce_dpp, whole_line(n, 256), n, in, total);
  expect_same("total", total);
  EXPECT_EQ(total.device()[0], std::accumulate(in.twin().begin(), in.twin().end(), 0u));
}

void reduce_atomic(Trial& t) {
  const u32 n = t.whole(4900u, 5100u);
  auto in = t.noise<u32>(n);
  auto total = t.zeros<u32>(1);
  t.launch("reduce_atomic", twin_reduce_atomic, line(1000, 256), n, in, total);
  expect_same("total", total);
}

void dpp_all(Trial& t) {
  auto in = t.noise<u32>(128);
  auto out = t.zeros<u32>(128 * 15);
  t.launch("dpp_all", twin_dpp_all, line(128, 128), 128, in, out);
  expect_same("out", out);
}

void dpp_newbcast(Trial& t) {
  auto in = t.noise<u32>(128);
  auto out = t.zeros<u32>(128 * 2);
  t.launch("dpp_newbcast", twin_dpp_newbcast, line(128, 128), 128, in, out);
  expect_same("out", out);
}

void lanes(Trial& t) {
  auto in = t.noise<u32>(256);
  auto out = t.zeros<u32>(256 * 8);
  t.launch("lanes", twin_lanes, line(256, 128), 256, in, out);
  expect_same("out", out);
}

void scan(Trial& t) {
  const u32 n = t.whole(900u, 1000u);
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  t.launch("scan", twin_scan, line(n, 256), n, in, out);
  expect_same("out", out);
}

void histogram(Trial& t) {
  constexpr u32 n = 5000;
  auto in = t.noise<u8>(n);
  auto counts = t.zeros<u32>(256);
  t.launch("histogram", twin_histogram, line(700, 192), n, in, counts);
  expect_same("counts", counts);
  const auto device = counts.device();
  EXPECT_EQ(std::accumulate(device.begin(), device.end(), 0u), n);
}

void transpose(Trial& t) {
  const u32 width = t.whole(33u, 70u), height = t.whole(20u, 60u);
  auto in = t.noise<u32>(width * height);
  auto out = t.zeros<u32>(width * height);
  const twin::Grid grid{{(width + 15) / 16 * 16, (height + 15) / 16 * 16, 1}, {16, 16, 1}};
  t.launch("transpose", twin_transpose, grid, width, height, in, out);
  expect_same("out", out);
  EXPECT_EQ(out.device()[height], in.twin()[1]);
}

void bitonic(Trial& t) {
  auto keys = t.noise<u32>(1024);
  t.launch("bitonic", twin_bitonic, line(1024, 256), keys);
  expect_same("keys", keys);
  EXPECT_TRUE(std::is_sorted(keys.device().begin(), keys.device().begin() + 256));
}

void rotate(Trial& t) {
  auto in = t.noise<u64>(2 * 600);
  auto out = t.zeros<u64>(2 * 600);
  t.launch("rotate", twin_rotate, line(600, 200), in, out, LocalBytes{200 * 16});
  expect_same("out", out);
}

template <class T>
Array<T> cells(Trial& t) {
  std::vector<T> start(12);
  start[2] = start[5] = static_cast<T>(~T{0});
  start[11] = 1;
  return t.array(std::move(start));
}

/// The last value that was exchanged and the sum of those before: only their sum is the same.
template <class T>
void join(Array<T>& cells) {
  for (const auto one : {cells.twin(), cells.device()}) {
    one[9] += one[10];
    one[10] = 0;
  }
}

void atomics32(Trial& t) {
  auto in = t.noise<u32>(600);
  auto out = cells<u32>(t);
  t.launch("atomics32", twin_atomics32, line(600, 128), in, out);
  join(out);
  expect_same("cells", out);
}

void atomics64(Trial& t) {
  auto in = t.noise<u64>(600);
  auto out = cells<u64>(t);
  t.launch("atomics64", twin_atomics64, line(600, 128), in, out);
  join(out);
  expect_same("cells", out);
}

void atomics_lds(Trial& t) {
  auto in = t.noise<u32>(512);
  auto out = t.zeros<u32>(4 * 28);
  t.launch("atomics_lds", twin_atomics_lds, line(512, 128), in, out);
  expect_same("out", out);
}

void atomics_float(Trial& t) {
  auto in = t.array<std::int32_t>(600, [&] { return t.whole(-1000, 1000); });
  auto f = t.zeros<float>(2);
  auto d = t.zeros<double>(2);
  t.launch("atomics_float", twin_atomics_float, line(600, 128), in, f, d);
  expect_same("f", f);
  expect_same("d", d);
}

void tickets(Trial& t) {
  auto next = t.zeros<u32>(1);
  auto taken = t.zeros<u32>(1000);
  t.launch("tickets", twin_tickets, line(1000, 192), next, taken);
  expect_same("next", next);
  expect_same("taken", taken);
}

void grid_barrier(Trial& t) {
  constexpr u32 items = 8 * 96;
  auto arrived = t.zeros<u32>(1);
  auto a = t.noise<u32>(items);
  auto b = t.zeros<u32>(items);
  twin::Grid grid = line(items, 96);
  grid.resident = true;
  t.launch("grid_barrier", twin_grid_barrier, grid, 6, arrived, a, b);
  expect_same("a", a);
  expect_same("b", b);
}

void generic_pointers(Trial& t) {
  const u32 n = 512;
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  t.launch("generic_pointers", twin_generic_pointers, line(n, 64), n, in, out);
  expect_same("out", out);
}

void generic_atomics(Trial& t) {
  auto in = t.noise<u32>(512);
  auto out = t.zeros<u32>(2);
  t.launch("generic_atomics", twin_generic_atomics, line(512, 128), in, out);
  expect_same("out", out);
}

void structures(Trial& t) {
  constexpr u32 n = 200;
  auto in = t.noise<u8>(n * 64);
  auto out = t.zeros<u8>(n * 64);
  t.launch("structures", twin_structures, line(n, 64), n, in, out);
  // What pads a structure is nobody's.
  for (const auto one : {out.twin(), out.device()})
    for (std::size_t k = 0; k < one.size(); ++k)
      if (k % 64 >= 49) one[k] = 0;
  expect_same("out", out);
}

void private_sort(Trial& t) {
  constexpr u32 n = 100;
  auto in = t.noise<u32>(n * 32);
  auto out = t.zeros<u32>(n * 32);
  t.launch("private_sort", twin_private_sort, line(n, 64), n, in, out);
  expect_same("out", out);
}

void private_bytes(Trial& t) {
  constexpr u32 n = 300;
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u64>(n);
  t.launch("private_bytes", twin_private_bytes, line(n, 64), n, in, out);
  expect_same("out", out);
}

void quicksort(Trial& t) {
  constexpr u32 n = 40;
  auto keys = t.noise<u32>(n * 128);
  t.launch("quicksort", twin_quicksort, line(128, 64), n, keys);
  expect_same("keys", keys);
}

void spills(Trial& t) {
  constexpr u32 n = 256;
  auto in = t.noise<u32>(n);
  auto out = t.zeros<u32>(n);
  t.launch("spills", twin_spills, line(n, 128), n, 5, in, out);
  expect_same("out", out);
}

void stencil2(Trial& t) {
  const u32 width = t.whole(40u, 100u), height = t.whole(20u, 50u);
  auto in = t.reals<float>(width * height, -1, 1);
  auto out = t.zeros<float>(width * height);
  const twin::Grid grid{{(width + 31) / 32 * 32, (height + 7) / 8 * 8, 1}, {32, 8, 1}};
  t.launch("stencil2", twin_stencil2, grid, width, height, in, out);
  expect_same("out", out);
}

void stencil3(Trial& t) {
  const u32 x = t.whole(9u, 20u), y = t.whole(5u, 11u), z = t.whole(3u, 7u);
  auto in = t.reals<double>(std::size_t{x} * y * z, -1, 1);
  auto out = t.zeros<double>(std::size_t{x} * y * z);
  t.launch("stencil3", twin_stencil3, twin::Grid{{x, y, z}, {8, 4, 2}}, in, out);
  expect_same("out", out);
}

const Case table[] = {{"saxpy", "linear", saxpy},
                      {"geometry", "linear", geometry},
                      {"copy4", "linear", copy4},
                      {"narrow", "linear", narrow},
                      {"unaligned", "linear", unaligned},
                      {"lookup", "linear", lookup},
                      {"reduce_tree", "reduce", reduce_tree},
                      {"reduce_shuffle", "reduce", reduce_shuffle},
                      {"reduce_dpp", "reduce", reduce_dpp},
                      {"reduce_atomic", "reduce", reduce_atomic},
                      {"dpp_all", "reduce", dpp_all},
                      {"dpp_newbcast", "reduce", dpp_newbcast, "gfx90a gfx942"},
                      {"lanes", "reduce", lanes},
                      {"scan", "local", scan},
                      {"histogram", "local", histogram},
                      {"transpose", "local", transpose},
                      {"bitonic", "local", bitonic},
                      {"rotate", "local", rotate},
                      {"atomics32", "atomics", atomics32},
                      {"atomics64", "atomics", atomics64},
                      {"atomics_lds", "atomics", atomics_lds},
                      {"atomics_float", "atomics", atomics_float},
                      {"tickets", "atomics", tickets},
                      {"grid_barrier", "atomics", grid_barrier},
                      {"generic_pointers", "generic", generic_pointers},
                      {"generic_atomics", "generic", generic_atomics},
                      {"structures", "generic", structures},
                      {"private_sort", "private", private_sort},
                      {"private_bytes", "private", private_bytes},
                      {"quicksort", "private", quicksort},
                      {"spills", "private", spills},
                      {"stencil2", "stencil", stencil2},
                      {"stencil3", "stencil", stencil3}};

}  // namespace

std::span<const Case> memory_cases() { return table; }

}  // namespace rocdrill::test
