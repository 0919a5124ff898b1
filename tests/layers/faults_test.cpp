// Every fault: invariants of the table, the evidence at each layer, the first failing check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/silicon/catalogue.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using checks::Status;
using testing::HasSubstr;
using testing::Not;

/// Where each fault can be shown.
const std::map<std::string, std::pair<std::string, std::string>>& homes() {
  static const std::map<std::string, std::pair<std::string, std::string>> list{
      {"stale-dkms", {"mi300x-8", "torch"}},
      {"module-blacklisted", {"rx7900xtx-igpu", "torch"}},
      {"firmware-missing", {"mi300x-8", "torch"}},
      {"render-group-missing", {"mi210", "hip-app"}},
      {"double-filter", {"mi300x-8", "torch"}},
      {"code-object-missing-target", {"mi300x-8", "torch"}},
      {"xnack-mismatch", {"mi210", "hip-app"}},
      {"cpx-partitioned", {"mi300x-8", "torch"}},
      {"nps-pending", {"mi300x-8", "none"}},
      {"kernel-null-pointer", {"mi300x-8", "hip-app"}},
      {"kernel-endless", {"mi210", "hip-app"}},
      {"gpu-off-the-bus", {"mi210", "hip-app"}},
      {"nomodeset", {"mi210", "hip-app"}},
      {"secure-boot-unsigned", {"mi300x-8", "torch"}},
      {"vfio-bound", {"mi210", "hip-app"}},
      {"kfd-parameter-invalid", {"mi300x-8", "torch"}},
      {"stale-initramfs", {"mi210", "torch"}},
      {"dkms-added-only", {"mi300x-8", "torch"}},
      {"dkms-build-failed", {"mi300x-8", "torch"}},
      {"dkms-stale-tree", {"mi300x-8", "torch"}},
      {"pci-realloc", {"mi210", "hip-app"}},
      {"stranded-vram", {"mi300x-8", "torch"}},
      {"kfd-permission", {"mi210", "hip-app"}},
      {"visible-devices-empty", {"mi300x-8", "torch"}},
      {"override-left-set", {"mi210", "hip-app"}},
      {"ld-library-path-shadow", {"mi300x-8", "hip-app"}},
      {"igpu-first", {"rx7900xtx-igpu", "torch"}},
      {"rocblas-data-missing", {"mi300x-8", "torch"}},
      {"wrong-torch-wheel", {"mi300x-8", "torch"}},
      {"firmware-truncated", {"mi210", "hip-app"}},
      {"rocblas-libpath-left-set", {"mi300x-8", "torch"}},
      {"pythonpath-shadow", {"mi300x-8", "torch"}},
      {"allocator-option-unknown", {"mi210", "torch"}},
      {"device-index-from-one", {"mi300x-8", "torch"}},
      {"replaced-gpu-uuid", {"mi300x-8", "torch"}},
      {"xgmi-link-down", {"mi300x-8", "torchrun"}},
      {"acs-redirects-p2p", {"mi210-2", "torchrun"}},
      {"iommu-not-passthrough", {"mi210-2", "torchrun"}},
      {"shm-too-small", {"mi250x-4", "torchrun"}},
      {"nccl-socket-ifname-wrong", {"mi300x-8", "torchrun"}},
      {"rank-missing", {"mi300x-8", "torchrun"}},
      {"nccl-p2p-disabled", {"mi300x-8", "torchrun"}},
      {"kfd-not-passed-in", {"mi300x-8", "torch"}},
      {"container-wrong-gid", {"mi300x-8", "torch"}},
      {"device-bind-mounted", {"mi300x-8", "hip-app"}},
      {"rootless-groups-lost", {"mi300x-8", "hip-app"}},
      {"rootless-partial-devices", {"rx7900xtx-igpu", "hip-app"}},
      {"image-too-old", {"mi300x-8", "hip-app"}},
      {"gpu-label-missing", {"mi300x-8", "torch"}},
      {"one-bad-oam", {"mi300x-8", "torch"}},
      {"athub-ue", {"mi300x-8", "torch"}},
      {"hbm-ecc-poison", {"mi300x-8", "torch"}},
      {"bad-page-threshold", {"mi210", "hip-app"}},
      {"queue-preemption-fails", {"mi300x-8", "torch"}},
      {"throttled", {"mi300x-8", "none"}},
      {"vbios-too-old-for-nps", {"mi300x-8", "none"}},
      {"packed-sos-count", {"mi300x-8", "torch"}},
  };
  return list;
}

