// Bytes per second through one SDMA queue against memcpy over the same buffers in the same run.
// `of_memcpy` is the ratio of the two rates; each copy is one submission as ROCr makes it, with
// doorbell, fence and read index.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "sim/silicon/command_processor/sdma.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint64_t ring_bytes = 1 << 20;
constexpr std::uint64_t largest_copy = 0x3FFFFF;  // ROCr's, on gfx942

/// Of this process: the machine may be busy with something else.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t va(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

class Bench {
 public:
  explicit Bench(std::size_t bytes) : from_(bytes, std::byte{1}), to_(bytes, std::byte{2}) {
    space_.add(memory_.get(), sizeof *memory_);
    space_.add(from_.data(), bytes);
    space_.add(to_.data(), bytes);
    queue_ =
        std::make_unique<cp::SdmaQueue>(cp::SdmaConfig{.id = 1,
                                                       .ring_base = va(memory_->ring.data()),
                                                       .ring_bytes = ring_bytes,
                                                       .write_index_va = va(&memory_->write_index),
                                                       .read_index_va = va(&memory_->read_index),
                                                       .generation = cp::sdma::Generation::v4_4_2},
                                        space_, hooks_);
  }

  void by_memcpy() {
    std::memcpy(to_.data(), from_.data(), to_.size());
    benchmark::ClobberMemory();
  }
  void by_queue() {
    for (std::size_t at = 0; at < to_.size(); at += largest_copy) {
      const std::size_t bytes = std::min<std::size_t>(largest_copy, to_.size() - at);
      const std::uint64_t src = va(from_.data() + at);
      const std::uint64_t dst = va(to_.data() + at);
      put({1, low(bytes - 1), 0, low(src), high(src), low(dst), high(dst)});
    }
    const std::uint64_t fence = va(&memory_->fence);
    put({5, low(fence), high(fence), ++expected_});
    std::atomic_ref(memory_->write_index).store(index_, std::memory_order_release);
    queue_->doorbell(index_);
    while (queue_->run(SIZE_MAX).state != cp::QueueState::idle) {
    }
  }
  bool arrived() const { return memory_->fence == expected_ && from_ == to_; }
  std::size_t bytes() const { return to_.size(); }

 private:
  void put(std::initializer_list<std::uint32_t> packet) {
    for (const std::uint32_t dword : packet) {
      memory_->ring[index_ / 4 % (ring_bytes / 4)] = dword;
      index_ += 4;
    }
  }

  struct alignas(4096) Memory {
    std::array<std::uint32_t, ring_bytes / 4> ring{};
    std::uint64_t write_index = 0;
    std::uint64_t read_index = 0;
    std::uint32_t fence = 0;
  };
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
  std::uint64_t index_ = 0;
  std::uint32_t expected_ = 0;
  cp::RangeAddressSpace space_;
  cp::SdmaHooks hooks_;
  std::unique_ptr<cp::SdmaQueue> queue_;
};

double memcpy_bytes_per_second(Bench& bench) {
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{2} << 30) / bench.bytes());
  for (std::size_t i = 0; i < rounds / 10; ++i) bench.by_memcpy();
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < rounds; ++i) bench.by_memcpy();
  return static_cast<double>(rounds * bench.bytes()) / (cpu_seconds() - start);
}

void sdma_copy(benchmark::State& state) {
  Bench bench(static_cast<std::size_t>(state.range(0)));
  const double baseline = memcpy_bytes_per_second(bench);
  const double start = cpu_seconds();
  for (auto _ : state) bench.by_queue();
  const double seconds = cpu_seconds() - start;
  const auto bytes = static_cast<double>(state.iterations()) * static_cast<double>(bench.bytes());
  state.counters["of_memcpy"] = bytes / seconds / baseline;
  state.counters["bytes"] = benchmark::Counter(bytes, benchmark::Counter::kIsRate);
  if (!bench.arrived()) state.SkipWithError("the bytes did not arrive");
}
BENCHMARK(sdma_copy)->Arg(64 << 10)->Arg(5 << 20);

}  // namespace
