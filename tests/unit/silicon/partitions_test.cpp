// Every product, compute mode and memory mode: which pairs go together, and what a device gets.
#include "sim/silicon/partitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rocdrill::silicon {
namespace {

using enum ComputeMode;
using enum MemoryMode;
using testing::ElementsAre;

constexpr ComputeMode compute_modes[] = {spx, dpx, tpx, qpx, cpx};
constexpr MemoryMode memory_modes[] = {nps1, nps2, nps4, nps8};

/// A letter per compute mode, in the order SPX DPX TPX QPX CPX; '.' where the pair is refused.
std::string accepted(std::string_view product, MemoryMode memory, PartitionRules rules) {
  std::string row;
  for (const ComputeMode mode : compute_modes)
    row += accepts(*find(product), mode, memory, rules) ? name(mode)[0] : '.';
  return row;
}

struct Row {
  std::string_view product;
  MemoryMode memory;
  std::string_view counts, lists;
};

// Worked out by hand from the rules of both drivers.
constexpr Row matrix[] = {
    {"MI300X", nps1, "SD.QC", "SD.QC"}, {"MI300X", nps2, ".D..C", ".D..."},
    {"MI300X", nps4, "...QC", "...QC"}, {"MI300X", nps8, "....C", "....."},
    {"MI325X", nps1, "SD.QC", "SD.QC"}, {"MI325X", nps2, ".D..C", ".D..."},
    {"MI325X", nps4, "...QC", "...QC"}, {"MI325X", nps8, "....C", "....."},
    {"MI350X", nps1, "SD.QC", "SD.QC"}, {"MI350X", nps2, ".D..C", ".D..."},
    {"MI350X", nps4, "...QC", "...QC"}, {"MI350X", nps8, "....C", "....."},
    {"MI355X", nps1, "SD.QC", "SD.QC"}, {"MI355X", nps2, ".D..C", ".D..."},
    {"MI355X", nps4, "...QC", "...QC"}, {"MI355X", nps8, "....C", "....."},
    {"MI300A", nps1, "S.T.C", "S.T.C"}, {"MI300A", nps2, "....C", "....."},
    {"MI300A", nps4, ".....", "..T.C"}, {"MI300A", nps8, ".....", "....."},
    {"MI308X", nps1, "SD..C", "SD..C"}, {"MI308X", nps2, ".D..C", ".D..."},
    {"MI308X", nps4, "....C", "....C"}, {"MI308X", nps8, ".....", "....."},
};

TEST(Partitions, EveryPairIsAcceptedOrRefusedAsByTheDriver) {
  for (const Row& row : matrix) {
    EXPECT_EQ(accepted(row.product, row.memory, PartitionRules::counts), row.counts)
        << row.product << " " << name(row.memory);
    EXPECT_EQ(accepted(row.product, row.memory, PartitionRules::lists), row.lists)
        << row.product << " " << name(row.memory);
  }
}

TEST(Partitions, TheMatrixHasEveryProductThatCanBeDivided) {
  std::map<std::string_view, int> rows;
  for (const Row& row : matrix) ++rows[row.product];
  for (const GpuProduct& product : all()) {
    EXPECT_EQ(rows[product.product], product.partitions.empty() ? 0 : 4) << product.product;
    if (!product.partitions.empty()) continue;
    for (const ComputeMode mode : compute_modes) {
      EXPECT_FALSE(accepts(product, mode, nps1, PartitionRules::counts)) << product.product;
      EXPECT_FALSE(accepts(product, mode, nps1, PartitionRules::lists)) << product.product;
    }
  }
}

TEST(Partitions, DevicesShareOutWhatTheGpuHas) {
  for (const GpuProduct& product : all()) {
    for (const ComputePartition& mode : product.partitions) {
      const PartitionShape shape = partition_shape(product, mode.mode);
      EXPECT_EQ(shape.devices, mode.partitions);
      EXPECT_EQ(shape.devices * shape.xccs, product.xcc_count) << product.product;
      EXPECT_EQ(shape.devices * shape.compute_units, product.active_cus) << product.product;
      EXPECT_LE(shape.devices * shape.memory_bytes, product.vram_bytes);
      EXPECT_GT(shape.devices * (shape.memory_bytes + 4096), product.vram_bytes);
      EXPECT_EQ(shape.memory_bytes % 4096, 0u);
      EXPECT_GE(shape.devices * (shape.sdma.pcie + shape.sdma.xgmi),
                product.sdma_engines + product.sdma_xgmi_engines);
    }
  }
}

struct Shape {
  std::string_view product;
  ComputeMode mode;
  std::uint32_t devices, compute_units, pcie, xgmi;
};

TEST(Partitions, ShapesOfTheDocuments) {
  const Shape shapes[] = {
      {"MI300X", spx, 1, 304, 2, 14}, {"MI300X", dpx, 2, 152, 2, 6}, {"MI300X", qpx, 4, 76, 2, 2},
      {"MI300X", cpx, 8, 38, 2, 0},   {"MI300A", tpx, 3, 76, 2, 2},  {"MI300A", cpx, 6, 38, 2, 0},
      {"MI308X", dpx, 2, 40, 2, 6},   {"MI308X", cpx, 4, 20, 2, 2},  {"MI350X", dpx, 2, 128, 2, 6},
      {"MI355X", cpx, 8, 32, 2, 0},
  };
  for (const Shape& is : shapes) {
    const PartitionShape shape = partition_shape(*find(is.product), is.mode);
    EXPECT_EQ(shape.devices, is.devices) << is.product;
    EXPECT_EQ(shape.compute_units, is.compute_units) << is.product;
    EXPECT_EQ(shape.sdma.pcie, is.pcie) << is.product << name(is.mode);
    EXPECT_EQ(shape.sdma.xgmi, is.xgmi) << is.product << name(is.mode);
  }
  EXPECT_EQ(partition_shape(*find("MI300X"), cpx).memory_bytes >> 20, 196592u / 8);
}

TEST(Partitions, TheDriverPicksAModeThatGoesWithTheMemory) {
  EXPECT_EQ(automatic_mode(*find("MI300X"), nps1), spx);
  EXPECT_EQ(automatic_mode(*find("MI300X"), nps2), dpx);
  EXPECT_EQ(automatic_mode(*find("MI300X"), nps4), cpx);
  EXPECT_EQ(automatic_mode(*find("MI300X"), nps8), cpx);
  EXPECT_EQ(automatic_mode(*find("MI308X"), nps2), cpx);
  EXPECT_EQ(automatic_mode(*find("MI308X"), nps4), cpx);
  EXPECT_EQ(automatic_mode(*find("MI350X"), nps2), dpx);
  EXPECT_EQ(automatic_mode(*find("MI300A"), nps4), std::nullopt);
  for (const GpuProduct& product : all()) {
    for (const MemoryMode memory : product.memory_modes) {
      const auto mode = automatic_mode(product, memory);
      ASSERT_TRUE(mode) << product.product;
      EXPECT_TRUE(accepts(product, *mode, memory, PartitionRules::counts)) << product.product;
    }
  }
}

TEST(Partitions, TextIsAPrefixInEitherCase) {
  const GpuProduct& mi300x = *find("MI300X");
  EXPECT_EQ(parse_compute_mode(mi300x, "CPX\n"), cpx);
  EXPECT_EQ(parse_compute_mode(mi300x, "cpx"), cpx);
  EXPECT_EQ(parse_compute_mode(mi300x, "SPXY"), spx);
  EXPECT_EQ(parse_compute_mode(mi300x, "TPX"), std::nullopt) << "six XCDs only";
  EXPECT_EQ(parse_compute_mode(mi300x, " SPX"), std::nullopt);
  EXPECT_EQ(parse_compute_mode(mi300x, "SP"), std::nullopt);
  EXPECT_EQ(parse_compute_mode(mi300x, ""), std::nullopt);
  EXPECT_EQ(parse_compute_mode(*find("MI300A"), "DPX"), std::nullopt);
  EXPECT_EQ(parse_compute_mode(*find("MI300A"), "tpx"), tpx);
  EXPECT_EQ(parse_compute_mode(*find("MI308X"), "QPX"), std::nullopt) << "eight XCDs only";
  EXPECT_EQ(parse_memory_mode(mi300x.memory_modes, "nps4\n"), nps4);
  EXPECT_EQ(parse_memory_mode(mi300x.memory_modes, "NPS2"), std::nullopt) << "not offered";
}

TEST(Partitions, MemoryRangesAreSharedByNeighbours) {
  const PartitionShape shape = partition_shape(*find("MI300X"), cpx);
  std::vector<std::uint32_t> ranges;
  for (std::uint32_t i = 0; i < shape.devices; ++i)
    ranges.push_back(memory_partition_of(shape, i, nps4));
  EXPECT_THAT(ranges, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_EQ(memory_partition_of(shape, 7, nps1), 0u);
}

TEST(Partitions, WhatAmdValidatesTheKernelAccepts) {
  int pairs = 0;
  for (const GpuProduct& product : all()) {
    for (const ComputeMode mode : compute_modes) {
      for (const MemoryMode memory : memory_modes) {
        if (!validated(product, mode, memory)) continue;
        ++pairs;
        EXPECT_TRUE(accepts(product, mode, memory, PartitionRules::counts)) << product.product;
        EXPECT_TRUE(accepts(product, mode, memory, PartitionRules::lists)) << product.product;
      }
    }
  }
  EXPECT_GT(pairs, 6);
}

}  // namespace
}  // namespace rocdrill::silicon
