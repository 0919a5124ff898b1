#include "sim/libraries/rccl_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::libraries::rccl {
namespace {

constexpr std::string_view nodes_folder = "/sys/class/kfd/kfd/topology/nodes";
/// Weight of one xGMI hop, and of a link within a package (kfd_crat.c): farther ones make no ring.
constexpr std::uint32_t one_hop = 15;
/// GPUs that hang on one socket: two PCIe links.
constexpr std::uint32_t one_socket = 40;

void read_links(Process& process, Topology& topology, const std::vector<std::uint32_t>& nodes,
                std::size_t from, std::string_view kind) {
  const std::string folder = fmt::format("{}/{}/{}", nodes_folder, nodes[from], kind);
  for (const std::string& link : process.list(folder).value_or(std::vector<std::string>{})) {
    const auto text = process.read_file(fmt::format("{}/{}/properties", folder, link));
    const auto is = text ? kfd::parse_io_link(*text) : std::nullopt;
    if (!is) continue;
    const auto to = std::ranges::find(nodes, is->node_to);
    if (to == nodes.end()) continue;
    Path& path = topology.path(from, static_cast<std::size_t>(to - nodes.begin()));
    path.peer_access = true;
    path.bandwidth_mb_s = static_cast<std::uint32_t>(is->max_bandwidth);
    path.type = is->type == kfd::LinkType::xgmi && is->weight <= one_hop ? PathType::xgmi
                : is->weight <= one_socket                               ? PathType::phb
                                                                         : PathType::sys;
  }
}

/// Depth first, with as many steps as a machine of eight GPUs needs and then some.
class RingSearch {
 public:
  explicit RingSearch(const Topology& topology)
      : topology_(topology), size_(topology.size()), used_(size_ * size_) {
    most_ = size_;
    for (std::size_t from = 0; from < size_; ++from) {
      std::size_t links = 0;
      for (std::size_t to = 0; to < size_; ++to) links += linked(from, to) ? 1 : 0;
      most_ = std::min(most_, links);
    }
  }
  std::vector<Ring> run() {
    if (most_ > 0) next_ring();
    return best_;
  }

 private:
  static constexpr std::size_t most_steps = 20000;

  bool linked(std::size_t from, std::size_t to) const {
    return from != to && topology_.path(from, to).type == PathType::xgmi;
  }
  bool over() const { return best_.size() == most_ || steps_ > most_steps; }

  void next_ring() {
    if (rings_.size() > best_.size()) best_ = rings_;
    if (over()) return;
    Ring ring{0};
    std::vector<bool> seen(size_);
    seen[0] = true;
    extend(ring, seen);
  }

  void extend(Ring& ring, std::vector<bool>& seen) {
    ++steps_;
    const std::size_t from = ring.back();
    if (ring.size() == size_) {
      if (!linked(from, 0) || used_[from * size_]) return;
      mark(ring, true);
      rings_.push_back(ring);
      next_ring();
      rings_.pop_back();
      mark(ring, false);
      return;
    }
    for (std::size_t step = 1; step < size_ && !over(); ++step) {
      const std::size_t to = (from + step) % size_;
      if (seen[to] || !linked(from, to) || used_[from * size_ + to]) continue;
      seen[to] = true;
      ring.push_back(to);
      extend(ring, seen);
      ring.pop_back();
      seen[to] = false;
    }
  }

  void mark(const Ring& ring, bool used) {
    for (std::size_t i = 0; i < size_; ++i) used_[ring[i] * size_ + ring[(i + 1) % size_]] = used;
  }

  const Topology& topology_;
  std::size_t size_;
  std::size_t most_ = 0;
  std::size_t steps_ = 0;
  std::vector<bool> used_;
  std::vector<Ring> rings_;
  std::vector<Ring> best_;
};

}  // namespace

std::string_view name(PathType type) {
  static constexpr std::string_view names[] = {"LOC", "XGMI", "PIX", "PXB", "PHB", "SYS"};
  return names[static_cast<std::size_t>(type)];
}

Topology Topology::read(Process& process, const std::vector<std::uint32_t>& nodes) {
  Topology topology;
  topology.size_ = nodes.size();
  topology.paths_.resize(nodes.size() * nodes.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    topology.path(rank, rank) = {PathType::loc, 0, true};
    read_links(process, topology, nodes, rank, "io_links");
    read_links(process, topology, nodes, rank, "p2p_links");
  }
  return topology;
}

std::vector<Ring> find_rings(const Topology& topology) {
  std::vector<Ring> rings = RingSearch(topology).run();
  if (rings.empty()) {
    Ring plain(topology.size());
    std::iota(plain.begin(), plain.end(), std::size_t{0});
    rings.push_back(std::move(plain));
  }
  return rings;
}

}  // namespace rocdrill::libraries::rccl
