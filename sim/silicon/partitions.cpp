#include "sim/silicon/partitions.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

namespace rocdrill::silicon {
namespace {

std::uint32_t count(MemoryMode memory) { return static_cast<std::uint32_t>(memory); }

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

/// __aqua_vanjaram_is_valid_mode() of AMD's tree.
bool counts_fit(std::uint32_t xccs, ComputeMode compute, std::uint32_t memory) {
  switch (compute) {
    case ComputeMode::spx:
      return memory == 1;
    case ComputeMode::dpx:
      return memory <= 2 && xccs % 4 == 0;
    case ComputeMode::tpx:
      return (memory == 1 || memory == 3) && xccs % 3 == 0;
    case ComputeMode::qpx:
      return (memory == 1 || memory == 4) && xccs / 4 >= 2;
    case ComputeMode::cpx:
      return xccs > 1 && xccs % memory == 0;
  }
  return false;
}

struct Pair {
  std::string_view product;
  ComputeMode compute;
  MemoryMode memory;
};

// The GPU partitioning guide of MI300X, amd-smi's samples, release notes of the driver 30.10.
constexpr Pair validated_pairs[] = {
    {"MI300X", ComputeMode::spx, MemoryMode::nps1}, {"MI300X", ComputeMode::cpx, MemoryMode::nps4},
    {"MI325X", ComputeMode::spx, MemoryMode::nps1}, {"MI300A", ComputeMode::spx, MemoryMode::nps1},
    {"MI300A", ComputeMode::tpx, MemoryMode::nps1}, {"MI350X", ComputeMode::spx, MemoryMode::nps1},
    {"MI350X", ComputeMode::dpx, MemoryMode::nps2}, {"MI355X", ComputeMode::spx, MemoryMode::nps1},
    {"MI355X", ComputeMode::dpx, MemoryMode::nps2},
};

}  // namespace

bool accepts(const GpuProduct& product, ComputeMode compute, MemoryMode memory,
             PartitionRules rules) {
  const ComputePartition* known = find_partition(product, compute);
  if (!known) return false;
  if (rules == PartitionRules::counts) return counts_fit(product.xcc_count, compute, count(memory));
  return std::ranges::find(known->memory_modes, memory) != known->memory_modes.end();
}

std::vector<ComputeMode> accepted_modes(const GpuProduct& product, MemoryMode memory,
                                        PartitionRules rules) {
  std::vector<ComputeMode> modes;
  for (const ComputePartition& each : product.partitions) {
    if (accepts(product, each.mode, memory, rules)) modes.push_back(each.mode);
  }
  return modes;
}

std::optional<ComputeMode> automatic_mode(const GpuProduct& product, MemoryMode memory) {
  const std::uint32_t parts = count(memory);
  if (parts == 1) return ComputeMode::spx;
  if (parts == product.xcc_count) return ComputeMode::cpx;
  if (parts == product.xcc_count / 2) return product.apu ? ComputeMode::tpx : ComputeMode::cpx;
  if (parts == 2 && !product.apu) return ComputeMode::dpx;
  return std::nullopt;
}

bool validated(const GpuProduct& product, ComputeMode compute, MemoryMode memory) {
  return std::ranges::any_of(validated_pairs, [&](const Pair& each) {
    return each.product == product.product && each.compute == compute && each.memory == memory;
  });
}

std::optional<ComputeMode> parse_compute_mode(const GpuProduct& product, std::string_view text) {
  if (product.xcc_count % 2 != 0) return std::nullopt;
  for (const ComputeMode mode :
       {ComputeMode::spx, ComputeMode::dpx, ComputeMode::tpx, ComputeMode::qpx, ComputeMode::cpx}) {
    if (!begins_with(text, name(mode))) continue;
    const std::uint32_t xccs = product.xcc_count;
    const bool refused = (mode == ComputeMode::dpx && xccs % 4 != 0) ||
                         (mode == ComputeMode::tpx && xccs != 6) ||
                         (mode == ComputeMode::qpx && xccs != 8);
    return refused ? std::nullopt : std::optional(mode);
  }
  return std::nullopt;
}

std::optional<MemoryMode> parse_memory_mode(std::span<const MemoryMode> modes,
                                            std::string_view text) {
  const auto at =
      std::ranges::find_if(modes, [&](MemoryMode mode) { return begins_with(text, name(mode)); });
  return at == modes.end() ? std::nullopt : std::optional(*at);
}

PartitionShape partition_shape(const GpuProduct& product, ComputeMode compute) {
  const ComputePartition* known = find_partition(product, compute);
  const std::uint32_t devices = known ? known->partitions : 1;
  constexpr std::uint64_t page = 4096;
  return {.devices = devices,
          .xccs = product.xcc_count / devices,
          .compute_units = product.active_cus / devices,
          .sdma = sdma_engines(product, devices),
          .memory_bytes = product.vram_bytes / devices / page * page};
}

std::uint32_t memory_partition_of(const PartitionShape& shape, std::uint32_t index,
                                  MemoryMode memory) {
  const std::uint32_t sharing = std::max(shape.devices / count(memory), 1u);
  return index / sharing;
}

MediaEngines media_engines(const GpuProduct& product) {
  // Documented for MI350X; of MI300X four decoders are, the rings of its JPEG engines are
  // kernel-source. Others are not known.
  if (product.gc == IpVersion{9, 5, 0}) return {4, 40};
  if (product.product == "MI300X" || product.product == "MI325X") return {4, 32};
  return {};
}

std::string partitions_markdown() {
  std::string text =
      "| product | mode | devices | XCDs | CUs | SDMA engines | memory each, GiB | AMD's driver "
      "accepts it in | mainline's lists |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const GpuProduct& product : all()) {
    for (const ComputePartition& mode : product.partitions) {
      const auto modes = [&](PartitionRules rules) {
        std::string list;
        for (const MemoryMode memory : product.memory_modes) {
          if (!accepts(product, mode.mode, memory, rules)) continue;
          list += list.empty() ? "" : ", ";
          list += name(memory);
          if (!validated(product, mode.mode, memory)) list += "*";
        }
        return list.empty() ? std::string("none") : list;
      };
      const PartitionShape shape = partition_shape(product, mode.mode);
      text += fmt::format("| {} | {} | {} | {} | {} | {} + {} | {:.1f} | {} | {} |\n",
                          product.product, name(mode.mode), shape.devices, shape.xccs,
                          shape.compute_units, shape.sdma.pcie, shape.sdma.xgmi,
                          static_cast<double>(shape.memory_bytes) / (1 << 30),
                          modes(PartitionRules::counts), modes(PartitionRules::lists));
    }
  }
  return text;
}

}  // namespace rocdrill::silicon
