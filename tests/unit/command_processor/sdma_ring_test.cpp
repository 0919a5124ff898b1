// The ring of an SDMA queue: lengths, padding, wrapping, the write index, and how a queue stops.
#include <gmock/gmock.h>

#include "unit/command_processor/sdma_rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SdmaRing, RefusesConfigurationsThatTheHardwareCannotHold) {
  SdmaRig rig;
  const auto with = [&](auto change) {
    SdmaConfig config = rig.config();
    change(config);
    return std::make_unique<SdmaQueue>(config, rig.space, rig.hooks);
  };
  EXPECT_NO_THROW(with([](SdmaConfig&) {}));
  EXPECT_THROW(with([](SdmaConfig& c) { c.ring_bytes = 1000; }), std::invalid_argument);
  EXPECT_THROW(with([](SdmaConfig& c) { c.ring_bytes = 512; }), std::invalid_argument);
  EXPECT_THROW(with([](SdmaConfig& c) { c.ring_base += 4; }), std::invalid_argument);
  EXPECT_THROW(with([](SdmaConfig& c) { c.write_index_va += 4; }), std::invalid_argument);
  EXPECT_THROW(with([](SdmaConfig& c) { c.read_index_va += 4; }), std::invalid_argument);
}

TEST(SdmaRing, EmptyRingIsIdle) {
  SdmaRig rig;
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(SdmaRing, LengthFollowsThePacketsOwnFields) {
  SdmaRig rig;
  rig.write(packets::nop(3));
  rig.write(packets::write(rig.at(0), {1, 2, 3, 4, 5}));
  rig.write(packets::broadcast(rig.at(64), rig.at(128), rig.at(0), 20));
  rig.write(packets::nop(0));
  rig.submit(packets::fence(rig.at(256), 77));
  EXPECT_EQ(rig.run().packets, 5u);
  EXPECT_EQ(rig.in<std::uint32_t>(256), 77u);
  EXPECT_EQ(rig.in<std::uint32_t>(128 + 16), 5u);
  EXPECT_EQ(rig.memory->read_index, rig.memory->write_index);
  EXPECT_EQ(rig.memory->read_index, (4u + 9u + 9u + 1u + 4u) * 4u);
}

TEST(SdmaRing, ZeroedTailIsTakenAsOnePacket) {
  SdmaRig rig;
  rig.write(packets::fence(rig.at(0), 1));
  rig.submit(Dwords(SdmaRig::ring_bytes / 4 - 4, 0));
  EXPECT_EQ(rig.run().packets, 2u);
  EXPECT_EQ(rig.memory->read_index, SdmaRig::ring_bytes);
  rig.submit(packets::fence(rig.at(0), 2));
  rig.run();
  EXPECT_EQ(rig.in<std::uint32_t>(0), 2u);
  EXPECT_EQ(rig.memory->read_index, SdmaRig::ring_bytes + 16);
}

TEST(SdmaRing, ZerosEndWhereTheWriteIndexIsAndWhereAPacketBegins) {
  SdmaRig rig;
  rig.write({0, 0});
  rig.submit(packets::fence(rig.at(0), 9));
  rig.queue->doorbell(4);
  EXPECT_EQ(rig.run().packets, 2u);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 9u);
}

TEST(SdmaRing, IndicesAreBytesThatOnlyGrowAndPacketsMayWrap) {
  SdmaRig rig;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    rig.submit(packets::copy(rig.at(0), rig.at(64), 8));  // 28 bytes: every alignment at the end
    ASSERT_EQ(rig.run().packets, 1u);
    ASSERT_EQ(rig.memory->read_index, (i + 1) * 28ull);
  }
  EXPECT_EQ(rig.queue->counters().bytes_copied, 8000u);
}

TEST(SdmaRing, DataOfAWriteWraps) {
  SdmaRig rig;
  rig.submit(packets::nop(SdmaRig::ring_bytes / 4 - 1 - 6));
  rig.run();
  rig.submit(packets::write(rig.at(0), {11, 12, 13, 14}));  // the last two lie at the ring's start
  EXPECT_EQ(rig.run().packets, 1u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(rig.in<std::uint32_t>(4 * i), 11 + i);
}

TEST(SdmaRing, PacketThatReachesBeyondTheWriteIndexWaits) {
  SdmaRig rig;
  rig.write(packets::fence(rig.at(0), 5));
  for (const std::uint64_t part : {4u, 8u, 12u}) {
    rig.memory->write_index = part;
    rig.queue->doorbell(part);
    EXPECT_EQ(rig.queue->state(), QueueState::active);
    EXPECT_EQ(rig.run().packets, 0u);
    EXPECT_EQ(rig.queue->state(), QueueState::waiting);
    EXPECT_EQ(rig.queue->waiting_on().reason, SdmaWaitReason::incomplete_packet);
  }
  EXPECT_EQ(rig.memory->read_index, 0u);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 0u);
  rig.queue->doorbell(16);
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 5u);
}

