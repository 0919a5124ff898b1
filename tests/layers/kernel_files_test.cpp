// What the kernel shows of itself below /sys and /proc: layout, formats, modes, writes, and that
// pciutils reads it.
#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>

#include "sim/kernel/gpu_metrics.hpp"
#include "support/materialise.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const char* const all_nodes[] = {"mi210",   "mi100",    "mi250x-4",
                                 "gfx1030", "mi300x-8", "rx7900xtx-igpu"};

std::string read(sim::Node& node, const std::string& path) {
  const auto content = node.os.files.read(path);
  return content ? *content : "error " + std::to_string(content.error().error);
}

/// The errno of a write, 0 if it went through.
int write(sim::Node& node, const std::string& path, const std::string& data) {
  const auto stored = node.os.files.store(path, data, no_event);
  return stored ? 0 : stored.error().error;
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string out;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    out.append(buffer, got);
  const int status = ::pclose(pipe);
  return status == 0 ? out : out + "\nexit status " + std::to_string(status);
}

const std::string card = "/sys/class/drm/card0/device";
const std::string device = "/sys/devices/pci0000:c0/0000:c0:01.1/0000:c3:00.0";

TEST(KernelFiles, LayoutIsThatOfLinux) {
  const auto node = booted("mi210");
  const sim::FileTree& files = node->os.files;
  EXPECT_EQ(files.readlink("/sys/class/drm/card0").value(),
            "../../devices/pci0000:c0/0000:c0:01.1/0000:c3:00.0/drm/card0");
  EXPECT_EQ(files.readlink(device + "/drm/card0/device").value(), "../../../0000:c3:00.0");
  EXPECT_EQ(files.readlink("/sys/class/kfd/kfd").value(), "../../devices/virtual/kfd/kfd");
  EXPECT_EQ(files.readlink("/sys/bus/pci/devices/0000:c3:00.0").value(),
            "../../../devices/pci0000:c0/0000:c0:01.1/0000:c3:00.0");
  EXPECT_EQ(files.readlink(device + "/driver").value(), "../../../../bus/pci/drivers/amdgpu");
  EXPECT_EQ(files.readlink("/sys/bus/pci/drivers/amdgpu/module").value(),
            "../../../../module/amdgpu");
  for (const char* path : {"/sys/class/drm/card0/device", "/sys/class/drm/renderD128/device",
                           "/sys/dev/char/226:0/device", "/sys/dev/char/226:128/device",
                           "/sys/bus/pci/drivers/amdgpu/0000:c3:00.0",
                           "/sys/class/hwmon/hwmon0/device", "/sys/bus/pci/devices/0000:c3:00.0"}) {
    EXPECT_EQ(files.resolve(path).value_or("absent"), device) << path;
  }
  EXPECT_EQ(files.resolve("/sys/dev/char/235:0").value_or(""), "/sys/devices/virtual/kfd/kfd");
  EXPECT_THAT(files.list("/sys/dev/char/226:128/device/drm").value(),
              testing::ElementsAre("card0", "renderD128"));
}

TEST(KernelFiles, EveryLinkIsRelativeAndLeadsSomewhere) {
  for (const char* id : all_nodes) {
    const auto node = booted(id);
    const sim::FileTree& files = node->os.files;
    std::size_t links = 0;
    node->os.sysfs.walk([&](const std::string& path, const sim::VirtualEntry& entry) {
      if (entry.type != FileType::symlink) return;
      ++links;
      EXPECT_THAT(entry.target, Not(StartsWith("/"))) << id << " " << path;
      if (path.ends_with("/subsystem")) return;  // not every bus is shown
      EXPECT_TRUE(files.exists(path)) << id << " " << path << " -> " << entry.target;
    });
    EXPECT_GT(links, 50u) << id;
  }
}

