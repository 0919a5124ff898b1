// The GPU products that a node can be built from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/gpu.hpp"

namespace rocdrill::silicon {

/// Every product, in a fixed order (Instinct by generation, then Radeon, then integrated).
std::span<const GpuProduct> all();

/// By key, without regard to case ("mi300x"); nullptr if there is none.
const GpuProduct* find(std::string_view product);

/// The firmware file "sdma_4_4_2.bin" of a product; nullptr if its driver never asks for it.
const FirmwareBlob* find_firmware(const GpuProduct& product, std::string_view file);

/// Default version of the compute microengine (fw_version) and of SDMA; 0 if unknown.
std::uint32_t default_mec_version(const GpuProduct& product);
std::uint32_t default_sdma_version(const GpuProduct& product);

/// What nobody has verified, for a note to the user: groups ("memory"), single values
/// ("clocks: engine_clk_mhz"), firmware files ("firmware: x.bin") and firmware versions
/// ("firmware version: x.bin"). Empty for a row that is known throughout.
std::vector<std::string> assumptions(const GpuProduct& product);

/// KFD's capability word under a given MEC firmware: bit 29 needs debugger_min_mec
/// (kfd_topology.c, kfd_topology_set_dbg_firmware_support).
std::uint32_t capability(const GpuProduct& product, std::uint32_t mec_version);

/// SIMDs, as KFD counts them: CUs times SIMDs per CU.
constexpr std::uint32_t simd_count(const GpuProduct& product) {
  return product.active_cus * product.simd_per_cu;
}

/// The partition in that mode; nullptr if the product does not support it.
const ComputePartition* find_partition(const GpuProduct& product, ComputeMode mode);

/// sysfs' text of the supported modes, "SPX, DPX, QPX, CPX" and "NPS1, NPS4"; "" if none.
std::string available_compute_partitions(const GpuProduct& product);
std::string available_memory_partitions(const GpuProduct& product);

/// SDMA engines of one of `partitions` nodes of the GPU: num_sdma_engines (at most two where the
/// GPU has xGMI) and num_sdma_xgmi_engines (the rest). kfd_device.c: instances / nodes, rounded up.
struct SdmaEngines {
  std::uint32_t pcie = 0;
  std::uint32_t xgmi = 0;
};
SdmaEngines sdma_engines(const GpuProduct& product, std::uint32_t partitions);

}  // namespace rocdrill::silicon
