// The fixture, then ring, doorbell and errors.
#include "conformance/aql_conformance.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace rocdrill::conformance {
namespace {

using testing::ElementsAre;

aql::Header header_in_slot(Queue& queue, std::uint64_t index) {
  const std::span<aql::Packet> ring = queue.ring();
  auto& word = reinterpret_cast<std::uint16_t&>(ring[index & (ring.size() - 1)].bytes.front());
  return {std::atomic_ref(word).load(std::memory_order_acquire)};
}

aql::KernelDispatch dispatch(std::uint64_t kernel_object) {
  aql::KernelDispatch body{};
  body.header = aql::Header::make(aql::PacketType::kernel_dispatch, false, aql::FenceScope::system,
                                  aql::FenceScope::system)
                    .bits;
  body.setup = 1;
  body.workgroup_size_x = body.workgroup_size_y = body.workgroup_size_z = 1;
  body.grid_size_x = body.grid_size_y = body.grid_size_z = 1;
  body.kernel_object = kernel_object;
  return body;
}

}  // namespace

void write_packet(Queue& queue, std::uint64_t index, const aql::Packet& packet) {
  const std::span<aql::Packet> ring = queue.ring();
  aql::Packet& slot = ring[index & (ring.size() - 1)];
  std::memcpy(slot.bytes.data() + 2, packet.bytes.data() + 2, packet.bytes.size() - 2);
  std::atomic_ref(reinterpret_cast<std::uint16_t&>(slot.bytes.front()))
      .store(packet.header().bits, std::memory_order_release);
}

void AqlConformance::SetUp() {
  subject_ = GetParam().make();
  ASSERT_NE(subject_, nullptr);
  auto runtime = subject_->open_runtime();
  ASSERT_TRUE(runtime) << name(runtime.error().status);
  runtime_ = std::move(*runtime);
  const auto agents = runtime_->agents();
  while (gpu_ < agents.size() && agents[gpu_].type != DeviceType::gpu) ++gpu_;
  ASSERT_LT(gpu_, agents.size()) << "no GPU agent";
}

void AqlConformance::TearDown() {
  runtime_.reset();
  subject_.reset();
}

bool AqlConformance::claims(Capability capability) {
  return subject_->capabilities().has(capability);
}

std::unique_ptr<Queue> AqlConformance::make_queue(std::size_t agent) {
  QueueOptions options;
  options.size = ring_size;
  options.on_error = [this](HsaStatus status) { errors_.push_back(status); };
  auto queue = runtime_->create_queue(agent, std::move(options));
  if (!queue) throw std::runtime_error("create_queue: " + name(queue.error().status));
  return std::move(*queue);
}

std::unique_ptr<Signal> AqlConformance::make_signal(std::int64_t value) {
  auto signal = runtime_->create_signal(value);
  if (!signal) throw std::runtime_error("create_signal: " + name(signal.error().status));
  return std::move(*signal);
}

void AqlConformance::expect_reaches(Signal& signal, std::int64_t value) {
  EXPECT_EQ(signal.wait(SignalCondition::eq, value, soon_ns), value);
}

void AqlConformance::expect_stays(Signal& signal, std::int64_t value) {
  EXPECT_EQ(signal.wait(SignalCondition::ne, value, settle_ns), value);
}

void AqlConformance::expect_queue_error(const aql::Packet& packet, HsaStatus status) {
  auto queue = make_queue();
  auto before = make_signal(1);
  auto done = make_signal(1);
  queue->submit(aql::barrier_and({}, before->handle()));
  expect_reaches(*before, 0);

  auto body = packet.as<aql::Barrier>();  // the completion signal lies at the same place in all
  body.completion_signal = done->handle();
  const std::uint64_t index = queue->submit(aql::Packet(body));
  for (int i = 0; i < 100 && queue->status() == HsaStatus::success; ++i) expect_stays(*done, 1);
  EXPECT_EQ(queue->status(), status) << name(queue->status());
  EXPECT_THAT(errors_, ElementsAre(status));
  EXPECT_EQ(queue->load_read_index(), index) << "the read index moved past a refused packet";
  EXPECT_EQ(header_in_slot(*queue, index).bits, packet.header().bits);

  queue->submit(aql::barrier_and({}, done->handle()));
  expect_stays(*done, 1);
  EXPECT_THAT(errors_, ElementsAre(status)) << "the callback comes once";
  errors_.clear();
}

// ---- ring and doorbell ----------------------------------------------------------------------

