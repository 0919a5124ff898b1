// stale-dkms through all layers: every link has the one below as its cause, and mending any link
// takes away everything above it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/frameworks/torch.hpp"
#include "sim/hip/hip.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* new_kernel = "6.8.0-60-generic";

/// The fault and the upgrade, not yet booted.
std::unique_ptr<sim::Node> upgraded(std::string_view id = "mi300x-8") {
  auto made = node(id);
  made->inject({"stale-dkms", {}});
  made->schedule({"upgrade", sim::Json::object()});
  made->run();
  return made;
}

void boot_and_work(sim::Node& node) {
  node.boot();
  node.run_workload("torch");
}

std::vector<std::string> error_kinds(const sim::Node& node) {
  return kinds(node.os.timeline, errors(node.os.timeline));
}

TEST(StaleDkms, EveryLinkNamesTheOneBelow) {
  const auto broken = run("stale-dkms");
  const Timeline& timeline = broken->os.timeline;
  const auto chain = scenarios::explain(timeline, scenarios::top_symptom(timeline));
  EXPECT_THAT(
      kinds(timeline, chain),
      ElementsAre("fault.injected", "package.removed", "dkms.not_built", "modprobe.not_found",
                  "device.open_failed", "hsa.init_failed", "hip.no_device", "torch.is_available"));
  for (std::size_t i = 1; i < chain.size(); ++i)
    EXPECT_EQ(timeline.cause_of(chain[i]), chain[i - 1]);
  EXPECT_EQ(timeline.at(chain[4]).text(field::status), "ENOENT");
  EXPECT_EQ(timeline.at(chain[5]).text(field::status), "HSA_STATUS_ERROR_OUT_OF_RESOURCES");
  EXPECT_EQ(timeline.at(chain[6]).text(field::status), "hipErrorNoDevice");
  EXPECT_EQ(timeline.at(chain[7]).text(field::shows), "False");
}

TEST(StaleDkms, EveryEventButTheFirstOfAStoryHasACause) {
  const auto broken = run("stale-dkms");
  for (EventId id = 1; id <= broken->os.timeline.size(); ++id) {
    const EventView event = broken->os.timeline.at(id);
    if (event.severity != Severity::error) continue;
    EXPECT_NE(event.cause, no_event) << event.kind << " " << event.subject;
  }
}

// --- one link mended, everything above it heals ---

TEST(StaleDkms, WithoutTheFaultNothingFails) {
  auto healthy = node("mi300x-8");
  healthy->schedule({"upgrade", sim::Json::object()});
  boot_and_work(*healthy);
  EXPECT_EQ(healthy->os.kernel_release, new_kernel) << "the upgrade itself is harmless";
  EXPECT_THAT(error_kinds(*healthy), IsEmpty());
}

TEST(StaleDkms, BuildingTheModuleHealsModprobeAndAbove) {
  auto mended = upgraded();
  const auto installed =
      mended->os.packages.install(std::string("linux-headers-") + new_kernel, no_event);
  EXPECT_TRUE(installed.ok);
  EXPECT_THAT(installed.output, HasSubstr("Building module"));
  boot_and_work(*mended);
  EXPECT_THAT(error_kinds(*mended), ElementsAre("dkms.not_built"));
}

TEST(StaleDkms, PuttingTheFileInPlaceHealsModprobeWithoutDkms) {
  auto mended = upgraded();
  sim::FileTree& files = mended->os.files;
  const std::string folder = std::string("/lib/modules/") + new_kernel;
  files.write(folder + "/extra/amdgpu.ko",
              kernel::module_text("amdgpu", new_kernel, "6.10.5", {}, kernel::amdgpu_aliases()),
              no_event);
  kernel::depmod(files, new_kernel, no_event);
  boot_and_work(*mended);
  EXPECT_THAT(error_kinds(*mended), ElementsAre("dkms.not_built"));
  EXPECT_EQ(mended->kernel.dkms.state("6.10.5-2125197.24.04", new_kernel),
            kernel::DkmsState::added);
}

TEST(StaleDkms, InsertingTheDriverHealsDeviceAccessAndAbove) {
  auto mended = upgraded();
  mended->boot();
  mended->os.files.write("/root/amdgpu.ko",
                         kernel::module_text("amdgpu", new_kernel, "6.10.5", {}, {}), no_event);
  EXPECT_EQ(mended->kernel.insert_module("/root/amdgpu.ko", no_event).exit_code, 0);
  mended->run_workload("torch");
  EXPECT_THAT(error_kinds(*mended), ElementsAre("dkms.not_built", "modprobe.not_found"));
}

