// Links between KFD nodes. Weights: kfd_crat.c.
#include <algorithm>

#include "sim/silicon/topology_text.hpp"

namespace rocdrill::silicon {
namespace {

constexpr std::uint32_t pcie_weight = 20;
constexpr std::uint32_t xgmi_weight_per_hop = 15;
constexpr std::uint32_t package_weight = 13;
constexpr std::uint32_t package_bandwidth = 819200;

kfd::IoLink link(kfd::LinkType type, std::uint32_t from, std::uint32_t to, std::uint32_t weight,
                 std::uint32_t bandwidth) {
  kfd::IoLink out;
  out.type = type;
  out.node_from = from;
  out.node_to = to;
  out.weight = weight;
  out.min_bandwidth = bandwidth;
  out.max_bandwidth = bandwidth;
  out.flags = kfd::link_flag::enabled;
  return out;
}

/// A link of unknown bandwidth (0) does not narrow a path.
std::uint32_t narrower(std::uint32_t first, std::uint32_t second) {
  if (first == 0 || second == 0) return std::max(first, second);
  return std::min(first, second);
}

}  // namespace

std::uint32_t pcie_bandwidth(const GpuProduct& product) {
  if (product.pcie_generation == 0) return 0;
  return product.pcie_lanes * (250u << (product.pcie_generation - 1));
}

std::uint32_t xgmi_bandwidth(const GpuProduct& product) {
  return product.gc >= IpVersion{9, 4, 3} ? 64000 : 50000;
}

kfd::IoLink pcie_link(const GpuProduct& product, std::uint32_t from, std::uint32_t to,
                      bool atomics) {
  kfd::IoLink out = link(kfd::LinkType::pcie, from, to, pcie_weight, pcie_bandwidth(product));
  out.flags |= kfd::link_flag::non_coherent;
  if (!atomics) out.flags |= kfd::link_flag::no_atomics_32 | kfd::link_flag::no_atomics_64;
  return out;
}

kfd::IoLink xgmi_link(const GpuProduct& product, std::uint32_t from, std::uint32_t to,
                      std::uint32_t hops) {
  return link(kfd::LinkType::xgmi, from, to, xgmi_weight_per_hop * hops, xgmi_bandwidth(product));
}

kfd::IoLink package_link(std::uint32_t from, std::uint32_t to) {
  return link(kfd::LinkType::xgmi, from, to, package_weight, package_bandwidth);
}

kfd::IoLink cpu_link(std::uint32_t from, std::uint32_t to, std::uint32_t distance, bool intel) {
  const auto type = intel ? kfd::LinkType::qpi : kfd::LinkType::hyper_transport;
  return link(type, from, to, distance, 0);
}

kfd::IoLink indirect_link(std::span<const kfd::IoLink> through) {
  if (through.empty()) return {};
  kfd::IoLink out = through.front();
  for (const kfd::IoLink& part : through.subspan(1)) {
    out.node_to = part.node_to;
    out.weight += part.weight;
    out.flags |= part.flags;
    out.min_bandwidth = narrower(out.min_bandwidth, part.min_bandwidth);
    out.max_bandwidth = narrower(out.max_bandwidth, part.max_bandwidth);
  }
  return out;
}

}  // namespace rocdrill::silicon
