// Ring, indices, doorbell and headers.
#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;

TEST(Ring, FirstPacketHasIndexZero) {
  Rig rig;
  auto& done = rig.make_signal(1);
  rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  const Progress progress = rig.run();
  EXPECT_EQ(progress.launched, 1u);
  EXPECT_EQ(progress.completed, 1u);
  EXPECT_EQ(progress.state, QueueState::idle);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 1u);
  EXPECT_EQ(rig.slot(0).header().type(), aql::PacketType::invalid);
}

TEST(Ring, StartsAtPacketZeroWhateverMemoryHolds) {
  Rig rig;
  rig.amd_queue->read_dispatch_id = 3;
  auto& done = rig.make_signal(1);
  rig.submit(nop(handle(done)));
  rig.run();
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 1u);
}

TEST(Ring, IdleQueueTouchesNothing) {
  Rig rig;
  const aql::Packet before = rig.slot(0);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
  EXPECT_EQ(rig.read_index(), 0u);
  EXPECT_EQ(rig.slot(0).bytes, before.bytes);
}

TEST(Ring, UnmappedRingOfAnIdleQueueIsNoFault) {
  Rig rig;
  rig.space.remove(rig.ring.data());
  rig.run();
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(Ring, SeveralPacketsWithOneDoorbell) {
  Rig rig;
  auto& done = rig.make_signal(5);
  for (int i = 0; i < 5; ++i) rig.write(nop(handle(done)));
  rig.queue->doorbell(4);
  EXPECT_EQ(rig.run().launched, 5u);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 5u);
}

TEST(Ring, WriteIndexAloneAnnouncesPackets) {
  Rig rig;
  rig.write(nop());
  EXPECT_EQ(rig.run().launched, 1u);
}

TEST(Ring, DoorbellAloneAnnouncesPackets) {
  Rig rig;
  rig.slot(0) = nop();
  rig.slot(1) = nop();
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.run().launched, 1u) << "packet 1 was announced by nobody";
  EXPECT_EQ(rig.read_index(), 1u);
  EXPECT_EQ(rig.slot(1).header().type(), aql::PacketType::barrier_and);
}

TEST(Ring, DoorbellOfAllOnesAnnouncesNothing) {
  Rig rig;
  rig.slot(0) = nop();
  rig.queue->doorbell(~0ull);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::idle);
}

TEST(Ring, DoorbellMayGoBackwards) {
  Rig rig;
  auto& done = rig.make_signal(3);
  for (int i = 0; i < 3; ++i) rig.write(nop(handle(done)));
  rig.queue->doorbell(2);
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.queue->doorbell_value(), 0u);
  EXPECT_EQ(rig.run().launched, 3u);
  rig.queue->doorbell(1);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(done.value, 0);
}

TEST(Ring, LateDoorbellTakesNothingBack) {
  Rig rig;
  for (std::uint64_t i = 0; i < 3; ++i) rig.slot(i) = nop();  // and no write index to help out
  rig.queue->doorbell(2);
  rig.queue->doorbell(0);
  EXPECT_EQ(rig.run().launched, 3u);
}

TEST(Ring, StopsAtAHeaderThatIsWrittenLate) {
  Rig rig;
  auto& done = rig.make_signal(2);
  rig.amd_queue->write_dispatch_id = 2;  // two producers claimed slots 0 and 1
  rig.slot(1) = nop(handle(done));
  rig.queue->doorbell(1);
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::waiting);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::header_invalid);
  EXPECT_EQ(rig.queue->waiting_on().packet_index, 0u);
  EXPECT_EQ(done.value, 2);

  rig.slot(0) = nop(handle(done));
  rig.queue->doorbell(0);  // below the one before, and still news
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 2u);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.queue->waiting_on().reason, WaitReason::none);
}

TEST(Ring, WrapsAround) {
  Rig rig(4);
  auto& done = rig.make_signal(1000);
  for (int i = 0; i < 1000; ++i) {
    rig.submit(nop(handle(done)));
    if (i % 3 == 2) rig.run();
  }
  rig.run();
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(rig.read_index(), 1000u);
  EXPECT_EQ(rig.queue->launch_index(), 1000u);
}

TEST(Ring, OfOneSlot) {
  Rig rig(1);
  for (std::uint64_t i = 0; i < 5; ++i) {
    rig.submit(nop());
    EXPECT_EQ(rig.run().launched, 1u);
    EXPECT_EQ(rig.read_index(), i + 1);
  }
}

TEST(Ring, FullRingDrainsInOrder) {
  Rig rig(8);
  rig.queue->set_event_level(EventLevel::packets);
  for (int i = 0; i < 8; ++i) rig.write(nop());
  rig.queue->doorbell(7);
  EXPECT_EQ(rig.run().launched, 8u);
  ASSERT_EQ(rig.hooks.events.size(), 16u);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(rig.hooks.events[2 * i].index, i);
    EXPECT_EQ(rig.slot(i).header().type(), aql::PacketType::invalid);
  }
}

TEST(Ring, RunStopsAfterMaxPackets) {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.submit(nop());
  const Progress progress = rig.run(3);
  EXPECT_EQ(progress.launched, 3u);
  EXPECT_EQ(progress.state, QueueState::active);
  EXPECT_EQ(rig.run(3).launched, 1u);
}

