// The KFD topology as a tool reads it: through its process, from /sys/class/kfd.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stack/formats/kfd_topology.hpp"
#include "stack/process.hpp"

namespace rocdrill::sim::tools {

struct TopologyNode {
  std::uint32_t id = 0;      ///< directory below nodes/
  std::uint32_t gpu_id = 0;  ///< 0 on CPU nodes
  kfd::KfdNodeProperties properties;

  bool is_gpu() const { return properties.simd_count > 0; }
  /// "0000:1b:00.0"
  std::string bdf() const;
};

/// Nodes in order of number; those that this process may not read are left out. The error is that
/// of the directory.
SysResult<std::vector<TopologyNode>> read_topology(Process& process);

/// Sizes in KiB of the data caches by level, 0 where there is none, and the line of the L2.
struct CacheSizes {
  std::uint32_t kib[3] = {};
  std::uint32_t l2_line = 0;
};
CacheSizes read_caches(Process& process, std::uint32_t node);

/// The compiler's name of a gfx_target_version: 90402 -> "gfx942"; 0 -> "gfx000".
std::string gfx_name(std::uint64_t version);

}  // namespace rocdrill::sim::tools