TEST(SdmaRing, WriteWaitsForAllOfItsData) {
  SdmaRig rig;
  rig.write(packets::write(rig.at(0), {1, 2, 3}));
  rig.memory->write_index = 24;  // one short
  rig.queue->doorbell(24);
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 0u);
  rig.queue->doorbell(28);
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(rig.in<std::uint32_t>(8), 3u);
}

TEST(SdmaRing, DoorbellsMayComeLateAndUnaligned) {
  SdmaRig rig;
  rig.write(packets::fence(rig.at(0), 1));
  rig.memory->write_index = 0;  // the doorbell alone
  rig.queue->doorbell(19);
  rig.queue->doorbell(4);
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(rig.queue->doorbell_value(), 4u);
  EXPECT_EQ(rig.memory->read_index, 16u);
}

TEST(SdmaRing, WriteIndexIsSeenWithARingOnly) {
  SdmaRig rig;
  rig.run();
  rig.write(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 0u);
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.run().packets, 1u);
}

TEST(SdmaRing, WriteIndexMoreThanTheRingAheadIsAnOverrun) {
  SdmaRig rig;
  rig.queue->doorbell(SdmaRig::ring_bytes);  // full: all zeros
  EXPECT_EQ(rig.run().packets, 1u);
  rig.queue->doorbell(2 * SdmaRig::ring_bytes + 4);
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_EQ(rig.failure(), SdmaFailure::ring_overrun);
  EXPECT_EQ(rig.queue->error()->index, SdmaRig::ring_bytes);
}

TEST(SdmaRing, PacketLongerThanTheRingIsAnError) {
  for (const Dwords& packet :
       {Dwords{SdmaRig::ring_bytes / 4 << 16}, Dwords{2, 0, 1, SdmaRig::ring_bytes / 4 - 4}}) {
    SdmaRig rig;
    rig.execute(packet);
    EXPECT_EQ(rig.failure(), SdmaFailure::packet_too_long);
  }
}

TEST(SdmaRing, UnmodelledPacketsAreRefusedByName) {
  const std::vector<std::pair<std::uint32_t, std::string>> packets{
      {4, "SDMA INDIRECT"},
      {7, "SDMA SEM"},
      {9, "SDMA COND_EXE"},
      {12, "SDMA PTEPDE"},
      {14, "SDMA SRBM_WRITE"},
      {15, "SDMA PRE_EXE"},
      {16, "SDMA DUMMY_TRAP"},
      {17 | 1 << 8, "SDMA GCR on this engine"},
      {1 | 1 << 8, "SDMA COPY_TILED"},
      {1 | 3 << 8, "SDMA COPY_STRUCTURE"},
      {1 | 5 << 8, "SDMA COPY_TILED_SUB_WIN"},
      {1 | 6 << 8, "SDMA COPY_T2T_SUB_WIN"},
      {1 | 7 << 8, "SDMA COPY of an unlisted kind"},
      {1 | 1 << 18, "SDMA COPY of encrypted memory"},
      {2 | 1 << 8, "SDMA WRITE_TILED"},
      {8 | 1 << 8, "SDMA POLL_REGMEM that writes memory"},
      {11 | 1 << 8, "SDMA DATA_FILL_MULTI"},
      {11 | 1u << 30, "SDMA CONST_FILL of this size"},
      {10 | 0x18u << 25, "SDMA ATOMIC of this operation"},
      {10 | 0x6Fu << 25, "SDMA ATOMIC of this operation"},
      {13 | 3 << 8, "SDMA TIMESTAMP of an unlisted kind"},
      {99, "SDMA opcode that is not listed"},
  };
  for (const auto& [header, what] : packets) {
    SdmaRig rig;
    rig.write(packets::fence(rig.at(0), 1));
    const std::uint64_t index = rig.submit({header, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(rig.run().packets, 1u);
    EXPECT_THAT(rig.hooks.refusals, ElementsAre(what));
    ASSERT_EQ(rig.hooks.errors.size(), 1u);
    const SdmaError expected{.failure = SdmaFailure::unmodelled, .index = index, .header = header};
    EXPECT_EQ(rig.hooks.errors[0], expected);
    EXPECT_EQ(rig.memory->read_index, index);
  }
}

TEST(SdmaRing, FailedQueueStaysAsItIs) {
  SdmaRig rig;
  rig.execute({99});
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 0u);
  rig.queue->suspend();
  rig.queue->resume();
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_EQ(rig.hooks.errors.size(), 1u);
}

TEST(SdmaRing, RingAndIndicesThatAreNotMappedFault) {
  {
    SdmaRig rig;
    rig.space.remove(rig.memory->ring.data());
    rig.execute(packets::nop(0));
    ASSERT_EQ(rig.hooks.faults.size(), 1u);
    EXPECT_EQ(rig.hooks.faults[0].address, rig.config().ring_base);
    EXPECT_EQ(rig.hooks.faults[0].queue_id, 5u);
    EXPECT_EQ(rig.failure(), SdmaFailure::memory_violation);
  }
  SdmaRig rig;
  rig.space.remove(&rig.memory->write_index);
  rig.space.add(&rig.memory->write_index, 8);
  rig.execute(packets::fence(rig.at(0), 3));
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, rig.config().read_index_va);
  EXPECT_EQ(rig.hooks.faults[0].access, Access::write);
}