TEST_P(AqlConformance, QueueStartsEmpty) {
  ASSERT_TRUE(claims(Capability::aql_barrier)) << "no queue without barrier packets";
  auto queue = make_queue();
  EXPECT_EQ(queue->ring().size(), ring_size);
  EXPECT_EQ(queue->load_read_index(), 0u);
  EXPECT_EQ(queue->load_write_index(), 0u);
  EXPECT_EQ(queue->status(), HsaStatus::success);
  for (std::uint64_t i = 0; i < ring_size; ++i) {
    ASSERT_EQ(header_in_slot(*queue, i).type(), aql::PacketType::invalid) << i;
  }
}

TEST_P(AqlConformance, DoorbellOfIndexZeroDispatchesTheFirstPacket) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto done = make_signal(1);
  EXPECT_EQ(queue->submit(aql::barrier_and({}, done->handle())), 0u);
  expect_reaches(*done, 0);
  EXPECT_EQ(queue->load_read_index(), 1u);
  EXPECT_EQ(header_in_slot(*queue, 0).type(), aql::PacketType::invalid);
}

// A doorbell slot that an earlier queue used must neither lose the first dispatch of the next
// nor complete it before it was submitted.
TEST_P(AqlConformance, RecycledDoorbellStartsAfresh) {
  AQL_NEEDS(Capability::aql_barrier);
  for (int round = 0; round < 20; ++round) {
    auto queue = make_queue();
    auto done = make_signal(4);
    ASSERT_EQ(queue->load_write_index(), 0u);
    ASSERT_EQ(queue->load_read_index(), 0u);
    write_packet(*queue, 0, aql::barrier_and({}, done->handle()));
    ASSERT_EQ(done->load(), 4) << "dispatched before it was announced";
    ASSERT_EQ(queue->add_write_index(1), 0u);
    queue->ring_doorbell(0);
    expect_reaches(*done, 3);
    for (int i = 0; i < 3; ++i) queue->submit(aql::barrier_and({}, done->handle()));
    expect_reaches(*done, 0);
    ASSERT_EQ(queue->load_read_index(), 4u);
  }
}

TEST_P(AqlConformance, QueuesThatAreGoneLeaveNothingBehind) {
  AQL_NEEDS(Capability::aql_barrier);
  const std::optional<std::size_t> before = subject_->queue_resources();
  for (int round = 0; round < 300; ++round) {  // more than a process may have at a time
    auto queue = make_queue();
    if (round % 3 == 0) continue;  // idle all its life
    auto done = make_signal(1);
    queue->submit(aql::barrier_and({}, done->handle()));
    if (round % 3 == 1) expect_reaches(*done, 0);
  }
  EXPECT_EQ(subject_->queue_resources(), before);
}

TEST_P(AqlConformance, OneDoorbellAnnouncesSeveralPackets) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto done = make_signal(8);
  ASSERT_EQ(queue->add_write_index(8), 0u);
  for (std::uint64_t i = 0; i < 8; ++i) {
    write_packet(*queue, i, aql::barrier_and({}, done->handle()));
  }
  queue->ring_doorbell(7);
  expect_reaches(*done, 0);
  EXPECT_EQ(queue->load_read_index(), 8u);
}

TEST_P(AqlConformance, DoorbellMayGoBackwards) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto done = make_signal(4);
  ASSERT_EQ(queue->add_write_index(4), 0u);
  for (std::uint64_t i = 0; i < 4; ++i) {
    write_packet(*queue, i, aql::barrier_and({}, done->handle()));
  }
  for (const std::uint64_t value : {3u, 1u, 2u, 0u}) queue->ring_doorbell(value);
  expect_reaches(*done, 0);
  queue->submit(aql::barrier_and({}, done->handle()));
  expect_reaches(*done, -1);
  EXPECT_EQ(queue->load_read_index(), 5u);
}

TEST_P(AqlConformance, HeaderWrittenLateHoldsUpThoseBehind) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto done = make_signal(2);
  ASSERT_EQ(queue->add_write_index(2), 0u);
  write_packet(*queue, 1, aql::barrier_and({}, done->handle()));
  queue->ring_doorbell(1);
  expect_stays(*done, 2);
  EXPECT_EQ(queue->load_read_index(), 0u);
  write_packet(*queue, 0, aql::barrier_and({}, done->handle()));
  queue->ring_doorbell(0);
  expect_reaches(*done, 0);
  EXPECT_EQ(queue->load_read_index(), 2u);
}

TEST_P(AqlConformance, RingWrapsAround) {
  AQL_NEEDS(Capability::aql_barrier);
  constexpr std::int64_t packets = 5 * ring_size + 3;
  auto queue = make_queue();
  auto done = make_signal(packets);
  for (std::int64_t i = 0; i < packets; ++i) {
    queue->submit(aql::barrier_and({}, done->handle()));
    if (i % 50 == 49) expect_reaches(*done, packets - i - 1);
  }
  expect_reaches(*done, 0);
  EXPECT_EQ(queue->load_read_index(), static_cast<std::uint64_t>(packets));
}

