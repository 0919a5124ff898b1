// Barrier packets, agent dispatches, the barrier bit and signals.
#include <gmock/gmock.h>

#include <array>
#include <limits>

#include "conformance/aql_conformance.hpp"

namespace rocdrill::conformance {
namespace {

using testing::ElementsAre;

aql::Packet agent_dispatch(std::uint64_t completion_signal, std::uint64_t first_argument = 0) {
  aql::AgentDispatch body{};
  body.header = aql::Header::make(aql::PacketType::agent_dispatch).bits;
  body.type = 0x8000;  // below are the types that HSA reserves
  body.arg[0] = first_argument;
  body.completion_signal = completion_signal;
  return aql::Packet(body);
}

aql::Packet barrier_value(const Signal& dependency, SignalCondition condition, std::int64_t value,
                          std::int64_t mask, std::uint64_t completion_signal,
                          bool barrier_bit = false) {
  aql::BarrierValue body{};
  body.header = aql::Header::make(aql::PacketType::vendor_specific, barrier_bit,
                                  aql::FenceScope::system, aql::FenceScope::system)
                    .bits;
  body.amd_format = static_cast<std::uint8_t>(aql::VendorFormat::barrier_value);
  body.signal = dependency.handle();
  body.value = value;
  body.mask = mask;
  body.condition = static_cast<std::uint32_t>(condition);
  body.completion_signal = completion_signal;
  return aql::Packet(body);
}

}  // namespace

// ---- barrier packets ------------------------------------------------------------------------

TEST_P(AqlConformance, BarrierAndWaitsForAllItsSignals) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  std::vector<std::unique_ptr<Signal>> dependencies;
  std::array<std::uint64_t, 5> handles{};
  for (auto& handle : handles) {
    dependencies.push_back(make_signal(1));
    handle = dependencies.back()->handle();
  }
  auto done = make_signal(1);
  queue->submit(aql::barrier_and(handles, done->handle()));
  for (const std::size_t next : {2u, 0u, 4u, 3u, 1u}) {
    expect_stays(*done, 1);
    dependencies[next]->store(0);
  }
  expect_reaches(*done, 0);
}

TEST_P(AqlConformance, BarrierAndTakesNullSignalsForSatisfied) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto gate = make_signal(1);
  auto done = make_signal(1);
  queue->submit(aql::barrier_and({0, 0, gate->handle(), 0, 0}, done->handle()));
  expect_stays(*done, 1);
  gate->subtract(1);
  expect_reaches(*done, 0);
}

TEST_P(AqlConformance, BarrierOrWaitsForAnyOfItsSignals) {
  AQL_NEEDS(Capability::aql_barrier);
  for (std::size_t which = 0; which < 5; ++which) {
    auto queue = make_queue();
    std::vector<std::unique_ptr<Signal>> dependencies;
    std::array<std::uint64_t, 5> handles{};
    for (auto& handle : handles) {
      dependencies.push_back(make_signal(1));
      handle = dependencies.back()->handle();
    }
    auto done = make_signal(1);
    queue->submit(aql::barrier_or(handles, done->handle()));
    expect_stays(*done, 1);
    dependencies[which]->store(0);
    expect_reaches(*done, 0);
  }
}

TEST_P(AqlConformance, BarrierOrIsNotSatisfiedByNullSignals) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto gate = make_signal(1);
  auto done = make_signal(1);
  queue->submit(aql::barrier_or({0, gate->handle(), 0, 0, 0}, done->handle()));
  expect_stays(*done, 1);
  gate->store(0);
  expect_reaches(*done, 0);
}

TEST_P(AqlConformance, BarrierOfAnotherQueueReleasesThisOne) {
  AQL_NEEDS(Capability::aql_barrier);
  auto first = make_queue();
  auto second = make_queue();
  auto link = make_signal(1);
  auto done = make_signal(1);
  second->submit(aql::barrier_and({link->handle()}, done->handle()));
  expect_stays(*done, 1);
  first->submit(aql::barrier_and({}, link->handle()));
  expect_reaches(*done, 0);
}

TEST_P(AqlConformance, PacketsLaunchInOrder) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto gate = make_signal(1);
  auto first = make_signal(1);
  auto second = make_signal(1);
  queue->submit(aql::barrier_and({gate->handle()}, first->handle()));
  queue->submit(aql::barrier_and({}, second->handle()));
  expect_stays(*second, 1);
  EXPECT_EQ(first->load(), 1);
  gate->store(0);
  expect_reaches(*second, 0);
  EXPECT_EQ(first->load(), 0);
}

TEST_P(AqlConformance, BarrierValueWaitsForEachConditionUnderItsMask) {
  AQL_NEEDS(Capability::barrier_value);
  struct Case {
    SignalCondition condition;
    std::int64_t value, mask, waits_at, passes_at;
  };
  constexpr std::int64_t all = -1;
  for (const Case& each : {
           Case{SignalCondition::eq, 5, all, 4, 5},
           Case{SignalCondition::eq, 5, 0xFF, 0x106, 0x105},
           Case{SignalCondition::ne, 5, all, 5, 4},
           Case{SignalCondition::ne, 5, 0xFF, 0x105, 0x104},
           Case{SignalCondition::lt, 0, all, 0, -1},
           Case{SignalCondition::lt, 5, 0xFF, 0x05, 0x104},
           Case{SignalCondition::gte, 0, all, -1, 0},
           Case{SignalCondition::gte, 5, 0xFF, 0x104, 0x05},
       }) {
    SCOPED_TRACE(testing::Message()
                 << "condition " << static_cast<int>(each.condition) << " mask " << each.mask);
    auto queue = make_queue();
    auto dependency = make_signal(each.waits_at);
    auto done = make_signal(1);
    queue->submit(
        barrier_value(*dependency, each.condition, each.value, each.mask, done->handle()));
    expect_stays(*done, 1);
    dependency->store(each.passes_at);
    expect_reaches(*done, 0);
    EXPECT_EQ(queue->status(), HsaStatus::success);
  }
}