TEST(KernelFiles, ModesAndSizes) {
  const auto node = booted("mi210");
  const sim::FileTree& files = node->os.files;
  const auto is = [&](const std::string& path) {
    const auto stat = files.stat(path).value();
    return std::pair{stat.mode, stat.size};
  };
  EXPECT_EQ(is(card + "/vendor"), std::pair(0444u, std::uint64_t{4096}));
  EXPECT_EQ(is(card + "/config"), std::pair(0644u, std::uint64_t{4096}));
  EXPECT_EQ(is(card + "/power_dpm_force_performance_level"), std::pair(0644u, std::uint64_t{4096}));
  EXPECT_EQ(is("/sys/bus/pci/drivers/amdgpu/unbind"), std::pair(0200u, std::uint64_t{4096}));
  EXPECT_EQ(is(card + "/hwmon/hwmon0/power1_cap").first, 0644u);
  node->os.sysfs.walk([&](const std::string& path, const sim::VirtualEntry& entry) {
    if (entry.type != FileType::regular) return;
    EXPECT_EQ(!entry.read, entry.mode == 0200) << path;
    if (!entry.read) return;
    const auto content = files.read(path);
    ASSERT_TRUE(content.has_value()) << path;
    EXPECT_EQ(*content, entry.read()) << path;
    EXPECT_LE(content->size(), 4096u) << path;
  });
}

TEST(KernelFiles, EachProductHasItsOwnAttributes) {
  const auto mi210 = booted("mi210"), server = booted("mi300x-8"), desk = booted("gfx1030");
  EXPECT_EQ(read(*mi210, card + "/hwmon/hwmon0/temp1_label"), "edge\n");
  EXPECT_EQ(read(*server, card + "/hwmon/hwmon0/temp1_label"), "error 2");
  EXPECT_EQ(read(*server, card + "/hwmon/hwmon0/temp2_label"), "junction\n");
  EXPECT_EQ(read(*server, card + "/hwmon/hwmon0/power1_input"), "135000000\n");
  EXPECT_EQ(read(*server, card + "/hwmon/hwmon0/power1_cap"), "750000000\n");
  EXPECT_EQ(read(*mi210, card + "/hwmon/hwmon0/power1_input"), "error 2");
  EXPECT_EQ(read(*server, card + "/current_compute_partition"), "SPX\n");
  EXPECT_EQ(read(*server, card + "/available_memory_partition"), "NPS1, NPS4\n");
  EXPECT_EQ(read(*mi210, card + "/current_compute_partition"), "error 2");
  EXPECT_THAT(read(*mi210, card + "/ras/features"), StartsWith("feature mask: 0x"));
  EXPECT_EQ(read(*desk, card + "/ras/features"), "error 2");
  EXPECT_EQ(read(*desk, card + "/boot_vga"), "1\n");
  EXPECT_EQ(read(*desk, card + "/hwmon/hwmon0/pwm1_max"), "255\n");
  EXPECT_EQ(read(*mi210, card + "/hwmon/hwmon0/pwm1_max"), "error 2");
  EXPECT_EQ(read(*desk, "/sys/class/drm/card0-DP-1/status"), "disconnected\n");
  EXPECT_EQ(read(*server, card + "/fw_version/mec_fw_version"), "0x000000a6\n");
  EXPECT_EQ(read(*server, card + "/unique_id").size(), 17u);
}

TEST(KernelFiles, MetricsHaveTheLayoutThatTheirHeaderNames) {
  const auto mi210 = booted("mi210"), server = booted("mi300x-8");
  const std::string old = read(*mi210, card + "/gpu_metrics");
  kernel::MetricsV1_3 table;
  ASSERT_EQ(old.size(), sizeof table);
  std::memcpy(&table, old.data(), sizeof table);
  EXPECT_EQ(table.header.structure_size, 120);
  EXPECT_EQ(table.header.format_revision, 1);
  EXPECT_EQ(table.header.content_revision, 3);
  EXPECT_EQ(table.current_uclk, 1600);
  EXPECT_EQ(table.pcie_link_speed, 160);
  const std::string newer = read(*server, card + "/gpu_metrics");
  ASSERT_EQ(newer.size(), 288u);
  EXPECT_EQ(newer.substr(0, 4), std::string("\x20\x01\x01\x04", 4));
}