TEST_P(AqlConformance, FullRingTakesNoMoreAndDrains) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto gate = make_signal(1);
  auto done = make_signal(ring_size);
  std::uint64_t submitted = 0;
  // Whether the slot of a waiting barrier counts as taken is the packet processor's business.
  while (submitted - queue->load_read_index() < ring_size && submitted < 2 * ring_size) {
    queue->submit(submitted == 0 ? aql::barrier_and({gate->handle()}, done->handle())
                                 : aql::barrier_and({}, done->handle()));
    ++submitted;
  }
  expect_stays(*done, ring_size);
  if (submitted - queue->load_read_index() == ring_size) {
    EXPECT_THROW(queue->submit(aql::barrier_and({}, 0)), std::length_error);
  }
  gate->store(0);
  expect_reaches(*done, static_cast<std::int64_t>(ring_size) - static_cast<int>(submitted));
  EXPECT_EQ(queue->load_read_index(), submitted);
  queue->submit(aql::barrier_and({}, gate->handle()));
  expect_reaches(*gate, -1);
}

TEST_P(AqlConformance, CompletionSignalGoesDownByOne) {
  AQL_NEEDS(Capability::aql_barrier);
  auto queue = make_queue();
  auto done = make_signal(7);
  queue->submit(aql::barrier_and({}, done->handle()));
  expect_reaches(*done, 6);
  expect_stays(*done, 6);
}

// ---- errors ---------------------------------------------------------------------------------

TEST_P(AqlConformance, UnknownVendorPacketFailsTheQueue) {
  AQL_NEEDS(Capability::aql_barrier);
  aql::BarrierValue body{};
  body.header = aql::Header::make(aql::PacketType::vendor_specific).bits;
  for (const std::uint8_t format : {0, 0x7F, 0xFF}) {
    body.amd_format = format;
    expect_queue_error(aql::Packet(body), HsaStatus::invalid_packet_format);
  }
}

TEST_P(AqlConformance, UnknownPacketTypeFailsTheQueue) {
  AQL_NEEDS(Capability::aql_barrier);
  aql::Packet packet = aql::barrier_and({}, 0);
  for (const std::uint16_t header : {0x0006, 0x00FF, 0xFFFF}) {
    packet.set_header({header});
    expect_queue_error(packet, HsaStatus::invalid_packet_format);
  }
}

// As rocrtst's Queue_Validation tests: one wrong field each. No kernel has to run for these, but
// the other fields are right, because nothing says which of two errors would be reported.
TEST_P(AqlConformance, InvalidDispatchFailsTheQueueWithItsStatus) {
  AQL_NEEDS(Capability::aql_barrier);
  const auto memory = runtime_->allocate(gpu_, 4096);
  ASSERT_TRUE(memory);
  constexpr std::int64_t entry_offset = 256;  // kernel_code_entry_byte_offset
  std::memset(*memory, 0, 4096);
  std::memcpy(static_cast<std::byte*>(*memory) + 16, &entry_offset, sizeof entry_offset);
  const aql::KernelDispatch good = dispatch(reinterpret_cast<std::uintptr_t>(*memory));

  auto body = good;
  body.setup = 4;  // reserved bit; dimensions 0
  expect_queue_error(aql::Packet(body), HsaStatus::incompatible_arguments);
  body = good;
  body.workgroup_size_x = 65535;
  expect_queue_error(aql::Packet(body), HsaStatus::invalid_argument);
  body = good;
  body.group_segment_size = UINT32_MAX;
  expect_queue_error(aql::Packet(body), HsaStatus::invalid_allocation);
  body = good;
  body.kernel_object = 0;
  expect_queue_error(aql::Packet(body), HsaStatus::invalid_code_object);
}

TEST_P(AqlConformance, FailedQueueLeavesOthersAlone) {
  AQL_NEEDS(Capability::aql_barrier);
  auto healthy = make_queue();
  aql::Packet packet = aql::barrier_and({}, 0);
  packet.set_header({0x00FF});
  expect_queue_error(packet, HsaStatus::invalid_packet_format);
  auto done = make_signal(1);
  healthy->submit(aql::barrier_and({}, done->handle()));
  expect_reaches(*done, 0);
  EXPECT_EQ(healthy->status(), HsaStatus::success);
  auto fresh = make_queue();
  fresh->submit(aql::barrier_and({}, done->handle()));
  expect_reaches(*done, -1);
}

}  // namespace rocdrill::conformance
