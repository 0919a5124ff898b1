// Partitions from the attribute to the device that a program gets: refusals, what is made anew, and
// what a device has of its GPU.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "sim/silicon/catalogue.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string first_gpu = "/sys/class/drm/card0/device/";

std::string attribute(sim::Node& node, const std::string& name) {
  return node.os.files.text(first_gpu + name);
}

/// echo MODE > current_compute_partition as root: 0 or the errno.
int set(sim::Node& node, const std::string& mode, const std::string& file = "compute",
        std::size_t gpu = 0) {
  ProcessSpec spec = node.host().session();
  spec.identity = {"root", 0, 0, {}};
  const auto process = node.host().spawn(spec);
  const std::string path = "/sys/bus/pci/devices/" + node.board.gpus()[gpu].bdf.text() +
                           "/current_" + file + "_partition";
  const auto fd = process->open(path, O_WRONLY);
  if (!fd) return fd.error().error;
  const auto written = process->write(*fd, std::as_bytes(std::span(mode.data(), mode.size())));
  return written ? 0 : written.error().error;
}

void set_all(sim::Node& node, const std::string& mode) {
  for (std::size_t i = 0; i < node.board.gpus().size(); ++i)
    ASSERT_EQ(set(node, mode, "compute", i), 0);
}

std::string dmesg(sim::Node& node) { return sh(node, {"dmesg"}, true).out; }

TEST(Partition, EveryLegalModeOfEveryProductMakesItsDevices) {
  for (const std::string& id : data().list_nodes()) {
    const auto node = booted(id);
    const GpuProduct& product = *node->board.gpus().front().product;
    for (const ComputePartition& mode : product.partitions) {
      const bool legal =
          silicon::accepts(product, mode.mode, MemoryMode::nps1, silicon::PartitionRules::counts);
      EXPECT_EQ(set(*node, std::string(name(mode.mode))), legal ? 0 : EINVAL) << id;
      const auto devices = node->kernel.kfd.nodes_of(0);
      ASSERT_EQ(devices.size(), mode.partitions) << id << name(mode.mode);
      const kernel::DeviceFacts& facts = node->kernel.kfd.facts();
      for (std::uint32_t i = 0; i < devices.size(); ++i) {
        const kernel::GpuFacts* is = facts.find(devices[i].gpu_id);
        ASSERT_NE(is, nullptr);
        EXPECT_EQ(is->compute_units, product.active_cus / mode.partitions);
        EXPECT_EQ(is->xccs, product.xcc_count / mode.partitions);
        EXPECT_EQ(is->render_minor, 128u + i);
        EXPECT_EQ(devices[i].first_xcc, i * is->xccs);
        EXPECT_EQ(is->vram_bytes, product.vram_bytes / mode.partitions / 4096 * 4096);
      }
    }
  }
}

TEST(Partition, OnlyGpusThatCanBeDividedHaveTheAttributes) {
  const auto node = booted("mi210");
  EXPECT_FALSE(node->os.files.exists(first_gpu + "current_compute_partition"));
  const auto apu = booted("mi300a-4");
  EXPECT_EQ(attribute(*apu, "available_compute_partition"), "SPX, TPX, CPX\n");
  EXPECT_FALSE(apu->os.files.exists(first_gpu + "available_memory_partition")) << "no choice";
  EXPECT_EQ(set(*apu, "NPS1", "memory"), EACCES) << "nothing to write";
}

