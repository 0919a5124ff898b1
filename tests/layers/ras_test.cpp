// RAS from the injection to the files and the log; resets as the other clients see them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using silicon::RasBlock;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* ras = "/sys/class/drm/card0/device/ras/";

std::string attribute(sim::Node& node, const std::string& name) {
  return sh(node, {"cat", ras + name}).out;
}

/// The errno of a write by root.
int write(sim::Node& node, const std::string& path, std::string_view text) {
  const auto written = node.os.sysfs.write(path, text, no_event);
  return written ? 0 : written.error().error;
}

int control(sim::Node& node, std::string_view text, int card = 0) {
  return write(node, "/sys/kernel/debug/dri/" + std::to_string(card) + "/ras/ras_ctrl", text);
}

TEST(Ras, CountersOfAHealthyGpu) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(attribute(*node, "umc_err_count"), "ue: 0\nce: 0\nde: 0\n");
  EXPECT_EQ(attribute(*node, "features"), "feature mask: 0xef\n");
  EXPECT_EQ(attribute(*node, "gpu_vram_bad_pages"), "");
  const auto older = booted("mi210");
  EXPECT_EQ(attribute(*older, "umc_err_count"), "ue: 0\nce: 0\n") << "no deferred errors in 6.1";
}

TEST(Ras, OnlyRootGetsIntoDebugfs) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(node->os.sysfs.lstat("/sys/kernel/debug")->mode, 0700u);
  EXPECT_EQ(node->os.sysfs.lstat("/sys/kernel/debug/dri/0/ras/ras_ctrl")->mode, 0200u);
  EXPECT_THAT(sh(*node, {"ls", "/sys/kernel/debug/dri/0/ras"}, true).out, HasSubstr("ras_ctrl"));
  EXPECT_THAT(sh(*node, {"cat", "/sys/kernel/debug/dri/0/ras/ras_eeprom_size"}, true).out,
              HasSubstr("262144 bytes or 10921 records"));
}

TEST(Ras, WrongWordsAreAnsweredAsTheDriverAnswers) {
  const auto node = booted("mi300x-8");
  for (const char* wrong :
       {"hello", "inject umc", "inject umc xx 0 0 0", "inject nothing ue 0 0 0",
        "inject umc ue 0 0", "inject athub ue 0 0 0", "enable umc", "retire_page here",
        // "0" is no hexadecimal number of the driver's format, and "0x1000" no decimal one.
        "inject umc ue 0 0x1000 0"}) {
    EXPECT_EQ(control(*node, wrong), EINVAL) << wrong;
  }
  EXPECT_EQ(control(*node, "inject umc ue 0x0 0xffffffffffff 0x0"), EINVAL);
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out,
              HasSubstr("amdgpu: RAS WARN: input address 0xffffffffffff is invalid."));
  EXPECT_EQ(attribute(*node, "umc_err_count"), "ue: 0\nce: 0\nde: 0\n") << "and does nothing";
}

TEST(Ras, EnableAndDisable) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "disable umc"), 0);
  EXPECT_EQ(attribute(*node, "features"), "feature mask: 0xee\n");
  EXPECT_EQ(control(*node, "enable umc ue"), 0);
  EXPECT_EQ(attribute(*node, "features"), "feature mask: 0xef\n");
}

TEST(Ras, ACorrectableErrorIsCountedAndNothingElse) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "inject xgmi_wafl ce 0 0 0"), 0);
  EXPECT_EQ(attribute(*node, "xgmi_wafl_err_count"), "ue: 0\nce: 1\nde: 0\n");
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out,
              HasSubstr("amdgpu 0000:1b:00.0: amdgpu: {1}socket: 0, die: 0, 1 new correctable "
                        "hardware errors detected in xgmi_wafl block"));
  EXPECT_EQ(checks::first_failure(check(*node)), nullptr) << "corrected errors are no failure";
}

/// UMC 12 retires the row at once; nobody used it, and nothing is reset.
TEST(Ras, AnErrorInUnusedMemoryCostsItsRow) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "inject umc ue 0x0 0x4000000 0x0 0xf"), 0);
  EXPECT_EQ(attribute(*node, "umc_err_count"), "ue: 0\nce: 0\nde: 1\n");
  const std::string pages = attribute(*node, "gpu_vram_bad_pages");
  EXPECT_THAT(pages, HasSubstr("0x00004000 : 0x00001000 : R\n"));
  EXPECT_EQ(std::ranges::count(pages, '\n'), 8);
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, HasSubstr("amdgpu: {1}Poison is created"));
  EXPECT_FALSE(node->kernel.amdgpu.resetting());
  EXPECT_EQ(control(*node, "inject umc ue 0x0 0x4000000 0x0"), 0);
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out,
              HasSubstr("RAS WARN: inject: 0x4000000 has already been marked as bad!"));
  node->run_workload("torch");
  EXPECT_EQ(scenarios::top_symptom(node->os.timeline), no_event) << "a retired page is not used";
}