TEST(KernelFiles, PerformanceLevelIsKeptAndShows) {
  auto node = booted("mi210");
  const std::string level = card + "/power_dpm_force_performance_level";
  EXPECT_EQ(read(*node, level), "auto\n");
  EXPECT_THAT(read(*node, card + "/pp_dpm_sclk"), HasSubstr("1: 800Mhz *\n"));
  EXPECT_EQ(write(*node, level, "high\n"), 0);
  EXPECT_EQ(write(*node, level, "faster\n"), EINVAL);
  EXPECT_EQ(read(*node, level), "high\n");
  EXPECT_THAT(read(*node, card + "/pp_dpm_sclk"), HasSubstr("2: 1700Mhz *\n"));
  EXPECT_EQ(read(*node, card + "/hwmon/hwmon0/freq1_input"), "1700000000\n");
  EXPECT_FALSE(node->os.timeline.find({.kind_prefix = "amdgpu.performance_level"}).empty());
  auto copy = test::node("mi210");
  copy->restore(node->save());
  EXPECT_EQ(read(*copy, level), "high\n");
}

TEST(KernelFiles, PowerCapHasLimits) {
  auto node = booted("mi210");
  const std::string cap = card + "/hwmon/hwmon0/power1_cap";
  EXPECT_EQ(read(*node, cap), "300000000\n");
  EXPECT_EQ(write(*node, cap, "200500000\n"), 0);
  EXPECT_EQ(read(*node, cap), "200000000\n");
  EXPECT_EQ(write(*node, cap, "301000000\n"), EINVAL);
  EXPECT_EQ(write(*node, cap, "much\n"), EINVAL);
  auto copy = test::node("mi210");
  copy->restore(node->save());
  EXPECT_EQ(read(*copy, cap), "200000000\n");
}

TEST(KernelFiles, WhatIsNotModelledIsRefusedByName) {
  auto node = booted("mi300x-8");
  const auto refused = [&](const std::string& path, const std::string& data) {
    const std::size_t before = node->os.timeline.find({.at_least = Severity::unmodelled}).size();
    EXPECT_EQ(write(*node, path, data), EOPNOTSUPP) << path;
    EXPECT_EQ(node->os.timeline.find({.at_least = Severity::unmodelled}).size(), before + 1);
  };
  refused("/sys/bus/pci/drivers/amdgpu/new_id", "1002 ffff\n");
  refused(card + "/reset", "1\n");
  EXPECT_EQ(write(*node, card + "/vendor", "0x10de\n"), EACCES);
}

TEST(KernelFiles, UnbindTakesTheGpuOutOfTheTopology) {
  auto node = booted("mi300x-8");
  const std::string drivers = "/sys/bus/pci/drivers/amdgpu", nodes = "/sys/class/kfd/kfd/topology";
  const std::string generation = read(*node, nodes + "/generation_id");
  EXPECT_EQ(write(*node, drivers + "/unbind", "0000:99:00.0"), ENODEV);
  EXPECT_EQ(write(*node, drivers + "/unbind", "0000:3d:00.0\n"), 0);
  EXPECT_EQ(node->os.files.list(nodes + "/nodes")->size(), 9u);
  EXPECT_NE(read(*node, nodes + "/generation_id"), generation);
  EXPECT_FALSE(node->os.files.exists("/sys/class/drm/renderD136"));
  EXPECT_FALSE(node->os.files.exists("/dev/dri/renderD136"));
  EXPECT_FALSE(node->os.files.exists("/sys/bus/pci/devices/0000:3d:00.0/driver"));
  EXPECT_TRUE(node->os.files.exists("/sys/bus/pci/devices/0000:3d:00.0/vendor"));
  EXPECT_EQ(write(*node, drivers + "/unbind", "0000:3d:00.0"), ENODEV);
  EXPECT_EQ(write(*node, drivers + "/bind", "0000:3d:00.0"), 0);
  EXPECT_EQ(write(*node, drivers + "/bind", "0000:3d:00.0"), EBUSY);
  EXPECT_EQ(node->os.files.list(nodes + "/nodes")->size(), 10u);
  EXPECT_TRUE(node->os.files.exists("/dev/dri/renderD136"));
}

