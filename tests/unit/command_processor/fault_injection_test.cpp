// What a client sees when something between it and a hardware queue goes wrong on purpose.
#include <gmock/gmock.h>

#include "unit/command_processor/map_archive.hpp"
#include "unit/command_processor/rig.hpp"
#include "unit/command_processor/sdma_rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(QueueFaults, NoneByDefault) {
  Rig rig;
  rig.queue->inject({});
  auto& done = rig.make_signal_with_event(3, 4);
  for (int i = 0; i < 3; ++i) rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().completed, 3u);
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_EQ(rig.read_index(), 3u);
  EXPECT_EQ(rig.hooks.interrupts.size(), 3u);
}

TEST(QueueFaults, LostDoorbellLeavesThePacketUntilTheNextRing) {
  Rig rig;
  rig.queue->inject({.doorbell = {.lost = 2}});
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 1u);
  rig.submit(nop());
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.read_index(), 1u);
  rig.submit(nop());
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 2u);
}

TEST(QueueFaults, LostDoorbellIsHealedByMappingTheQueueAnew) {
  Rig rig;
  rig.queue->inject({.doorbell = {.lost = 1}});
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 0u);
  rig.queue->suspend();
  rig.queue->resume();
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(QueueFaults, ALookAtMemoryDoesNotTellOfADoorbellThatWillBeLost) {
  Rig rig;
  rig.queue->inject({.doorbell = {.lost = 1}});
  rig.write(nop());
  EXPECT_EQ(rig.run().launched, 0u) << "not rung yet";
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.run().launched, 0u);
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(QueueFaults, SeveralOfAKindAddUpAndTellWhenTheyTakeEffect) {
  Rig rig;
  QueueFaultInjection faults;
  faults.completion_lost.add(1);
  faults.completion_lost.add(3);
  faults.doorbell.duplicated.add_every();
  faults.read_index_stuck = 4;
  rig.queue->inject(faults);
  auto& done = rig.make_signal(5);
  for (int i = 0; i < 5; ++i) {
    rig.submit(nop(handle(done)));
    rig.run();
  }
  EXPECT_EQ(signal::load(done), 2) << "two of five are lost";
  EXPECT_EQ(rig.read_index(), 3u);
  EXPECT_THAT(
      rig.hooks.injections,
      ElementsAre("doorbell.duplicated 1 0", "completion.lost 1 0", "doorbell.duplicated 2 1",
                  "doorbell.duplicated 3 2", "completion.lost 3 2", "doorbell.duplicated 4 3",
                  "ring.read_index_stuck 4 3", "doorbell.duplicated 5 4"));
}

TEST(QueueFaults, EveryCompletionCanBeLateAndTheQueueKnowsUntilWhen) {
  Rig rig;
  QueueFaultInjection faults;
  faults.completion_late.add_every();
  faults.completion_delay.ns = 1000;
  rig.queue->inject(faults);
  auto& done = rig.make_signal(2);
  rig.submit(nop(handle(done)));
  rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().completed, 2u);
  EXPECT_FALSE(rig.queue->late_until()) << "its time begins with the next look";
  rig.run();
  ASSERT_TRUE(rig.queue->late_until());
  EXPECT_EQ(signal::load(done), 2);
  rig.hooks.now = *rig.queue->late_until();
  rig.run();
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_FALSE(rig.queue->late_until());
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(QueueFaults, DuplicatedDoorbellWakesTheQueueForNothing) {
  Rig rig;
  rig.queue->set_event_level(EventLevel::transitions);
  rig.queue->inject({.doorbell = {.duplicated = 1}});
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  EXPECT_EQ(rig.read_index(), 1u);
  EXPECT_THAT(rig.hooks.story(),
              ElementsAre("doorbell 0", "launched 0", "taken 0", "completed 0", "doorbell 0"));
}