TEST(StaleDkms, ARuntimeOnAHealthyNodeHealsHipAndAbove) {
  auto broken = upgraded();
  broken->boot();
  auto healthy = booted("mi300x-8");
  // The same HIP, its process on a node whose /dev/kfd is there.
  const auto process = healthy->host().spawn(healthy->host().session());
  auto hip = hip::load(*process, healthy->os.journal, healthy->rocm());
  EXPECT_EQ(hip->device_count().value_or(-1), 8);
  EXPECT_THAT(error_kinds(*healthy), IsEmpty());
}

/// HIP as it answers on a healthy node.
class EightDevices final : public Hip {
 public:
  std::string version() override { return "6.3.3"; }
  HipResult<int> device_count() override { return 8; }
  HipResult<HipMemory> memory(int) override { return HipMemory{}; }
  HipResult<HipDeviceInfo> properties(int) override { return HipDeviceInfo{}; }
  void register_fat_binary(std::string) override {}
  HipResult<void> launch(int, std::string_view, std::string_view, const HipLaunch&) override {
    return {};
  }
  HipResult<std::uint64_t> allocate(int, std::size_t) override { return 0; }
  HipResult<void> copy_to_device(std::uint64_t, std::span<const std::byte>) override { return {}; }
  HipResult<void> copy_to_host(std::span<std::byte>, std::uint64_t) override { return {}; }
  HipResult<void> load_module(int, std::string_view) override { return {}; }
};

TEST(StaleDkms, HipThatSeesDevicesHealsTorchOnTheSameNode) {
  auto broken = upgraded();
  broken->boot();
  Host& host = broken->host();
  const auto process = host.spawn(host.session());
  auto torch =
      frameworks::start_python(*process, broken->os.journal, std::make_unique<EightDevices>(),
                               {broken->spec().torch.directory});
  EXPECT_TRUE(torch->import().ok);
  EXPECT_TRUE(torch->is_available().ok);
  EXPECT_THAT(error_kinds(*broken), ElementsAre("dkms.not_built", "modprobe.not_found"));
}

// --- the same fault where the new kernel brings its own amdgpu ---

TEST(StaleDkms, InTreeDriverTakesOver) {
  const auto fallback = broken("rx7900xtx-igpu", {"stale-dkms", {}});
  fallback->run_workload("torch");
  EXPECT_THAT(error_kinds(*fallback), ElementsAre("dkms.not_built"));
  const auto* module = fallback->kernel.modules.find("amdgpu");
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(module->in_tree);
  EXPECT_FALSE(fallback->os.files.exists("/sys/module/amdgpu/version"));
  EXPECT_THAT(sh(*fallback, {"rocminfo"}).out, HasSubstr("ROCk module is loaded"));
  EXPECT_THAT(sh(*fallback, {"rocminfo"}).out, testing::Not(HasSubstr("ROCk module version")));
  const auto results = check(*fallback);
  ASSERT_NE(checks::first_failure(results), nullptr);
  EXPECT_EQ(checks::first_failure(results)->id, "kernel.dkms");
}

TEST(StaleDkms, AutoinstallOffEndsTheSameWay) {
  const auto off = broken("mi300x-8", {"stale-dkms", {{"reason", std::string("autoinstall-off")}}});
  off->run_workload("torch");
  const Timeline& timeline = off->os.timeline;
  const auto chain =
      kinds(timeline, scenarios::explain(timeline, scenarios::top_symptom(timeline)));
  EXPECT_THAT(chain, ElementsAre("fault.injected", "file.written", "dkms.not_built",
                                 "modprobe.not_found", "device.open_failed", "hsa.init_failed",
                                 "hip.no_device", "torch.is_available"));
}

TEST(StaleDkms, TheOldKernelStillWorks) {
  auto mended = upgraded();
  mended->os.files.write("/boot/grub/grubenv", "saved_entry=6.8.0-55-generic\n", no_event);
  boot_and_work(*mended);
  EXPECT_THAT(error_kinds(*mended), ElementsAre("dkms.not_built"));
}

TEST(Topology, NoModuleAndNoProbeAreToldApart) {
  const auto no_module = broken("mi300x-8", {"stale-dkms", {}});
  EXPECT_FALSE(no_module->os.files.exists("/sys/class/kfd"));
  const auto no_probe = broken("mi300x-8", {"firmware-missing", {}});
  const auto nodes = no_probe->os.files.list("/sys/class/kfd/kfd/topology/nodes");
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->size(), 2u) << "the CPU nodes";
  EXPECT_TRUE(no_probe->os.files.exists("/dev/kfd"));
}

}  // namespace
}  // namespace rocdrill::test
