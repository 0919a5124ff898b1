// Whatever a client writes into its ring, a queue works or fails; it never crashes and never
// reaches memory that is not the client's.
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "unit/command_processor/rig.hpp"

namespace rocdrill::cp::testing {
namespace {

constexpr int rounds = 100'000;
using ::testing::IsSupersetOf;
using Random = std::mt19937_64;

void expect_sane(const Rig& rig) {
  const QueueState state = rig.queue->state();
  EXPECT_EQ(state == QueueState::failed, rig.queue->error().has_value());
  EXPECT_EQ(rig.hooks.errors.size(), rig.queue->error() ? 1u : 0u);
  EXPECT_LE(rig.queue->read_index(), rig.queue->launch_index());
  EXPECT_LE(rig.queue->launch_index() - rig.queue->read_index(), rig.ring.size());
  EXPECT_LE(rig.queue->in_flight().size(), rig.ring.size());
  for (std::uint32_t i = 0; i < rig.ring.size(); ++i) (void)rig.queue->slot_state(i);
  (void)rig.queue->waiting_on();
}

void run_and_check(Rig& rig, std::uint64_t packets) {
  for (std::uint64_t i = 0; i <= packets; ++i) rig.run();
  expect_sane(rig);
  const std::uint64_t first = rig.hooks.dispatched.empty() ? 0 : rig.hooks.dispatched.front();
  rig.queue->complete_agent_dispatch(first);
  rig.run();
  expect_sane(rig);
}

TEST(Garbage, RandomBytes) {
  Random random(20240607);
  Rig rig(2);
  for (int round = 0; round < rounds; ++round) {
    rig.hooks = {};
    rig.amd_queue->write_dispatch_id = 0;
    rig.make_queue();
    for (aql::Packet& packet : rig.ring) {
      for (std::size_t at = 0; at < 64; at += 8) {
        const std::uint64_t word = random();
        std::memcpy(&packet.bytes[at], &word, 8);
      }
    }
    rig.queue->doorbell(random());
    run_and_check(rig, 2);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

/// Addresses that a fuzzer should try: good, partly good, misaligned, at the edges.
class Addresses {
 public:
  explicit Addresses(Rig& rig) {
    for (int i = 0; i < 4; ++i) good_.push_back(handle(rig.make_signal(i - 1)));
    rig.signals[3]->event_mailbox_ptr = unmapped;
    good_.push_back(Rig::va(rig.ring.data()));
    good_.push_back(Rig::va(rig.amd_queue.get()));
  }
  std::uint64_t pick(Random& random) const {
    const std::uint64_t good = good_[random() % good_.size()];
    const std::uint64_t chance = random() % 64;
    if (chance > 40) return 0;
    switch (chance) {
      case 0:
        return good + random() % 64;
      case 1:
        return unmapped;
      case 2:
        return UINT64_MAX - random() % 128;
      case 3:
        return 64;
      default:
        return good;
    }
  }

 private:
  std::vector<std::uint64_t> good_;
};

/// Well-formed types with wild fields, so that every path behind the header is reached.
TEST(Garbage, PlausiblePackets) {
  Random random(77);
  Rig rig(4);
  rig.hooks.legacy = true;
  KernelObject object(rig.space, 8);
  const Addresses addresses(rig);
  std::uint64_t launched = 0;
  std::set<KfdException> errors;
  std::set<WaitReason> waits;
  for (int round = 0; round < rounds; ++round) {
    rig.hooks.errors.clear();
    rig.hooks.dispatched.clear();
    *rig.amd_queue = {};
    rig.amd_queue->queue_properties = static_cast<std::uint32_t>(random());
    rig.amd_queue->queue_inactive_signal = addresses.pick(random);
    for (std::size_t i = 0; i < rig.signals.size(); ++i) rig.signals[i]->value = i % 2;
    rig.make_queue();
    const std::uint64_t packets = 1 + random() % 4;
    for (std::uint64_t i = 0; i < packets; ++i) {
      aql::Packet& packet = rig.ring[i];
      for (std::size_t at = 8; at < 64; at += 8) {
        const std::uint64_t word = addresses.pick(random);
        std::memcpy(&packet.bytes[at], &word, 8);
      }
      if (random() % 4 == 0) packet = aql::Packet(kernel(object.va(), addresses.pick(random)));
      packet.bytes[2] = static_cast<std::byte>(random() % 4);
      packet.set_header({static_cast<std::uint16_t>(random() % 7 | (random() % 2) << 8 |
                                                    (random() % 3) << 9 | (random() % 3) << 11)});
    }
    rig.amd_queue->write_dispatch_id = packets;
    if (random() % 2 == 0) rig.queue->doorbell(random() % 6);
    run_and_check(rig, packets);
    launched += rig.queue->counters().launched;
    if (rig.queue->error()) errors.insert(rig.queue->error()->kfd_code);
    waits.insert(rig.queue->waiting_on().reason);
    if (HasFailure()) FAIL() << "round " << round;
  }
  // What was reached, or this proves little.
  EXPECT_GT(launched, static_cast<std::uint64_t>(rounds) / 10);
  EXPECT_THAT(errors, IsSupersetOf({KfdException::packet_unsupported,
                                    KfdException::packet_vendor_unsupported,
                                    KfdException::device_memory_violation}));
  EXPECT_THAT(waits, IsSupersetOf({WaitReason::none, WaitReason::header_invalid,
                                   WaitReason::barrier_bit, WaitReason::all_signals,
                                   WaitReason::any_signal, WaitReason::signal_value}));
}

}  // namespace
}  // namespace rocdrill::cp::testing