std::unique_ptr<sim::Node> at_home(const std::string& fault) {
  const auto& [id, workload] = homes().at(fault);
  auto made = broken(id, {fault, {}});
  made->run_workload(workload);
  return made;
}

bool is_latent(const std::string& fault) {
  return sim::FaultRegistry::instance().find(fault)->info().latent;
}

TEST(Faults, EachNamesItsLayerAndItsSources) {
  std::set<std::string> titles;
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
    const sim::FaultInfo& info = fault->info();
    EXPECT_NE(homes().contains(info.id), info.surgical) << info.id << " has no evidence test";
    EXPECT_NE(info.layer, Layer::host) << info.id;
    EXPECT_FALSE(info.changes.empty()) << info.id;
    EXPECT_FALSE(info.sources.empty()) << info.id;
    for (const std::string& source : info.sources)
      EXPECT_TRUE(source.starts_with("https://")) << source;
    EXPECT_TRUE(titles.insert(info.title).second) << info.title;
    for (const sim::ParameterInfo& parameter : info.parameters)
      EXPECT_FALSE(parameter.meaning.empty());
  }
}

TEST(Faults, NoTwoShareTheFirstEventThatDiffersFromAHealthyRun) {
  std::set<std::string> seen;
  for (const auto& [fault, home] : homes()) {
    auto healthy = node(home.first);
    const sim::Fault* is = sim::FaultRegistry::instance().find(fault);
    is->prepare(*healthy, sim::FaultRegistry::check(is->info(), {}).value());
    healthy->boot();
    healthy->run_workload(home.second);
    const auto faulty = at_home(fault);
    const auto marker = [](const EventView& event) { return event.kind == "fault.injected"; };
    const auto differs = first_divergence(healthy->os.timeline, faulty->os.timeline, marker);
    ASSERT_TRUE(differs) << fault;
    const EventView event = faulty->os.timeline.at(differs->in_second);
    EXPECT_TRUE(seen.insert(std::string(event.kind) + " " + std::string(event.subject)).second)
        << fault << ": " << event.kind << " " << event.subject;
  }
}

TEST(Faults, TheFirstFailingCheckIsInTheDeclaredLayer) {
  for (const auto& [fault, home] : homes()) {
    const auto faulty = at_home(fault);
    const auto results = check(*faulty);
    const checks::Result* failed = checks::first_failure(results);
    ASSERT_NE(failed, nullptr) << fault;
    EXPECT_EQ(failed->layer, sim::FaultRegistry::instance().find(fault)->info().layer)
        << fault << ": " << failed->id;
    EXPECT_FALSE(failed->evidence.empty()) << fault;
    EXPECT_FALSE(failed->next.empty()) << fault;
  }
}

/// The layer whose state was changed, and no other, is the one at fault.
TEST(Faults, TheStoryBlamesTheDeclaredLayer) {
  for (const auto& [fault, home] : homes()) {
    const auto faulty = at_home(fault);
    const Layer declared = sim::FaultRegistry::instance().find(fault)->info().layer;
    // Of a latent one the story has nothing to tell: no layer got anything else than it asked for.
    if (is_latent(fault)) {
      EXPECT_EQ(scenarios::top_symptom(faulty->os.timeline), no_event) << fault;
      continue;
    }
    for (const scenarios::LayerStory& story : scenarios::tell(faulty->os.timeline, UINT64_MAX))
      EXPECT_EQ(story.state == scenarios::LayerState::fault, story.layer == declared)
          << fault << ": " << name(story.layer);
  }
}

TEST(Faults, ExplainReachesTheFault) {
  for (const auto& [fault, home] : homes()) {
    const auto faulty = at_home(fault);
    const Timeline& timeline = faulty->os.timeline;
    EventId symptom = scenarios::top_symptom(timeline);
    if (is_latent(fault)) {
      const auto results = check(*faulty);
      symptom = checks::first_failure(results)->event;
    }
    const auto chain = scenarios::explain(timeline, symptom);
    ASSERT_FALSE(chain.empty()) << fault;
    EXPECT_EQ(timeline.at(chain.front()).kind, "fault.injected") << fault;
    EXPECT_EQ(timeline.at(chain.front()).subject, fault);
    // Of a latent one its own layer, the driver or the file that says so is the end.
    const Layer declared = sim::FaultRegistry::instance().find(fault)->info().layer;
    const Layer end = timeline.layer_of(chain.back());
    if (is_latent(fault)) {
      EXPECT_THAT(end, testing::AnyOf(declared, Layer::kernel, Layer::host)) << fault;
    } else {
      EXPECT_EQ(end, Layer::framework) << fault;
    }
  }
}

