// What RCCL finds out about the GPUs of a host before it connects them: who reaches whom and how,
// from the topology that the kernel shows, and the rings that follow.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/host/journal.hpp"
#include "stack/process.hpp"

namespace rocdrill::libraries::rccl {

/// As NCCL_P2P_LEVEL orders them: the farther, the greater.
enum class PathType : std::uint8_t { loc, xgmi, pix, pxb, phb, sys };
std::string_view name(PathType type);  ///< "XGMI" is nvl of the original

struct Path {
  PathType type = PathType::sys;
  std::uint32_t bandwidth_mb_s = 0;  ///< as the topology says it; 0: it does not
  bool peer_access = false;          ///< hipDeviceCanAccessPeer: KFD lists a link
};

/// Paths between the ranks' GPUs; `nodes[r]` is the KFD node of rank r.
class Topology {
 public:
  /// Reads io_links and p2p_links of the nodes through the process.
  static Topology read(Process& process, const std::vector<std::uint32_t>& nodes);
  std::size_t size() const { return size_; }
  const Path& path(std::size_t from, std::size_t to) const { return paths_[from * size_ + to]; }
  Path& path(std::size_t from, std::size_t to) { return paths_[from * size_ + to]; }

 private:
  std::size_t size_ = 0;
  std::vector<Path> paths_;
};

/// A ring begins with rank 0 and visits every rank once.
using Ring = std::vector<std::size_t>;
/// Rings that share no direct xGMI link in the same direction, as many as a search finds; where the
/// links give none, one in the order of the ranks.
std::vector<Ring> find_rings(const Topology& topology);

}  // namespace rocdrill::libraries::rccl
