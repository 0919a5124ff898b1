// PM4 in AQL packets: commands for the caches are obeyed, everything else is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig.hpp"

namespace rocdrill::cp::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t type3(std::uint32_t opcode, std::uint32_t dwords) {
  return 3u << 30 | (dwords - 2) << 16 | opcode << 8;
}

struct CodeWatcher : KernelExecutor {
  void invalidate_code() override { ++invalidations; }
  std::expected<LaunchState, KfdException> launch(const KernelLaunch&) override {
    return std::unexpected(KfdException::packet_unsupported);
  }
  int invalidations = 0;
};

class Pm4 : public ::testing::Test {
 protected:
  Pm4() : rig_(Rig::default_size, &watcher_) {
    rig_.space.add(commands_.data(), commands_.size() * 4);
  }
  aql::Packet packet(std::uint32_t dwords, aql::AmdSignal* done = nullptr) {
    aql::Pm4IndirectBuffer body{};
    body.header = aql::Header::make(aql::PacketType::vendor_specific).bits;
    body.amd_format = static_cast<std::uint16_t>(aql::VendorFormat::pm4_ib);
    const std::uint64_t va = Rig::va(commands_.data());
    body.ib_jump_cmd[0] = type3(0x3F, 4);
    body.ib_jump_cmd[1] = static_cast<std::uint32_t>(va);
    body.ib_jump_cmd[2] = static_cast<std::uint32_t>(va >> 32);
    body.ib_jump_cmd[3] = dwords | 1u << 23;
    body.dw_cnt_remain = 10;
    if (done != nullptr) body.completion_signal = Rig::va(done);
    return aql::Packet(body);
  }

  CodeWatcher watcher_;
  Rig rig_;
  alignas(64) std::array<std::uint32_t, 64> commands_{};
};

TEST_F(Pm4, AcquireMemInvalidatesCodeAndCompletes) {
  commands_[0] = type3(0x10, 2);
  commands_[2] = type3(0x58, 7);
  aql::AmdSignal& done = rig_.make_signal(1);
  rig_.submit(packet(9, &done));
  rig_.run();
  EXPECT_EQ(watcher_.invalidations, 1);
  EXPECT_EQ(signal::load(done), 0);
  EXPECT_EQ(rig_.read_index(), 1u);
  EXPECT_FALSE(rig_.queue->error());
}

TEST_F(Pm4, OtherCommandsAreRefusedByName) {
  commands_[0] = type3(0x37, 5);
  aql::AmdSignal& done = rig_.make_signal(1);
  rig_.submit(packet(5, &done));
  rig_.run();
  EXPECT_THAT(rig_.hooks.refusals, ElementsAre("PM4 WRITE_DATA"));
  EXPECT_EQ(rig_.queue->error()->kfd_code, KfdException::packet_vendor_unsupported);
  EXPECT_EQ(signal::load(done), 1);
  EXPECT_EQ(rig_.read_index(), 0u);
}

TEST_F(Pm4, NumbersWithoutANameAndOtherTypes) {
  commands_[0] = type3(0xEE, 2);
  rig_.submit(packet(2));
  rig_.run();
  EXPECT_THAT(rig_.hooks.refusals, ElementsAre("PM4 opcode 0xee"));
  Rig other(Rig::default_size, &watcher_);
  other.space.add(commands_.data(), commands_.size() * 4);
  commands_[0] = 2u << 30;
  other.submit(packet(1));
  other.run();
  EXPECT_THAT(other.hooks.refusals, ElementsAre("PM4 packet of type 2"));
}

TEST_F(Pm4, ABufferThatIsNotMappedFaults) {
  commands_.fill(type3(0x10, 2));
  rig_.submit(packet(66));
  rig_.run();
  ASSERT_EQ(rig_.hooks.faults.size(), 1u);
  EXPECT_EQ(rig_.hooks.faults[0].address, Rig::va(commands_.data() + commands_.size()));
  EXPECT_EQ(rig_.queue->error()->kfd_code, KfdException::device_memory_violation);
}

}  // namespace
}  // namespace rocdrill::cp::testing