TEST(Partition, TheNewNodesComeAtTheEndOfTheTopology) {
  const auto node = booted("mi300x-8");
  const std::uint32_t generation = node->kernel.kfd.generation();
  const std::string second = node->os.files.text("/sys/class/kfd/kfd/topology/nodes/3/gpu_id");
  EXPECT_EQ(set(*node, "CPX\n"), 0);
  EXPECT_GT(node->kernel.kfd.generation(), generation);
  EXPECT_EQ(attribute(*node, "current_compute_partition"), "CPX\n");
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 15u);
  EXPECT_EQ(node->os.files.text("/sys/class/kfd/kfd/topology/nodes/2/gpu_id"), second);
  const std::string last = node->os.files.text("/sys/class/kfd/kfd/topology/nodes/16/properties");
  EXPECT_THAT(last, HasSubstr("simd_count 152\n"));
  EXPECT_THAT(last, HasSubstr("array_count 4\n"));
  EXPECT_THAT(last, HasSubstr("num_xcc 1\n"));
  EXPECT_THAT(last, HasSubstr("num_sdma_engines 2\nnum_sdma_xgmi_engines 0\n"));
  EXPECT_THAT(last, HasSubstr("drm_render_minor 135\n"));
  EXPECT_THAT(last, HasSubstr("caches_count 80\n"));
  EXPECT_THAT(last, HasSubstr("io_links_count 15\n")) << "its socket, 7 siblings, 7 other GPUs";
  EXPECT_THAT(last, HasSubstr("location_id 6919\n")) << "0x1b00 | 7";
  EXPECT_THAT(node->os.files.text("/sys/class/kfd/kfd/topology/nodes/16/mem_banks/0/properties"),
              HasSubstr("size_in_bytes 25767706624\n"));
  EXPECT_THAT(dmesg(*node), HasSubstr("kfd kfd: amdgpu: KFD node 7 partition 7 size 24574M"));
  EXPECT_EQ(set(*node, "SPX"), 0);
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 8u);
}

TEST(Partition, ProgramsSeeSixtyFourDevices) {
  const auto node = booted("mi300x-8");
  set_all(*node, "CPX");
  Host& host = node->host();
  const auto process = host.spawn(host.session());
  auto runtime = node->open_runtime(*process);
  ASSERT_TRUE(runtime);
  std::size_t gpus = 0;
  for (const AgentInfo& agent : (*runtime)->agents()) {
    if (agent.type != DeviceType::gpu) continue;
    ++gpus;
    EXPECT_EQ(agent.compute_units, 38u);
    EXPECT_EQ(agent.memory_bytes >> 20, 24574u);
  }
  EXPECT_EQ(gpus, 64u);
  const auto other = host.spawn(host.session());
  const auto hip = node->open_hip(*other);
  EXPECT_EQ(hip->device_count().value_or(0), 64);
  EXPECT_EQ(hip->properties(63)->multiprocessor_count, 38u);
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, HasSubstr("Compute Unit:            38"));
  EXPECT_EQ(sh(*node, {node->spec().apps.front().path}).exit_code, 0)
      << "kernels run on the first device";
}

TEST(Partition, ADeviceHasItsShareOfTheMemory) {
  const auto node = booted("mi300x-8");
  constexpr std::uint64_t gib = 1ull << 30;
  {
    Host& host = node->host();
    const auto process = host.spawn(host.session());
    const auto hip = node->open_hip(*process);
    EXPECT_TRUE(hip->allocate(0, 100 * gib));
  }
  ASSERT_EQ(set(*node, "CPX"), 0);
  Host& host = node->host();
  const auto process = host.spawn(host.session());
  const auto hip = node->open_hip(*process);
  const auto large = hip->allocate(7, 25 * gib);  // the GPUs that were not divided come first
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().error, HipError::out_of_memory);
  const auto& said = node->os.timeline.at(large.error().event);
  EXPECT_EQ(said.kind, "hip.out_of_memory");
  EXPECT_EQ(node->os.timeline.at(said.cause).kind, "vram.exhausted");
  EXPECT_TRUE(hip->allocate(7, 20 * gib));
  EXPECT_FALSE(hip->allocate(7, 20 * gib)) << "the same device";
  EXPECT_TRUE(hip->allocate(8, 20 * gib)) << "the next one";
  EXPECT_TRUE(hip->allocate(0, 25 * gib)) << "a whole GPU";
}