TEST(Ras, BadPagesStayForTheBoardsLife) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "retire_page 0x4000000"), 0);
  const std::string pages = attribute(*node, "gpu_vram_bad_pages");
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "gpu_vram_bad_pages"), pages);
  EXPECT_EQ(sh(*node, {"ipmitool", "chassis", "power", "cycle"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "gpu_vram_bad_pages"), pages);
  EXPECT_EQ(write(*node, "/sys/kernel/debug/dri/0/ras/ras_eeprom_reset", "1"), 0);
  EXPECT_EQ(attribute(*node, "gpu_vram_bad_pages"), "");
}

TEST(Ras, TheThresholdIsReachedWhileItRuns) {
  const auto node = booted("mi210");
  // 64 GiB: one page per 100 MiB.
  EXPECT_EQ(node->kernel.amdgpu.bad_page_threshold(*node->board.gpus()[0].product), 655u);
  for (int row = 0; row < 82; ++row)
    EXPECT_EQ(control(*node, fmt::format("retire_page {:#x}", 0x4000000 + row * 0x40000)), 0);
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("Saved bad pages 656 reaches threshold value 655"));
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  const std::string after = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(after,
              HasSubstr("amdgpu 0000:c3:00.0: amdgpu: RAS records:656 exceed threshold:655"));
  EXPECT_THAT(after, HasSubstr("GPU will be initialized due to bad_page_threshold = -1."));
}

// --- resets --------------------------------------------------------------------------------

/// All eight go, whoever began, and in the order of the driver.
TEST(Reset, OfTheWholeHive) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "inject gfx ue 0 0 0", 16), 0) << "card16 is the third GPU";
  const std::string before = node->os.dmesg.text();
  EXPECT_THAT(before, HasSubstr("amdgpu 0000:4e:00.0: amdgpu: {1}uncorrectable hardware "
                                "error(ERREVENT_ATHUB_INTERRUPT) detected!"));
  EXPECT_THAT(before, ContainsRegex("ACA\\[01/01\\]\\.STATUS=0x[0-9a-f]{16}"));
  for (const silicon::Gpu& gpu : node->board.gpus())
    EXPECT_THAT(before, HasSubstr(fmt::format("amdgpu {}: amdgpu: MODE1 reset", gpu.bdf.text())));
  EXPECT_THAT(before, Not(HasSubstr("trying to resume"))) << "it takes its time";
  node->kernel.amdgpu.settle_resets();
  const std::string after = node->os.dmesg.text();
  EXPECT_THAT(after, HasSubstr("[drm] VRAM is lost due to GPU reset!"));
  EXPECT_THAT(after, HasSubstr("amdgpu 0000:dd:00.0: amdgpu: GPU reset(1) succeeded!"));
}

TEST(Reset, OfOneGpuThatHasNoHive) {
  const auto node = booted("mi210");
  EXPECT_EQ(control(*node, "inject gfx ue 0 0 0"), 0);
  EXPECT_EQ(node->kernel.amdgpu.devices()[0].resets, 1u);
}

/// kfd_open() while a reset goes on; the files say so, too.
TEST(Reset, LocksKfd) {
  const auto node = booted("mi300x-8");
  const auto process = node->access.spawn(node->host().session());
  EXPECT_EQ(control(*node, "inject gfx ue 0 0 0"), 0);
  const auto opened = process->open("/dev/kfd", O_RDWR);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().error, EINVAL);
  const auto why = scenarios::explain(node->os.timeline, opened.error().event);
  EXPECT_THAT(kinds(node->os.timeline, why), testing::Contains("gpu.reset"));
  EXPECT_EQ(node->kernel.amdgpu.error_count(0, RasBlock::umc), "Query currently inaccessible\n");
  node->kernel.amdgpu.settle_resets();
  EXPECT_TRUE(process->open("/dev/kfd", O_RDWR));
}

