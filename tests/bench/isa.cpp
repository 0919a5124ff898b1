// Nanoseconds per instruction of a wave, in loops of 64 instructions that do not depend on each
// other, against the same work in native code in the same run. `of_native` is the ratio of the two
// times: how many times as long the wave takes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../unit/isa/machine.hpp"

namespace {

using namespace rocdrill;

#define NATIVE                                                                                 \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3"), \
                 noinline))

constexpr unsigned unrolled = 64;
constexpr unsigned rounds = 4000;
constexpr std::size_t memory_bytes = 1 << 20;

/// What the host works on: as many rows of 64 dwords as the loop has results, and memory.
struct Data {
  alignas(64) std::uint32_t row[unrolled][64];
  alignas(64) std::uint32_t source[4][64];
  alignas(64) std::uint32_t offset[64];  ///< bytes
  std::uint8_t* memory;
};

NATIVE void native_add(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l) d.row[r][l] = d.source[0][l] + d.source[1][l];
}
NATIVE void native_multiply(Data& d) {
  const auto* a = reinterpret_cast<const float*>(d.source[0]);
  const auto* b = reinterpret_cast<const float*>(d.source[1]);
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l) reinterpret_cast<float*>(d.row[r])[l] = a[l] * b[l];
}
NATIVE void native_read(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l)
      d.row[r][l] = reinterpret_cast<const std::uint32_t*>(d.memory)[r * 64 + l];
}
NATIVE void native_write(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l)
      reinterpret_cast<std::uint32_t*>(d.memory)[r * 64 + l] = d.row[r][l];
}
NATIVE void native_gather(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l)
      __builtin_memcpy(&d.row[r][l], d.memory + r * 256 + d.offset[l], 4);
}
NATIVE void native_scatter(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l)
      __builtin_memcpy(d.memory + r * 256 + d.offset[l], &d.row[r][l], 4);
}
/// Four dwords per lane, to four rows.
NATIVE void native_gather4(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l) {
      std::uint32_t quad[4];
      __builtin_memcpy(quad, d.memory + r * 256 + d.offset[l], 16);
      for (unsigned n = 0; n < 4; ++n) d.row[(r * 4 + n) % unrolled][l] = quad[n];
    }
}
NATIVE void native_scatter4(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l) {
      std::uint32_t quad[4];
      for (unsigned n = 0; n < 4; ++n) quad[n] = d.row[(r * 4 + n) % unrolled][l];
      __builtin_memcpy(d.memory + r * 256 + d.offset[l], quad, 16);
    }
}
void native_atomic(Data& d) {
  for (unsigned r = 0; r < unrolled; ++r)
    for (unsigned l = 0; l < 64; ++l)
      __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(d.memory + r * 256 + d.offset[l]),
                         d.source[0][l], __ATOMIC_RELAXED);
}

enum class Layout { unit, strided, random, one };

struct Case {
  const char* name;
  /// # is the number of the loop's instruction; $ a register that it may write, four apart; @ 256
  /// times #, modulo 4096: an offset.
  const char* text;
  Layout layout;
  unsigned bytes;  ///< of a lane
  void (*native)(Data&);
};
constexpr Case cases[] = {
    {"valu/v_add_u32", "v_add_u32 $, v4, v5", Layout::unit, 4, native_add},
    {"valu/v_mul_f32", "v_mul_f32 $, v4, v5", Layout::unit, 4, native_multiply},
    {"lds/read_b32", "ds_read_b32 $, v2 offset:@", Layout::unit, 4, native_read},
    {"lds/read_b32/random", "ds_read_b32 $, v2 offset:@", Layout::random, 4, native_gather},
    {"lds/read_b128", "ds_read_b128 $4, v2 offset:@", Layout::unit, 16, native_gather4},
    {"lds/read_b128/random", "ds_read_b128 $4, v2 offset:@", Layout::random, 16, native_gather4},
    {"lds/read2_b32", "ds_read2_b32 $2, v2 offset0:7 offset1:8", Layout::unit, 4, native_gather},
    {"lds/read2_b32/pairs", "ds_read2_b32 $2, v2 offset0:7 offset1:8", Layout::unit, 8,
     native_gather},
    {"lds/read_b32/one", "ds_read_b32 $, v2 offset:@", Layout::one, 4, native_gather},
    {"lds/write_b32", "ds_write_b32 v2, $ offset:@", Layout::unit, 4, native_write},
    {"lds/write_b128", "ds_write_b128 v2, $4 offset:@", Layout::unit, 16, native_scatter4},
    {"lds/add_u32/random", "ds_add_u32 v2, v4 offset:@", Layout::random, 4, native_scatter},
    {"lds/bpermute", "ds_bpermute_b32 $, v2, v4", Layout::random, 4, native_gather},
    {"lds/swizzle", "ds_swizzle_b32 $, v4 offset:0x401f", Layout::unit, 4, native_gather},
    {"global/load_dword", "global_load_dword $, v2, s[4:5] offset:@", Layout::unit, 4, native_read},
    {"global/load_dword/64-bit", "global_load_dword $, v[6:7], off offset:@", Layout::unit, 4,
     native_read},
    {"global/load_dword/strided", "global_load_dword $, v2, s[4:5] offset:@", Layout::strided, 4,
     native_gather},
    {"global/load_dword/random", "global_load_dword $, v2, s[4:5] offset:@", Layout::random, 4,
     native_gather},
    {"global/load_dword/one", "global_load_dword $, v2, s[4:5] offset:@", Layout::one, 4,
     native_gather},
    {"global/load_ubyte", "global_load_ubyte $, v2, s[4:5] offset:@", Layout::unit, 1, native_read},
    {"global/load_dwordx2", "global_load_dwordx2 $2, v2, s[4:5] offset:@", Layout::unit, 8,
     native_gather},
    {"global/load_dwordx4", "global_load_dwordx4 $4, v2, s[4:5] offset:@", Layout::unit, 16,
     native_gather4},
    {"global/load_dwordx4/strided", "global_load_dwordx4 $4, v2, s[4:5] offset:@", Layout::strided,
     16, native_gather4},
    {"global/load_dwordx4/random", "global_load_dwordx4 $4, v2, s[4:5] offset:@", Layout::random,
     16, native_gather4},
    {"global/store_dword", "global_store_dword v2, $, s[4:5] offset:@", Layout::unit, 4,
     native_write},
    {"global/store_dword/random", "global_store_dword v2, $, s[4:5] offset:@", Layout::random, 4,
     native_scatter},
    {"global/store_dwordx4", "global_store_dwordx4 v2, $4, s[4:5] offset:@", Layout::unit, 16,
     native_scatter4},
    {"global/atomic_add/random", "global_atomic_add v2, v4, s[4:5] offset:@", Layout::random, 4,
     native_atomic},
    {"global/atomic_add/one", "global_atomic_add v2, v4, s[4:5] offset:@", Layout::one, 4,
     native_atomic},
    {"flat/load_dword", "flat_load_dword $, v[6:7] offset:@", Layout::unit, 4, native_read},
    {"scratch/load_dword", "scratch_load_dword $, off, s10 offset:@", Layout::unit, 4, native_read},
    {"buffer/load_dword", "buffer_load_dword $, v2, s[12:15], 0 offen offset:@", Layout::unit, 4,
     native_read},
    {"buffer/load_dwordx4/random", "buffer_load_dwordx4 $4, v2, s[12:15], 0 offen offset:@",
     Layout::random, 16, native_gather4},
};