TEST(Faults, HealthyNodesPassEveryCheckThatIsModelled) {
  for (const std::string& id : data().list_nodes()) {
    const auto healthy = booted(id);
    for (const checks::Result& result : check(*healthy)) {
      EXPECT_NE(result.status, Status::fail) << id << " " << result.id << ": " << result.evidence;
      if (result.id == "framework.matmul" && !healthy->spec().torch.version.empty()) {
        const std::string& product = healthy->spec().gpus.front().product;
        const bool executes = silicon::product_or_throw(product).gfx.starts_with("gfx9");
        EXPECT_EQ(result.status, executes ? Status::pass : Status::not_modelled)
            << id << ": " << result.evidence;
      }
    }
  }
}

TEST(Faults, RefusedWhereTheyMakeNoSense) {
  auto one_gpu = node("mi210");
  EXPECT_THROW(one_gpu->inject({"double-filter", {}}), std::invalid_argument);
  EXPECT_THROW(one_gpu->inject({"stale-dkms", {}}), std::invalid_argument) << "no dkms there";
  EXPECT_THROW(one_gpu->inject({"no-such-fault", {}}), std::invalid_argument);
  EXPECT_THROW(one_gpu->inject({"firmware-missing", {{"blob", std::int64_t{3}}}}),
               std::invalid_argument);
  EXPECT_THROW(one_gpu->inject({"firmware-missing", {{"blob", std::string("nosuch.bin")}}}),
               std::invalid_argument);
  EXPECT_THROW(one_gpu->inject({"xnack-mismatch", {{"mode", std::string("maybe")}}}),
               std::invalid_argument);
  EXPECT_TRUE(one_gpu->os.timeline.empty()) << "a refused fault leaves no trace";
}

// --- the evidence at each layer, against what real systems print ---

TEST(Evidence, StaleDkms) {
  const auto faulty = at_home("stale-dkms");
  EXPECT_EQ(sh(*faulty, {"uname", "-r"}).out, "6.8.0-60-generic\n");
  EXPECT_EQ(sh(*faulty, {"dkms", "status"}).out,
            "amdgpu/6.10.5-2125197.24.04, 6.8.0-55-generic, x86_64: installed\n");
  EXPECT_THAT(sh(*faulty, {"lsmod"}).out, Not(HasSubstr("amdgpu")));
  const auto modprobe = sh(*faulty, {"modprobe", "amdgpu"}, true);
  EXPECT_EQ(
      modprobe.err,
      "modprobe: FATAL: Module amdgpu not found in directory /lib/modules/6.8.0-60-generic\n");
  EXPECT_EQ(modprobe.exit_code, 1);
  EXPECT_NE(sh(*faulty, {"ls", "-l", "/dev/kfd"}).exit_code, 0);
  EXPECT_THAT(sh(*faulty, {"rocminfo"}).out,
              HasSubstr("ROCk module is NOT loaded, possibly no GPU devices"));
}

TEST(Evidence, ModuleBlacklisted) {
  const auto faulty = at_home("module-blacklisted");
  EXPECT_THAT(sh(*faulty, {"dkms", "status"}).out, HasSubstr(": installed"));
  EXPECT_THAT(sh(*faulty, {"lsmod"}).out, Not(HasSubstr("amdgpu")));
  EXPECT_THAT(sh(*faulty, {"dmesg"}).out, Not(HasSubstr("amdgpu kernel modesetting")));
  EXPECT_THAT(sh(*faulty, {"rocminfo"}).out, HasSubstr("ROCk module is NOT loaded"));
  // A name is not subject to the blacklist: it loads by hand, and is gone after the next boot.
  EXPECT_EQ(sh(*faulty, {"modprobe", "amdgpu"}, true).exit_code, 0);
  EXPECT_TRUE(faulty->os.files.exists("/dev/kfd"));
  faulty->boot();
  EXPECT_FALSE(faulty->os.files.exists("/dev/kfd"));
}

