#include "scenarios/engine/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "sim/node.hpp"
#include "sim/tools/topology_view.hpp"

namespace rocdrill::scenarios {
namespace {

constexpr std::string_view nodes_root = "/sys/class/kfd/kfd/topology/nodes";

std::string line_of(Process& process, const std::string& file) {
  const auto text = process.read_file(file);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

/// What `parse` makes of <directory>/0/properties, <directory>/1/properties, ...
template <class Parse>
auto numbered(Process& process, const std::string& directory, Parse parse) {
  std::vector<typename decltype(parse(std::string_view()))::value_type> all;
  const auto names = process.list(directory);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const auto text = process.read_file(fmt::format("{}/{}/properties", directory, i));
    if (auto one = text ? parse(*text) : std::nullopt) all.push_back(std::move(*one));
  }
  return all;
}

std::vector<TopologyNode> nodes_of(Process& process) {
  std::vector<TopologyNode> nodes;
  const auto read = sim::tools::read_topology(process);
  if (!read) return nodes;
  for (const sim::tools::TopologyNode& one : *read) {
    const std::string directory = fmt::format("{}/{}", nodes_root, one.id);
    TopologyNode node{.id = one.id,
                      .gpu_id = one.gpu_id,
                      .name = line_of(process, directory + "/name"),
                      .bdf = {},
                      .target = {},
                      .properties = one.properties,
                      .banks = numbered(process, directory + "/mem_banks", kfd::parse_mem_bank),
                      .links = numbered(process, directory + "/io_links", kfd::parse_io_link)};
    if (node.is_gpu()) {
      node.bdf = one.bdf();
      node.target = sim::tools::gfx_name(one.properties.gfx_target_version);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// "pcie_replay_count" is a number; a RAS file has several, "ue: 0" and "ce: 0". (xgmi_error is a
/// status and counts nothing.)
std::vector<ErrorCounter> errors_of(Process& process, const std::string& device) {
  std::vector<ErrorCounter> errors;
  std::istringstream replays(line_of(process, device + "/pcie_replay_count"));
  if (std::uint64_t count = 0; replays >> count) errors.push_back({"pcie_replay_count", count});
  for (const char* block : {"pcie_bif", "xgmi_wafl"}) {
    const auto text = process.read_file(fmt::format("{}/ras/{}_err_count", device, block));
    std::istringstream words(text ? *text : std::string());
    std::string kind;
    for (std::uint64_t count = 0; words >> kind >> count;)
      errors.push_back({fmt::format("{} {}", block, kind.substr(0, kind.find(':'))), count});
  }
  return errors;
}

void read_partitions(Process& process, const std::string& device,
                     const std::vector<TopologyNode>& nodes, TopologySlot& slot) {
  slot.compute_mode = line_of(process, device + "/current_compute_partition");
  slot.memory_mode = line_of(process, device + "/current_memory_partition");
  slot.compute_modes = line_of(process, device + "/available_compute_partition");
  slot.memory_modes = line_of(process, device + "/available_memory_partition");
  // KFD has the number of a device in the place of the PCI function.
  const auto function = [](const std::string& bdf) { return bdf.substr(0, bdf.rfind('.')); };
  const std::uint64_t most = slot.compute_mode.empty() ? 1 : 8;
  for (const TopologyNode& node : nodes) {
    if (!node.is_gpu() || (node.bdf != slot.bdf && function(node.bdf) != function(slot.bdf)))
      continue;
    if (node.bdf == slot.bdf || most > 1) slot.devices.push_back(node.id);
  }
}

std::vector<TopologySlot> slots_of(sim::Node& node, Process& process,
                                   const std::vector<TopologyNode>& nodes) {
  std::vector<TopologySlot> slots;
  for (const silicon::Gpu& gpu : node.board.gpus()) {
    const std::string bdf = gpu.bdf.text();
    const std::string device = "/sys/bus/pci/devices/" + bdf;
    TopologySlot slot{.product = std::string(gpu.product->product),
                      .bdf = bdf,
                      .numa_node = gpu.numa_node,
                      .on_bus = process.exists(device),
                      .driver = {},
                      .speed = line_of(process, device + "/current_link_speed"),
                      .lanes = line_of(process, device + "/current_link_width"),
                      .node = {},
                      .devices = {},
                      .compute_mode = {},
                      .memory_mode = {},
                      .compute_modes = {},
                      .memory_modes = {},
                      .errors = errors_of(process, device)};
    if (const sim::PciDevice* on_bus = node.os.pci.find(gpu.bdf)) slot.driver = on_bus->driver;
    const auto known = std::ranges::find(nodes, bdf, &TopologyNode::bdf);
    if (known != nodes.end()) slot.node = known->id;
    read_partitions(process, device, nodes, slot);
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::vector<std::vector<std::uint32_t>> distances_of(Process& process) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t i = 0;; ++i) {
    std::istringstream text(
        line_of(process, fmt::format("/sys/devices/system/node/node{}/distance", i)));
    std::vector<std::uint32_t> row;
    for (std::uint32_t distance = 0; text >> distance;) row.push_back(distance);
    if (row.empty()) return rows;
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::uint64_t TopologyNode::memory_bytes() const {
  return std::accumulate(
      banks.begin(), banks.end(), std::uint64_t{0},
      [](std::uint64_t sum, const kfd::MemBank& bank) { return sum + bank.size_in_bytes; });
}

std::uint64_t TopologyNode::compute_units() const {
  return properties.simd_per_cu == 0 ? 0 : properties.simd_count / properties.simd_per_cu;
}

const TopologyNode* Topology::find(std::uint32_t id) const {
  const auto at = std::ranges::find(nodes, id, &TopologyNode::id);
  return at == nodes.end() ? nullptr : &*at;
}

Topology topology_of(sim::Node& node) {
  Host& host = node.host();
  const auto process = host.spawn(host.session());
  Topology topology;
  topology.nodes = nodes_of(*process);
  if (topology.nodes.empty()) {
    const auto listed = process->list(nodes_root);
    topology.missing = listed ? "no node can be read" : errno_text(listed.error().error);
    topology.because = process->why(nodes_root);
    if (topology.because == no_event && !listed) topology.because = listed.error().event;
  }
  if (node.powered()) {
    topology.slots = slots_of(node, *process, topology.nodes);
    topology.distances = distances_of(*process);
  }
  return topology;
}

std::string name(kfd::LinkType type) {
  switch (type) {
    case kfd::LinkType::pcie:
      return "PCIe";
    case kfd::LinkType::xgmi:
      return "xGMI";
    case kfd::LinkType::hyper_transport:
      return "HT";
    case kfd::LinkType::qpi:
      return "QPI";
  }
  return fmt::format("type {}", static_cast<std::uint32_t>(type));
}

}  // namespace rocdrill::scenarios
