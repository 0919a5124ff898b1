// SDMA packets that move bytes.
#include <gmock/gmock.h>

#include <numeric>

#include "unit/command_processor/sdma_rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;
using ::testing::Each;
using ::testing::ElementsAre;

Bytes counted(std::size_t count, std::uint8_t first = 0) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

TEST(SdmaCopy, AnyByteCountAtAnyAddress) {
  for (const std::uint64_t size : {1u, 3u, 4u, 255u, 4096u, 5001u}) {
    SdmaRig rig;
    rig.count_up(3, size);
    const SdmaProgress progress = rig.execute(packets::copy(rig.at(8193), rig.at(3), size));
    EXPECT_EQ(progress.packets, 1u);
    EXPECT_EQ(progress.bytes, size);
    EXPECT_EQ(rig.bytes(8193, size), rig.bytes(3, size));
    EXPECT_EQ(rig.in<std::uint8_t>(8193 + size), 0u);
    EXPECT_EQ(rig.queue->counters().bytes_copied, size);
  }
}

/// What becomes of an engine whose peer does not answer is not modelled: it is never "done".
TEST(SdmaCopy, ToAPeerThatCannotBeReachedIsRefused) {
  SdmaRig rig;
  struct alignas(4096) Peer {
    std::array<std::byte, 4096> bytes{};
  };
  const auto peer = std::make_unique<Peer>();
  const auto sink = std::make_unique<Peer>();
  rig.space.add_unreachable(SdmaRig::va(peer.get()), sizeof(Peer), {}, sink.get(), 7);
  rig.count_up(0, 64);
  for (const auto& [to, from] : {std::pair(SdmaRig::va(peer.get()), rig.at(0)),
                                 std::pair(rig.at(4096), SdmaRig::va(peer.get()))}) {
    rig.make_queue();
    rig.memory->write_index = rig.memory->read_index = 0;
    const SdmaProgress progress = rig.execute(packets::copy(to, from, 64));
    EXPECT_EQ(progress.packets, 0u);
    EXPECT_NE(rig.failure(), SdmaFailure::none);
    EXPECT_EQ(rig.memory->read_index, 0u);
  }
}

TEST(SdmaCopy, OverlapGoesUpwards) {
  SdmaRig rig;
  rig.count_up(0, 64);
  rig.execute(packets::copy(rig.at(0), rig.at(8), 32));  // destination below: a plain move
  EXPECT_EQ(rig.bytes(0, 32), counted(32, 8));
  rig.count_up(0, 64);
  rig.execute(packets::copy(rig.at(3), rig.at(0), 10));  // above: what lies before is repeated
  EXPECT_THAT(rig.bytes(0, 14), ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 13));
  rig.execute(packets::copy(rig.at(20), rig.at(20), 10));
  EXPECT_EQ(rig.bytes(20, 10), counted(10, 20));
}

TEST(SdmaCopy, BroadcastWritesBoth) {
  SdmaRig rig;
  rig.count_up(0, 4096);
  rig.execute(packets::broadcast(rig.at(4096), rig.at(8195), rig.at(0), 4096));
  EXPECT_EQ(rig.bytes(4096, 4096), rig.bytes(0, 4096));
  EXPECT_EQ(rig.bytes(8195, 4096), rig.bytes(0, 4096));
  EXPECT_EQ(rig.memory->read_index, 36u);
}

TEST(SdmaCopy, BroadcastFaultsAtItsSecondDestination) {
  SdmaRig rig;
  rig.execute(packets::broadcast(rig.at(4096), rig.end(), rig.at(0), 16));
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, rig.end());
}

TEST(SdmaCopy, SourceThatEndsIsCopiedUpToThereAndFaults) {
  SdmaRig rig;
  rig.count_up(SdmaRig::arena_bytes - 64, 64);
  const auto index = rig.submit(packets::copy(rig.at(0), rig.end() - 64, 100));
  rig.run();
  EXPECT_EQ(rig.bytes(0, 64), counted(64));
  EXPECT_THAT(rig.bytes(64, 36), Each(0));
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, rig.end());
  EXPECT_EQ(rig.hooks.faults[0].access, Access::read);
  EXPECT_EQ(rig.hooks.faults[0].packet_index, index);
  EXPECT_EQ(rig.failure(), SdmaFailure::memory_violation);
  EXPECT_EQ(rig.memory->read_index, index);
}