TEST(Evidence, CpxPartitioned) {
  const auto faulty = at_home("cpx-partitioned");
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 64u);
  EXPECT_THAT(sh(*faulty, {"modprobe", "-c"}).out, HasSubstr("options amdgpu user_partt_mode=4"));
  const Timeline& timeline = faulty->os.timeline;
  EXPECT_THAT(timeline.at(scenarios::top_symptom(timeline)).text(field::shows),
              HasSubstr("Tried to allocate 131.00 GiB. GPU 0 has a total capacity of 24.00 GiB"));
  EXPECT_EQ(sh(*faulty, {"amd-smi", "set", "-C", "SPX"}, true).exit_code, 0);
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 8u) << "by hand, until the next boot";
  faulty->boot();
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 64u);
}

TEST(Evidence, NpsPending) {
  const auto faulty = at_home("nps-pending");
  const std::string now = "/sys/class/drm/card8/device/current_memory_partition";
  EXPECT_EQ(sh(*faulty, {"cat", now}).out, "NPS1\n");
  EXPECT_THAT(sh(*faulty, {"dmesg"}, true).out,
              HasSubstr("NPS mode change requested, please remove and reload the driver"));
  EXPECT_EQ(sh(*faulty, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*faulty, {"modprobe", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*faulty, {"cat", now}).out, "NPS4\n") << "the whole hive";
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 64u) << "and CPX, which goes with it";
}

TEST(Evidence, KernelNullPointer) {
  const auto faulty = at_home("kernel-null-pointer");
  const std::string app = faulty->spec().apps.front().path;
  const auto ran = sh(*faulty, {app});
  EXPECT_EQ(ran.exit_code, 134);
  EXPECT_THAT(ran.err, HasSubstr("on address (nil). Reason: Page not present or supervisor"));
  const auto faults = faulty->os.timeline.find({.kind_prefix = "gpu.memory_fault"});
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faulty->os.timeline.at(faults.front()).subject, "0x0");
  EXPECT_THAT(sh(*faulty, {"dmesg"}, true).out, HasSubstr("process saxpy"));
  // The release before is harmless, on the same GPU.
  EXPECT_EQ(sh(*faulty, {"cp", app + ".old", app}, true).exit_code, 0);
  EXPECT_EQ(sh(*faulty, {app}).exit_code, 0);
}

TEST(Evidence, KernelEndless) {
  const auto faulty = at_home("kernel-endless");
  const std::string app = faulty->spec().apps.front().path;
  const auto ran = sh(*faulty, {app});
  EXPECT_TRUE(ran.waits_for_ever);
  EXPECT_EQ(ran.exit_code, 124);
  EXPECT_TRUE(sh(*faulty, {app, "|", "wc", "-l"}).waits_for_ever) << "the pipe waits, too";
  const auto hung = faulty->os.timeline.find({.kind_prefix = "queue.hung"});
  ASSERT_FALSE(hung.empty()) << "its waves do not end";
  const std::string before = sh(*faulty, {"dmesg"}, true).out;
  EXPECT_THAT(before, Not(HasSubstr(" fault"))) << "but \"Default\" of the IOMMU";
  EXPECT_THAT(before, Not(HasSubstr("_fault")));
  EXPECT_EQ(faulty->kernel.kfd.doorbells_in_use(), 0u) << "ending the process frees the GPU";
  EXPECT_EQ(sh(*faulty, {"cp", app + ".old", app}, true).exit_code, 0);
  EXPECT_FALSE(sh(*faulty, {app}).waits_for_ever);
}

TEST(Evidence, FirmwareMissing) {
  const auto faulty = at_home("firmware-missing");
  const std::string dmesg = sh(*faulty, {"dmesg"}, true).out;
  EXPECT_THAT(
      dmesg,
      HasSubstr(
          "amdgpu 0000:1b:00.0: Direct firmware load for amdgpu/gc_9_4_3_rlc.bin failed with error -2"));
  EXPECT_THAT(dmesg, HasSubstr("early_init of IP block <gfx_v9_4_3> failed -19"));
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: Fatal error during GPU init"));
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: probe of 0000:1b:00.0 failed with error -19"));
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: probe of 0000:dd:00.0 failed with error -19"))
      << "all eight need it";
  EXPECT_THAT(sh(*faulty, {"lsmod"}).out, HasSubstr("amdgpu"));
  EXPECT_TRUE(faulty->os.files.exists("/dev/kfd")) << "the node is there all the same";
  EXPECT_THAT(sh(*faulty, {"lspci", "-k"}).out, Not(HasSubstr("Kernel driver in use: amdgpu")));
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 0u);
}