// An event must not fire before the work that it orders has ended.
TEST_P(AqlConformance, BarrierValueHoldsUpThePacketsBehind) {
  AQL_NEEDS(Capability::barrier_value);
  auto queue = make_queue();
  auto copy_done = make_signal(1);
  auto event = make_signal(1);
  queue->submit(barrier_value(*copy_done, SignalCondition::lt, 1, -1, 0, true));
  queue->submit(aql::barrier_and({}, event->handle(), true));
  expect_stays(*event, 1);
  copy_done->subtract(1);
  expect_reaches(*event, 0);
}

// ---- agent dispatch and the barrier bit -----------------------------------------------------

TEST_P(AqlConformance, AgentDispatchReachesItsHandlerInOrder) {
  AQL_NEEDS(Capability::agent_dispatch);
  auto queue = make_queue(0);
  auto done = make_signal(3);
  std::vector<std::uint64_t> arguments;
  std::vector<std::int64_t> seen;
  runtime_->set_agent_dispatch_handler(*queue, [&](const aql::Packet& packet) {
    arguments.push_back(packet.as<aql::AgentDispatch>().arg[0]);
    seen.push_back(done->load());
  });
  for (const std::uint64_t argument : {10u, 11u, 12u}) {
    queue->submit(agent_dispatch(done->handle(), argument));
  }
  expect_reaches(*done, 0);
  EXPECT_THAT(arguments, ElementsAre(10u, 11u, 12u));
  EXPECT_THAT(seen, ElementsAre(3, 2, 1)) << "decremented after the handler returns";
}

TEST_P(AqlConformance, PacketWithoutBarrierBitOvertakesOneInFlight) {
  AQL_NEEDS(Capability::agent_dispatch);
  auto queue = make_queue();
  auto slow = make_signal(1);
  auto done = make_signal(1);
  queue->submit(agent_dispatch(slow->handle()));  // nobody handles it
  queue->submit(aql::barrier_and({}, done->handle(), false));
  expect_reaches(*done, 0);
  expect_stays(*slow, 1);
}

TEST_P(AqlConformance, BarrierBitWaitsForEarlierPackets) {
  AQL_NEEDS(Capability::agent_dispatch);
  std::vector<aql::Packet> packets;
  auto done = make_signal(1);
  packets.push_back(aql::barrier_and({}, done->handle(), true));
  packets.push_back(aql::barrier_or({}, done->handle(), true));
  auto satisfied = make_signal(0);
  if (claims(Capability::barrier_value)) {
    packets.push_back(barrier_value(*satisfied, SignalCondition::eq, 0, -1, done->handle(), true));
  }
  for (const aql::Packet& packet : packets) {
    auto queue = make_queue();
    auto behind = make_signal(1);
    queue->submit(agent_dispatch(0));  // nobody handles it
    queue->submit(packet);
    queue->submit(aql::barrier_and({}, behind->handle()));
    expect_stays(*done, 1);
    EXPECT_EQ(behind->load(), 1);
  }
}

// ---- signals --------------------------------------------------------------------------------

TEST_P(AqlConformance, SignalWaitKnowsFourConditions) {
  auto signal = make_signal(5);
  EXPECT_EQ(signal->wait(SignalCondition::eq, 5, soon_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::ne, 4, soon_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::lt, 6, soon_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::gte, 5, soon_ns), 5);
  // Not met: returns the value all the same.
  EXPECT_EQ(signal->wait(SignalCondition::eq, 4, settle_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::ne, 5, settle_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::lt, 5, settle_ns), 5);
  EXPECT_EQ(signal->wait(SignalCondition::gte, 6, settle_ns), 5);
  signal->store(-1);
  EXPECT_EQ(signal->wait(SignalCondition::lt, 0, soon_ns), -1) << "values are signed";
}

TEST_P(AqlConformance, SignalWaitSeesWhatTheQueueDoes) {
  AQL_NEEDS(Capability::aql_barrier);
  const auto expect_wait = [&](SignalCondition condition, std::int64_t value) {
    auto queue = make_queue();
    auto signal = make_signal(1);
    queue->submit(aql::barrier_and({}, signal->handle()));
    EXPECT_EQ(signal->wait(condition, value, soon_ns), 0);
  };
  expect_wait(SignalCondition::eq, 0);
  expect_wait(SignalCondition::ne, 1);
  expect_wait(SignalCondition::lt, 1);
  auto queue = make_queue();
  auto signal = make_signal(-5);
  auto gate = make_signal(1);
  queue->submit(aql::barrier_and({gate->handle()}, signal->handle()));
  EXPECT_EQ(signal->wait(SignalCondition::gte, -4, settle_ns), -5);
}

TEST_P(AqlConformance, SignalArithmetic) {
  auto signal = make_signal(5);
  signal->add(3);
  EXPECT_EQ(signal->load(), 8);
  signal->subtract(10);
  EXPECT_EQ(signal->load(), -2);
  EXPECT_EQ(signal->exchange(6), -2);
  EXPECT_EQ(signal->compare_exchange(5, 9), 6);
  EXPECT_EQ(signal->load(), 6);
  EXPECT_EQ(signal->compare_exchange(6, 9), 6);
  EXPECT_EQ(signal->load(), 9);
  signal->store(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(signal->load(), std::numeric_limits<std::int64_t>::min());
  EXPECT_THAT(signal->handle() % 64, 0u);
}

}  // namespace rocdrill::conformance
