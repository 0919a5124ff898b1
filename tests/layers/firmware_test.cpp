// Firmware versions act through the gates that exist, and through nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/firmware/gates.hpp"
#include "sim/silicon/catalogue.hpp"
#include "stack/formats/kfd_topology.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void write_blob(sim::Node& node, const std::string& file, std::uint32_t version,
                std::uint32_t interface = 0) {
  node.os.files.write(node.spec().firmware.directory + "/" + file,
                      firmware::blob_text({file, version, interface}), no_event);
}

TEST(Firmware, AtomicsAreNeededBelowAMecVersionOnly) {
  for (const std::uint32_t mec : {508u, 509u}) {
    auto card = node("rx7900xtx-igpu");
    for (auto& gpu : card->board.gpus()) gpu.pcie_atomics = false;
    write_blob(*card, "gc_11_0_0_mec.bin", mec);
    write_blob(*card, "gc_10_3_6_mec.bin", 14);
    card->boot();
    const std::string dmesg = card->os.dmesg.text();
    EXPECT_THAT(dmesg, HasSubstr("PCIE atomic ops is not supported"));
    EXPECT_EQ(card->kernel.kfd.nodes().size(), mec < 509 ? 1u : 2u);
    EXPECT_EQ(
        dmesg.find("kfd kfd: amdgpu: skipped device 1002:744c, PCI rejects atomics 508<509") !=
            std::string::npos,
        mec < 509);
    EXPECT_TRUE(card->os.files.exists("/dev/dri/card0")) << "amdgpu itself is up";
  }
}

TEST(Firmware, InstinctNeedsNoAtomics) {
  EXPECT_EQ(firmware::mec_without_pcie_atomics(*silicon::find("MI300X")), 0u);
  auto mi210 = node("mi210");
  mi210->board.gpus()[0].pcie_atomics = false;
  mi210->boot();
  EXPECT_EQ(mi210->kernel.kfd.nodes().size(), 1u);
}

TEST(Firmware, AnotherSmuInterfaceIsAWarningAndNoMore) {
  auto server = node("mi300x-8");
  write_blob(*server, "smu_13_0_6.bin", 0x00557501, firmware::smu_driver_interface + 1);
  server->boot();
  const std::string dmesg = server->os.dmesg.text();
  EXPECT_THAT(dmesg, HasSubstr("SMU driver if version not matched"));
  EXPECT_THAT(dmesg, HasSubstr("SMU is initialized successfully!"));
  EXPECT_EQ(server->kernel.kfd.nodes().size(), 8u);
  EXPECT_THAT(booted("mi300x-8")->os.dmesg.text(), Not(HasSubstr("not matched")));
}

TEST(Firmware, ADamagedHeaderFailsTheProbe) {
  auto server = node("mi300x-8");
  server->os.files.write("/lib/firmware/updates/amdgpu/psp_13_0_6_sos.bin", "not firmware",
                         no_event);
  server->boot();
  EXPECT_THAT(server->os.dmesg.text(), HasSubstr("early_init of IP block <psp> failed -22"));
  EXPECT_EQ(server->kernel.kfd.nodes().size(), 0u);
}

TEST(Firmware, OldMecTakesTheDebuggersCapabilityAway) {
  const std::uint32_t enough = silicon::find("MI210")->debugger_min_mec;
  ASSERT_GT(enough, 0u);
  for (const std::uint32_t mec : {enough - 1, enough}) {
    auto mi210 = node("mi210");
    write_blob(*mi210, "aldebaran_mec.bin", mec);
    mi210->boot();
    const std::uint32_t gpu = mi210->kernel.cpu.sockets;
    const auto properties = kfd::parse_node_properties(mi210->os.files.text(
        "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(gpu) + "/properties"));
    ASSERT_TRUE(properties);
    EXPECT_EQ(properties->fw_version, mec);
    EXPECT_EQ((properties->capability & kfd::capability::debugger_firmware) != 0, mec == enough);
  }
}

TEST(Firmware, UpdatesWinOverTheDistribution) {
  auto server = node("mi300x-8");
  server->os.files.write("/lib/firmware/amdgpu/gc_9_4_3_mec.bin",
                         firmware::blob_text({"gc_9_4_3_mec.bin", 7, 0}), no_event);
  server->boot();
  EXPECT_EQ(kfd::parse_node_properties(
                server->os.files.text("/sys/class/kfd/kfd/topology/nodes/2/properties"))
                ->fw_version,
            166u);
  server->os.files.remove("/lib/firmware/updates/amdgpu/gc_9_4_3_mec.bin", no_event);
  server->boot();
  EXPECT_EQ(kfd::parse_node_properties(
                server->os.files.text("/sys/class/kfd/kfd/topology/nodes/2/properties"))
                ->fw_version,
            7u);
}

}  // namespace
}  // namespace rocdrill::test