TEST(Evidence, FirmwareMissingTakesOneGpuOfTwo) {
  // The integrated GPU needs other files than the card.
  const auto faulty =
      broken("rx7900xtx-igpu", {"firmware-missing", {{"blob", std::string("gc_11_0_0_rlc.bin")}}});
  EXPECT_EQ(faulty->kernel.kfd.nodes().size(), 1u);
  Host& host = faulty->host();
  const auto process = host.spawn(host.session());
  auto runtime = faulty->open_runtime(*process);
  ASSERT_TRUE(runtime);
  EXPECT_EQ((*runtime)->agents().back().name, "gfx1036");
}

TEST(Evidence, RenderGroupMissing) {
  const auto faulty = at_home("render-group-missing");
  const std::string user = faulty->spec().user;
  EXPECT_THAT(sh(*faulty, {"id"}).out, Not(HasSubstr("render")));
  EXPECT_THAT(sh(*faulty, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-rw---- 1 root render"));
  const auto rocminfo = sh(*faulty, {"rocminfo"});
  EXPECT_THAT(rocminfo.out, HasSubstr("Unable to open /dev/kfd read-write: Permission denied"));
  EXPECT_THAT(
      rocminfo.out,
      HasSubstr(user + " is not member of \"render\" group, the default DRM access group."));
  EXPECT_EQ(rocminfo.exit_code, 1);
  EXPECT_THAT(sh(*faulty, {"lsmod"}).out, HasSubstr("amdgpu"));
  // The database is not the session: it helps after the next login only.
  EXPECT_EQ(sh(*faulty, {"usermod", "-aG", "render", user}, true).exit_code, 0);
  EXPECT_EQ(sh(*faulty, {"rocminfo"}).exit_code, 1);
  faulty->log_in(no_event);
  EXPECT_EQ(sh(*faulty, {"rocminfo"}).exit_code, 0);
}

TEST(Evidence, DoubleFilter) {
  const auto faulty = at_home("double-filter");
  Host& host = faulty->host();
  const auto process = host.spawn(host.session());
  auto runtime = faulty->open_runtime(*process);
  ASSERT_TRUE(runtime);
  std::size_t gpus = 0;
  for (const AgentInfo& agent : (*runtime)->agents()) gpus += agent.type == DeviceType::gpu ? 1 : 0;
  EXPECT_EQ(gpus, 1u) << "ROCr honours its own filter only";
  auto hip = faulty->open_hip(*process);
  ASSERT_FALSE(hip->device_count());
  EXPECT_EQ(hip->device_count().error().error, HipError::no_device);
  EXPECT_EQ(faulty->os.pci.devices().size(), 8u) << "the bus shows all";
  const auto python =
      sh(*faulty, {"python3", "-c", "import torch; a = torch.randn(2, 2, device='cuda')"});
  EXPECT_NE(python.exit_code, 0);
  EXPECT_THAT(python.err, HasSubstr("RuntimeError: No HIP GPUs are available"));
}

TEST(Evidence, CodeObjectMissingTarget) {
  const auto faulty = at_home("code-object-missing-target");
  Host& host = faulty->host();
  const auto process = host.spawn(host.session());
  auto torch = faulty->open_framework(*process);
  ASSERT_TRUE(torch->import().ok);
  EXPECT_TRUE(torch->is_available().ok) << "everything below is green";
  const FrameworkResult product = torch->matmul();
  EXPECT_FALSE(product.ok);
  EXPECT_FALSE(product.unmodelled);
  EXPECT_THAT(product.text, HasSubstr("RuntimeError: HIP error: invalid device function"));
  EXPECT_THAT(product.text,
              HasSubstr("Compile with `TORCH_USE_HIP_DSA` to enable device-side assertions."));
}

TEST(Evidence, XnackMismatch) {
  const auto faulty = at_home("xnack-mismatch");
  const Timeline& timeline = faulty->os.timeline;
  const auto refused = timeline.find({.kind_prefix = "code_object.xnack_mismatch"});
  ASSERT_FALSE(refused.empty());
  EXPECT_THAT(timeline.at(refused.front()).text(field::asked), HasSubstr("gfx90a:sramecc+:xnack-"));
  EXPECT_THAT(timeline.at(refused.front()).text(field::got), HasSubstr("gfx90a:xnack+"));
  // HIP 5 ends the program at its first call.
  const auto failed = timeline.find({.kind_prefix = "app.failed"});
  ASSERT_FALSE(failed.empty());
  EXPECT_EQ(timeline.at(failed.front()).text(field::shows),
            "\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"");
}

}  // namespace
}  // namespace rocdrill::test
