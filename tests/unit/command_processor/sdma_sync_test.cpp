// SDMA packets that order, signal and tell the time.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "sim/silicon/command_processor/signal.hpp"
#include "unit/command_processor/sdma_rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using sdma::PollFunction;
using ::testing::ElementsAre;

TEST(SdmaFence, WritesADword) {
  SdmaRig rig;
  rig.in<std::uint64_t>(0) = ~0ull;
  rig.execute(packets::fence(rig.at(0), 0x1234));
  EXPECT_EQ(rig.in<std::uint64_t>(0), 0xFFFFFFFF'00001234);
}

TEST(SdmaFence, MisalignedOrUnmapped) {
  SdmaRig misaligned;
  misaligned.execute(packets::fence(misaligned.at(2), 1));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig unmapped;
  unmapped.execute(packets::fence(unmapped.end(), 1));
  EXPECT_EQ(unmapped.failure(), SdmaFailure::memory_violation);
  EXPECT_EQ(unmapped.hooks.faults.at(0).access, Access::write);
}

TEST(SdmaTrap, RaisesItsContextOnceThePacketIsDone) {
  SdmaRig rig;
  std::uint64_t read_index = 0;
  rig.hooks.on_interrupt = [&] { read_index = rig.memory->read_index; };
  rig.execute(packets::trap(0xF0000123));
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(0x123u));
  EXPECT_EQ(read_index, 8u);
  EXPECT_EQ(rig.queue->counters().interrupts, 1u);
}

TEST(SdmaPoll, AllFunctions) {
  const auto passes = [](PollFunction function, std::uint32_t value) {
    SdmaRig rig;
    rig.in<std::uint32_t>(0) = value;
    return rig.execute(packets::poll(rig.at(0), function, 5)).packets == 1;
  };
  struct Row {
    PollFunction function;
    bool below, same, above;
  };
  for (const Row& row :
       {Row{PollFunction::always, true, true, true}, Row{PollFunction::less, true, false, false},
        Row{PollFunction::less_equal, true, true, false},
        Row{PollFunction::equal, false, true, false},
        Row{PollFunction::not_equal, true, false, true},
        Row{PollFunction::greater_equal, false, true, true},
        Row{PollFunction::greater, false, false, true}}) {
    EXPECT_EQ(passes(row.function, 4), row.below) << static_cast<int>(row.function);
    EXPECT_EQ(passes(row.function, 5), row.same) << static_cast<int>(row.function);
    EXPECT_EQ(passes(row.function, 0x80000000), row.above) << static_cast<int>(row.function);
  }
  SdmaRig rig;
  rig.execute(packets::poll(rig.at(0), static_cast<PollFunction>(7), 0));
  EXPECT_EQ(rig.failure(), SdmaFailure::unmodelled);
}

TEST(SdmaPoll, WaitsUnderItsMaskAndResumes) {
  SdmaRig rig;
  rig.queue->set_event_level(EventLevel::packets);
  rig.in<std::uint32_t>(0) = 0x1FF;
  rig.write(packets::poll(rig.at(0), PollFunction::equal, 0, 0xFF));
  rig.submit(packets::fence(rig.at(8), 1));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(rig.run().packets, 0u);  // 0xfff is for ever
  EXPECT_EQ(rig.queue->state(), QueueState::waiting);
  const SdmaWait wait = rig.queue->waiting_on();
  EXPECT_EQ(wait.reason, SdmaWaitReason::poll_memory);
  EXPECT_EQ(wait.address, rig.at(0));
  EXPECT_EQ(wait.function, PollFunction::equal);
  EXPECT_EQ(wait.mask, 0xFFu);
  EXPECT_EQ(rig.in<std::uint32_t>(8), 0u);
  rig.in<std::uint32_t>(0) = 0x100;
  EXPECT_EQ(rig.run().packets, 2u);
  EXPECT_EQ(rig.queue->waiting_on().reason, SdmaWaitReason::none);
  EXPECT_THAT(rig.hooks.story,
              ElementsAre("launched 0", "stalled 0", "completed 0", "launched 24", "completed 24"));
}

TEST(SdmaPoll, TheFetchedPacketCounts) {
  SdmaRig rig;
  rig.in<std::uint32_t>(0) = 1;
  rig.execute(packets::poll(rig.at(0), PollFunction::equal, 0));
  rig.memory->ring[3] = 1;  // a producer that goes on writing
  EXPECT_EQ(rig.run().packets, 0u);
}

