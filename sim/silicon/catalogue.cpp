#include "sim/silicon/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace rocdrill::silicon {
namespace {

constexpr std::uint32_t debugger_firmware_bit = 1u << 29;

bool equal_ignoring_case(std::string_view first, std::string_view second) {
  return std::ranges::equal(first, second, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

/// Version of the first file for which `wanted` holds.
template <class Wanted>
std::uint32_t version_of(const GpuProduct& product, Wanted wanted) {
  const auto found = std::ranges::find_if(product.firmware, wanted);
  return found == product.firmware.end() ? 0 : found->version;
}

template <class Range, class Name>
std::string joined(const Range& range, Name name_of) {
  std::string text;
  for (const auto& element : range) {
    if (!text.empty()) text += ", ";
    text += name_of(element);
  }
  return text;
}

}  // namespace

const GpuProduct* find(std::string_view product) {
  const auto rows = all();
  const auto found = std::ranges::find_if(
      rows, [&](const GpuProduct& row) { return equal_ignoring_case(row.product, product); });
  return found == rows.end() ? nullptr : &*found;
}

const FirmwareBlob* find_firmware(const GpuProduct& product, std::string_view file) {
  const auto found = std::ranges::find_if(product.firmware, [&](const FirmwareBlob& blob) {
    return blob.file == file || (!blob.fallback.empty() && blob.fallback == file);
  });
  return found == product.firmware.end() ? nullptr : &*found;
}

std::uint32_t default_mec_version(const GpuProduct& product) {
  return version_of(product,
                    [](const FirmwareBlob& blob) { return blob.file.ends_with("_mec.bin"); });
}

std::uint32_t default_sdma_version(const GpuProduct& product) {
  return version_of(product,
                    [](const FirmwareBlob& blob) { return blob.block.starts_with("sdma_"); });
}

std::vector<std::string> assumptions(const GpuProduct& product) {
  struct Group {
    std::string_view name;
    Fidelity fidelity;
  };
  const GpuFidelity& known = product.fidelity;
  const std::array groups{Group{"identity", known.identity}, Group{"geometry", known.geometry},
                          Group{"caches", known.caches},     Group{"memory", known.memory},
                          Group{"clocks", known.clocks},     Group{"queues", known.queues},
                          Group{"features", known.features}, Group{"partitions", known.partitions},
                          Group{"links", known.links},       Group{"power", known.power}};

  std::vector<std::string> notes;
  for (const auto& [name, fidelity] : groups) {
    if (fidelity == Fidelity::assumed) notes.emplace_back(name);
  }
  for (const std::string_view value : product.assumed) notes.emplace_back(value);
  for (const FirmwareBlob& blob : product.firmware) {
    if (blob.file_fidelity == Fidelity::assumed) {
      notes.push_back("firmware: " + std::string(blob.file));
    }
    if (blob.version != 0 && blob.version_fidelity == Fidelity::assumed) {
      notes.push_back("firmware version: " + std::string(blob.file));
    }
  }
  return notes;
}

std::uint32_t capability(const GpuProduct& product, std::uint32_t mec_version) {
  const bool debugger = mec_version >= product.debugger_min_mec;
  return debugger ? product.capability : product.capability & ~debugger_firmware_bit;
}

const ComputePartition* find_partition(const GpuProduct& product, ComputeMode mode) {
  const auto found = std::ranges::find(product.partitions, mode, &ComputePartition::mode);
  return found == product.partitions.end() ? nullptr : &*found;
}

std::string available_compute_partitions(const GpuProduct& product) {
  return joined(product.partitions,
                [](const ComputePartition& partition) { return name(partition.mode); });
}

std::string available_memory_partitions(const GpuProduct& product) {
  return joined(product.memory_modes, [](MemoryMode mode) { return name(mode); });
}

SdmaEngines sdma_engines(const GpuProduct& product, std::uint32_t partitions) {
  const std::uint32_t instances = product.sdma_engines + product.sdma_xgmi_engines;
  const std::uint32_t nodes = std::max(partitions, 1u);
  const std::uint32_t per_node = (instances + nodes - 1) / nodes;
  if (product.sdma_xgmi_engines == 0) return {.pcie = per_node, .xgmi = 0};
  const std::uint32_t pcie = std::min(per_node, 2u);
  return {.pcie = pcie, .xgmi = per_node - pcie};
}

}  // namespace rocdrill::silicon
