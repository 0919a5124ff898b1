// Agent and kernel dispatches, completion signals, interrupts, timestamps, events.
#include <gmock/gmock.h>

#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AgentDispatch, StaysInFlightUntilItsOwnerIsDone) {
  Rig rig;
  auto& done = rig.make_signal(1);
  const std::uint64_t index = rig.submit(agent_dispatch(handle(done)));
  const Progress progress = rig.run();
  EXPECT_EQ(progress.launched, 1u);
  EXPECT_EQ(progress.completed, 0u);
  EXPECT_THAT(rig.hooks.dispatched, ElementsAre(index));
  EXPECT_EQ(rig.queue->in_flight().size(), 1u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  EXPECT_EQ(rig.read_index(), 1u) << "the slot is free: the owner has a copy";
  EXPECT_EQ(rig.slot(0).header().type(), aql::PacketType::invalid);
  EXPECT_EQ(done.value, 1);

  EXPECT_FALSE(rig.queue->complete_agent_dispatch(index + 1));
  EXPECT_FALSE(rig.queue->complete_kernel_dispatch(index));
  EXPECT_TRUE(rig.queue->complete_agent_dispatch(index));
  EXPECT_EQ(done.value, 0);
  EXPECT_FALSE(rig.queue->complete_agent_dispatch(index)) << "only once";
  EXPECT_EQ(done.value, 0);
  EXPECT_THAT(rig.queue->in_flight(), IsEmpty());
}

TEST(AgentDispatch, OwnerGetsThePacketAndMayCompleteAtOnce) {
  Rig rig;
  auto& done = rig.make_signal(1);
  aql::AgentDispatch seen{};
  rig.hooks.on_agent_dispatch = [&](Queue& queue, std::uint64_t index, const aql::Packet& packet) {
    seen = packet.as<aql::AgentDispatch>();
    EXPECT_TRUE(queue.complete_agent_dispatch(index));
  };
  auto body = agent_dispatch(handle(done)).as<aql::AgentDispatch>();
  body.type = 0x8123;
  body.arg[3] = 99;
  rig.submit(aql::Packet(body));
  rig.submit(nop(0, true));
  EXPECT_EQ(rig.run().completed, 2u);
  EXPECT_EQ(seen.type, 0x8123);
  EXPECT_EQ(seen.arg[3], 99u);
  EXPECT_EQ(done.value, 0);
}

TEST(AgentDispatch, AsManyInFlightAsTheRingHasSlots) {
  Rig rig(4);
  for (int i = 0; i < 4; ++i) rig.submit(agent_dispatch());
  EXPECT_EQ(rig.run().launched, 4u);
  rig.submit(agent_dispatch());
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::in_flight_limit);
  rig.queue->complete_agent_dispatch(2);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(Completion, DecrementsByOne) {
  Rig rig;
  auto& done = rig.make_signal(5);
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(done.value, 4);
  EXPECT_THAT(rig.hooks.interrupts, IsEmpty()) << "no mailbox, no interrupt";
}

TEST(Completion, WritesMailboxThenRaisesTheInterrupt) {
  Rig rig;
  auto& done = rig.make_signal_with_event(1, 9);
  std::uint64_t slot_at_interrupt = 0;
  std::int64_t value_at_interrupt = -1;
  std::uint64_t read_at_interrupt = 0;
  rig.hooks.on_interrupt = [&](std::uint32_t) {
    slot_at_interrupt = (*rig.mailbox)[9];
    value_at_interrupt = done.value;
    read_at_interrupt = rig.read_index();
  };
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(9u));
  EXPECT_EQ(slot_at_interrupt, 9u) << "a u64, not four bytes of ~0 and an id";
  EXPECT_EQ(value_at_interrupt, 0);
  EXPECT_EQ(read_at_interrupt, 1u);
  EXPECT_EQ((*rig.mailbox)[8], ~0ull);
}

