// What the kernel writes into /sys/class/kfd/kfd/topology for a CPU or a GPU node: pure functions
// from the catalogue and a node's particulars to records, and from records to text. Nothing is
// generated before it is read: a node costs what its files cost when somebody opens them.
//
// Sources: kfd_topology.c (keys, order, format), kfd_crat.c (caches, links).
#pragma once

#include <cstdint>
#include <string>

#include "stack/formats/kfd_topology.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::silicon {

/// simd_id_base of the first GPU node; each node adds simd_id_step() of its product (measured on
/// MI300A, MI300X and RX 7900 XTX).
inline constexpr std::uint32_t first_simd_id_base = 0x8000'1000;
/// CU slots of one XCC: 40 on MI300X, 96 on RX 7900 XTX.
constexpr std::uint32_t simd_id_step(const GpuProduct& product) {
  return product.array_count / product.xcc_count * product.cu_per_simd_array;
}

/// One GPU node: a whole GPU, or one partition of it.
struct GpuNode {
  const GpuProduct* product = nullptr;  ///< never null
  /// XCCs of this node: all of the product's in SPX, one in CPX. 0 stands for all.
  std::uint32_t xcc_count = 0;
  std::uint32_t simd_id_base = first_simd_id_base;
  std::uint32_t location_id = 0;  ///< bus << 8 | device << 3 | function, partition bits included
  std::uint32_t domain = 0;
  std::uint32_t drm_render_minor = 0;
  std::uint64_t hive_id = 0;
  std::uint64_t unique_id = 0;
  std::uint32_t fw_version = 0;  ///< MEC firmware that is loaded
  std::uint32_t sdma_fw_version = 0;
  std::uint32_t io_links_count = 0;
  std::uint32_t p2p_links_count = 0;
  std::uint32_t cpu_clk_mhz = 0;  ///< max_engine_clk_ccompute
  std::uint64_t vram_bytes = 0;   ///< of this node; 0 stands for the product's
  /// VRAM that the host reaches through the BAR; less than vram_bytes makes a second, private bank.
  std::uint64_t visible_vram_bytes = UINT64_MAX;
  /// Newer drivers only: capability bit 31 on gfx9, and the key capability2.
  bool per_queue_reset = false;
  bool has_capability2 = false;
  bool has_num_xcc = true;  ///< false: drivers before partitions existed
};

kfd::KfdNodeProperties gpu_properties(const GpuNode& node);

std::uint32_t mem_bank_count(const GpuNode& node);
/// Throws std::out_of_range for an index >= mem_bank_count().
kfd::MemBank mem_bank(const GpuNode& node, std::uint32_t index);

/// MI300X in SPX 626, in CPX 80; RX 7900 XTX 206; MI100 217.
std::uint32_t cache_count(const GpuNode& node);
/// In KFD's order: L1 data by CU, instruction and scalar by group, GL1 by shader array, L2, L3.
/// Which CU slots are fused off is assumed: the first ones of each array. Throws std::out_of_range
/// for an index >= cache_count().
kfd::Cache cache(const GpuNode& node, std::uint32_t index);

/// One NUMA node of the host.
struct CpuNode {
  std::uint32_t cores = 0;         ///< logical CPUs of this NUMA node
  std::uint32_t core_id_base = 0;  ///< APIC id of the first
  std::uint64_t memory_bytes = 0;
  std::uint32_t io_links_count = 0;
  std::uint32_t caches_count = 0;
  std::uint32_t cpu_clk_mhz = 0;
  // The kernel takes both from the SMBIOS tables, and leaves 0 where there are none.
  std::uint32_t memory_width = 64;  ///< bits
  std::uint32_t memory_clk_mhz = 0;
};

kfd::KfdNodeProperties cpu_properties(const CpuNode& node);
kfd::MemBank cpu_mem_bank(const CpuNode& node);

/// MB/s of a PCIe link, as KFD counts them: 4000 per lane of generation 5.
std::uint32_t pcie_bandwidth(const GpuProduct& product);
/// MB/s of one xGMI link: 64000 from GC 9.4.3 on, 50000 before.
std::uint32_t xgmi_bandwidth(const GpuProduct& product);

// Links, seen from `from`. Weights: kfd_crat.c. Bandwidths and flags of PCIe links are assumed.

/// A GPU to the CPU node of its socket (weight 20); `atomics` false where the root complex has
/// none.
kfd::IoLink pcie_link(const GpuProduct& product, std::uint32_t from, std::uint32_t to,
                      bool atomics = true);
/// Two GPUs of a hive, `hops` apart (15 per hop).
kfd::IoLink xgmi_link(const GpuProduct& product, std::uint32_t from, std::uint32_t to,
                      std::uint32_t hops = 1);
/// Two partitions of one package, or an APU's GPU and its CPU (weight 13).
kfd::IoLink package_link(std::uint32_t from, std::uint32_t to);
/// Two CPU nodes, `distance` as in the ACPI SLIT.
kfd::IoLink cpu_link(std::uint32_t from, std::uint32_t to, std::uint32_t distance, bool intel);
/// Two devices without a direct link: the weight is the sum along the path, the bandwidth that of
/// its narrowest part. `through` are the parts in order.
kfd::IoLink indirect_link(std::span<const kfd::IoLink> through);

// Text, ready to be read: at most 4095 bytes, as sysfs allows.

std::string text(const kfd::KfdNodeProperties& node);
std::string text(const kfd::MemBank& bank);
std::string text(const kfd::Cache& cache);
std::string text(const kfd::IoLink& link);
/// topology/system_properties.
std::string system_properties_text(std::uint64_t platform_oem, std::uint64_t platform_id,
                                   std::uint64_t platform_rev);

}  // namespace rocdrill::silicon
