// Kernels that go wrong, and what has to come of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "kernels/trial.hpp"
#include "sim/silicon/command_processor/queue_error.hpp"

namespace rocdrill::test {

void PrintTo(const Build& build, std::ostream* out) {
  *out << build.target << " -O" << build.level;
}

namespace {

using isa::End;
using testing::HasSubstr;

/// End and KfdException as numbers say little.
std::string name(const isa::Outcome& outcome) {
  switch (outcome.end) {
    case End::completed:
      return "completed";
    case End::cancelled:
      return "cancelled";
    case End::hung:
      return "hung";
    case End::unmodelled:
      return "not modelled: " + outcome.text;
    case End::exception:
      break;
  }
  return std::string(cp::name(outcome.exception.code));
}

/// A bench with faults.cl on it.
class Faults : public testing::TestWithParam<Build> {
 protected:
  Faults() {
    auto bench = workbench::Workbench::open(read_code("faults", GetParam()), GetParam().target);
    if (!bench) throw std::runtime_error(bench.error());
    bench_ = std::move(*bench);
    out_ = bench_->allocate(4096);
  }

  template <class T>
  static std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  template <class... Arguments>
  isa::Outcome run(const std::string& kernel, std::uint32_t items, std::uint32_t group,
                   Arguments... arguments) {
    workbench::KernelLaunch launch;
    launch.kernel = kernel;
    launch.geometry.grid[0] = items;
    launch.geometry.group[0] = static_cast<std::uint16_t>(group);
    launch.arguments = {bytes_of(out_.va()), bytes_of(arguments)...};
    launch.most_slices = most_slices_;
    const auto outcome = bench_->run(launch, &cancel_);
    if (!outcome) throw std::runtime_error(outcome.error());
    return *outcome;
  }
  /// Cancelled after a moment.
  isa::Outcome run_for_a_moment(const std::string& kernel, std::uint32_t items) {
    std::thread canceller([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      cancel_ = true;
    });
    const isa::Outcome outcome = run(kernel, items, items);
    canceller.join();
    return outcome;
  }
  std::span<std::uint32_t> out() const {
    return {reinterpret_cast<std::uint32_t*>(out_.bytes().data()), out_.bytes().size() / 4};
  }
  void expect_violation(const isa::Outcome& outcome, std::uint64_t address, cp::Access access) {
    ASSERT_EQ(name(outcome), "EC_QUEUE_WAVE_MEMORY_VIOLATION") << describe(outcome, *bench_);
    EXPECT_EQ(outcome.exception.address, address);
    EXPECT_EQ(outcome.exception.access, access);
  }
  std::string text_at(const isa::Outcome& outcome) {
    return bench_->disassemble_at(outcome.va).text;
  }

  std::unique_ptr<workbench::Workbench> bench_;
  workbench::Buffer out_;
  std::atomic<bool> cancel_ = false;
  std::uint64_t most_slices_ = 0;
};

/// An address that the host has and the GPU has not.
class HostOnly {
 public:
  HostOnly()
      : memory_(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  }
  ~HostOnly() { ::munmap(memory_, 4096); }
  HostOnly(const HostOnly&) = delete;
  HostOnly& operator=(const HostOnly&) = delete;
  std::uint64_t va() const { return reinterpret_cast<std::uintptr_t>(memory_); }
  std::uint32_t first() const { return *static_cast<std::uint32_t*>(memory_); }