TEST(KernelFiles, UnbindOfAHeldGpuIsRefused) {
  auto node = booted("mi210");
  const auto process = node->access.spawn(node->host().session());
  const auto runtime = node->open_runtime(*process);
  ASSERT_TRUE(runtime.has_value());
  EXPECT_EQ(write(*node, "/sys/bus/pci/drivers/amdgpu/unbind", "0000:c3:00.0"), EBUSY);
  EXPECT_FALSE(node->os.timeline.find({.at_least = Severity::unmodelled}).empty());
  EXPECT_TRUE(node->os.files.exists("/dev/dri/renderD128"));
}

TEST(KernelFiles, RemoveAndRescan) {
  auto node = booted("mi210");
  EXPECT_EQ(write(*node, card + "/remove", "yes\n"), EINVAL);
  EXPECT_EQ(write(*node, card + "/remove", "1\n"), 0);
  EXPECT_FALSE(node->os.files.exists("/sys/bus/pci/devices/0000:c3:00.0"));
  EXPECT_EQ(node->os.files.list("/sys/class/kfd/kfd/topology/nodes")->size(), 1u);
  EXPECT_EQ(write(*node, "/sys/bus/pci/rescan", "1\n"), 0);
  EXPECT_EQ(read(*node, card + "/vendor"), "0x1002\n");
  EXPECT_EQ(node->os.files.list("/sys/class/kfd/kfd/topology/nodes")->size(), 2u);
}

TEST(KernelFiles, AProcessShowsWithWhatItHolds) {
  auto node = booted("mi210");
  const auto process = node->access.spawn(node->host().session());
  EXPECT_TRUE(node->os.files.list("/sys/class/kfd/kfd/proc")->empty());
  const auto runtime = node->open_runtime(*process);
  ASSERT_TRUE(runtime.has_value());
  const std::string gpu_id = std::to_string(node->kernel.kfd.nodes().front().gpu_id);
  const std::string held = "/sys/class/kfd/kfd/proc/" + std::to_string(process->pid());
  EXPECT_EQ(read(*node, held + "/pasid"), "32769\n");
  const std::string before = read(*node, card + "/mem_info_vram_used");
  ASSERT_TRUE(node->kernel.kfd.reserve_vram(process->pid(), node->kernel.kfd.nodes().front().gpu_id,
                                            1ull << 30));
  EXPECT_GE(std::stoull(read(*node, held + "/vram_" + gpu_id)), 1ull << 30);
  EXPECT_EQ(std::stoull(read(*node, card + "/mem_info_vram_used")),
            std::stoull(before) + (1ull << 30));
  ASSERT_TRUE(node->kernel.kfd.take_doorbell(
      process->pid(), node->kernel.kfd.nodes().front().gpu_id, {7, 2, 65536}));
  EXPECT_EQ(read(*node, held + "/queues/7/gpuid"), gpu_id);
  EXPECT_EQ(read(*node, held + "/queues/7/size"), "65536");
}

TEST(KernelFiles, ProcessorsAndNumaNodesAgree) {
  auto node = booted("mi300x-8");
  EXPECT_EQ(read(*node, "/sys/devices/system/cpu/online"), "0-383\n");
  EXPECT_EQ(read(*node, "/sys/devices/system/node/node1/cpulist"), "96-191,288-383\n");
  EXPECT_EQ(read(*node, "/sys/devices/system/node/node0/distance"), "10 32\n");
  EXPECT_EQ(read(*node, "/sys/devices/system/cpu/cpu3/topology/thread_siblings_list"), "3,195\n");
  EXPECT_EQ(read(*node, "/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list"),
            "0-7,192-199\n");
  EXPECT_EQ(read(*node, "/sys/bus/pci/devices/0000:dd:00.0/local_cpulist"), "96-191,288-383\n");
  // libhsakmt names a CPU node by the processor whose APIC id is the node's first.
  EXPECT_THAT(read(*node, "/sys/class/kfd/kfd/topology/nodes/1/properties"),
              AllOf(HasSubstr("cpu_core_id_base 192\n"), HasSubstr("caches_count 3\n")));
  EXPECT_THAT(read(*node, "/proc/cpuinfo"), HasSubstr("\napicid\t\t: 192\n"));
  EXPECT_THAT(read(*node, "/sys/class/kfd/kfd/topology/nodes/0/caches/2/properties"),
              AllOf(HasSubstr("level 3\n"), HasSubstr("size 32768\n")));
}