TEST(SdmaCopy, DestinationThatEndsIsCopiedUpToThereAndFaults) {
  SdmaRig rig;
  rig.count_up(0, 100);
  rig.execute(packets::copy(rig.end() - 32, rig.at(0), 100));
  EXPECT_EQ(rig.bytes(SdmaRig::arena_bytes - 32, 32), counted(32));
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, rig.end());
  EXPECT_EQ(rig.hooks.faults[0].access, Access::write);
  EXPECT_THAT(rig.memory->guard, Each(std::byte{0}));
}

TEST(SdmaCopy, ReadOnlyMemoryIsASourceAndNoDestination) {
  SdmaRig rig;
  rig.space.add(rig.memory->guard.data(), 4096, {.read = true, .write = false, .execute = false});
  EXPECT_EQ(rig.execute(packets::copy(rig.at(0), rig.end(), 16)).packets, 1u);
  EXPECT_EQ(rig.execute(packets::copy(rig.end(), rig.at(0), 16)).packets, 0u);
  EXPECT_EQ(rig.failure(), SdmaFailure::memory_violation);
}

TEST(SdmaCopy, GoesOnWhereTheHostMemoryIsElsewhere) {
  SdmaRig rig;
  constexpr std::uint64_t aperture = 0x7700'0000'0000;
  // Two pages in reverse order.
  rig.space.add(aperture, 4096, {}, &rig.in<std::byte>(4096));
  rig.space.add(aperture + 4096, 4096, {}, &rig.in<std::byte>(0));
  rig.count_up(8192, 4096);
  rig.execute(packets::copy(aperture + 2048, rig.at(8192), 4096));
  EXPECT_EQ(rig.bytes(4096 + 2048, 2048), rig.bytes(8192, 2048));
  EXPECT_EQ(rig.bytes(0, 2048), rig.bytes(8192 + 2048, 2048));
  rig.execute(packets::fill(aperture + 4092, 0xA1B2C3D4, 7));
  EXPECT_EQ(rig.in<std::uint32_t>(8188), 0xA1B2C3D4);
  EXPECT_EQ(rig.in<std::uint32_t>(0), 0xA1B2C3D4);
}

TEST(SdmaCopy, CountFieldIsTheEngines) {
  const auto largest = [](sdma::Generation generation, std::uint32_t count) {
    SdmaRig rig(generation);
    Dwords packet = packets::copy(rig.at(0), 0x1000, 1);
    packet[1] = count;
    rig.execute(packet);
    return rig.failure();
  };
  using sdma::Generation;
  for (const auto narrow : {Generation::v4_0, Generation::v4_4_2, Generation::v5_0}) {
    EXPECT_EQ(largest(narrow, 0x3FFFFF), SdmaFailure::memory_violation);
    EXPECT_EQ(largest(narrow, 0x400000), SdmaFailure::count_too_large);
  }
  for (const auto wide : {Generation::v4_4_0, Generation::v5_2}) {
    EXPECT_EQ(largest(wide, 0x3FFFFFFF), SdmaFailure::memory_violation);
    EXPECT_EQ(largest(wide, 0x40000000), SdmaFailure::count_too_large);
  }
}

TEST(SdmaCopy, ByteSwapIsRefused) {
  for (const unsigned bit : {16u, 25u}) {
    SdmaRig rig;
    Dwords packet = packets::copy(rig.at(0), rig.at(64), 16);
    packet[2] = 1u << bit;
    rig.execute(packet);
    EXPECT_THAT(rig.hooks.refusals, ElementsAre("SDMA COPY with byte swap"));
  }
}