TEST(Completion, TimestampsOnlyIfProfilingIsEnabled) {
  Rig rig;
  auto& plain = rig.make_signal(1);
  rig.submit(nop(handle(plain)));
  rig.run();
  EXPECT_EQ(plain.start_ts, 0u);
  EXPECT_EQ(plain.end_ts, 0u);
  EXPECT_EQ(rig.hooks.now, 0u) << "the clock is not even asked";

  rig.amd_queue->queue_properties = 1u << 3;
  auto& profiled = rig.make_signal(1);
  rig.submit(agent_dispatch(handle(profiled)));
  rig.run();
  rig.hooks.now += 1000;
  rig.queue->complete_agent_dispatch(1);
  EXPECT_EQ(profiled.start_ts, 10u);
  EXPECT_EQ(profiled.end_ts, 1020u);
}

TEST(Completion, CountsFencesByScope) {
  Rig rig;
  using aql::FenceScope;
  const auto type = aql::PacketType::barrier_and;
  rig.submit(with_header(
      nop(), aql::Header::make(type, false, FenceScope::system, FenceScope::agent).bits));
  rig.submit(with_header(
      nop(), aql::Header::make(type, false, FenceScope::none, FenceScope::system).bits));
  rig.run();
  EXPECT_THAT(rig.queue->counters().acquire_fences, ElementsAre(1, 0, 1));
  EXPECT_THAT(rig.queue->counters().release_fences, ElementsAre(0, 1, 1));
}

struct FakeExecutor : KernelExecutor {
  std::expected<LaunchState, KfdException> launch(const KernelLaunch& launch) override {
    launches.push_back(launch);
    return answer;
  }
  std::vector<KernelLaunch> launches;
  std::expected<LaunchState, KfdException> answer = LaunchState::in_flight;
};

TEST(KernelDispatch, KeepsItsSlotUntilItIsComplete) {
  FakeExecutor executor;
  Rig rig(8, &executor);
  KernelObject object(rig.space);
  auto& done = rig.make_signal(2);
  rig.submit(aql::Packet(kernel(object.va(), handle(done))));
  rig.submit(aql::Packet(kernel(object.va(), handle(done))));
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 3u);
  EXPECT_EQ(rig.read_index(), 0u);
  EXPECT_EQ(rig.slot(0).header().type(), aql::PacketType::kernel_dispatch);
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::launched);
  EXPECT_EQ(rig.queue->slot_state(2), SlotState::complete);
  ASSERT_EQ(executor.launches.size(), 2u);
  EXPECT_EQ(executor.launches[1].packet_index, 1u);
  EXPECT_EQ(executor.launches[1].packet_va, Rig::va(&rig.ring[1]));
  EXPECT_EQ(executor.launches[1].amd_queue_va, Rig::va(rig.amd_queue.get()));
  EXPECT_EQ(executor.launches[1].entry_va, object.va() + 256);
  EXPECT_EQ(executor.launches[1].packet.grid_size_x, 100u);

  EXPECT_TRUE(rig.queue->complete_kernel_dispatch(1));
  EXPECT_EQ(done.value, 1);
  EXPECT_EQ(rig.read_index(), 0u);
  EXPECT_EQ(rig.queue->slot_state(1), SlotState::complete);
  EXPECT_TRUE(rig.queue->complete_kernel_dispatch(0));
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 3u);
  EXPECT_EQ(rig.slot(0).header().type(), aql::PacketType::invalid);
}

TEST(KernelDispatch, RingThatCameRoundWaitsForTheOldestKernel) {
  FakeExecutor executor;
  Rig rig(2, &executor);
  KernelObject object(rig.space);
  rig.submit(aql::Packet(kernel(object.va())));
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 2u);
  // A producer that ignores the read index must not make the kernel's slot run again.
  rig.queue->doorbell(2);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::ring_held);
  rig.queue->complete_kernel_dispatch(0);
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(executor.launches.size(), 1u);
}

