// Queue::submit: the producer's side of a user-mode queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stack/runtime.hpp"

namespace rocdrill {
namespace {

using ::testing::ElementsAre;

/// A queue without a packet processor; the test takes packets itself.
class FakeQueue : public Queue {
 public:
  explicit FakeQueue(std::size_t size) : slots(size) {}

  std::uint64_t id() const override { return 1; }
  std::span<aql::Packet> ring() override { return slots; }
  std::uint64_t load_read_index() const override { return read_index; }
  std::uint64_t load_write_index() const override { return write_index; }
  std::uint64_t add_write_index(std::uint64_t count) override {
    return write_index.fetch_add(count);
  }
  void store_write_index(std::uint64_t value) override { write_index = value; }
  void ring_doorbell(std::uint64_t index) override {
    doorbells.push_back(index);
    if (looks_at_slots) type_at_doorbell = slots[index % slots.size()].header().type();
  }
  HsaStatus status() const override { return failed; }

  std::vector<aql::Packet> slots;
  std::atomic<std::uint64_t> read_index = 0;
  std::atomic<std::uint64_t> write_index = 0;
  std::vector<std::uint64_t> doorbells;
  bool looks_at_slots = true;
  aql::PacketType type_at_doorbell = aql::PacketType::invalid;
  HsaStatus failed = HsaStatus::success;
};

/// A packet whose completion signal tells it from others.
aql::Packet packet(std::uint64_t mark) { return aql::barrier_and({mark}, mark); }

std::uint64_t mark_of(const aql::Packet& packet) {
  return packet.as<aql::Barrier>().completion_signal;
}

TEST(QueueSubmit, WritesTheSlotAndRingsWithItsIndex) {
  FakeQueue queue(4);
  EXPECT_EQ(queue.submit(packet(7)), 0u);
  EXPECT_EQ(queue.submit(packet(8)), 1u);
  EXPECT_EQ(queue.write_index, 2u);
  EXPECT_EQ(queue.slots[0].bytes, packet(7).bytes);
  EXPECT_EQ(queue.slots[1].bytes, packet(8).bytes);
  EXPECT_EQ(queue.slots[2].header().type(), aql::PacketType::invalid);
  EXPECT_THAT(queue.doorbells, ElementsAre(0, 1));  // the packet's index, not + 1
  EXPECT_EQ(queue.type_at_doorbell, aql::PacketType::barrier_and);
}

TEST(QueueSubmit, WrapsAround) {
  FakeQueue queue(4);
  for (std::uint64_t i = 0; i < 103; ++i) {
    EXPECT_EQ(queue.submit(packet(1000 + i)), i);
    EXPECT_EQ(mark_of(queue.slots[i % 4]), 1000 + i);
    queue.slots[i % 4] = aql::Packet();
    queue.read_index = i + 1;
  }
  EXPECT_EQ(queue.doorbells.back(), 102u);
}

TEST(QueueSubmit, IndicesMayPassTheEndOf64Bits) {
  FakeQueue queue(4);
  queue.read_index = queue.write_index = UINT64_MAX - 1;
  EXPECT_EQ(queue.submit(packet(1)), UINT64_MAX - 1);
  EXPECT_EQ(queue.submit(packet(2)), UINT64_MAX);
  EXPECT_EQ(queue.submit(packet(3)), 0u);
  EXPECT_EQ(mark_of(queue.slots[3]), 2u);
  EXPECT_EQ(mark_of(queue.slots[0]), 3u);
}

TEST(QueueSubmit, AFullRingIsLeftAlone) {
  FakeQueue queue(2);
  queue.submit(packet(1));
  queue.submit(packet(2));
  EXPECT_THROW(queue.submit(packet(3)), std::length_error);
  EXPECT_EQ(queue.write_index, 2u);
  EXPECT_THAT(queue.doorbells, ElementsAre(0, 1));
  EXPECT_EQ(mark_of(queue.slots[0]), 1u);
  EXPECT_EQ(mark_of(queue.slots[1]), 2u);
  queue.read_index = 1;
  EXPECT_EQ(queue.submit(packet(3)), 2u);
  EXPECT_EQ(mark_of(queue.slots[0]), 3u);
}

TEST(QueueSubmit, RefusesARingWhoseSizeIsNoPowerOfTwo) {
  for (const std::size_t size : {0u, 3u, 12u}) {
    FakeQueue queue(size);
    EXPECT_THROW(queue.submit(packet(1)), std::logic_error);
    EXPECT_EQ(queue.write_index, 0u);
    EXPECT_TRUE(queue.doorbells.empty());
  }
}

/// Another producer takes the last slot between our look and our claim.
class RacedQueue : public FakeQueue {
 public:
  using FakeQueue::FakeQueue;
  std::uint64_t add_write_index(std::uint64_t count) override {
    ++write_index;
    return FakeQueue::add_write_index(count);
  }
  /// The first look sees the queue as it is; then one packet is taken.
  std::uint64_t load_read_index() const override { return ++looks <= taken_after ? 0 : 1; }

  mutable int looks = 0;
  int taken_after = 3;
};

TEST(QueueSubmit, WaitsForASlotThatAnotherProducerHolds) {
  RacedQueue queue(2);
  queue.write_index = 1;
  EXPECT_EQ(queue.submit(packet(9)), 2u);
  EXPECT_GT(queue.looks, queue.taken_after);
  EXPECT_EQ(mark_of(queue.slots[0]), 9u);
}

TEST(QueueSubmit, GivesUpOnAQueueThatFailed) {
  RacedQueue queue(2);
  queue.write_index = 1;
  queue.taken_after = INT32_MAX;
  queue.failed = HsaStatus::invalid_packet_format;
  EXPECT_THROW(queue.submit(packet(9)), std::length_error);
  EXPECT_TRUE(queue.doorbells.empty());
  EXPECT_EQ(queue.slots[0].header().type(), aql::PacketType::invalid);
}

// A packet processor that polls headers, as hardware does, never sees half a packet.
TEST(QueueSubmit, PublishesTheHeaderLast) {
  constexpr std::uint64_t count = 20'000;
  FakeQueue queue(8);
  queue.looks_at_slots = false;  // they are the processor's by then
  std::uint64_t torn = 0;
  std::thread processor([&] {
    for (std::uint64_t index = 0; index < count; ++index) {
      aql::Packet& slot = queue.slots[index % 8];
      std::atomic_ref header(reinterpret_cast<std::uint16_t&>(slot.bytes.front()));
      while ((header.load(std::memory_order_acquire) & 0xFF) == 1) std::this_thread::yield();
      const auto body = slot.as<aql::Barrier>();
      if (body.completion_signal != index + 1 || body.dep_signal[0] != index + 1) ++torn;
      header.store(1, std::memory_order_relaxed);
      queue.read_index = index + 1;
    }
  });
  for (std::uint64_t index = 0; index < count; ++index) {
    while (queue.write_index - queue.read_index >= 8) std::this_thread::yield();
    queue.submit(packet(index + 1));
  }
  processor.join();
  EXPECT_EQ(torn, 0u);
}

}  // namespace
}  // namespace rocdrill