TEST(SdmaCopy, LargeCopyTakesSeveralRunsAndCanBeSuspendedInBetween) {
  SdmaRig rig(sdma::Generation::v4_4_0);
  constexpr std::uint64_t size = SdmaQueue::bytes_per_run + 4096;
  std::vector<std::byte> from(size, std::byte{7});
  std::vector<std::byte> to(size);
  rig.space.add(from.data(), size);
  rig.space.add(to.data(), size);
  rig.write(packets::copy(SdmaRig::va(to.data()), SdmaRig::va(from.data()), size));
  rig.submit(packets::fence(rig.at(0), 1));
  SdmaProgress progress = rig.run();
  EXPECT_EQ(progress.packets, 0u);
  EXPECT_EQ(progress.bytes, SdmaQueue::bytes_per_run);
  EXPECT_EQ(progress.state, QueueState::active);
  EXPECT_EQ(rig.memory->read_index, 0u);
  rig.queue->suspend();
  EXPECT_EQ(rig.run().bytes, 0u);
  rig.queue->resume();
  progress = rig.run();
  EXPECT_EQ(progress.packets, 2u);
  EXPECT_EQ(progress.bytes, 4096u);
  EXPECT_TRUE(from == to);
}

TEST(SdmaWindow, CopiesABoxBetweenPitches) {
  SdmaRig rig;
  // 4-byte elements; source 10 x 6 x 3, destination 16 x 4 x 2; a box of 3 x 2 x 2.
  for (std::uint32_t i = 0; i < 180; ++i) rig.in<std::uint32_t>(4ull * i) = 1000 + i;
  rig.execute(packets::window(
      {.base = rig.at(8192), .x = 5, .y = 1, .z = 0, .pitch = 16, .slice = 64},
      {.base = rig.at(0), .x = 2, .y = 3, .z = 1, .pitch = 10, .slice = 60}, {3, 2, 2}));
  std::uint32_t written = 0;
  for (std::uint32_t z = 0; z < 2; ++z) {
    for (std::uint32_t y = 0; y < 4; ++y) {
      for (std::uint32_t x = 0; x < 16; ++x) {
        const std::uint32_t value = rig.in<std::uint32_t>(8192 + 4ull * (z * 64 + y * 16 + x));
        const bool inside = x >= 5 && x < 8 && y >= 1 && y < 3;
        const std::uint32_t expected =
            inside ? 1000 + (z + 1) * 60 + (y - 1 + 3) * 10 + (x - 5 + 2) : 0;
        EXPECT_EQ(value, expected) << x << "," << y << "," << z;
        written += inside;
      }
    }
  }
  EXPECT_EQ(written, 12u);
  EXPECT_EQ(rig.memory->read_index, 52u);
  EXPECT_EQ(rig.queue->counters().bytes_copied, 48u);
}

TEST(SdmaWindow, ElementSizes) {
  for (std::uint32_t log2_element = 0; log2_element <= 4; ++log2_element) {
    SdmaRig rig;
    rig.count_up(0, 256);
    rig.execute(packets::window({.base = rig.at(4096)}, {.base = rig.at(0), .x = 1}, {2, 1, 1},
                                log2_element));
    const std::size_t element = 1u << log2_element;
    EXPECT_EQ(rig.bytes(4096, 2 * element), rig.bytes(element, 2 * element));
    EXPECT_EQ(rig.in<std::uint8_t>(4096 + 2 * element), 0u);
  }
  SdmaRig rig;
  rig.execute(packets::window({.base = rig.at(4096)}, {.base = rig.at(0)}, {1, 1, 1}, 5));
  EXPECT_EQ(rig.failure(), SdmaFailure::unmodelled);
}

TEST(SdmaWindow, FaultsInTheRowThatLeaves) {
  SdmaRig rig;
  rig.count_up(0, 256);
  rig.execute(packets::window({.base = rig.end() - 64, .pitch = 12, .slice = 64},
                              {.base = rig.at(0), .pitch = 8, .slice = 64}, {8, 2, 1}));
  EXPECT_EQ(rig.bytes(SdmaRig::arena_bytes - 64, 32), counted(32));
  EXPECT_EQ(rig.bytes(SdmaRig::arena_bytes - 16, 16), counted(16, 32));
  ASSERT_EQ(rig.hooks.faults.size(), 1u);
  EXPECT_EQ(rig.hooks.faults[0].address, rig.end());
}

TEST(SdmaWindow, MisalignedBaseIsMalformed) {
  SdmaRig rig;
  rig.execute(packets::window({.base = rig.at(4098)}, {.base = rig.at(0)}, {1, 1, 1}));
  EXPECT_EQ(rig.failure(), SdmaFailure::misaligned_address);
}