TEST(KernelFiles, ModulesShowWhatLsmodReads) {
  auto node = booted("mi300x-8");
  EXPECT_EQ(read(*node, "/sys/module/amdkcl/refcnt"), "1\n");
  EXPECT_EQ(node->os.files.resolve("/sys/module/amdkcl/holders/amdgpu").value_or(""),
            "/sys/module/amdgpu");
  EXPECT_EQ(read(*node, "/sys/module/amdgpu/coresize"), "19718144\n");
  EXPECT_EQ(read(*node, "/sys/module/amdgpu/parameters/cwsr_enable"), "1\n");
  EXPECT_EQ(read(*node, "/sys/module/amdgpu/taint"), "OE\n");
  EXPECT_EQ(read(*booted("mi210"), "/sys/module/amdgpu/taint"), "\n");
}

TEST(KernelFiles, PciutilsReadsTheTree) {
  if (std::system("command -v lspci >/dev/null") != 0) GTEST_SKIP() << "no lspci";
  for (const char* id : all_nodes) {
    const auto node = booted(id);
    const ScratchTree tree(id);
    materialise(node->os.sysfs, tree.root());
    materialise(node->os.procfs, tree.root());
    const std::string lspci = "lspci -O sysfs.path=" + tree.root().string() + "/sys/bus/pci ";
    EXPECT_THAT(output_of(lspci + "-vv 2>&1"),
                AllOf(Not(HasSubstr("exit status")), Not(HasSubstr("pcilib:"))))
        << id;
    const std::size_t gpus = node->board.gpus().size();
    EXPECT_EQ(sim::lines_of(output_of(lspci + "-d 1002: 2>/dev/null")).size(), gpus) << id;
    for (const silicon::Gpu& gpu : node->board.gpus()) {
      const std::string one = output_of(lspci + "-D -vv -s " + gpu.bdf.text() + " 2>/dev/null");
      EXPECT_THAT(one, AllOf(StartsWith(gpu.bdf.text()), HasSubstr("Kernel driver in use: amdgpu"),
                             HasSubstr("AtomicOpsCap: 32bit+ 64bit+"),
                             HasSubstr("Power Management version 3")))
          << id;
    }
  }
  const auto node = booted("mi210");
  const ScratchTree tree("lspci");
  materialise(node->os.sysfs, tree.root());
  const std::string lspci = "lspci -O sysfs.path=" + tree.root().string() + "/sys/bus/pci ";
  EXPECT_THAT(output_of(lspci + "-vv -s c3:00.0 2>/dev/null"),
              AllOf(HasSubstr("[size=64G]"), HasSubstr("[size=512K]"), HasSubstr("NUMA node: 0"),
                    HasSubstr("LnkSta:\tSpeed 16GT/s")));
  EXPECT_THAT(output_of(lspci + "-nn -s c3:00.0 2>/dev/null"), HasSubstr("[1002:740f] (rev 02)"));
  EXPECT_THAT(output_of(lspci + "-t 2>/dev/null"), HasSubstr("-[0000:c0]---01.1-[c3]----00.0"));
  EXPECT_THAT(
      output_of(lspci + "-vv -s c0:01.1 2>/dev/null"),
      AllOf(HasSubstr("Bus: primary=c0, secondary=c3, subordinate=c3"),
            HasSubstr("Memory behind bridge: 90000000-904fffff [size=5M]"),
            HasSubstr("AtomicOpsCap: Routing+"), HasSubstr("Kernel driver in use: pcieport")));
}

}  // namespace
}  // namespace rocdrill::test
