// Saving and restoring a queue between any two steps.
#include <gmock/gmock.h>

#include "unit/command_processor/map_archive.hpp"
#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

/// The client's memory is not the queue's state; it is put back by hand.
struct Memory {
  explicit Memory(const Rig& rig) : ring(rig.ring), amd_queue(*rig.amd_queue) {
    for (const auto& signal : rig.signals) signals.push_back(*signal);
  }
  void restore(Rig& rig) const {
    rig.ring = ring;
    *rig.amd_queue = amd_queue;
    for (std::size_t i = 0; i < signals.size(); ++i) *rig.signals[i] = signals[i];
  }
  bool operator==(const Memory& other) const {
    return std::ranges::equal(ring, other.ring, {}, &aql::Packet::bytes, &aql::Packet::bytes) &&
           std::memcmp(&amd_queue, &other.amd_queue, sizeof amd_queue) == 0 &&
           std::ranges::equal(signals, other.signals, {}, &aql::AmdSignal::value,
                              &aql::AmdSignal::value);
  }
  std::vector<aql::Packet> ring;
  aql::AmdQueue amd_queue;
  std::vector<aql::AmdSignal> signals;
};

/// Saves, restores into a fresh queue, saves again, then makes `step` with both.
template <class Step>
void expect_same(Rig& rig, Step step) {
  const State saved = save(*rig.queue);
  const Memory before(rig);
  step(rig);
  const State expected = save(*rig.queue);
  const Memory after(rig);
  EXPECT_NE(saved, expected) << "the step does nothing";

  before.restore(rig);
  rig.make_queue();
  EXPECT_NE(save(*rig.queue), saved) << "nothing to restore";
  load(*rig.queue, saved);
  EXPECT_EQ(save(*rig.queue), saved);
  step(rig);
  EXPECT_EQ(save(*rig.queue), expected);
  EXPECT_TRUE(Memory(rig) == after);
}

TEST(Serialize, NamesEveryField) {
  Rig rig;
  const State state = save(*rig.queue);
  for (const char* field : {"/config/ring_base",
                            "/config/limits/lds_bytes",
                            "/event_level",
                            "/doorbell/value",
                            "/doorbell/limit",
                            "/doorbell/rings",
                            "/doorbell/seen",
                            "/announced",
                            "/launch_index",
                            "/read_index",
                            "/state",
                            "/suspended",
                            "/wait",
                            "/held_slots",
                            "/in_flight/size",
                            "/polling",
                            "/barrier/packet/63",
                            "/observed",
                            "/error/there",
                            "/counters/launched"}) {
    EXPECT_TRUE(state.contains(field)) << field;
  }
}

TEST(Serialize, WaitingBarrierWithASeenSignalAndDispatchesInFlight) {
  Rig rig;
  auto& seen = rig.make_signal(0);
  auto& gate = rig.make_signal(1);
  auto& done = rig.make_signal(9);
  rig.queue->set_event_level(EventLevel::packets);
  rig.amd_queue->queue_properties = 1u << 3;
  rig.submit(agent_dispatch(handle(done)));
  rig.submit(agent_dispatch(handle(done)));
  rig.submit(aql::barrier_and({handle(seen), handle(gate)}, handle(done)));
  rig.submit(nop(handle(done), true));
  rig.run();
  ASSERT_EQ(rig.queue->waiting_on().reason, WaitReason::all_signals);
  signal::store(seen, 1);
  expect_same(rig, [](Rig& each) {
    signal::store(*each.signals[1], 0);
    each.hooks.now = 500;
    EXPECT_EQ(each.run().launched, 1u);
    EXPECT_TRUE(each.queue->complete_agent_dispatch(1));
    EXPECT_TRUE(each.queue->complete_agent_dispatch(0));
    EXPECT_EQ(each.run().launched, 1u);
  });
  EXPECT_EQ(done.value, 5);
}

TEST(Serialize, BetweenDoorbellAndRun) {
  Rig rig;
  rig.submit(nop());
  rig.run();
  rig.submit(nop());
  expect_same(rig, [](Rig& each) {
    EXPECT_EQ(each.queue->state(), QueueState::active);
    EXPECT_EQ(each.run().launched, 1u);
  });
}

TEST(Serialize, SuspendedQueue) {
  Rig rig;
  rig.submit(nop());
  rig.queue->suspend();
  expect_same(rig, [](Rig& each) {
    EXPECT_EQ(each.run().launched, 0u);
    each.queue->resume();
    EXPECT_EQ(each.run().launched, 1u);
  });
}

TEST(Serialize, FailedQueueStaysFailed) {
  Rig rig;
  rig.submit(with_header(nop(), 0xFF));
  rig.run();
  const State saved = save(*rig.queue);
  rig.make_queue();
  load(*rig.queue, saved);
  EXPECT_EQ(save(*rig.queue), saved);
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_EQ(rig.queue->error()->kfd_code, KfdException::packet_unsupported);
  rig.queue->doorbell(5);
  EXPECT_EQ(rig.run().launched, 0u);
}

}  // namespace
}  // namespace rocdrill::cp::testing
