// The evidence of broken hardware and of the firmware on the boards, and what heals it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/evidence.hpp"

namespace rocdrill::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string dmesg(sim::Node& node) { return sh(node, {"dmesg"}, true).out; }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

TEST(Evidence, OneBadOamTakesAllEight) {
  const auto node = with("one-bad-oam", "mi300x-8");
  const std::string log = dmesg(*node);
  EXPECT_EQ(count(log, "get invalid ip discovery binary signature"), 8u);
  EXPECT_EQ(count(log, "failed with error -22"), 8u);
  EXPECT_EQ(count(log, "fw_status: "), 4u) << "one for each die of the one that failed";
  EXPECT_THAT(log, HasSubstr("amdgpu 0000:5f:00.0: amdgpu: socket: 3, aid: 0, fw_status: "
                             "0xe6985b2d, firmware load failed at boot time"));
  EXPECT_THAT(sh(*node, {"lsmod"}).out, HasSubstr("amdgpu"));
  const std::string lspci = sh(*node, {"lspci", "-k", "-d", "1002:"}).out;
  EXPECT_EQ(count(lspci, "Kernel modules: amdgpu"), 8u);
  EXPECT_THAT(lspci, Not(HasSubstr("Kernel driver in use: amdgpu")));
  EXPECT_EQ(sh(*node, {"remote-hands", "replace", "0000:1b:00.0"}, true).exit_code, 0);
  EXPECT_EQ(count(dmesg(*node), "failed with error -22"), 8u) << "not the one";
  EXPECT_EQ(sh(*node, {"remote-hands", "replace", "0000:5f:00.0"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, AthubUeResetsTheHive) {
  const auto node = broken("mi300x-8", {"athub-ue", {{"block", std::string("xgmi_wafl")}}});
  EXPECT_THAT(dmesg(*node), Not(HasSubstr("ERREVENT"))) << "nothing runs yet";
  const CommandResult ended = sh(*node, {"/srv/job/saxpy"});
  EXPECT_THAT(ended.err,
              ContainsRegex("HW Exception by GPU node-[0-9]+ \\(Agent handle: 0x[0-9a-f]+\\) "
                            "reason :GPU Hang"));
  EXPECT_EQ(ended.exit_code, 134);
  const std::string log = dmesg(*node);
  EXPECT_THAT(log, HasSubstr("amdgpu 0000:1b:00.0: amdgpu: {1}uncorrectable hardware "
                             "error(ERREVENT_ATHUB_INTERRUPT) detected!"));
  EXPECT_EQ(count(log, "MODE1 reset"), 8u);
  EXPECT_EQ(count(log, "GPU reset(1) succeeded!"), 8u);
  EXPECT_THAT(sh(*node, {"cat", "/sys/class/drm/card0/device/ras/xgmi_wafl_err_count"}).out,
              HasSubstr("ue: 1\n"));
  EXPECT_EQ(sh(*node, {"ipmitool", "chassis", "power", "cycle"}, true).exit_code, 0);
  EXPECT_NE(sh(*node, {"/srv/job/saxpy"}).exit_code, 0) << "power does not mend it";
  EXPECT_EQ(sh(*node, {"remote-hands", "replace", "0000:1b:00.0"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, BadPageThreshold) {
  const auto node = with("bad-page-threshold", "mi210");
  EXPECT_THAT(
      dmesg(*node),
      HasSubstr("RAS records:700 exceed threshold:256, GPU will not be initialized. Replace "
                "this GPU or increase the threshold"));
  EXPECT_EQ(node->kernel.amdgpu.devices().front().error, EINVAL);
  // The parameter's default takes the GPU; its table stays BAD, and the check knows.
  EXPECT_EQ(sh(*node, {"rm", "/etc/modprobe.d/amdgpu-ras.conf"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"update-initramfs", "-u"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_EQ(node->kernel.amdgpu.devices().front().error, 0);
  EXPECT_EQ(
      count(sh(*node, {"cat", "/sys/class/drm/card0/device/ras/gpu_vram_bad_pages"}).out, " : R"),
      700u);
  ASSERT_NE(checks::first_failure(check(*node)), nullptr);
  EXPECT_EQ(checks::first_failure(check(*node))->id, "silicon.errors");
  EXPECT_EQ(sh(*node, {"remote-hands", "replace", "0000:c3:00.0"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, QueuePreemptionFails) {
  const auto node = with("queue-preemption-fails", "mi300x-8");
  const std::uint64_t before = node->os.clock.now();
  EXPECT_NE(sh(*node, {"/srv/job/saxpy"}).exit_code, 0);
  EXPECT_GT(node->os.clock.now() - before, 9 * sim::sec) << "queue_preemption_timeout_ms";
  const std::string log = dmesg(*node);
  const std::size_t fence = log.find("qcm fence wait loop timeout expired");
  const std::size_t cp = log.find("The cp might be in an unrecoverable state");
  const std::size_t reset = log.find("GPU reset begin!");
  EXPECT_LT(fence, cp);
  EXPECT_LT(cp, reset);
  ASSERT_THAT(log, HasSubstr("MODE1 reset"));
  EXPECT_LT(reset, log.find("MODE1 reset"));
  EXPECT_THAT(log, Not(HasSubstr("ERREVENT")));
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_NE(sh(*node, {"/srv/job/saxpy"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"ipmitool", "chassis", "power", "cycle"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, VbiosTooOldForNps) {
  const auto node = with("vbios-too-old-for-nps", "mi300x-8");
  const std::string device = "/sys/class/drm/card0/device/";
  EXPECT_EQ(sh(*node, {"cat", device + "available_memory_partition"}).out, "NPS1, NPS4\n");
  EXPECT_EQ(sh(*node, {"cat", device + "current_memory_partition"}).out, "NPS1\n");
  EXPECT_THAT(dmesg(*node), HasSubstr("PSP request failed to change to NPS4 mode"));
  EXPECT_THAT(sh(*node, {"amd-smi", "static", "-g", "0"}).out,
              HasSubstr("VERSION: 022.040.003.041.000001\n"));
  EXPECT_EQ(sh(*node, {"amd-smi", "set", "-C", "CPX"}, true).exit_code, 0) << "this works";
  const auto hands = sh(*node, {"remote-hands", "update-ifwi"}, true);
  EXPECT_EQ(hands.exit_code, 0) << hands.out << hands.err;
  EXPECT_EQ(node->board.gpus()[0].ifwi, "022.040.003.043.000001") << hands.out;
  EXPECT_EQ(sh(*node, {"amd-smi", "set", "-M", "NPS4"}, true).exit_code, 0);
  sh(*node, {"modprobe", "-r", "amdgpu"}, true);
  sh(*node, {"modprobe", "amdgpu"}, true);
  EXPECT_EQ(sh(*node, {"cat", device + "current_memory_partition"}).out, "NPS4\n");
  EXPECT_EQ(sh(*node, {"cat", device + "current_compute_partition"}).out, "CPX\n");
  expect_healed(*node);
}

TEST(Evidence, PackedSosCount) {
  const auto node = with("packed-sos-count", "mi300x-8");
  const std::string log = dmesg(*node);
  EXPECT_EQ(count(log, "packed SOS count exceeds maximum limit"), 8u);
  EXPECT_EQ(count(log, "early_init of IP block <psp> failed -22"), 8u);
  EXPECT_THAT(log, Not(HasSubstr("Direct firmware load")));
  EXPECT_EQ(sh(*node, {"apt-get", "install", "--reinstall", "-y", "amdgpu-dkms-firmware"}, true)
                .exit_code,
            0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  expect_healed(*node);
}

}  // namespace
}  // namespace rocdrill::test