TEST(QueueFaults, DelayedDoorbellByCallsOfRun) {
  Rig rig;
  rig.queue->inject({.doorbell = {.delayed = 1, .delay = {.runs = 2}}});
  rig.submit(nop());
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(QueueFaults, DelayedDoorbellByTime) {
  Rig rig;
  rig.queue->inject({.doorbell = {.delayed = 1, .delay = {.ns = 1000}}});
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 0u);  // the delay begins
  rig.hooks.now += 900;
  EXPECT_EQ(rig.run().launched, 0u);
  rig.hooks.now += 100;
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(QueueFaults, LaterRingOvertakesADelayedOne) {
  Rig rig;
  rig.queue->inject({.doorbell = {.delayed = 1, .delay = {.runs = 5}}});
  rig.submit(nop());
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 2u);
  for (int i = 0; i < 5; ++i) rig.run();
  EXPECT_EQ(rig.queue->doorbell_value(), 0u);  // the late value
  EXPECT_EQ(rig.read_index(), 2u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(QueueFaults, HeaderSeenBeforeTheBodyOfABarrier) {
  Rig rig;
  auto& gate = rig.make_signal(1);
  auto& done = rig.make_signal(1);
  rig.queue->inject({.header_before_body = 2});
  rig.submit(nop());
  rig.submit(aql::barrier_and({handle(gate)}, handle(done)));
  EXPECT_EQ(rig.run().completed, 2u);  // no dependency, nobody to tell
  EXPECT_EQ(signal::load(done), 1);
  rig.submit(aql::barrier_and({handle(gate)}, handle(done)));
  EXPECT_EQ(rig.run().completed, 0u);
}

TEST(QueueFaults, HeaderSeenBeforeTheBodyOfADispatch) {
  Rig rig;
  const KernelObject object(rig.space);
  rig.queue->inject({.header_before_body = 1});
  rig.submit(aql::Packet(kernel(object.va())));
  rig.run();
  ASSERT_TRUE(rig.queue->error().has_value());
  EXPECT_EQ(rig.queue->error()->kfd_code, KfdException::packet_dispatch_work_group_size_invalid);
}

TEST(QueueFaults, BarrierBitIgnoredOnOnePacket) {
  Rig rig;
  auto& done = rig.make_signal(2);
  rig.queue->inject({.barrier_bit_ignored = 2});
  rig.submit(agent_dispatch());
  rig.submit(nop(handle(done), true));
  rig.submit(nop(handle(done), true));
  EXPECT_EQ(rig.run().launched, 2u);
  EXPECT_EQ(signal::load(done), 1);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::barrier_bit);
  EXPECT_EQ(rig.queue->waiting_on().packet_index, 2u);
}

TEST(QueueFaults, CompletionLost) {
  Rig rig;
  auto& done = rig.make_signal_with_event(3, 6);
  rig.queue->inject({.completion_lost = 2});
  rig.submit(nop());  // has no signal: not counted
  for (int i = 0; i < 3; ++i) rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().completed, 4u);
  EXPECT_EQ(signal::load(done), 1);
  EXPECT_EQ(rig.hooks.interrupts.size(), 2u);
  EXPECT_EQ(rig.read_index(), 4u);
}

TEST(QueueFaults, CompletionLateByCallsOfRun) {
  Rig rig;
  auto& late = rig.make_signal_with_event(1, 6);
  auto& next = rig.make_signal(1);
  rig.amd_queue->queue_properties = 1u << 3;
  rig.queue->inject({.completion_late = 1, .completion_delay = {.runs = 2}});
  rig.submit(nop(handle(late)));
  rig.submit(nop(handle(next)));
  EXPECT_EQ(rig.run().completed, 2u);
  EXPECT_EQ(signal::load(next), 0);
  EXPECT_EQ(signal::load(late), 1);
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  rig.run();
  rig.run();
  EXPECT_EQ(signal::load(late), 1);
  EXPECT_THAT(rig.hooks.interrupts, IsEmpty());
  rig.run();
  EXPECT_EQ(signal::load(late), 0);
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(6u));
  EXPECT_EQ((*rig.mailbox)[6], 6u);
  EXPECT_GT(late.end_ts, late.start_ts);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(QueueFaults, CompletionLateByTime) {
  Rig rig;
  auto& late = rig.make_signal(1);
  rig.queue->inject({.completion_late = 1, .completion_delay = {.ns = 500}});
  rig.submit(nop(handle(late)));
  rig.run();
  rig.run();
  EXPECT_EQ(signal::load(late), 1);
  rig.hooks.now += 500;
  rig.run();
  EXPECT_EQ(signal::load(late), 0);
}

TEST(QueueFaults, LateCompletionWhoseSignalIsGoneFaults) {
  Rig rig;
  auto& late = rig.make_signal(1);
  rig.queue->inject({.completion_late = 1});
  rig.submit(nop(handle(late)));
  rig.run();
  rig.space.remove(&late);
  rig.run();
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, handle(late));
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
}