TEST(Ring, SuspendedQueueDoesNothingUntilResumed) {
  Rig rig;
  auto& done = rig.make_signal(1);
  rig.queue->suspend();
  rig.submit(nop(handle(done)));
  EXPECT_EQ(rig.run().launched, 0u);
  EXPECT_EQ(rig.queue->state(), QueueState::suspended);
  EXPECT_EQ(done.value, 1);
  rig.queue->resume();
  EXPECT_EQ(rig.queue->state(), QueueState::active);
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(done.value, 0);
}

TEST(Ring, HookMaySuspendTheQueueThatCallsIt) {
  Rig rig;
  auto& done = rig.make_signal_with_event(1, 3);
  rig.hooks.on_interrupt = [&](std::uint32_t) { rig.queue->suspend(); };
  rig.submit(nop(handle(done)));
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 1u);
  EXPECT_EQ(rig.queue->state(), QueueState::suspended);
}

TEST(Ring, RunFromAHookIsABrokenContract) {
  Rig rig;
  auto& done = rig.make_signal_with_event(1, 3);
  rig.hooks.on_interrupt = [&](std::uint32_t) { rig.run(); };
  rig.submit(nop(handle(done)));
  EXPECT_THROW(rig.run(), std::logic_error);
  rig.hooks.on_interrupt = nullptr;
  rig.submit(nop());
  EXPECT_EQ(rig.run().launched, 1u) << "the queue is usable after the exception";
}

TEST(Ring, ConstructorRefusesWhatKfdRefuses) {
  Rig rig;
  const auto refused = [&](auto change) {
    QueueConfig config = rig.config();
    change(config);
    EXPECT_THROW(Queue(config, rig.space, rig.hooks), std::invalid_argument);
  };
  refused([](QueueConfig& config) { config.size_packets = 0; });
  refused([](QueueConfig& config) { config.size_packets = 3; });
  refused([](QueueConfig& config) { config.ring_base += 32; });
  refused([](QueueConfig& config) { config.write_index_va += 4; });
  refused([](QueueConfig& config) { config.read_index_va += 1; });
  refused([](QueueConfig& config) { config.amd_queue_va += 8; });
}

TEST(Ring, SlotStatesTellAPacketsLife) {
  Rig rig(4);
  auto& gate = rig.make_signal(1);
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::invalid);
  rig.submit(nop());
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::valid);
  rig.submit(agent_dispatch());
  rig.submit(aql::barrier_and({handle(gate)}, 0));
  rig.submit(nop());
  rig.run();
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::complete);
  EXPECT_EQ(rig.queue->slot_state(1), SlotState::launched);
  EXPECT_EQ(rig.queue->slot_state(2), SlotState::waiting);
  EXPECT_EQ(rig.queue->slot_state(3), SlotState::valid);
  rig.submit(nop());  // slot 0 again
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::valid);
  EXPECT_EQ(rig.queue->slot_state(1), SlotState::launched);
  signal::store(gate, 0);
  rig.run();
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::complete);
  EXPECT_EQ(rig.queue->slot_state(2), SlotState::complete);
  rig.submit(with_header(nop(), 0xFF));
  rig.run();
  EXPECT_EQ(rig.queue->slot_state(1), SlotState::failed);
  EXPECT_THROW(rig.queue->slot_state(4), std::out_of_range);
  rig.space.remove(rig.ring.data());
  EXPECT_EQ(rig.queue->slot_state(0), SlotState::unreadable);
}

TEST(Ring, BarrierBitStallShowsAtTheSlot) {
  Rig rig(4);
  rig.submit(agent_dispatch());
  rig.submit(nop(0, true));
  rig.run();
  EXPECT_EQ(rig.queue->slot_state(1), SlotState::waiting);
}

// Two producers on the fast path of any HSA program: claim, fill, publish, ring.
TEST(Ring, ProducersOnOtherThreads) {
  constexpr int per_producer = 5000;
  Rig rig(64);
  auto& done = rig.make_signal(2 * per_producer);
  auto& write_index = rig.amd_queue->write_dispatch_id;
  auto& read_index = rig.amd_queue->read_dispatch_id;
  const aql::Packet packet = nop(handle(done));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto late = [&] { return std::chrono::steady_clock::now() > deadline; };
  const auto produce = [&] {
    for (int i = 0; i < per_producer; ++i) {
      const std::uint64_t index = std::atomic_ref(write_index).fetch_add(1);
      while (index - std::atomic_ref(read_index).load() >= rig.ring.size()) {
        if (late()) return;
        std::this_thread::yield();
      }
      aql::Packet& slot = rig.slot(index);
      std::memcpy(slot.bytes.data() + 2, packet.bytes.data() + 2, 62);
      std::atomic_ref(reinterpret_cast<std::uint16_t&>(slot.bytes[0]))
          .store(packet.header().bits, std::memory_order_release);
      rig.queue->doorbell(index);
    }
  };
  std::thread first(produce);
  std::thread second(produce);
  while (rig.queue->counters().completed < 2 * per_producer && !late()) {
    if (rig.run().launched == 0) std::this_thread::yield();
  }
  first.join();
  second.join();
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_EQ(rig.queue->read_index(), 2u * per_producer);
  EXPECT_EQ(rig.queue->error(), std::nullopt);
}

}  // namespace
}  // namespace rocdrill::cp::testing
