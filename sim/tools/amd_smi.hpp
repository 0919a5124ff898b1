// What the commands of amd-smi share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/silicon/board.hpp"
#include "sim/tools/call.hpp"
#include "sim/tools/topology_view.hpp"

namespace rocdrill::sim::tools {

/// A device as amd-smi numbers them: by address, the partition in its function.
struct SmiDevice {
  TopologyNode node;
  std::string bdf;  ///< "0000:1b:00.3"
  std::uint32_t partition = 0;
  std::string directory;  ///< "/sys/bus/pci/devices/0000:1b:00.0"; of a partition that of its GPU
  const silicon::Gpu* gpu = nullptr;

  /// Partitions have no attributes of their own.
  bool primary() const { return partition == 0; }
  /// One line of an attribute of the GPU, or "N/A".
  std::string attribute(Call& call, std::string_view name) const;
};

bool driver_live(Call& call);
/// GPU nodes in the order of their addresses, which is amd-smi's and rocm-smi's.
std::vector<TopologyNode> gpus_by_address(Call& call);
std::vector<SmiDevice> smi_devices(Call& call);

/// "amd-smi version".
std::string smi_version_line(Call& call);
/// "all" or numbers after -g; nullopt after complaining. Without -g: all.
std::optional<std::vector<std::size_t>> chosen_devices(Call& call, const Options& options,
                                                       std::size_t count);

int amd_smi_static(Call& call, const std::vector<SmiDevice>& devices, const Options& options);
int amd_smi_metric(Call& call, const std::vector<SmiDevice>& devices, const Options& options);
int amd_smi_partition(Call& call, const std::vector<SmiDevice>& devices);
int amd_smi_set(Call& call, const std::vector<SmiDevice>& devices, const Options& options);
int amd_smi_reset(Call& call, const Options& options);

// amd_smi_ras.cpp
int amd_smi_bad_pages(Call& call, const std::vector<SmiDevice>& devices, const Options& options);
void print_ecc(Call& call, const SmiDevice& of);
void print_ecc_blocks(Call& call, const SmiDevice& of);
void print_throttle(Call& call, const SmiDevice& of);
void print_pcie(Call& call, const SmiDevice& of);
void rocm_smi_ras(Call& call, const std::vector<SmiDevice>& devices);
void rocm_smi_pages(Call& call, const std::vector<SmiDevice>& devices, std::string_view type);

}  // namespace rocdrill::sim::tools