TEST(QueueFaults, CompletionTwice) {
  Rig rig;
  auto& done = rig.make_signal_with_event(2, 3);
  rig.queue->inject({.completion_twice = 1});
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_EQ(rig.hooks.interrupts.size(), 1u);
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(signal::load(done), -1);
}

TEST(QueueFaults, InterruptLost) {
  Rig rig;
  auto& done = rig.make_signal_with_event(2, 3);
  rig.queue->inject({.interrupt_lost = 1});
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(signal::load(done), 1);
  EXPECT_EQ((*rig.mailbox)[3], 3u);
  EXPECT_THAT(rig.hooks.interrupts, IsEmpty());
  EXPECT_EQ(rig.queue->counters().interrupts, 0u);
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_THAT(rig.hooks.interrupts, ElementsAre(3u));
}

TEST(QueueFaults, ReadIndexStuckLooksLikeAFullRing) {
  Rig rig(4);
  rig.queue->inject({.read_index_stuck = 2});
  for (int i = 0; i < 4; ++i) rig.submit(nop());
  EXPECT_EQ(rig.run().completed, 4u);
  EXPECT_EQ(rig.read_index(), 1u);
  EXPECT_EQ(rig.queue->read_index(), 4u);
  rig.submit(nop());  // a producer that does not look: the queue goes on
  EXPECT_EQ(rig.run().completed, 1u);
  EXPECT_EQ(rig.read_index(), 1u);
}

TEST(QueueFaults, CountFromTheInjection) {
  Rig rig;
  auto& done = rig.make_signal(3);
  rig.submit(nop(handle(done)));
  rig.run();
  rig.queue->inject({.completion_lost = 1});
  rig.submit(nop(handle(done)));
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(signal::load(done), 1);
}

TEST(QueueFaults, AreSavedWithTheQueue) {
  Rig rig;
  auto& done = rig.make_signal(2);
  rig.queue->inject({.doorbell = {.delayed = 2, .delay = {.runs = 1}},
                     .completion_late = 1,
                     .completion_delay = {.runs = 2}});
  rig.submit(nop(handle(done)));
  rig.run();
  rig.submit(nop(handle(done)));
  const State saved = save(*rig.queue);
  rig.make_queue();
  load(*rig.queue, saved);
  EXPECT_EQ(save(*rig.queue), saved);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(signal::load(done), 1);  // the second; the first is still late
  rig.run();
  EXPECT_EQ(signal::load(done), 0);
}

TEST(SdmaFaults, LostDoorbell) {
  SdmaRig rig;
  rig.run();
  rig.queue->inject({.lost = 1});
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  EXPECT_EQ(rig.run().packets, 0u);
  rig.submit(packets::fence(rig.at(4), 1));
  EXPECT_EQ(rig.run().packets, 2u);
}

TEST(SdmaFaults, LostDoorbellIsHealedByMappingTheQueueAnew) {
  SdmaRig rig;
  rig.queue->inject({.lost = 1});
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 0u);
  rig.queue->suspend();
  rig.queue->resume();
  EXPECT_EQ(rig.run().packets, 1u);
}

TEST(SdmaFaults, DuplicatedDoorbell) {
  SdmaRig rig;
  rig.queue->set_event_level(EventLevel::transitions);
  rig.queue->inject({.duplicated = 1});
  rig.execute(packets::nop(0));
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  rig.run();
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  EXPECT_THAT(rig.hooks.story,
              ElementsAre("doorbell 4", "launched 0", "completed 0", "doorbell 4"));
}

TEST(SdmaFaults, DelayedDoorbellByTheGpuCounter) {
  SdmaRig rig;
  rig.run();
  rig.queue->inject({.delayed = 1, .delay = {.ns = 1000}});
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 0u);
  rig.hooks.counter += 99;
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  rig.hooks.counter += 1;  // 100 ticks of 10 ns
  EXPECT_EQ(rig.run().packets, 1u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(SdmaFaults, DelayedDoorbellByCallsOfRun) {
  SdmaRig rig;
  rig.run();
  rig.queue->inject({.delayed = 1, .delay = {.runs = 1}});
  rig.submit(packets::fence(rig.at(0), 1));
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.run().packets, 1u);
}

}  // namespace
}  // namespace rocdrill::cp::testing