/// A program on another GPU of the hive loses its queue to a reset that it has nothing to do with.
TEST(Reset, EndsProgramsOnTheOtherGpus) {
  const auto node = booted("mi300x-8");
  const auto process = node->host().spawn(node->host().session());
  auto runtime = node->open_runtime(*process);
  ASSERT_TRUE(runtime);
  const auto agents = (*runtime)->agents();
  const auto gpu = static_cast<std::size_t>(
      std::ranges::find(agents, DeviceType::gpu, &AgentInfo::type) - agents.begin());
  auto queue = (*runtime)->create_queue(gpu, {});
  ASSERT_TRUE(queue);
  auto never = (*runtime)->create_signal(1);
  auto done = (*runtime)->create_signal(1);
  (*queue)->submit(aql::barrier_and({(*never)->handle()}, (*done)->handle()));
  EXPECT_EQ(control(*node, "inject gfx ue 0 0 0", 56), 0) << "the eighth GPU";
  EXPECT_EQ((*done)->wait(SignalCondition::lt, 1, UINT64_MAX), 1) << "it never comes";
  ASSERT_TRUE((*runtime)->aborted());
  EXPECT_THAT((*runtime)->aborted()->text,
              ContainsRegex("HW Exception by GPU node-[0-9]+ \\(Agent handle: 0x[0-9a-f]+\\) "
                            "reason :GPU Hang"));
}

TEST(Reset, IsSavedInItsMiddle) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(control(*node, "inject gfx ue 0 0 0"), 0);
  auto other = test::node("mi300x-8");
  other->restore(node->save());
  EXPECT_TRUE(other->kernel.amdgpu.resetting());
  EXPECT_TRUE(other->kernel.kfd.locked());
  other->kernel.amdgpu.settle_resets();
  node->kernel.amdgpu.settle_resets();
  EXPECT_EQ(other->save(), node->save());
}

// --- what waves meet -----------------------------------------------------------------------

TEST(Poison, IsReadByTheKernelThatGetsThePage) {
  const auto node = broken("mi300x-8", {"hbm-ecc-poison", {}});
  node->run_workload("hip-app");
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("Poison is created"));
  EXPECT_THAT(dmesg, HasSubstr("poison is consumed by client 27, kick off gpu reset flow"));
  EXPECT_THAT(dmesg, HasSubstr("MODE2 reset"));
  EXPECT_THAT(dmesg, Not(HasSubstr("no-retry page fault"))) << "it is no page fault";
  const EventId symptom = scenarios::top_symptom(node->os.timeline);
  ASSERT_NE(symptom, no_event);
  EXPECT_THAT(
      node->os.timeline.at(symptom).text(field::shows),
      ContainsRegex("Memory access fault by GPU node-[0-9]+ \\(Agent handle: 0x[0-9a-f]+\\) "
                    "on address \\(nil\\)\\(may not be exact address\\). Reason: DRAM ECC "
                    "failure\\."));
  EXPECT_THAT(attribute(*node, "umc_err_count"), HasSubstr("ue: 1\n"));
  // The row is retired: the same program runs now.
  EXPECT_EQ(sh(*node, {node->spec().apps.front().path}).exit_code, 0);
}

/// The memory's own GPU counts and retires, the one whose kernel it was loses its queues.
TEST(Poison, OfAPeersMemoryIsThePeers) {
  const auto node = broken("mi300x-8", {"hbm-ecc-poison", {}});
  const auto process = node->access.spawn(node->host().session());
  const auto hip = node->open_hip(*process);
  constexpr std::uint32_t count = 1 << 18;
  const auto poisoned = hip->allocate(0, count * sizeof(float));
  const auto own = hip->allocate(1, count * sizeof(float));
  ASSERT_TRUE(poisoned && own);
  HipLaunch how{.grid = {count / 256, 1, 1}, .block = {256, 1, 1}, .arguments = {}};
  EXPECT_FALSE(hip->launch(1, node->spec().apps.front().path, "saxpy",
                           how.with(*own).with(*poisoned).with(1.0f).with(count)));
  node->kernel.amdgpu.settle_resets();
  EXPECT_THAT(attribute(*node, "umc_err_count"), HasSubstr("ue: 1\n"));
  EXPECT_EQ(node->board.gpus()[0].ras.eeprom.size(), 8u);
  EXPECT_TRUE(node->board.gpus()[1].ras.eeprom.empty());
  EXPECT_EQ(node->board.gpus()[1].ras.counts[RasBlock::umc].ue, 0u);
}

/// With the poison in its last page a buffer has no piece after it: what lies there is another's.
TEST(Poison, InTheLastPageOfABufferLeavesTheNextOneAlone) {
  constexpr std::uint64_t mib = 1 << 20;
  constexpr std::int64_t last_page = 16 * mib + mib - 4096;  // allocations begin at 16 MiB
  const auto node = broken("mi300x-8", {"hbm-ecc-poison", {{"address", last_page}}});
  const auto process = node->access.spawn(node->host().session());
  const auto hip = node->open_hip(*process);
  const auto first = hip->allocate(0, mib);
  const auto second = hip->allocate(0, mib);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(control(*node, "retire_page 0x4000000"), 0);  // the facts change: all is mapped anew
  constexpr std::uint32_t count = 1024;
  HipLaunch how{.grid = {count / 256, 1, 1}, .block = {256, 1, 1}, .arguments = {}};
  EXPECT_TRUE(hip->launch(0, node->spec().apps.front().path, "saxpy",
                          how.with(*second).with(*second).with(1.0f).with(count)));
}