TEST(SdmaPoll, FiniteRetriesEndWithATimeoutAndGoOn) {
  SdmaRig rig;
  rig.write(packets::poll(rig.at(0), PollFunction::equal, 1, ~0u, 3));
  rig.submit(packets::fence(rig.at(8), 1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.run().packets, 2u);
  EXPECT_THAT(rig.hooks.timeouts, ElementsAre(0u));
  EXPECT_EQ(rig.queue->counters().poll_timeouts, 1u);
  EXPECT_EQ(rig.in<std::uint32_t>(8), 1u);
  EXPECT_EQ(rig.execute(packets::poll(rig.at(0), PollFunction::equal, 1, ~0u, 0)).packets, 1u);
  EXPECT_EQ(rig.queue->counters().poll_timeouts, 2u);
}

TEST(SdmaPoll, MisalignedUnmappedAndRegisters) {
  SdmaRig misaligned;
  misaligned.execute(packets::poll(misaligned.at(1), PollFunction::equal, 0));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig unmapped;
  unmapped.execute(packets::poll(unmapped.end(), PollFunction::equal, 0));
  EXPECT_EQ(unmapped.failure(), SdmaFailure::memory_violation);
  EXPECT_EQ(unmapped.hooks.faults.at(0).access, Access::read);
  SdmaRig registers;
  Dwords packet = packets::poll(0x1000, PollFunction::equal, 0);
  packet[0] &= 0x7FFFFFFF;
  registers.execute(packet);
  EXPECT_THAT(registers.hooks.refusals, ElementsAre("SDMA POLL_REGMEM of a register"));
}

TEST(SdmaPoll, HdpFlushDoesNotWait) {
  SdmaRig rig;
  EXPECT_EQ(rig.execute(packets::hdp_flush()).packets, 1u);
  EXPECT_EQ(rig.execute({8 | 1 << 26 | 3 << 28, 0x100, 0x104, 4, 4, 0xFFF000A}).packets, 1u);
  EXPECT_EQ(rig.queue->counters().hdp_flushes, 2u);
}

struct AtomicCase {
  std::uint32_t operation;
  std::uint64_t before, source, after_32, after_64;
};

TEST(SdmaAtomic, AllOperationsInBothSizes) {
  constexpr std::uint64_t minus_one = ~0ull;
  const std::vector<AtomicCase> cases{
      {0x07, 5, 9, 9, 9},                                          // swap
      {0x0F, 0xFFFFFFFF, 1, 0, 0x1'0000'0000},                     // add
      {0x10, 0, 1, 0xFFFFFFFF, minus_one},                         // sub
      {0x11, minus_one, 1, 0xFFFFFFFF, minus_one},                 // smin
      {0x12, minus_one, 1, 1, 1},                                  // umin
      {0x13, minus_one, 1, 1, 1},                                  // smax
      {0x14, minus_one, 1, 0xFFFFFFFF, minus_one},                 // umax
      {0x15, 0xF0F0F0F0F0, 0xFF00FF00FF, 0xF000F0, 0xF000F000F0},  // and
      {0x16, 0xF0, 0x0F, 0xFF, 0xFF},                              // or
      {0x17, 0xFF, 0x0F, 0xF0, 0xF0},                              // xor
  };
  for (const AtomicCase& each : cases) {
    SdmaRig rig;
    rig.in<std::uint64_t>(0) = each.before;
    rig.in<std::uint64_t>(8) = each.before;
    rig.submit(packets::atomic(each.operation, rig.at(0), each.source));
    rig.submit(packets::atomic(each.operation + 0x20, rig.at(8), each.source));
    EXPECT_EQ(rig.run().packets, 2u);
    EXPECT_EQ(rig.in<std::uint32_t>(0), static_cast<std::uint32_t>(each.after_32))
        << each.operation;
    EXPECT_EQ(rig.in<std::uint32_t>(4), high(each.before)) << each.operation;
    EXPECT_EQ(rig.in<std::uint64_t>(8), each.after_64) << each.operation;
  }
}

TEST(SdmaAtomic, DecrementsAnHsaSignalAsRocrDoes) {
  SdmaRig rig;
  auto& signal = rig.in<aql::AmdSignal>(0);
  signal::initialise(signal, 1);
  rig.execute(packets::atomic(47, SdmaRig::va(&signal.value), ~0ull));
  EXPECT_EQ(signal::load(signal), 0);
}

TEST(SdmaAtomic, CompareAndSwapOnceOrInALoop) {
  SdmaRig rig;
  rig.in<std::uint64_t>(0) = 4;
  EXPECT_EQ(rig.execute(packets::atomic(0x28, rig.at(0), 9, 5)).packets, 1u);
  EXPECT_EQ(rig.in<std::uint64_t>(0), 4u);
  EXPECT_EQ(rig.execute(packets::atomic(0x28, rig.at(0), 9, 5, true)).packets, 0u);
  EXPECT_EQ(rig.queue->waiting_on().reason, SdmaWaitReason::atomic_compare);
  EXPECT_EQ(rig.queue->waiting_on().address, rig.at(0));
  rig.in<std::uint64_t>(0) = 5;
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(rig.in<std::uint64_t>(0), 9u);
}

TEST(SdmaAtomic, MisalignedOrUnmapped) {
  SdmaRig misaligned;
  misaligned.execute(packets::atomic(47, misaligned.at(4), 1));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig aligned;
  EXPECT_EQ(aligned.execute(packets::atomic(0x0F, aligned.at(4), 1)).packets, 1u);
  SdmaRig unmapped;
  unmapped.execute(packets::atomic(47, unmapped.end(), 1));
  EXPECT_EQ(unmapped.failure(), SdmaFailure::memory_violation);
}

TEST(SdmaTimestamp, SetGetAndGetGlobal) {
  SdmaRig rig;
  rig.hooks.counter = 1000;
  rig.execute(packets::timestamp(1, rig.at(0)));
  EXPECT_EQ(rig.in<std::uint64_t>(0), 1000u);
  rig.execute(packets::timestamp(0, 0x5'0000'0000));
  rig.hooks.counter = 1010;
  rig.execute(packets::timestamp(1, rig.at(32)));
  rig.execute(packets::timestamp(2, rig.at(64)));
  EXPECT_EQ(rig.in<std::uint64_t>(32), 0x5'0000'000Au);
  EXPECT_EQ(rig.in<std::uint64_t>(64), 1010u);
}

TEST(SdmaTimestamp, MisalignedOrUnmapped) {
  SdmaRig misaligned;
  misaligned.execute(packets::timestamp(2, misaligned.at(8)));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig unmapped;
  unmapped.execute(packets::timestamp(2, unmapped.end()));
  EXPECT_EQ(unmapped.failure(), SdmaFailure::memory_violation);
}

TEST(SdmaGcr, OnEnginesThatHaveIt) {
  const Dwords gcr{17 | 1 << 8, 0, 0, 0, 0};
  SdmaRig newer(sdma::Generation::v5_0);
  EXPECT_EQ(newer.execute(gcr).packets, 1u);
  EXPECT_EQ(newer.memory->read_index, 20u);
  SdmaRig older(sdma::Generation::v4_4_0);
  older.execute(gcr);
  EXPECT_EQ(older.failure(), SdmaFailure::unmodelled);
}

/// A whole submission of ROCr, in the order that it was seen in.
TEST(SdmaSubmission, CopyWithDependencyProfileAndInterruptSignal) {
  SdmaRig rig;
  auto& dependency = rig.in<aql::AmdSignal>(0);
  auto& done = rig.in<aql::AmdSignal>(64);
  signal::initialise(dependency, 1);
  signal::initialise(done, 1);
  rig.count_up(4096, 1000);
  const std::uint64_t value = SdmaRig::va(&dependency.value);
  rig.write(packets::poll(value + 4, PollFunction::equal, 0));
  rig.write(packets::poll(value, PollFunction::equal, 0));
  rig.write(packets::timestamp(2, rig.at(256)));
  rig.write(packets::hdp_flush());
  rig.write(packets::copy(rig.at(8192), rig.at(4096), 1000));
  rig.write(packets::timestamp(2, rig.at(288)));
  rig.write(packets::atomic(47, SdmaRig::va(&done.value), ~0ull));
  rig.write(packets::fence(rig.at(512), 33));
  rig.submit(packets::trap(33));
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(signal::load(done), 1);
  EXPECT_EQ(rig.in<std::uint8_t>(8193), 0u);
  signal::store(dependency, 0);
  EXPECT_EQ(rig.run().packets, 8u);
  EXPECT_EQ(rig.bytes(8192, 1000), rig.bytes(4096, 1000));
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_EQ(rig.in<std::uint32_t>(512), 33u);
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(33u));
  EXPECT_EQ(rig.memory->read_index, rig.memory->write_index);
}

/// What a CPU thread that polls the fence sees of the copy before it.
TEST(SdmaSubmission, PollingThreadSeesTheData) {
  SdmaRig rig;
  std::atomic<bool> wrong = false;
  std::thread poller([&] {
    for (std::uint32_t round = 1; round <= 200; ++round) {
      const std::atomic_ref fence(rig.in<std::uint32_t>(0));
      while (fence.load(std::memory_order_acquire) != round) std::this_thread::yield();
      if (rig.in<std::uint32_t>(8192 + 2044) != round) wrong = true;
      std::atomic_ref(rig.in<std::uint32_t>(64)).store(round, std::memory_order_release);
    }
  });
  for (std::uint32_t round = 1; round <= 200; ++round) {
    rig.write(packets::poll(rig.at(64), PollFunction::equal, round - 1));
    rig.write(packets::fill(rig.at(4096), round, 2044));
    rig.write(packets::copy(rig.at(8192), rig.at(4096), 2048));
    rig.submit(packets::fence(rig.at(0), round));
    while (rig.run().state != QueueState::idle) std::this_thread::yield();
  }
  poller.join();
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace rocdrill::cp::testing