TEST(Partition, AnyProcessWithKfdOpenKeepsItBusy) {
  const auto node = booted("mi300x-8");
  Host& host = node->host();
  auto process = host.spawn(host.session());
  const auto fd = process->open("/dev/kfd", O_RDWR);
  ASSERT_TRUE(fd);
  EXPECT_EQ(set(*node, "CPX"), EBUSY);
  EXPECT_EQ(set(*node, "SPX"), 0) << "the present mode is no change";
  EXPECT_EQ(set(*node, "TPX"), EINVAL) << "that is looked at first";
  EXPECT_EQ(attribute(*node, "current_compute_partition"), "SPX\n");
  const auto refused = node->os.timeline.find({.kind_prefix = "partition.refused"});
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_THAT(node->os.timeline.at(refused.front()).text(field::got), HasSubstr("uses KFD"));
  ASSERT_TRUE(process->close(*fd));
  EXPECT_EQ(set(*node, "CPX"), 0);

  const auto runs = host.spawn(host.session());
  auto runtime = node->open_runtime(*runs);
  ASSERT_TRUE(runtime);
  EXPECT_EQ(set(*node, "QPX"), EBUSY);
  runtime->reset();
  EXPECT_EQ(set(*node, "QPX"), 0);
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 11u);
}

TEST(Partition, ARenderNodeOfNoDeviceCannotBeOpened) {
  const auto node = booted("mi300x-8");
  Host& host = node->host();
  const auto process = host.spawn(host.session());
  EXPECT_TRUE(node->os.files.exists("/dev/dri/renderD191")) << "eight per GPU in every mode";
  EXPECT_FALSE(node->os.files.exists("/dev/dri/renderD192"));
  EXPECT_TRUE(process->open("/dev/dri/renderD136", O_RDWR));
  const auto unused = process->open("/dev/dri/renderD137", O_RDWR);
  ASSERT_FALSE(unused);
  EXPECT_EQ(unused.error().error, ENOENT);
  EXPECT_THAT(dmesg(*node),
              HasSubstr("amdgpu 0000:3d:00.0: amdgpu: renderD137 partition 1 not valid!"));
  ASSERT_EQ(set(*node, "DPX", "compute", 1), 0);
  EXPECT_TRUE(process->open("/dev/dri/renderD137", O_RDWR));
  EXPECT_FALSE(process->open("/dev/dri/renderD138", O_RDWR));
  EXPECT_EQ(node->os.files.readlink("/sys/class/drm/renderD137").value_or(""),
            "../../devices/platform/amdgpu_xcp_7/drm/renderD137");
  EXPECT_EQ(node->os.files.text("/sys/class/drm/card9/dev"), "226:9\n");
  EXPECT_FALSE(node->os.files.exists("/sys/class/drm/card9/device/vendor"));
  EXPECT_TRUE(node->os.files.exists("/sys/dev/char/226:137/device/modalias"));
}

TEST(Partition, AMemoryModeComesWithTheNextStartOfTheDriver) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(set(*node, "NPS2", "memory"), EINVAL) << "not offered";
  EXPECT_EQ(set(*node, "NPS1", "memory"), 0);
  EXPECT_THAT(dmesg(*node), HasSubstr("requested NPS mode is same as current NPS mode, skipping"));
  EXPECT_EQ(set(*node, "nps4", "memory"), 0);
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS1\n");
  {
    Host& host = node->host();
    const auto process = host.spawn(host.session());
    ASSERT_TRUE(process->open("/dev/kfd", O_RDWR));
    EXPECT_THAT(sh(*node, {"modprobe", "-r", "amdgpu"}, true).err,
                HasSubstr("FATAL: Module amdgpu is in use"));
  }
  EXPECT_EQ(sh(*node, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS4\n");
  EXPECT_EQ(node->os.files.text("/sys/bus/pci/devices/0000:dd:00.0/current_memory_partition"),
            "NPS4\n")
      << "the whole hive";
  EXPECT_EQ(attribute(*node, "current_compute_partition"), "CPX\n") << "goes with it";
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 64u);
  EXPECT_EQ(set(*node, "SPX"), EINVAL);
  EXPECT_THAT(dmesg(*node),
              HasSubstr("amdgpu 0000:1b:00.0: amdgpu: Invalid compute partition mode requested, "
                        "requested: SPX, available memory partitions: 4"));
  EXPECT_EQ(set(*node, "QPX"), 0);
  EXPECT_EQ(node->kernel.kfd.facts().gpus.back().compute_units, 76u);
  node->boot();
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS1\n");
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 8u);
}

