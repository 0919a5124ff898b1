// Barrier-AND, barrier-OR, barrier-value, the barrier bit, and the order of launch.
#include <gmock/gmock.h>

#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::uint64_t> waited(const Queue& queue) {
  std::vector<std::uint64_t> handles;
  for (const SignalWait& wait : queue.waiting_on().signals) handles.push_back(wait.signal);
  return handles;
}

TEST(BarrierAnd, WaitsForEverySignal) {
  Rig rig;
  std::array<std::uint64_t, 5> handles{};
  for (auto& each : handles) each = handle(rig.make_signal(1));
  auto& done = rig.make_signal(1);
  rig.submit(aql::barrier_and(handles, handle(done)));
  for (std::size_t i = 0; i < handles.size(); ++i) {
    EXPECT_EQ(rig.run().state, QueueState::waiting);
    EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::all_signals);
    EXPECT_THAT(waited(*rig.queue), SizeIs(5 - i));
    EXPECT_EQ(done.value, 1);
    EXPECT_EQ(rig.read_index(), 0u) << "a packet that the queue stands at is not taken";
    EXPECT_EQ(rig.slot(0).header().type(), aql::PacketType::barrier_and);
    signal::store(*rig.signals[4 - i], 0);
  }
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 1u);
}

TEST(BarrierAnd, OnlyZeroSatisfies) {
  Rig rig;
  auto& dependency = rig.make_signal(-1);
  rig.submit(aql::barrier_and({handle(dependency)}, 0));
  EXPECT_EQ(rig.run().launched, 0u);
  signal::store(dependency, 0);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(BarrierAnd, SignalsNeedNotBeZeroAtTheSameMoment) {
  Rig rig;
  auto& first = rig.make_signal(0);
  auto& second = rig.make_signal(1);
  rig.submit(aql::barrier_and({handle(first), handle(second)}, 0));
  rig.run();
  EXPECT_THAT(waited(*rig.queue), ElementsAre(handle(second)));
  signal::store(first, 1);
  signal::store(second, 0);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(BarrierAnd, NullHandlesAreSatisfied) {
  Rig rig;
  auto& dependency = rig.make_signal(1);
  rig.submit(aql::barrier_and({0, 0, 0, handle(dependency), 0}, 0));
  EXPECT_EQ(rig.run().launched, 0u);
  signal::store(dependency, 0);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(BarrierOr, AnySignalDoes) {
  for (std::size_t which = 0; which < 5; ++which) {
    Rig rig;
    std::array<std::uint64_t, 5> handles{};
    for (auto& each : handles) each = handle(rig.make_signal(1));
    auto& done = rig.make_signal(1);
    rig.submit(aql::barrier_or(handles, handle(done)));
    EXPECT_EQ(rig.run().launched, 0u);
    EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::any_signal);
    EXPECT_THAT(waited(*rig.queue), SizeIs(5));
    signal::store(*rig.signals[which], 0);
    EXPECT_EQ(rig.run().launched, 1u) << which;
    EXPECT_EQ(done.value, 0);
  }
}

TEST(BarrierOr, NullHandlesAreNoDependencies) {
  Rig rig;
  auto& dependency = rig.make_signal(1);
  rig.submit(aql::barrier_or({0, handle(dependency), 0, 0, 0}, 0));
  EXPECT_EQ(rig.run().launched, 0u) << "a null handle must not satisfy a barrier-OR";
  signal::store(dependency, 0);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(BarrierOr, WithoutAnyDependencyCompletesAtOnce) {
  Rig rig;
  auto& done = rig.make_signal(1);
  rig.submit(aql::barrier_or({}, handle(done)));
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(done.value, 0);
}

struct ValueCase {
  SignalCondition condition;
  std::int64_t value;
  std::int64_t mask;
  std::int64_t waits_at;
  std::int64_t passes_at;
};

TEST(BarrierValue, WaitsForConditionUnderMask) {
  constexpr std::int64_t all = -1;
  constexpr std::int64_t low = 0xFF;
  const std::vector<ValueCase> cases{
      {SignalCondition::eq, 5, all, 4, 5},         {SignalCondition::eq, 5, low, 6, 0x705},
      {SignalCondition::ne, 5, all, 5, 6},         {SignalCondition::ne, 5, low, 0x105, 0x106},
      {SignalCondition::lt, 0, all, 0, -1},        {SignalCondition::lt, 5, low, 0xFFF, 0x1004},
      {SignalCondition::gte, 5, all, 4, 5},        {SignalCondition::gte, -3, all, -4, -3},
      {SignalCondition::gte, 5, low, 0x104, 0x10},
  };
  for (const ValueCase& each : cases) {
    SCOPED_TRACE(static_cast<int>(each.condition));
    Rig rig;
    auto& dependency = rig.make_signal(each.waits_at);
    auto& done = rig.make_signal(1);
    rig.submit(
        barrier_value(handle(dependency), each.condition, each.value, each.mask, handle(done)));
    EXPECT_EQ(rig.run().state, QueueState::waiting);
    const Wait wait = rig.queue->waiting_on();
    EXPECT_EQ(wait.reason, WaitReason::signal_value);
    ASSERT_THAT(wait.signals, SizeIs(1));
    EXPECT_EQ(wait.signals[0].signal, handle(dependency));
    EXPECT_EQ(wait.signals[0].condition, each.condition);
    EXPECT_EQ(wait.signals[0].value, each.value);
    EXPECT_EQ(wait.signals[0].mask, each.mask);
    EXPECT_EQ(done.value, 1);
    EXPECT_EQ(rig.read_index(), 0u);
    signal::store(dependency, each.passes_at);
    EXPECT_EQ(rig.run().launched, 1u);
    EXPECT_EQ(done.value, 0);
  }
}

TEST(BarrierValue, NullSignalIsSatisfied) {
  Rig rig;
  rig.submit(barrier_value(0, SignalCondition::eq, 5));
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(Barrier, NothingBehindAWaitingBarrierLaunches) {
  Rig rig;
  auto& gate = rig.make_signal(1);
  auto& done = rig.make_signal(1);
  rig.submit(aql::barrier_and({handle(gate)}, 0));
  rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(done.value, 1);
  signal::store(gate, 0);
  EXPECT_EQ(rig.run().launched, 2u);
  EXPECT_EQ(done.value, 0);
}

TEST(Barrier, CompletionOfOneReleasesTheNextInTheSameRun) {
  Rig rig;
  auto& link = rig.make_signal(1);
  rig.submit(nop(handle(link)));
  rig.submit(aql::barrier_and({handle(link)}, 0));
  EXPECT_EQ(rig.run().launched, 2u);
}

TEST(Barrier, ProducerThatOverwritesALaunchedBarrierChangesNothing) {
  Rig rig;
  auto& gate = rig.make_signal(1);
  auto& done = rig.make_signal(1);
  rig.submit(aql::barrier_and({handle(gate)}, handle(done)));
  rig.run();
  rig.slot(0) = aql::barrier_and({unmapped}, unmapped);
  signal::store(gate, 0);
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(done.value, 0);
}

TEST(BarrierBit, WaitsForEarlierPacketsInFlight) {
  Rig rig;
  auto& done = rig.make_signal(1);
  const std::uint64_t first = rig.submit(agent_dispatch());
  const std::uint64_t second = rig.submit(agent_dispatch());
  rig.submit(nop(handle(done), true));
  EXPECT_EQ(rig.run().launched, 2u);
  EXPECT_EQ(rig.queue->state(), QueueState::waiting);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::barrier_bit);
  EXPECT_TRUE(rig.queue->complete_agent_dispatch(second));
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(done.value, 1);
  EXPECT_TRUE(rig.queue->complete_agent_dispatch(first));
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(done.value, 0);
}

TEST(BarrierBit, WithoutItPacketsOvertakeThoseInFlight) {
  Rig rig;
  auto& slow = rig.make_signal(1);
  auto& done = rig.make_signal(1);
  rig.submit(agent_dispatch(handle(slow)));
  rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().launched, 2u);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(slow.value, 1);
}

TEST(BarrierBit, HoldsForEveryTypeOfPacket) {
  KernelExecutor* const none = nullptr;
  for (const aql::Packet& packet :
       {nop(0, true), aql::barrier_or({}, 0, true), agent_dispatch(0, true),
        barrier_value(0, SignalCondition::eq, 0, -1, 0, true), with_header(nop(), 0x1FF)}) {
    Rig rig(8, none);
    const std::uint64_t first = rig.submit(agent_dispatch());
    rig.submit(packet);
    EXPECT_EQ(rig.run().launched, 1u);
    EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::barrier_bit);
    EXPECT_EQ(rig.queue->error(), std::nullopt);
    rig.queue->complete_agent_dispatch(first);
    rig.run();
    EXPECT_NE(rig.queue->state(), QueueState::waiting);
  }
}

TEST(BarrierBit, WithNothingInFlightIsNoBarrier) {
  Rig rig;
  rig.submit(nop(0, true));
  rig.submit(nop(0, true));
  EXPECT_EQ(rig.run().launched, 2u);
}

}  // namespace
}  // namespace rocdrill::cp::testing
