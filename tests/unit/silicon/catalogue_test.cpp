#include "sim/silicon/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::silicon {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> files(const GpuProduct& product) {
  std::vector<std::string> names;
  for (const FirmwareBlob& blob : product.firmware) names.emplace_back(blob.file);
  return names;
}

/// gfx90a: the last two digits are minor (hex) and stepping (hex), the rest is the major version.
std::uint32_t target_version(std::string_view gfx) {
  const auto hex = [](std::string_view digits, int base) {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return value;
  };
  const std::string_view digits = gfx.substr(3);
  const std::size_t size = digits.size();
  return hex(digits.substr(0, size - 2), 10) * 10000 + hex(digits.substr(size - 2, 1), 16) * 100 +
         hex(digits.substr(size - 1), 16);
}

TEST(Catalogue, HasTheProductsThatNodesAreBuiltFrom) {
  for (const auto* key : {"MI100", "MI210", "MI250X", "MI300A", "MI300X", "MI308X", "MI325X",
                          "MI350X", "MI355X", "Radeon VII", "RX 6900 XT", "RX 7900 XTX",
                          "RX 7800 XT", "RX 9070 XT", "Strix Halo", "Raphael"}) {
    const GpuProduct* product = find(key);
    ASSERT_NE(product, nullptr) << key;
    EXPECT_EQ(product->product, key);
  }
}