TEST(Partition, StateIsSavedAndRestored) {
  const auto node = booted("mi300x-8");
  ASSERT_EQ(set(*node, "CPX"), 0);
  ASSERT_EQ(set(*node, "NPS4", "memory"), 0);
  const std::string saved = node->save();
  const auto again = test::node("mi300x-8");
  again->restore(saved);
  EXPECT_EQ(again->save(), saved);
  EXPECT_EQ(attribute(*again, "current_compute_partition"), "CPX\n");
  EXPECT_EQ(sh(*again, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*again, {"modprobe", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*again, "current_memory_partition"), "NPS4\n");
}

TEST(Partition, TheDriverTakesAModeAsParameter) {
  const auto node = booted("mi300x-8");
  EXPECT_EQ(sh(*node, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu", "user_partt_mode=1"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "current_compute_partition"), "DPX\n");
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 16u);
  EXPECT_EQ(node->os.files.text("/sys/module/amdgpu/parameters/user_partt_mode"), "1\n");
}

TEST(Partition, AFaultIsLoggedForTheXcdAndTheVmidsOfTheDevice) {
  const auto node = broken("mi300x-8", {"kernel-null-pointer", {}});
  ASSERT_EQ(set(*node, "CPX"), 0);
  ProcessSpec spec = node->host().session();
  spec.environment["ROCR_VISIBLE_DEVICES"] =
      "12";  // seven whole GPUs, then the devices of the first
  EXPECT_EQ(node->host().run({node->spec().apps.front().path}, spec).exit_code, 134);
  const std::string log = dmesg(*node);
  EXPECT_THAT(log, HasSubstr("amdgpu 0000:1b:00.0: amdgpu: [gfxhub0] no-retry page fault"));
  EXPECT_THAT(log, HasSubstr("vmid:10 ")) << "4 to 9 are those of its even neighbour";
  EXPECT_THAT(log, HasSubstr("fault from die AID2.XCD1"));
}

/// A card before the eight GPUs takes a DRM minor, and one of their 64 devices finds none.
TEST(Partition, KernelsBefore612HaveSixtyFourMinors) {
  for (const bool classic : {true, false}) {
    sim::NodeSpec made = spec("mi300x-8");
    sim::GpuSpec card = made.gpus.front();
    card.product = "MI210";
    card.bdf.bus = 1;
    made.gpus.insert(made.gpus.begin(), card);
    made.gpus.front().unique_id = 1;
    if (!classic) made.kernels.front().release = "6.14.0-27-generic";
    const auto node = scenarios::make_node(std::move(made), {});
    node->boot();
    EXPECT_EQ(set(*node, "CPX", "compute", 7), 0);
    EXPECT_EQ(set(*node, "CPX", "compute", 8), 0);
    EXPECT_EQ(node->kernel.kfd.nodes_of(7).size(), 8u);
    EXPECT_EQ(node->kernel.kfd.nodes_of(8).size(), classic ? 7u : 8u);
    const std::string skipped =
        "amdgpu 0000:dd:00.0: amdgpu: Skip xcp node #7 when out of drm node resource.";
    if (classic) {
      EXPECT_THAT(dmesg(*node), HasSubstr(skipped));
    } else {
      EXPECT_THAT(dmesg(*node), Not(HasSubstr("Skip xcp node")));
    }
  }
}

TEST(AmdSmi, DividesAndSaysWhatItCannot) {
  const auto node = booted("mi300x-8");
  const auto smi = [&](std::vector<std::string> words, bool root = true) {
    words.insert(words.begin(), "amd-smi");
    return sh(*node, words, root);
  };
  const auto nobody = smi({"set", "-C", "CPX"}, false);
  EXPECT_THAT(nobody.err, HasSubstr("10 | AMDSMI_STATUS_NO_PERM - Permission Denied\n"
                                    "PermissionError: Command requires elevation"));
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_EQ(smi({"set", "--compute-partition", "CPX", "-g", "0"}).out,
            "GPU: 0\n    ACCELERATOR_PARTITION: Successfully set accelerator partition to CPX "
            "(profile #3)\n");
  EXPECT_THAT(smi({"list"}).out, HasSubstr("GPU: 1\n    BDF: 0000:1b:00.1\n"));
  EXPECT_THAT(smi({"list", "-e"}).out, HasSubstr("    RENDER: renderD135\n    CARD: card7\n"));
  EXPECT_THAT(smi({"static", "-g", "1"}).out, HasSubstr("NUM_COMPUTE_UNITS: 38\n"));
  EXPECT_THAT(smi({"partition"}).out,
              HasSubstr("0       NPS1    CPX               3                          0\n"
                        "1       N/A     N/A               N/A                        1\n"));
  EXPECT_THAT(smi({"partition"}, false).out, HasSubstr("requires sudo/root permissions"));
  EXPECT_THAT(smi({"metric", "-g", "1"}).out, HasSubstr("TOTAL_VRAM: 196592 MB\n"))
      << "the whole GPU's, as the real tool has it";
  EXPECT_THAT(smi({"set", "-C", "SPX", "-g", "1"}).err, HasSubstr("AMDSMI_STATUS_NOT_SUPPORTED"));
  {
    Host& host = node->host();
    const auto process = host.spawn(host.session());
    ASSERT_TRUE(process->open("/dev/kfd", O_RDWR));
    EXPECT_THAT(
        smi({"set", "-C", "SPX", "-g", "0"}).err,
        HasSubstr("30 | AMDSMI_STATUS_BUSY - Device busy\nValueError: Unable to set accelerator "
                  "partition to SPX on GPU ID: 0 BDF:0000:1b:00.0\n"));
  }
  EXPECT_THAT(smi({"set", "-M", "NPS2", "-g", "0"}).err,
              HasSubstr("Device does not support setting memory partition to NPS2"));
  // amd-smi of ROCm 6 reloads the driver by itself.
  EXPECT_THAT(smi({"set", "-M", "NPS4", "-g", "0"}).out,
              HasSubstr("MEMORY_PARTITION: Successfully set memory partition to NPS4\n"));
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS4\n");
  const auto whole = smi({"set", "-C", "SPX", "-g", "0"});
  EXPECT_THAT(whole.err,
              HasSubstr("55 | AMDSMI_STATUS_SETTING_UNAVAILABLE - Setting is not available\n"));
  EXPECT_THAT(whole.err, HasSubstr("Unable to set accelerator partition to SPX on GPU ID: 0"));
}

TEST(AmdSmi, OfRocm7OnlyRequestsTheMemoryMode) {
  const auto node = booted("mi350x-8");
  EXPECT_EQ(sh(*node, {"amd-smi", "set", "-M", "NPS2"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS1\n");
  EXPECT_EQ(sh(*node, {"amd-smi", "reset", "-r"}, true).exit_code, 0);
  EXPECT_EQ(attribute(*node, "current_memory_partition"), "NPS2\n");
  EXPECT_EQ(attribute(*node, "current_compute_partition"), "DPX\n");
  EXPECT_EQ(attribute(*node, "available_compute_partition"), "DPX, CPX\n");
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 16u);
}

}  // namespace
}  // namespace rocdrill::test
