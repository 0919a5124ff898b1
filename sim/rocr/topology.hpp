// libhsakmt's topology snapshot: what the process can read of /sys/class/kfd and open of
// /dev/dri decides which nodes the runtime knows.
#pragma once

#include <vector>

#include "sim/host/journal.hpp"
#include "stack/formats/kfd_topology.hpp"
#include "stack/process.hpp"

namespace rocdrill::rocr {

struct TopologyNode {
  std::uint32_t user_id = 0;  ///< "Node:" of rocminfo; dense, unlike the sysfs number
  std::uint32_t gpu_id = 0;   ///< 0 on CPU nodes
  int render_fd = -1;
  kfd::KfdNodeProperties properties;
  std::uint64_t memory_bytes = 0;  ///< of bank 0

  bool is_gpu() const { return properties.simd_count > 0; }
};

/// Opens the render node of every GPU. Nodes whose gpu_id cannot be read for EPERM, or whose
/// render node is not there or not permitted to the cgroup, are left out without a word; any
/// other failure fails the snapshot (topology.c). Before 6.2 (assumed: reported of 6.1.0) a render
/// node that is not there fails it, too: `needs_render_nodes`.
SysResult<std::vector<TopologyNode>> snapshot(Process& process, bool needs_render_nodes = false);

}  // namespace rocdrill::rocr