TEST(SdmaWindow, HugeBoxDoesNotBlock) {
  SdmaRig rig;
  Dwords packet =
      packets::window({.base = rig.at(4096)}, {.base = rig.at(0)}, {512, 0x4000, 0x800}, 0);
  rig.execute(packet);
  EXPECT_EQ(rig.queue->state(), QueueState::failed);  // pitch 1: the last rows leave the arena
  rig.memory->write_index = 0;
  rig.make_queue();
  // One column: rows one byte apart stay within the arena for a while; each run() ends.
  packet = packets::window({.base = rig.at(4096)}, {.base = rig.at(0)}, {1, 0x1000, 0x800}, 0);
  rig.submit(packet);
  std::size_t runs = 0;
  for (; rig.queue->state() == QueueState::active; ++runs) rig.run();
  EXPECT_EQ(runs, 8u);  // 2^23 rows of 64 bytes, 64 MiB each run
  EXPECT_EQ(rig.queue->counters().packets, 1u);
}

TEST(SdmaFill, Dwords) {
  for (const std::uint32_t count : {60u, 63u}) {  // ROCr's bytes - 4 and the kernel's bytes - 1
    SdmaRig rig;
    rig.execute(packets::fill(rig.at(8), 0x11223344, count));
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(rig.in<std::uint32_t>(8 + 4 * i), 0x11223344u);
    EXPECT_EQ(rig.in<std::uint32_t>(8 + 64), 0u);
    EXPECT_EQ(rig.in<std::uint32_t>(4), 0u);
    EXPECT_EQ(rig.queue->counters().bytes_filled, 64u);
  }
}

TEST(SdmaFill, Bytes) {
  SdmaRig rig;
  rig.execute(packets::fill(rig.at(3), 0x112233AB, 6, 0));
  EXPECT_THAT(rig.bytes(2, 9), ElementsAre(0, 0xAB, 0xAB, 0xAB, 0xAB, 0xAB, 0xAB, 0xAB, 0));
}

TEST(SdmaFill, KeepsItsPhaseAcrossMappingsOfOddSize) {
  SdmaRig rig;
  constexpr std::uint64_t aperture = 0x7700'0000'0000;
  rig.space.add(aperture, 6, {}, &rig.in<std::byte>(0));
  rig.space.add(aperture + 6, 6, {}, &rig.in<std::byte>(4096 + 6));
  rig.execute(packets::fill(aperture, 0x04030201, 11));
  EXPECT_THAT(rig.bytes(0, 7), ElementsAre(1, 2, 3, 4, 1, 2, 0));
  EXPECT_THAT(rig.bytes(4096 + 6, 6), ElementsAre(3, 4, 1, 2, 3, 4));
}

TEST(SdmaFill, Malformed) {
  SdmaRig misaligned;
  misaligned.execute(packets::fill(misaligned.at(2), 1, 4));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig large;
  large.execute(packets::fill(large.at(0), 1, 1u << 22));
  EXPECT_EQ(large.failure(), SdmaFailure::count_too_large);
  SdmaRig beyond;
  beyond.execute(packets::fill(beyond.end() - 8, 0xFFFFFFFF, 16));
  EXPECT_EQ(beyond.failure(), SdmaFailure::memory_violation);
  EXPECT_EQ(beyond.in<std::uint64_t>(SdmaRig::arena_bytes - 8), ~0ull);
  EXPECT_EQ(beyond.hooks.faults.at(0).address, beyond.end());
}

TEST(SdmaWrite, Malformed) {
  SdmaRig misaligned;
  misaligned.execute(packets::write(misaligned.at(2), {1}));
  EXPECT_EQ(misaligned.failure(), SdmaFailure::misaligned_address);
  SdmaRig beyond;
  beyond.execute(packets::write(beyond.end() - 4, {1, 2}));
  EXPECT_EQ(beyond.failure(), SdmaFailure::memory_violation);
  EXPECT_EQ(beyond.in<std::uint32_t>(SdmaRig::arena_bytes - 4), 1u);
  SdmaRig swapped;
  Dwords packet = packets::write(swapped.at(0), {1});
  packet[3] |= 1u << 24;
  swapped.execute(packet);
  EXPECT_EQ(swapped.failure(), SdmaFailure::unmodelled);
}

}  // namespace
}  // namespace rocdrill::cp::testing
