#include "sim/silicon/topology_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::silicon {
namespace {

std::string fixture(const std::string& name) {
  const std::string path = std::string(ROCDRILL_SOURCE_DIR) + "/tests/fixtures/kfd/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

GpuNode healthy(std::string_view product) {
  GpuNode node;
  node.product = find(product);
  node.fw_version = default_mec_version(*node.product);
  node.sdma_fw_version = default_sdma_version(*node.product);
  return node;
}

/// The particulars of the captured node, which no catalogue has.
GpuNode captured(std::string_view product, const std::string& properties) {
  const kfd::KfdNodeProperties seen = *kfd::parse_node_properties(properties);
  GpuNode node = healthy(product);
  node.simd_id_base = static_cast<std::uint32_t>(seen.simd_id_base);
  node.location_id = static_cast<std::uint32_t>(seen.location_id);
  node.drm_render_minor = static_cast<std::uint32_t>(seen.drm_render_minor);
  node.hive_id = seen.hive_id;
  node.unique_id = seen.unique_id;
  node.io_links_count = static_cast<std::uint32_t>(seen.io_links_count);
  node.p2p_links_count = static_cast<std::uint32_t>(seen.p2p_links_count);
  node.cpu_clk_mhz = static_cast<std::uint32_t>(seen.max_engine_clk_ccompute);
  return node;
}

struct Capture {
  const char* product;
  const char* file;
  std::uint32_t gpu_index;  ///< of the captured GPU among its like
};

class Captured : public testing::TestWithParam<Capture> {};

TEST_P(Captured, PropertiesAreReproducedToTheByte) {
  const std::string expected = fixture(GetParam().file);
  const GpuNode node = captured(GetParam().product, expected);
  EXPECT_EQ(text(gpu_properties(node)), expected);
  EXPECT_EQ(node.simd_id_base,
            first_simd_id_base + GetParam().gpu_index * simd_id_step(*node.product));
}

INSTANTIATE_TEST_SUITE_P(TopologyText, Captured,
                         testing::Values(Capture{"MI300X", "mi300x_spx_properties.txt", 1},
                                         Capture{"MI100", "mi100_properties.txt", 0},
                                         Capture{"RX 7900 XTX", "rx7900xtx_properties.txt", 3}),
                         [](const auto& info) { return "N" + std::to_string(info.index); });

TEST(TopologyText, CpuNodePrintsTheKeysOfTheCapture) {
  CpuNode node;
  node.cores = 16;
  node.memory_bytes = 68719476736;
  node.io_links_count = 1;
  node.cpu_clk_mhz = 5083;
  EXPECT_EQ(text(cpu_properties(node)), fixture("cpu_properties.txt"));
  EXPECT_EQ(text(cpu_mem_bank(node)),
            "heap_type 0\nsize_in_bytes 68719476736\nflags 0\nwidth 64\nmem_clk_max 0\n");
}

TEST(TopologyText, Mi210HasTheValuesThatRocrReads) {
  const kfd::KfdNodeProperties node = gpu_properties(healthy("MI210"));
  EXPECT_EQ(node.simd_count, 416u);
  EXPECT_EQ(node.array_count, 8u);
  EXPECT_EQ(node.cu_per_simd_array, 16u);
  EXPECT_EQ(node.gfx_target_version, 90010u);
  EXPECT_EQ(node.device_id, 29711u);
  EXPECT_EQ(node.max_engine_clk_fcompute, 1700u);
  EXPECT_EQ(node.num_sdma_engines, 2u);
  EXPECT_EQ(node.num_sdma_xgmi_engines, 3u);
  EXPECT_EQ(node.num_cp_queues, 24u);
  EXPECT_EQ(node.num_xcc, 1u);
  EXPECT_EQ(text(mem_bank(healthy("MI210"), 0)),
            "heap_type 1\nsize_in_bytes 68702699520\nflags 0\nwidth 4096\nmem_clk_max 1600\n");
  EXPECT_TRUE(node.capability & kfd::capability::debugger_firmware);
  EXPECT_TRUE(node.capability & kfd::capability::svm_api);
}

TEST(TopologyText, CpxNodeHasOneXccOfTheGpu) {
  GpuNode node = healthy("MI300X");
  node.xcc_count = 1;
  node.vram_bytes = 206141652992 / 8;
  const kfd::KfdNodeProperties properties = gpu_properties(node);
  EXPECT_EQ(properties.simd_count, 152u);
  EXPECT_EQ(properties.array_count, 4u);
  EXPECT_EQ(properties.cu_per_simd_array, 10u);
  EXPECT_EQ(properties.num_sdma_engines, 2u);
  EXPECT_EQ(properties.num_sdma_xgmi_engines, 0u);
  EXPECT_EQ(properties.num_cp_queues, 24u);
  EXPECT_EQ(properties.num_xcc, 1u);
  EXPECT_EQ(properties.caches_count, 38u + 20 + 20 + 1 + 1);
  EXPECT_EQ(mem_bank(node, 0).size_in_bytes, 206141652992u / 8);
}

TEST(TopologyText, KeysOfNewerAndOlderKernelsAreOptional) {
  GpuNode node = healthy("MI350X");
  node.per_queue_reset = true;
  node.has_capability2 = true;
  EXPECT_THAT(text(gpu_properties(node)),
              testing::HasSubstr("capability 2889327232\ncapability2 1\ndebug_prop 1494\n"));
  node.has_num_xcc = false;
  EXPECT_THAT(text(gpu_properties(node)), testing::Not(testing::HasSubstr("num_xcc")));
}

TEST(TopologyText, OldFirmwareShowsInTheProperties) {
  GpuNode node = healthy("MI210");
  node.fw_version = 40;
  const kfd::KfdNodeProperties properties = gpu_properties(node);
  EXPECT_EQ(properties.fw_version, 40u);
  EXPECT_FALSE(properties.capability & kfd::capability::debugger_firmware);
}

TEST(TopologyText, SmallBarMakesAPrivateBank) {
  GpuNode node = healthy("RX 7900 XTX");
  EXPECT_EQ(mem_bank_count(node), 1u);
  node.visible_vram_bytes = 268435456;
  ASSERT_EQ(mem_bank_count(node), 2u);
  EXPECT_EQ(mem_bank(node, 0).heap_type, kfd::HeapType::fb_public);
  EXPECT_EQ(mem_bank(node, 0).size_in_bytes, 268435456u);
  EXPECT_EQ(mem_bank(node, 1).heap_type, kfd::HeapType::fb_private);
  EXPECT_EQ(mem_bank(node, 1).size_in_bytes, node.product->vram_bytes - 268435456);
  EXPECT_THROW(mem_bank(node, 2), std::out_of_range);
  node.visible_vram_bytes = 0;
  ASSERT_EQ(mem_bank_count(node), 1u);
  EXPECT_EQ(mem_bank(node, 0).heap_type, kfd::HeapType::fb_private);
}

TEST(Caches, CountsMatchTheCaptures) {
  EXPECT_EQ(cache_count(healthy("MI300X")), 626u);
  EXPECT_EQ(cache_count(healthy("RX 7900 XTX")), 206u);
  EXPECT_EQ(cache_count(healthy("MI100")), 217u);
}

TEST(Caches, OfMi300xAreListedByKind) {
  const GpuNode node = healthy("MI300X");
  using namespace kfd::cache_type;
  const auto expect = [&](std::uint32_t index, std::uint32_t level, std::uint32_t kib,
                          std::uint32_t type) {
    const kfd::Cache found = cache(node, index);
    EXPECT_EQ(found.level, level) << index;
    EXPECT_EQ(found.size, kib) << index;
    EXPECT_EQ(found.type, type) << index;
  };
  expect(0, 1, 32, data | hsacu);
  expect(303, 1, 32, data | hsacu);
  expect(304, 1, 64, instruction | hsacu);
  expect(463, 1, 64, instruction | hsacu);
  expect(464, 1, 16, data | hsacu);
  expect(623, 1, 16, data | hsacu);
  expect(624, 2, 4096, data | hsacu);
  expect(625, 3, 262144, data | hsacu);
  EXPECT_THROW(cache(node, 626), std::out_of_range);
}

TEST(Caches, CoverEveryComputeUnitOfEveryProduct) {
  for (const GpuProduct& product : all()) {
    GpuNode node;
    node.product = &product;
    std::uint32_t first_level_data = 0;
    std::uint32_t instruction_siblings = 0;
    std::set<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < cache_count(node); ++i) {
      const kfd::Cache found = cache(node, i);
      const auto siblings = static_cast<std::uint32_t>(
          std::count(found.sibling_map.begin(), found.sibling_map.end(), 1));
      EXPECT_GT(siblings, 0u) << product.product << " cache " << i;
      EXPECT_LE(text(found).size(), kfd::file_limit);
      if (found.level >= 2) {
        EXPECT_EQ(siblings, product.active_cus) << product.product;
      }
      if (found.type & kfd::cache_type::instruction) instruction_siblings += siblings;
      if (i < product.active_cus) {
        ++first_level_data;
        EXPECT_EQ(siblings, 1u);
        EXPECT_TRUE(ids.insert(found.processor_id_low).second) << product.product << ' ' << i;
      }
    }
    EXPECT_EQ(first_level_data, product.active_cus);
    EXPECT_EQ(instruction_siblings, product.active_cus) << product.product;
  }
}

TEST(Caches, TextEndsTheSiblingMapWithoutAComma) {
  kfd::Cache found;
  found.level = 1;
  found.sibling_map = {1, 1, 0};
  EXPECT_EQ(text(found),
            "processor_id_low 0\nlevel 1\nsize 0\ncache_line_size 0\ncache_lines_per_tag 0\n"
            "association 0\nlatency 0\ntype 0\nsibling_map 1,1,0\n");
}

TEST(Caches, TooLongATextIsCutAsSysfsCutsIt) {
  kfd::Cache found;
  found.sibling_map.assign(4096, 1);
  EXPECT_EQ(text(found).size(), kfd::file_limit);
}

TEST(Links, HaveTheWeightsOfTheDriver) {
  const GpuProduct& mi300x = *find("MI300X");
  EXPECT_EQ(pcie_link(mi300x, 2, 0).weight, 20u);
  EXPECT_EQ(xgmi_link(mi300x, 2, 3).weight, 15u);
  EXPECT_EQ(xgmi_link(mi300x, 2, 3, 2).weight, 30u);
  EXPECT_EQ(package_link(2, 3).weight, 13u);
  EXPECT_EQ(package_link(2, 3).max_bandwidth, 819200u);
  EXPECT_EQ(xgmi_link(mi300x, 2, 3).max_bandwidth, 64000u);
  EXPECT_EQ(xgmi_link(*find("MI210"), 2, 3).max_bandwidth, 50000u);
  EXPECT_EQ(cpu_link(0, 1, 32, false).type, kfd::LinkType::hyper_transport);
  EXPECT_EQ(cpu_link(0, 1, 32, true).type, kfd::LinkType::qpi);
  EXPECT_EQ(cpu_link(0, 1, 32, true).weight, 32u);
}

TEST(Links, OverPcieMayLackAtomics) {
  const kfd::IoLink link = pcie_link(*find("MI300X"), 2, 0, false);
  EXPECT_TRUE(link.flags & kfd::link_flag::enabled);
  EXPECT_TRUE(link.flags & kfd::link_flag::no_atomics_32);
  EXPECT_TRUE(link.flags & kfd::link_flag::no_atomics_64);
  EXPECT_FALSE(pcie_link(*find("MI300X"), 2, 0).flags & kfd::link_flag::no_atomics_64);
}

TEST(Links, AlongAPathAddUpAndAreAsNarrowAsTheirNarrowestPart) {
  const GpuProduct& mi300x = *find("MI300X");
  const GpuProduct& mi210 = *find("MI210");
  const std::array path{pcie_link(mi300x, 2, 0), cpu_link(0, 1, 32, false), pcie_link(mi210, 1, 3)};
  const kfd::IoLink link = indirect_link(path);
  EXPECT_EQ(link.node_from, 2u);
  EXPECT_EQ(link.node_to, 3u);
  EXPECT_EQ(link.weight, 72u);
  EXPECT_EQ(link.type, kfd::LinkType::pcie);
  EXPECT_EQ(link.max_bandwidth, pcie_bandwidth(mi210));
}

TEST(Links, TextRoundTrips) {
  kfd::IoLink link = xgmi_link(*find("MI300X"), 2, 5);
  EXPECT_EQ(kfd::parse_io_link(text(link)), link);
  link.has_sdma_engine_id_mask = true;
  link.recommended_sdma_engine_id_mask = 8;
  EXPECT_EQ(kfd::parse_io_link(text(link)), link);
  EXPECT_THAT(text(link), testing::HasSubstr("recommended_sdma_engine_id_mask 8\nflags 1\n"));
}

TEST(TopologyText, WhatIsWrittenIsWhatIsRead) {
  for (const GpuProduct& product : all()) {
    const GpuNode node = healthy(product.product);
    const kfd::KfdNodeProperties properties = gpu_properties(node);
    const std::string written = text(properties);
    EXPECT_LE(written.size(), kfd::file_limit);
    EXPECT_EQ(kfd::parse_node_properties(written), properties) << product.product;
    EXPECT_EQ(kfd::parse_mem_bank(text(mem_bank(node, 0))), mem_bank(node, 0));
    const kfd::Cache found = cache(node, 0);
    EXPECT_EQ(kfd::parse_cache(text(found)), found);
  }
}

TEST(TopologyText, SystemProperties) {
  EXPECT_EQ(system_properties_text(1, 2, 3), "platform_oem 1\nplatform_id 2\nplatform_rev 3\n");
}

}  // namespace
}  // namespace rocdrill::silicon
