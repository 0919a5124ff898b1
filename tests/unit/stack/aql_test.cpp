// AQL packets as they lie in memory: offsets are those of hsa.h, hsa_ext_amd.h, amd_hsa_queue.h
// and amd_hsa_signal.h of ROCr 5.2.3 (measured with a compiler against those headers).
#include "stack/formats/aql.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace rocdrill::aql {
namespace {

/// The little-endian integer at a byte offset of a packet.
template <class T>
T at(const Packet& packet, std::size_t offset) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(std::to_integer<T>(packet.bytes[offset + i]) << 8 * i);
  }
  return value;
}

TEST(AqlHeader, BitsAreThoseOfTheSpecification) {
  constexpr Header header =
      Header::make(PacketType::kernel_dispatch, true, FenceScope::agent, FenceScope::system);
  static_assert(header.bits == (2 | 1 << 8 | 1 << 9 | 2 << 11));
  EXPECT_EQ(header.type(), PacketType::kernel_dispatch);
  EXPECT_TRUE(header.barrier());
  EXPECT_EQ(header.acquire(), 1u);
  EXPECT_EQ(header.release(), 2u);
  EXPECT_EQ(Header{}.type(), PacketType::invalid);
  EXPECT_EQ(Header{0x1234}.raw_type(), 0x34u);
}

TEST(AqlPacket, TypesHaveTheNamesOfTheSpecification) {
  EXPECT_EQ(name(PacketType::vendor_specific), "VENDOR_SPECIFIC");
  EXPECT_EQ(name(PacketType::invalid), "INVALID");
  EXPECT_EQ(name(PacketType::kernel_dispatch), "KERNEL_DISPATCH");
  EXPECT_EQ(name(PacketType::barrier_and), "BARRIER_AND");
  EXPECT_EQ(name(PacketType::agent_dispatch), "AGENT_DISPATCH");
  EXPECT_EQ(name(PacketType::barrier_or), "BARRIER_OR");
  EXPECT_EQ(name(Header{0xFF}.type()), "RESERVED");
}

TEST(AqlPacket, BodiesLieWhereTheHardwareReadsThem) {
  static_assert(offsetof(KernelDispatch, setup) == 2);
  static_assert(offsetof(KernelDispatch, workgroup_size_x) == 4);
  static_assert(offsetof(KernelDispatch, workgroup_size_z) == 8);
  static_assert(offsetof(KernelDispatch, grid_size_x) == 12);
  static_assert(offsetof(KernelDispatch, grid_size_z) == 20);
  static_assert(offsetof(KernelDispatch, private_segment_size) == 24);
  static_assert(offsetof(KernelDispatch, group_segment_size) == 28);
  static_assert(offsetof(KernelDispatch, kernarg_address) == 40);
  static_assert(offsetof(KernelDispatch, completion_signal) == 56);
  static_assert(offsetof(AgentDispatch, type) == 2);
  static_assert(offsetof(AgentDispatch, arg) == 16);
  static_assert(offsetof(AgentDispatch, completion_signal) == 56);
  static_assert(offsetof(BarrierValue, amd_format) == 2);
  static_assert(offsetof(BarrierValue, signal) == 8);
  static_assert(offsetof(BarrierValue, value) == 16);
  static_assert(offsetof(BarrierValue, mask) == 24);
  static_assert(offsetof(BarrierValue, completion_signal) == 56);
  static_assert(alignof(Packet) == 64 && std::is_trivially_copyable_v<Packet>);
}

TEST(AqlPacket, QueueAndSignalLieWhereTheHardwareReadsThem) {
  static_assert(offsetof(AmdSignal, value) == 8);
  static_assert(offsetof(AmdSignal, event_mailbox_ptr) == 16);
  static_assert(offsetof(AmdSignal, start_ts) == 32 && offsetof(AmdSignal, end_ts) == 40);
  static_assert(offsetof(AmdSignal, queue_ptr) == 48 && alignof(AmdSignal) == 64);
  static_assert(offsetof(AmdQueue, base_address) == 8);
  static_assert(offsetof(AmdQueue, doorbell_signal) == 16);
  static_assert(offsetof(AmdQueue, size) == 24 && offsetof(AmdQueue, id) == 32);
  static_assert(offsetof(AmdQueue, group_aperture_base_hi) == 64);
  static_assert(offsetof(AmdQueue, max_wave_id) == 76);
  static_assert(offsetof(AmdQueue, max_legacy_doorbell_dispatch_id_plus_1) == 80);
  static_assert(offsetof(AmdQueue, legacy_doorbell_lock) == 88);
  static_assert(offsetof(AmdQueue, read_dispatch_id_field_base_byte_offset) == 136);
  static_assert(offsetof(AmdQueue, scratch_resource_descriptor) == 144);
  static_assert(offsetof(AmdQueue, scratch_backing_memory_location) == 160);
  static_assert(offsetof(AmdQueue, scratch_wave64_lane_byte_size) == 176);
  static_assert(offsetof(AmdQueue, queue_properties) == 180);
}

TEST(AqlPacket, AnEmptySlotIsInvalid) {
  const Packet packet;
  EXPECT_EQ(packet.header().type(), PacketType::invalid);
  EXPECT_EQ(at<std::uint16_t>(packet, 0), 1u);
  for (std::size_t i = 2; i < 64; ++i) EXPECT_EQ(packet.bytes[i], std::byte{0});
}

TEST(AqlPacket, ABodyComesBackAsItWas) {
  KernelDispatch body{};
  body.header = Header::make(PacketType::kernel_dispatch).bits;
  body.grid_size_y = 0x01020304;
  body.completion_signal = 0x1122334455667788;
  const Packet packet(body);
  EXPECT_EQ(packet.as<KernelDispatch>().grid_size_y, 0x01020304u);
  EXPECT_EQ(at<std::uint32_t>(packet, 16), 0x01020304u);
  EXPECT_EQ(at<std::uint64_t>(packet, 56), 0x1122334455667788u);
}

TEST(AqlPacket, BarrierBuildersFillEveryByte) {
  const Packet packet = barrier_and({11, 0, 33, 0, 55}, 0xABCD, true);
  EXPECT_EQ(at<std::uint16_t>(packet, 0), 3 | 1 << 8 | 2 << 9 | 2 << 11);
  EXPECT_EQ(at<std::uint16_t>(packet, 2), 0u);
  EXPECT_EQ(at<std::uint32_t>(packet, 4), 0u);
  EXPECT_EQ(at<std::uint64_t>(packet, 8), 11u);
  EXPECT_EQ(at<std::uint64_t>(packet, 16), 0u);
  EXPECT_EQ(at<std::uint64_t>(packet, 24), 33u);
  EXPECT_EQ(at<std::uint64_t>(packet, 32), 0u);
  EXPECT_EQ(at<std::uint64_t>(packet, 40), 55u);
  EXPECT_EQ(at<std::uint64_t>(packet, 48), 0u);
  EXPECT_EQ(at<std::uint64_t>(packet, 56), 0xABCDu);
}

TEST(AqlPacket, BarrierOrDiffersInItsType) {
  EXPECT_EQ(barrier_or({1}, 2).header().type(), PacketType::barrier_or);
  EXPECT_FALSE(barrier_or({1}, 2).header().barrier());
  EXPECT_TRUE(barrier_or({1}, 2, true).header().barrier());
  EXPECT_EQ(barrier_or({1}, 2).as<Barrier>().dep_signal[0], 1u);
  EXPECT_EQ(barrier_or({1}, 2).as<Barrier>().completion_signal, 2u);
}

}  // namespace
}  // namespace rocdrill::aql