 private:
  void* memory_;
};

TEST_P(Faults, NullPointer) {
  for (const char* kernel : {"store_to", "add_to"})
    expect_violation(run(kernel, 64, 64, std::uint64_t{0}, 5u), 0, cp::Access::write);
  expect_violation(run("load_from", 64, 64, std::uint64_t{0}, 5u), 0, cp::Access::read);
  const isa::Outcome outcome = run("scalar_load", 64, 64, std::uint64_t{0});
  expect_violation(outcome, 0, cp::Access::read);
}

TEST_P(Faults, AddressThatTheGpuHasNot) {
  const HostOnly memory;
  const isa::Outcome outcome = run("store_to", 640, 64, memory.va() + 16, 40u);
  expect_violation(outcome, memory.va() + 16, cp::Access::write);
  EXPECT_THAT(text_at(outcome), HasSubstr("_store_dword"));
  EXPECT_EQ(memory.first(), 0u);
  expect_violation(run("load_from", 64, 64, memory.va() + 4092, 63u), memory.va() + 4092,
                   cp::Access::read);
  expect_violation(run("scalar_load", 64, 64, memory.va()), memory.va(), cp::Access::read);
}

TEST_P(Faults, LastDwordOfABufferAndTheNext) {
  const workbench::Buffer buffer = bench_->allocate(4096);
  EXPECT_EQ(name(run("store_to", 64, 64, buffer.va() + 4092, 0u)), "completed");
  EXPECT_EQ(buffer.bytes()[4092], std::byte{7});
}

TEST_P(Faults, ReadOnlyMemory) {
  const workbench::Buffer memory =
      bench_->allocate(4096, {.read = true, .write = false, .execute = false});
  memory.bytes()[8] = std::byte{9};
  EXPECT_EQ(name(run("load_from", 64, 64, memory.va() + 8, 0u)), "completed");
  EXPECT_EQ(out()[0], 9u);
  expect_violation(run("store_to", 64, 64, memory.va() + 8, 0u), memory.va() + 8,
                   cp::Access::write);
  expect_violation(run("add_to", 64, 64, memory.va() + 8, 0u), memory.va() + 8, cp::Access::write);
  EXPECT_EQ(memory.bytes()[8], std::byte{9});
}

/// The lane's own LDS access is dropped; nobody else's memory changes. The group has 512 bytes: LDS
/// is allocated in such steps.
TEST_P(Faults, OutsideOfLds) {
  const isa::Outcome outcome = run("outside_lds", 64, 64, 1000u);
  EXPECT_EQ(name(outcome), "completed") << describe(outcome, *bench_);
  for (std::uint32_t n = 0; n < 64; ++n) EXPECT_EQ(out()[n], n + 1);
}

/// Vector memory may be as crooked as it likes, but not for atomics.
TEST_P(Faults, MisalignedAtomics) {
  for (const std::uint64_t offset : {1, 2, 3}) {
    const isa::Outcome global = run("add_to", 64, 64, out_.va() + 256 + offset, 3u);
    EXPECT_EQ(name(global), "EC_QUEUE_WAVE_APERTURE_VIOLATION") << describe(global, *bench_);
    const isa::Outcome lds = run("misaligned_lds", 64, 64, static_cast<std::uint32_t>(offset));
    EXPECT_EQ(name(lds), "EC_QUEUE_WAVE_APERTURE_VIOLATION") << describe(lds, *bench_);
  }
  EXPECT_EQ(name(run("store_to", 64, 64, out_.va() + 257, 0u)), "completed");
  EXPECT_EQ(out()[64], 0x700u);
  EXPECT_EQ(name(run("misaligned_lds", 64, 64, 8u)), "completed");
}

TEST_P(Faults, IllegalEncoding) {
  const isa::Outcome outcome = run("illegal", 128, 64);
  EXPECT_EQ(name(outcome), "EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION") << describe(outcome, *bench_);
  EXPECT_EQ(text_at(outcome), "illegal encoding");
}

TEST_P(Faults, Trap) {
  const isa::Outcome outcome = run("trap", 64, 64);
  EXPECT_EQ(name(outcome), "EC_QUEUE_WAVE_TRAP") << describe(outcome, *bench_);
}

TEST_P(Faults, JumpToWhereNoCodeIs) {
  const HostOnly memory;
  expect_violation(run("jump", 64, 64, memory.va()), memory.va(), cp::Access::execute);
  // Data are not executed.
  const workbench::Buffer data = bench_->allocate(4096);
  expect_violation(run("jump", 64, 64, data.va()), data.va(), cp::Access::execute);
}

TEST_P(Faults, JumpIntoAnInstruction) {
  const isa::Outcome outcome = run("jump_inside", 64, 64);
  EXPECT_EQ(name(outcome), "EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION") << describe(outcome, *bench_);
}

/// Hung is what makes no progress, not what takes long.
TEST_P(Faults, LongIsNotHung) {
  most_slices_ = 8;
  const isa::Outcome slow = run("slow", 640, 64, std::uint32_t{60'000});
  EXPECT_EQ(name(slow), "completed") << describe(slow, *bench_);
  EXPECT_EQ(out()[639], 60'000u);
  out()[0] = 0;
  EXPECT_EQ(name(run("endless", 640, 64)), "hung");
}

TEST_P(Faults, EndlessLoopsAreCancelled) {
  for (const char* kernel : {"endless", "endless_scalar", "endless_barrier"}) {
    cancel_ = false;
    const isa::Outcome outcome = run_for_a_moment(kernel, 128);
    EXPECT_EQ(name(outcome), "cancelled") << kernel << ": " << describe(outcome, *bench_);
  }
  EXPECT_EQ(out()[1], 0u);
  // The bench goes on.
  cancel_ = false;
  EXPECT_EQ(name(run("store_to", 64, 64, out_.va() + 64, 1u)), "completed");
}

/// Cut anywhere, a code object is refused in a sentence or loads; never anything else.
TEST_P(Faults, TruncatedCodeObject) {
  const std::vector<std::byte> code = read_code("faults", GetParam());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, std::size_t{64},
                                  std::size_t{200}, code.size() / 2, code.size() - 1}) {
    const auto bench = workbench::Workbench::open(std::span(code).first(bytes), GetParam().target);
    ASSERT_FALSE(bench) << bytes;
    EXPECT_THAT(bench.error(), testing::Not(testing::IsEmpty()));
  }
}

TEST_P(Faults, CodeObjectForAnotherTarget) {
  const std::string other = GetParam().target == "gfx90a" ? "gfx942" : "gfx90a";
  const auto bench = workbench::Workbench::open(read_code("faults", GetParam()), other);
  ASSERT_FALSE(bench);
  EXPECT_THAT(bench.error(), HasSubstr(other));
}

#ifdef ROCDRILL_KERNELS_WITH_MATH
/// Nobody reads what a kernel prints: the buffer is null, and who prints reads through it.
TEST(Printf, BufferIsNull) {
  for (const char* target : {"gfx90a", "gfx942"}) {
    const auto bench = workbench::Workbench::open(read_code("printf", {target, 1}), target);
    ASSERT_TRUE(bench) << bench.error();
    const workbench::Buffer out = (*bench)->allocate(256);
    const auto says = [&](std::uint32_t count) {
      workbench::KernelLaunch launch;
      launch.kernel = "says";
      launch.geometry.grid[0] = launch.geometry.group[0] = 64;
      launch.arguments.resize(2);
      launch.arguments[0].resize(sizeof count);
      std::memcpy(launch.arguments[0].data(), &count, sizeof count);
      const std::uint64_t va = out.va();
      launch.arguments[1].resize(sizeof va);
      std::memcpy(launch.arguments[1].data(), &va, sizeof va);
      const auto outcome = (*bench)->run(launch);
      if (!outcome) throw std::runtime_error(outcome.error());
      return *outcome;
    };
    EXPECT_EQ(name(says(0)), "completed");
    EXPECT_EQ(out.bytes()[4 * 5], std::byte{16});
    const isa::Outcome outcome = says(1);
    EXPECT_EQ(name(outcome), "EC_QUEUE_WAVE_MEMORY_VIOLATION") << describe(outcome, **bench);
    EXPECT_LT(outcome.exception.address, 16u);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Kernels, Faults,
                         testing::Values(Build{"gfx90a", 0}, Build{"gfx90a", 3}, Build{"gfx942", 0},
                                         Build{"gfx942", 3}),
                         [](const auto& info) {
                           return info.param.target + "_O" + std::to_string(info.param.level);
                         });

}  // namespace
}  // namespace rocdrill::test