TEST(Catalogue, FindIgnoresCaseAndNothingElse) {
  EXPECT_EQ(find("mi300x"), find("MI300X"));
  EXPECT_EQ(find("MI300"), nullptr);
  EXPECT_EQ(find("MI300XX"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Catalogue, KeysAndPciIdsAreUnique) {
  std::set<std::string_view> keys;
  std::set<std::pair<std::uint16_t, std::uint8_t>> ids;
  for (const GpuProduct& product : all()) {
    EXPECT_TRUE(keys.insert(product.product).second) << product.product;
    EXPECT_TRUE(ids.insert({product.device_id, product.pci_rev}).second) << product.product;
  }
}

class EveryProduct : public testing::TestWithParam<GpuProduct> {};

TEST_P(EveryProduct, HasATargetVersionThatAgreesWithItsName) {
  EXPECT_EQ(GetParam().gfx_target_version, target_version(GetParam().gfx));
  EXPECT_EQ(GetParam().gfx_target_version / 10000, GetParam().gc.major);
}

TEST_P(EveryProduct, HasAGeometryThatHoldsItsComputeUnits) {
  const GpuProduct& product = GetParam();
  EXPECT_EQ(simd_count(product), product.active_cus * product.simd_per_cu);
  EXPECT_EQ(product.array_count % product.xcc_count, 0u);
  EXPECT_EQ(product.active_cus % product.xcc_count, 0u);
  EXPECT_EQ(product.array_count % product.simd_arrays_per_engine, 0u);
  EXPECT_LE(product.active_cus, product.array_count * product.cu_per_simd_array);
  EXPECT_GT(product.active_cus, 0u);
  EXPECT_GT(product.lds_kib, 0u);
  const bool rdna = product.gc.major >= 10;
  EXPECT_EQ(product.wave_size, rdna ? 32u : 64u);
  EXPECT_EQ(product.simd_per_cu, rdna ? 2u : 4u);
  const std::uint32_t waves = rdna ? 16u : product.gc >= IpVersion{9, 4, 2} ? 8u : 10u;
  EXPECT_EQ(product.max_waves_per_simd, waves);
}

TEST_P(EveryProduct, HasACapabilityWordThatAgreesWithItsFeatures) {
  const GpuProduct& product = GetParam();
  const std::uint32_t word = product.capability;
  EXPECT_EQ(kfd::capability::doorbell_type(word), 2u) << "ROCr refuses any other doorbell";
  EXPECT_EQ(kfd::capability::log2_watch_points(word), 2u);
  EXPECT_TRUE(word & kfd::capability::svm_api);
  EXPECT_FALSE(word & 1u << 19) << "old user space breaks on this bit";
  EXPECT_EQ((word & kfd::capability::sram_edc) != 0, product.sramecc == SrameccSupport::on);
  EXPECT_TRUE(product.debug_prop & 1u << 10 || product.gc == (IpVersion{9, 4, 2}));
}

TEST_P(EveryProduct, HasXnackWhereItsTargetHasIt) {
  const GpuProduct& product = GetParam();
  const XnackSupport expected = product.gc.major >= 10            ? XnackSupport::none
                                : product.gc < IpVersion{9, 4, 2} ? XnackSupport::boot_only
                                                                  : XnackSupport::per_process;
  EXPECT_EQ(product.xnack, expected);
}

TEST_P(EveryProduct, AsksForEachFirmwareFileOnceAndForItsMicroengines) {
  const GpuProduct& product = GetParam();
  const std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::set<std::string_view> seen;
  for (const FirmwareBlob& blob : product.firmware) {
    EXPECT_TRUE(seen.insert(blob.file).second) << blob.file;
    ASSERT_TRUE(blob.file.ends_with(".bin")) << blob.file;
    const std::string_view stem = blob.file.substr(0, blob.file.size() - 4);
    EXPECT_EQ(stem.find_first_not_of(allowed), std::string_view::npos) << blob.file;
    EXPECT_FALSE(blob.block.empty()) << blob.file;
  }
  EXPECT_GT(default_mec_version(product), 0u);
  EXPECT_GT(default_sdma_version(product), 0u);
  EXPECT_GE(default_mec_version(product), product.debugger_min_mec);
}

TEST_P(EveryProduct, KeepsTheFilesOfABlockTogether) {
  std::vector<std::string_view> order;
  for (const FirmwareBlob& blob : GetParam().firmware) {
    if (order.empty() || order.back() != blob.block) order.push_back(blob.block);
  }
  const std::set<std::string_view> distinct(order.begin(), order.end());
  EXPECT_EQ(distinct.size(), order.size());
}

TEST_P(EveryProduct, HasPartitionsThatDivideItsXccs) {
  const GpuProduct& product = GetParam();
  EXPECT_EQ(product.partitions.empty(), product.gc < (IpVersion{9, 4, 3}) || product.gc.major > 9);
  EXPECT_EQ(product.partitions.empty(), product.memory_modes.empty());
  for (const ComputePartition& partition : product.partitions) {
    EXPECT_EQ(product.xcc_count % partition.partitions, 0u) << name(partition.mode);
    EXPECT_THAT(partition.memory_modes, Contains(MemoryMode::nps1));
  }
}

std::string test_name(const testing::TestParamInfo<GpuProduct>& info) {
  std::string text(info.param.product);
  std::erase(text, ' ');
  return text;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryProduct, testing::ValuesIn(all().begin(), all().end()),
                         test_name);

TEST(Firmware, OfMi300xIsRequestedInTheOrderOfARealProbe) {
  // dmesg of a node without any blob (missing: the first of each block) and gfx_v9_4_3.c.
  const GpuProduct& product = *find("MI300X");
  EXPECT_THAT(files(product), ElementsAre("psp_13_0_6_sos.bin", "psp_13_0_6_ta.bin",
                                          "smu_13_0_6.bin", "gc_9_4_3_rlc.bin", "gc_9_4_3_mec.bin",
                                          "sdma_4_4_2.bin", "vcn_4_0_3.bin"));
  std::vector<std::string_view> failing;
  for (const FirmwareBlob& blob : product.firmware) {
    if (failing.empty() || failing.back() != blob.block) failing.push_back(blob.block);
  }
  EXPECT_THAT(failing, ElementsAre("psp", "smu", "gfx_v9_4_3", "sdma_v4_4_2", "vcn_v4_0_3"));
  EXPECT_EQ(default_mec_version(product), 166u);
  EXPECT_EQ(default_sdma_version(product), 22u);
}

TEST(Firmware, OfMi308xHasItsOwnNames) {
  const GpuProduct& product = *find("MI308X");
  EXPECT_THAT(files(product), Contains("psp_13_0_14_sos.bin"));
  EXPECT_THAT(files(product), Contains("sdma_4_4_5.bin"));
  EXPECT_THAT(files(product), Not(Contains("gc_9_4_3_rlc.bin")));
}

TEST(Firmware, TrustedApplicationOfVega20WasOptionalOnce) {
  EXPECT_EQ(find_firmware(*find("Radeon VII"), "vega20_ta.bin")->need,
            FirmwareNeed::required_since_6_3);
  EXPECT_EQ(find_firmware(*find("Radeon VII"), "vega20_mec2.bin")->need, FirmwareNeed::optional);
  EXPECT_EQ(find_firmware(*find("MI300X"), "psp_13_0_6_ta.bin")->need, FirmwareNeed::required);
}

TEST(Firmware, IsFoundByItsFallbackToo) {
  const GpuProduct& product = *find("RX 7900 XTX");
  EXPECT_EQ(find_firmware(product, "gc_11_0_0_mes.bin"),
            find_firmware(product, "gc_11_0_0_mes_2.bin"));
  EXPECT_EQ(find_firmware(product, "gc_9_4_3_mec.bin"), nullptr);
  EXPECT_EQ(find_firmware(product, ""), nullptr);
}

TEST(Capability, LosesTheDebuggerBitWithAnOldMec) {
  const GpuProduct& mi210 = *find("MI210");
  EXPECT_EQ(capability(mi210, 51), mi210.capability);
  EXPECT_EQ(capability(mi210, 50), mi210.capability & ~kfd::capability::debugger_firmware);
  const GpuProduct& mi300x = *find("MI300X");
  EXPECT_EQ(capability(mi300x, 1), mi300x.capability) << "GC 9.4.3 has no such gate";
}

TEST(Capability, MatchesCapturedWords) {
  EXPECT_EQ(find("MI100")->capability, 749970048u);
  EXPECT_EQ(find("MI300A")->capability, 1013424768u);
  EXPECT_EQ(find("MI300X")->capability, 746037888u);
  EXPECT_EQ(find("MI350X")->capability, 2889327232u);
  EXPECT_EQ(find("RX 7900 XTX")->capability, 671588992u);
  EXPECT_EQ(find("MI100")->debug_prop, 1494u);
  EXPECT_EQ(find("MI300X")->debug_prop, 1511u);
  EXPECT_EQ(find("MI350X")->debug_prop, 1494u);
  EXPECT_EQ(find("RX 7900 XTX")->debug_prop, 1495u);
}

TEST(Partitions, TextIsThatOfSysfs) {
  EXPECT_EQ(available_compute_partitions(*find("MI300X")), "SPX, DPX, QPX, CPX");
  EXPECT_EQ(available_memory_partitions(*find("MI300X")), "NPS1, NPS4");
  EXPECT_EQ(available_compute_partitions(*find("MI300A")), "SPX, TPX, CPX");
  EXPECT_EQ(available_memory_partitions(*find("MI350X")), "NPS1, NPS2");
  EXPECT_EQ(available_compute_partitions(*find("MI210")), "");
}

TEST(Partitions, ShareTheSdmaEngines) {
  const GpuProduct& product = *find("MI300X");
  const auto engines = [&](ComputeMode mode) {
    const SdmaEngines found = sdma_engines(product, find_partition(product, mode)->partitions);
    return std::pair(found.pcie, found.xgmi);
  };
  EXPECT_EQ(engines(ComputeMode::spx), std::pair(2u, 14u));
  EXPECT_EQ(engines(ComputeMode::dpx), std::pair(2u, 6u));
  EXPECT_EQ(engines(ComputeMode::qpx), std::pair(2u, 2u));
  EXPECT_EQ(engines(ComputeMode::cpx), std::pair(2u, 0u));
  EXPECT_EQ(find_partition(product, ComputeMode::tpx), nullptr);
  EXPECT_EQ(sdma_engines(*find("RX 6900 XT"), 1).pcie, 4u) << "no xGMI: no limit of two";
}

TEST(Assumptions, NameWhatNobodyHasVerified) {
  EXPECT_THAT(assumptions(*find("MI300X")), ElementsAre("memory: memory_type"));
  const std::vector<std::string> notes = assumptions(*find("MI308X"));
  EXPECT_THAT(notes, Contains("memory"));
  EXPECT_THAT(notes, Contains("firmware version: gc_9_4_4_mec.bin"));
  EXPECT_THAT(notes, Not(Contains("geometry")));
  EXPECT_THAT(assumptions(*find("MI350X")), Contains("firmware: sdma_4_4_4.bin"));
}

TEST(Fidelity, NamesRoundTrip) {
  for (const Fidelity fidelity : all_fidelities) {
    EXPECT_EQ(fidelity_from_name(name(fidelity)), fidelity);
  }
  EXPECT_EQ(fidelity_from_name("guessed"), std::nullopt);
  EXPECT_EQ(weaker(Fidelity::measured, Fidelity::assumed), Fidelity::assumed);
  EXPECT_EQ(weaker(Fidelity::documented, Fidelity::measured), Fidelity::documented);
}

}  // namespace
}  // namespace rocdrill::silicon