std::string instruction(const std::string& pattern, unsigned number) {
  std::string out;
  const unsigned base = 16 + number % 16 * 4;
  for (std::size_t n = 0; n < pattern.size(); ++n) {
    if (pattern[n] == '@') {
      out += std::to_string(number * 256 % 4096);
    } else if (pattern[n] == '$') {
      const char count = n + 1 < pattern.size() ? pattern[n + 1] : ' ';
      if (count == '2' || count == '4') {
        out += "v[" + std::to_string(base) + ":" +
               std::to_string(base + static_cast<unsigned>(count - '1')) + "]";
        ++n;
      } else {
        out += "v" + std::to_string(base);
      }
    } else {
      out += pattern[n];
    }
  }
  return out + "\n";
}

std::uint32_t offset_of(const Case& c, unsigned lane, std::mt19937& random) {
  switch (c.layout) {
    case Layout::unit:
      return lane * c.bytes;
    case Layout::strided:
      return lane * 256;
    case Layout::random:
      return static_cast<std::uint32_t>(random() % (40000 / c.bytes)) * c.bytes;
    case Layout::one:
      break;
  }
  return 64;
}

/// Of this process: the machine may be busy with something else.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Bench {
 public:
  explicit Bench(const Case& c) : memory_(memory_bytes + 4096), native_(c.native) {
    data_ = std::make_unique<Data>();
    data_->memory = memory_.data() + (-reinterpret_cast<std::uintptr_t>(memory_.data()) & 4095);
    machine_.space().add(data_->memory, memory_bytes - 4096);
    std::mt19937 random(5);
    const auto base = reinterpret_cast<std::uintptr_t>(data_->memory);
    machine_.wave().set_pair(4, base);
    machine_.wave().set_pair(12, base);
    machine_.s(14) = memory_bytes - 4096;
    machine_.s(15) = 0;
    machine_.s(10) = 64;
    for (unsigned l = 0; l < 64; ++l) {
      data_->offset[l] = offset_of(c, l, random);
      machine_.v(2)[l] = data_->offset[l];
      machine_.v(6)[l] = static_cast<std::uint32_t>(base + data_->offset[l]);
      machine_.v(7)[l] = static_cast<std::uint32_t>((base + data_->offset[l]) >> 32);
      machine_.v(4)[l] = data_->source[0][l] = 0x3F800000;
      machine_.v(5)[l] = data_->source[1][l] = 0x3F800001;
    }
    text_ = "s_mov_b32 s0, " + std::to_string(rounds) + "\n1:\n";
    for (unsigned n = 0; n < unrolled; ++n) text_ += instruction(c.text, n);
    text_ += "s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 1b\n";
  }
  bool by_wave() { return machine_.run(text_) == isa::Stop::ended; }
  void by_native() {
    for (unsigned n = 0; n < rounds; ++n) {
      native_(*data_);
      benchmark::ClobberMemory();
    }
  }

 private:
  test::Machine machine_;
  std::vector<std::uint8_t> memory_;
  std::unique_ptr<Data> data_;
  std::string text_;
  void (*native_)(Data&);
};

void loop(benchmark::State& state, const Case& c) {
  Bench bench(c);
  double wave = 0;
  double native = 0;
  for (auto _ : state) {
    const double begin = cpu_seconds();
    if (!bench.by_wave()) {
      state.SkipWithError("the wave did not end");
      return;
    }
    const double middle = cpu_seconds();
    bench.by_native();
    native += cpu_seconds() - middle;
    wave += middle - begin;
    state.SetIterationTime(middle - begin);
  }
  const double instructions = static_cast<double>(state.iterations()) * rounds * unrolled;
  state.counters["ns"] = wave * 1e9 / instructions;
  state.counters["native_ns"] = native * 1e9 / instructions;
  state.counters["of_native"] = wave / native;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : cases)
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& state) { loop(state, c); })
        ->Iterations(5)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