TEST(KernelDispatch, ExecutorMayCompleteAtOnce) {
  FakeExecutor executor;
  executor.answer = LaunchState::completed;
  Rig rig(8, &executor);
  KernelObject object(rig.space);
  auto& done = rig.make_signal(1);
  rig.submit(aql::Packet(kernel(object.va(), handle(done))));
  EXPECT_EQ(rig.run().completed, 1u);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 1u);
}

TEST(KernelDispatch, WaveExceptionFailsTheQueueAtThatPacket) {
  for (const bool at_launch : {true, false}) {
    FakeExecutor executor;
    if (at_launch) executor.answer = std::unexpected(KfdException::wave_illegal_instruction);
    Rig rig(8, &executor);
    KernelObject object(rig.space);
    auto& done = rig.make_signal(1);
    rig.submit(aql::Packet(kernel(object.va(), handle(done))));
    rig.run();
    if (!at_launch) {
      EXPECT_TRUE(rig.queue->fail_dispatch(0, KfdException::wave_illegal_instruction));
    }
    ASSERT_TRUE(rig.queue->error());
    EXPECT_EQ(rig.queue->error()->status, HsaStatus::illegal_instruction);
    EXPECT_EQ(rig.queue->error()->inactive_bits, 0x40000000u);
    EXPECT_EQ(rig.queue->slot_state(0), SlotState::failed);
    EXPECT_EQ(rig.read_index(), 0u);
    EXPECT_EQ(done.value, 1);
    EXPECT_FALSE(rig.queue->complete_kernel_dispatch(0));
    EXPECT_FALSE(rig.queue->fail_dispatch(0, KfdException::wave_abort));
    EXPECT_EQ(rig.hooks.errors.size(), 1u);
  }
}

TEST(Events, LevelsNest) {
  const auto story = [](EventLevel level) {
    Rig rig;
    rig.queue->set_event_level(level);
    auto& gate = rig.make_signal(1);
    rig.submit(aql::barrier_and({handle(gate)}, 0));
    rig.run();
    rig.run();  // looks again: no news
    signal::store(gate, 0);
    rig.submit(agent_dispatch());
    rig.submit(with_header(nop(), 0xFF));
    rig.run();
    return rig.hooks.story();
  };
  EXPECT_THAT(story(EventLevel::off), IsEmpty());
  EXPECT_THAT(story(EventLevel::errors), ElementsAre("failed 2"));
  EXPECT_THAT(story(EventLevel::packets),
              ElementsAre("stalled 0", "launched 0", "completed 0", "launched 1", "failed 2"));
  EXPECT_THAT(story(EventLevel::transitions),
              ElementsAre("doorbell 0", "stalled 0", "doorbell 2", "launched 0", "taken 0",
                          "completed 0", "launched 1", "taken 1", "failed 2"));
}

TEST(Events, CarryHeaderAndCompletionSignal) {
  Rig rig;
  rig.queue->set_event_level(EventLevel::packets);
  auto& done = rig.make_signal(1);
  rig.submit(nop(handle(done), true));
  rig.run();
  ASSERT_EQ(rig.hooks.events.size(), 2u);
  for (const PacketEvent& event : rig.hooks.events) {
    EXPECT_EQ(event.queue_id, 7u);
    EXPECT_EQ(event.header.type(), aql::PacketType::barrier_and);
    EXPECT_TRUE(event.header.barrier());
    EXPECT_EQ(event.header.acquire(), 2u);
    EXPECT_EQ(event.completion_signal, handle(done));
  }
}

TEST(Names, AreDistinct) {
  const auto distinct = [](auto last) {
    std::vector<std::string> names;
    for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
      names.emplace_back(name(static_cast<decltype(last)>(i)));
    }
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    EXPECT_THAT(names, ::testing::Not(::testing::Contains("?")));
  };
  distinct(Transition::resumed);
  distinct(QueueState::failed);
  distinct(WaitReason::in_flight_limit);
  distinct(SlotState::unreadable);
}

}  // namespace
}  // namespace rocdrill::cp::testing
