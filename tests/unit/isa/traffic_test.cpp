// What memory instructions move, and how LDS banks slow them.
#include <gtest/gtest.h>

#include "sim/silicon/isa/timing.hpp"
#include "sim/silicon/isa/traffic.hpp"
#include "unit/isa/machine.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;

class TrafficCounters : public testing::Test {
 protected:
  TrafficCounters() { m.wave().traffic = &traffic; }
  /// v1 = 64 addresses, `stride` bytes apart.
  void addresses(std::uint32_t stride) {
    for (unsigned l = 0; l < 64; ++l) m.v(1)[l] = l * stride;
  }
  Machine m{"gfx90a"};
  isa::Traffic traffic;
};

TEST_F(TrafficCounters, LanesInARowMeetAtNoBank) {
  addresses(4);
  ASSERT_EQ(m.run("ds_read_b32 v2, v1\n ds_write_b32 v1, v2"), Stop::ended);
  EXPECT_EQ(traffic.lds_read, 256u);
  EXPECT_EQ(traffic.lds_written, 256u);
  EXPECT_EQ(traffic.lds_cycles, 4u) << "two halves of a wave each";
  EXPECT_EQ(traffic.lds_conflict_cycles, 0u);
}

TEST_F(TrafficCounters, AColumnOfThirtyTwoDwordsIsOneBank) {
  addresses(128);
  ASSERT_EQ(m.run("ds_read_b32 v2, v1"), Stop::ended);
  EXPECT_EQ(traffic.lds_cycles, 64u);
  EXPECT_EQ(traffic.lds_conflict_cycles, 62u);
}

TEST_F(TrafficCounters, APaddedColumnIsFree) {
  addresses(132);
  ASSERT_EQ(m.run("ds_read_b32 v2, v1"), Stop::ended);
  EXPECT_EQ(traffic.lds_conflict_cycles, 0u);
}

TEST_F(TrafficCounters, OneDwordIsSharedButNotByAtomics) {
  addresses(0);
  ASSERT_EQ(m.run("ds_read_b32 v2, v1"), Stop::ended);
  EXPECT_EQ(traffic.lds_conflict_cycles, 0u);
  ASSERT_EQ(m.run("ds_add_u32 v1, v2"), Stop::ended);
  EXPECT_EQ(traffic.lds_conflict_cycles, 62u);
  EXPECT_EQ(traffic.lds_written, 256u);
}

TEST_F(TrafficCounters, TwoValuesHaveTwoOffsets) {
  addresses(8);
  ASSERT_EQ(m.run("ds_read2_b32 v[2:3], v1 offset0:0 offset1:1"), Stop::ended);
  EXPECT_EQ(traffic.lds_read, 512u);
  EXPECT_EQ(traffic.lds_conflict_cycles, 4u) << "every second bank, twice in each half";
}

TEST_F(TrafficCounters, OnlyLanesInExecMoveAnything) {
  addresses(4);
  m.wave().set_exec(0xFF);
  ASSERT_EQ(m.run("ds_read_b64 v[2:3], v1"), Stop::ended);
  EXPECT_EQ(traffic.lds_read, 64u);
}

TEST_F(TrafficCounters, MemoryByWidth) {
  alignas(4096) static std::byte memory[4096];
  m.space().add(memory, sizeof memory);
  const auto va = reinterpret_cast<std::uintptr_t>(memory);
  m.s(2) = static_cast<std::uint32_t>(va);
  m.s(3) = static_cast<std::uint32_t>(va >> 32);
  addresses(16);
  ASSERT_EQ(m.run("global_load_dwordx4 v[4:7], v1, s[2:3]\n global_load_ubyte v8, v1, s[2:3]\n"
                  "global_store_short v1, v8, s[2:3]\n global_atomic_add v1, v8, s[2:3]\n"
                  "s_load_dwordx4 s[8:11], s[2:3], 0x0"),
            Stop::ended);
  EXPECT_EQ(traffic.read, 64u * (16 + 1 + 4));
  EXPECT_EQ(traffic.written, 64u * (2 + 4));
  EXPECT_EQ(traffic.scalar_read, 16u);
}

TEST(Estimate, TheSlowestPartCounts) {
  const isa::Shape shape{.processor = "gfx90a", .compute_units = 104};
  const isa::Rates rates{.engine_mhz = 1000, .memory_bytes_per_us = 1'000'000};
  isa::DispatchCounters counters;
  counters.workgroups = 1;
  const auto idle = isa::estimate(shape, rates, counters);
  EXPECT_EQ(idle.bound, isa::Bound::launch);
  counters.instructions[static_cast<unsigned>(isa::Class::valu)] = 1'000'000;
  const auto computing = isa::estimate(shape, rates, counters);
  EXPECT_EQ(computing.bound, isa::Bound::issue);
  EXPECT_EQ(computing.ns - idle.ns, 1'000'000u) << "4 cycles of 1 ns, on 4 SIMDs of one CU";
  counters.workgroups = 104;
  EXPECT_EQ((isa::estimate(shape, rates, counters).ns - idle.ns) / 100, 96u);
  counters.traffic.read = 1'000'000'000;
  const auto streaming = isa::estimate(shape, rates, counters);
  EXPECT_EQ(streaming.bound, isa::Bound::memory);
  EXPECT_EQ(streaming.ns - idle.ns, 1'000'000u);
}

}  // namespace
}  // namespace rocdrill::test
