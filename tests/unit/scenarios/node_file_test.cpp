#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace rocdrill::scenarios::test {
namespace {

std::string after(std::string_view from, std::string_view to) {
  return problems_of_node(with(good_node, from, to));
}

TEST(NodeFile, ReadsEveryField) {
  const auto node = parse_node("small.yaml", good_node, "small", knowledge());
  ASSERT_TRUE(node) << text(node.error());
  EXPECT_EQ(node->id, "small");
  EXPECT_EQ(node->title, "A small node");
  EXPECT_EQ(node->hostname, "small");
  EXPECT_EQ(node->distro, sim::Distro::ubuntu);
  EXPECT_EQ(node->distro_release, "24.04");
  EXPECT_EQ(node->cpu_model, "EPYC");
  EXPECT_EQ(node->cpu_sockets, 1u);
  EXPECT_EQ(node->cpu_cores_per_socket, 8u);
  EXPECT_EQ(node->memory_bytes, std::uint64_t{64} << 30u);
  EXPECT_EQ(node->cmdline, "quiet");
  ASSERT_EQ(node->gpus.size(), 1u);
  EXPECT_EQ(node->gpus[0].product, "MI210");
  EXPECT_EQ(node->gpus[0].bdf, (sim::Bdf{0, 0xc3, 0, 0}));
  EXPECT_EQ(node->gpus[0].unique_id, 0x12abu);
  ASSERT_EQ(node->kernels.size(), 2u);
  EXPECT_TRUE(node->kernels[0].installed && node->kernels[0].headers);
  EXPECT_FALSE(node->kernels[0].in_tree_amdgpu);
  EXPECT_FALSE(node->kernels[1].installed || node->kernels[1].headers);
  ASSERT_EQ(node->users.size(), 1u);
  EXPECT_EQ(node->users[0].groups, (std::vector<std::string>{"video", "render"}));
  EXPECT_EQ(node->user, "ada");
  EXPECT_EQ(node->driver.dkms_version, "6.10.5-1");
  EXPECT_EQ(node->firmware.package, "fw");
  EXPECT_EQ(node->firmware.version, "1");
  EXPECT_EQ(node->firmware.directory, "/lib/firmware/amdgpu");
  EXPECT_EQ(node->rocm.version, "6.3.3");
  EXPECT_EQ(node->rocm.prefix, "/opt/rocm-6.3.3");
  EXPECT_EQ(node->torch.version, "2.6.0");
  EXPECT_EQ(node->torch.hip_version, "6.3");
  EXPECT_EQ(node->torch.targets, (std::vector<std::string>{"gfx90a"}));
  ASSERT_EQ(node->apps.size(), 1u);
  EXPECT_EQ(node->apps[0].source, "saxpy");
  EXPECT_EQ(node->environment, (std::map<std::string, std::string>{{"HSA_XNACK", "1"}}));
  EXPECT_TRUE(node->code_objects.empty());
}

const std::string gpu_list =
    "gpus:\n  - {product: MI210, bdf: \"0000:c3:00.0\", numa_node: 0, unique_id: 0x12ab}";

std::string gpus(std::string_view yaml) { return after(gpu_list, yaml); }

TEST(NodeFile, EqualGpusInOneGo) {
  const std::string set =
      "gpus: {product: MI300X, count: 2, bdfs: [\"0000:1b:00.0\", \"0001:3d:1f.7\"]}";
  const auto node = parse_node("small.yaml", with(good_node, gpu_list, set), "small", knowledge());
  ASSERT_TRUE(node) << text(node.error());
  ASSERT_EQ(node->gpus.size(), 2u);
  EXPECT_EQ(node->gpus[1].product, "MI300X");
  EXPECT_EQ(node->gpus[1].bdf, (sim::Bdf{1, 0x3d, 0x1f, 7}));
}

TEST(NodeFile, BadGpus) {
  EXPECT_EQ(gpus("gpus: {product: MI300X, count: 3, bdfs: [\"0000:1b:00.0\"]}"),
            "small.yaml:9:41: error: 'gpus.bdfs' has 1 entries for 3 GPUs\n");
  EXPECT_EQ(gpus("gpus: {product: MI300Y, count: 1, bdfs: [\"0000:1b:00.0\"]}"),
            "small.yaml:9:17: error: 'gpus.product' is 'MI300Y', which is not in the catalogue\n"
            "  hint: did you mean 'MI300X'?\n");
  EXPECT_EQ(gpus("gpus:\n  - {product: MI210, bdf: \"1b:00.0\"}"),
            "small.yaml:10:27: error: 'gpus[0].bdf' cannot be '1b:00.0'\n"
            "  hint: a PCI address as lspci -D prints it: '0000:1b:00.0'\n");
  EXPECT_EQ(gpus("gpus:\n  - {product: MI210, bdf: \"0000:1b:00.0\"}\n"
                 "  - {product: MI210, bdf: \"0000:1b:00.0\"}"),
            "small.yaml:10:3: error: 'gpus' has two GPUs at 0000:1b:00.0\n");
  EXPECT_EQ(gpus("gpus:\n  - {product: MI210, bdf: \"0000:1b:00.0\", numa_node: 1}"),
            "small.yaml:10:3: error: 'gpus' has a GPU on NUMA node 1, but there are 1 (one per "
            "socket)\n");
  EXPECT_EQ(gpus("gpus: MI210"),
            "small.yaml:9:7: error: 'gpus' must be a list, not text 'MI210'\n");
}

TEST(NodeFile, ParsesBdfs) {
  EXPECT_EQ(parse_bdf("0000:1b:00.0"), (sim::Bdf{0, 0x1b, 0, 0}));
  for (const char* bad : {"", "0000:1b:00", "0000:1b:00.8", "0000:1b:20.0", "0000:1B:00.0",
                          "00001b:00.00", "0000:1b:00.0 ", "000g:1b:00.0"}) {
    EXPECT_FALSE(parse_bdf(bad)) << bad;
  }
}

TEST(NodeFile, BadSoftware) {
  EXPECT_EQ(
      after("driver: {dkms_version: 6.10.5-1}", "driver: in-tree"),
      "small.yaml:17:9: error: 'driver' is in-tree, but kernel 6.8.0-55-generic has no amdgpu\n"
      "  hint: set its in_tree_amdgpu, or give the driver a dkms_version\n");
  EXPECT_EQ(after("6.8.0-55-generic}", "6.8.0-55-generic, installed: false}"),
            "small.yaml:12:3: error: 'kernels' has no installed kernel\n"
            "  hint: the node must be able to boot\n");
  EXPECT_EQ(after("6.8.0-60", "6.8.0-55"),
            "small.yaml:13:15: error: 'kernels[1].release' repeats '6.8.0-55-generic'\n");
  EXPECT_EQ(after("user: ada", "user: adah"),
            "small.yaml:16:7: error: 'user' is 'adah', who is not among the users\n"
            "  hint: did you mean 'ada'?\n");
  EXPECT_EQ(after("targets: [gfx90a]", "targets: [gfx90a, gfx1100:xnack+]"),
            "small.yaml:20:86: error: 'torch.targets[1]' is no target ID: gfx1100 has no feature "
            "'xnack'\n");
  EXPECT_EQ(after("prefix: /opt", "prefix: opt"),
            "small.yaml:19:32: error: 'rocm.prefix' must be an absolute path\n");
  EXPECT_EQ(after("id: small", "id: big"),
            "small.yaml:2:5: error: 'id' is 'big', but the file is called 'small.yaml'\n"
            "  hint: rename one of the two\n");
  EXPECT_EQ(
      after("memory_gib: 64", "memory: 64"),
      "small.yaml:1:1: error: 'memory_gib' is missing\n  hint: add the key 'memory_gib' here\n"
      "small.yaml:7:1: error: unknown key 'memory'\n"
      "  hint: known keys here: schema, id, title, hostname, distro, cpu, memory_gib, cmdline, xgmi, "
      "gpus, kernels, users, user, driver, firmware, rocm, torch, apps, environment\n");
}

}  // namespace
}  // namespace rocdrill::scenarios::test