TEST(Ras, RetiredPagesAreNotForAllTime) {
  const auto node = booted("mi300x-8");
  auto& kfd = node->kernel.kfd;
  const auto free = [&] { return kfd.available_vram(kfd.nodes().front().gpu_id); };
  const std::uint64_t whole = free();
  EXPECT_EQ(control(*node, "retire_page 0x4000000"), 0);
  EXPECT_EQ(free(), whole - 8 * 4096u) << "a row of eight pages";
  EXPECT_EQ(write(*node, "/sys/kernel/debug/dri/0/ras/ras_eeprom_reset", "1"), 0);
  EXPECT_EQ(free(), whole - 8 * 4096u) << "until the driver starts anew";
  EXPECT_EQ(sh(*node, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(free(), whole);
}

/// Elsewhere in VRAM it disturbs nobody.
TEST(Poison, IsNotReadByAKernelThatHasAnotherPage) {
  const auto node = broken("mi300x-8", {"hbm-ecc-poison", {{"address", std::int64_t{1} << 36}}});
  node->run_workload("hip-app");
  EXPECT_EQ(scenarios::top_symptom(node->os.timeline), no_event);
}

TEST(Poison, InTreeDriversOf2022ResetNothing) {
  const auto node = broken("mi210", {"hbm-ecc-poison", {}});
  node->run_workload("hip-app");
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("RAS poison consumption, unmap queue flow succeeded: client id 27"));
  EXPECT_THAT(dmesg, Not(HasSubstr("GPU reset begin!")));
}

// --- clocks --------------------------------------------------------------------------------

TEST(Throttle, AKernelTakesLonger) {
  const auto time = [](sim::Node& node) {
    const std::uint64_t before = node.os.clock.now();
    node.run_workload("hip-app");
    return node.os.clock.now() - before;
  };
  const auto healthy = booted("mi300x-8");
  const auto hot = broken("mi300x-8", {"throttled", {}});
  const std::uint64_t usual = time(*healthy);
  EXPECT_GT(usual, 0u);
  EXPECT_GT(time(*hot), usual);
  EXPECT_THAT(sh(*hot, {"dmesg"}, true).out,
              HasSubstr("amdgpu 0000:1b:00.0: amdgpu: WARN: GPU is throttled, expect performance "
                        "decrease. SOC."));
  EXPECT_EQ(sh(*hot, {"cat", "/sys/class/drm/card0/device/pp_dpm_sclk"}).out,
            "0: 500Mhz\n1: 132Mhz *\n2: 525Mhz\n");
  EXPECT_THAT(sh(*hot, {"amd-smi", "metric", "--throttle", "-g", "0"}).out,
              HasSubstr("SOCKET_THERMAL_VIOLATION_STATUS: ACTIVE"));
}

// --- views ---------------------------------------------------------------------------------

TEST(Views, AmdSmiShowsPagesAndCounters) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(sh(*node, {"amd-smi", "bad-pages", "-g", "0"}).out,
            "GPU: 0\n    RETIRED: No bad pages found.\n    PENDING: No bad pages found.\n"
            "    UN_RES: No bad pages found.\n");
  EXPECT_EQ(control(*node, "inject umc ue 0x0 0x4000000 0x0"), 0);
  EXPECT_EQ(control(*node, "inject gfx ce 0 0 0"), 0);
  const std::string retired = sh(*node, {"amd-smi", "bad-pages", "-g", "0", "-r"}).out;
  EXPECT_THAT(retired, HasSubstr("PAGE_SIZE: 4096\n            STATUS: RESERVED\n"));
  EXPECT_THAT(retired, Not(HasSubstr("PENDING")));
  const std::string ecc = sh(*node, {"amd-smi", "metric", "-g", "0", "--ecc"}).out;
  EXPECT_THAT(ecc, HasSubstr("TOTAL_CORRECTABLE_COUNT: 1\n"));
  EXPECT_THAT(ecc, HasSubstr("TOTAL_DEFERRED_COUNT: 1\n"));
  EXPECT_THAT(sh(*node, {"rocm-smi", "--showretiredpages"}).out, HasSubstr("0x4000"));
  EXPECT_THAT(sh(*node, {"rocm-smi", "--showrasinfo"}).out, ContainsRegex("GFX +ENABLED +1 +0"));
}

}  // namespace
}  // namespace rocdrill::test