TEST(SdmaRing, RunStopsAtItsLimitAndGoesOn) {
  SdmaRig rig;
  for (std::uint32_t i = 0; i < 5; ++i) rig.submit(packets::fence(rig.at(4 * i), 1));
  EXPECT_EQ(rig.run(2).packets, 2u);
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.in<std::uint32_t>(8), 0u);
  EXPECT_EQ(rig.run().packets, 3u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(SdmaRing, SuspendedQueueDoesNothingUntilResumed) {
  SdmaRig rig;
  rig.queue->suspend();
  EXPECT_EQ(rig.execute(packets::fence(rig.at(0), 1)).packets, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::suspended);
  rig.queue->resume();
  EXPECT_EQ(rig.run().packets, 1u);
}

TEST(SdmaRing, HookMaySuspendAndRingButNotRun) {
  SdmaRig rig;
  bool refused = false;
  rig.hooks.on_interrupt = [&] {
    rig.queue->suspend();
    rig.submit(packets::fence(rig.at(4), 2));
    try {
      rig.run();
    } catch (const std::logic_error&) {
      refused = true;
    }
  };
  rig.write(packets::trap(1));
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_TRUE(refused);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 0u);
  rig.queue->resume();
  EXPECT_EQ(rig.run().packets, 2u);
  EXPECT_EQ(rig.in<std::uint32_t>(4), 2u);
}

TEST(SdmaRing, EventLevels) {
  const auto story = [](EventLevel level) {
    SdmaRig rig;
    rig.queue->set_event_level(level);
    rig.execute(packets::fence(rig.at(0), 1));
    rig.queue->suspend();
    rig.queue->resume();
    rig.execute({99});
    return rig.hooks.story;
  };
  EXPECT_THAT(story(EventLevel::off), IsEmpty());
  EXPECT_THAT(story(EventLevel::errors), ElementsAre("failed 16"));
  EXPECT_THAT(story(EventLevel::packets), ElementsAre("launched 0", "completed 0", "failed 16"));
  EXPECT_THAT(story(EventLevel::transitions),
              ElementsAre("doorbell 16", "launched 0", "completed 0", "suspended 16", "resumed 16",
                          "doorbell 20", "failed 16"));
}

TEST(SdmaRing, GenerationsByTargetVersion) {
  using sdma::Generation;
  EXPECT_EQ(sdma::generation(90006), Generation::v4_0);
  EXPECT_EQ(sdma::generation(90008), Generation::v4_0);
  EXPECT_EQ(sdma::generation(90010), Generation::v4_4_0);
  EXPECT_EQ(sdma::generation(90402), Generation::v4_4_2);
  EXPECT_EQ(sdma::generation(90500), Generation::v4_4_2);
  EXPECT_EQ(sdma::generation(100100), Generation::v5_0);
  EXPECT_EQ(sdma::generation(100300), Generation::v5_2);
  EXPECT_EQ(sdma::generation(110000), Generation::v5_2);
  EXPECT_EQ(sdma::generation(120001), std::nullopt);
  EXPECT_EQ(sdma::generation(80003), std::nullopt);
}

}  // namespace
}  // namespace rocdrill::cp::testing
