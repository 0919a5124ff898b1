#include "gui/model/topology_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::gui {
namespace {

using scenarios::Topology;
using scenarios::TopologyNode;
using scenarios::TopologySlot;

/// "CPU 0", "GPU 3": sockets and GPUs, each counted in the order of KFD's nodes.
std::string title_of(const Topology& topology, const TopologyNode& node) {
  const auto before = std::ranges::count_if(topology.nodes, [&](const TopologyNode& other) {
    return other.id < node.id && other.is_gpu() == node.is_gpu();
  });
  return fmt::format("{} {}", node.is_gpu() ? "GPU" : "CPU", before);
}

std::vector<SocketBox> sockets_of(const Topology& topology) {
  std::vector<SocketBox> sockets;
  for (const TopologyNode& node : topology.nodes) {
    if (node.is_gpu()) continue;
    sockets.push_back({title_of(topology, node), std::to_string(node.properties.cpu_cores_count),
                       gibibytes(node.memory_bytes())});
  }
  // Without KFD the NUMA nodes are still there.
  for (std::size_t i = sockets.size(); i < topology.distances.size(); ++i)
    sockets.push_back({fmt::format("CPU {}", i), {}, {}});
  return sockets;
}

void set_state(const TopologySlot& slot, GpuBox& box) {
  if (slot.node) {
    box.state = LayerState::ok;
    box.state_word = "topology.in-kfd";
  } else if (!slot.on_bus) {
    box.state = LayerState::fault;
    box.state_word = "topology.off-bus";
  } else if (slot.driver.empty()) {
    box.state = LayerState::affected;
    box.state_word = "topology.no-driver";
  } else {
    box.state = LayerState::affected;
    box.state_word = "topology.not-in-kfd";
  }
}

/// What KFD has of the GPU: one node, or one for each device that it is divided into.
void add_partitions(const Topology& topology, const TopologySlot& slot, GpuBox& box) {
  std::uint64_t memory = 0;
  for (const std::uint32_t id : slot.devices) {
    const TopologyNode* node = topology.find(id);
    if (!node) continue;
    box.xccs += node->properties.num_xcc;
    box.compute_units += node->compute_units();
    memory += node->memory_bytes();
    box.partitions.push_back({title_of(topology, *node), node->properties.num_xcc,
                              node->compute_units(), gibibytes(node->memory_bytes())});
  }
  box.memory = gibibytes(memory);
  if (box.partitions.size() < 2) return;
  const std::string& last = box.partitions.back().title;
  box.title += "-" + last.substr(last.rfind(' ') + 1);
}

GpuBox box_of(const Topology& topology, const TopologySlot& slot, std::size_t sockets) {
  GpuBox box{.title = "-",
             .product = slot.product,
             .target = {},
             .bdf = slot.bdf,
             .socket = std::min<std::size_t>(slot.numa_node, sockets == 0 ? 0 : sockets - 1),
             .state_word = {},
             .memory = {},
             .mode = slot.compute_mode.empty() ? std::string()
                                               : slot.compute_mode + " " + slot.memory_mode,
             .partitions = {},
             .pcie = {},
             .peers = {}};
  for (const scenarios::ErrorCounter& counter : slot.errors) box.errors += counter.count;
  set_state(slot, box);
  const TopologyNode* node = slot.node ? topology.find(*slot.node) : nullptr;
  if (!node) return box;
  box.title = title_of(topology, *node);
  box.target = node->target;
  add_partitions(topology, slot, box);
  for (const kfd::IoLink& link : node->links) {
    if (link.type == kfd::LinkType::pcie) box.pcie = gigabytes_per_second(link.max_bandwidth);
    if (link.type != kfd::LinkType::xgmi) continue;
    const auto peer = std::ranges::find_if(topology.slots, [&](const TopologySlot& other) {
      return &other != &slot &&
             std::ranges::find(other.devices, link.node_to) != other.devices.end();
    });
    if (peer == topology.slots.end()) continue;
    const auto index = static_cast<std::size_t>(peer - topology.slots.begin());
    if (std::ranges::find(box.peers, index) == box.peers.end()) box.peers.push_back(index);
  }
  return box;
}

void fill_tables(const Topology& topology, TopologyView& view) {
  for (const TopologyNode& from : topology.nodes) {
    view.nodes.push_back(title_of(topology, from));
    std::vector<LinkCell> row;
    for (const TopologyNode& to : topology.nodes) {
      const auto link = std::ranges::find(from.links, to.id, &kfd::IoLink::node_to);
      if (link == from.links.end()) {
        row.push_back({});
        continue;
      }
      row.push_back(
          {scenarios::name(link->type), std::to_string(link->weight),
           link->max_bandwidth == 0 ? std::string() : gigabytes_per_second(link->max_bandwidth)});
    }
    view.links.push_back(std::move(row));
  }
  for (const auto& row : topology.distances) {
    auto& texts = view.distances.emplace_back();
    for (const std::uint32_t distance : row) texts.push_back(std::to_string(distance));
  }
}

void fill_errors(const Topology& topology, TopologyView& view) {
  for (const TopologySlot& slot : topology.slots) {
    for (const scenarios::ErrorCounter& counter : slot.errors) {
      if (std::ranges::find(view.counters, counter.name) == view.counters.end())
        view.counters.push_back(counter.name);
    }
  }
  for (std::size_t i = 0; i < topology.slots.size(); ++i) {
    std::vector<std::string> counts;
    for (const std::string& name : view.counters) {
      const auto& errors = topology.slots[i].errors;
      const auto counter = std::ranges::find(errors, name, &scenarios::ErrorCounter::name);
      counts.push_back(counter == errors.end() ? "-" : std::to_string(counter->count));
    }
    const GpuBox& box = view.gpus[i];
    view.errors.emplace_back(box.title == "-" ? box.bdf : box.title, std::move(counts));
  }
}

/// "0", or what has been counted: "pcie_replay_count 3".
std::string errors_text(const TopologySlot& slot) {
  if (slot.errors.empty()) return {};
  std::string text;
  for (const scenarios::ErrorCounter& counter : slot.errors) {
    if (counter.count != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counter.name, counter.count);
  }
  return text.empty() ? "0" : text;
}

std::string units_text(std::uint64_t xccs, std::uint64_t compute_units) {
  return xccs > 1 ? fmt::format("{} XCD, {} CU", xccs, compute_units)
                  : fmt::format("{} CU", compute_units);
}

/// What an operator wants to know first.
void tell_gpu(const Topology& topology, const TopologySlot& slot, const GpuBox& box,
              TopologyView& view) {
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) view.facts.push_back({label, std::move(text), no_event});
  };
  add("topology.product", box.product + (box.target.empty() ? "" : "  " + box.target));
  add("topology.bus", slot.bdf);
  add("topology.numa", std::to_string(slot.numa_node));
  if (!slot.speed.empty()) add("topology.trained", slot.speed + " x" + slot.lanes);
  add("topology.driver", slot.driver.empty() && slot.on_bus ? "-" : slot.driver);
  const TopologyNode* node = slot.node ? topology.find(*slot.node) : nullptr;
  if (!node) {
    if (!view.missing.empty()) add("topology.nodes", view.missing);
    return;
  }
  add("topology.node", std::to_string(node->id));
  add("topology.render", fmt::format("/dev/dri/renderD{}", node->properties.drm_render_minor));
  add("topology.units", units_text(box.xccs, box.compute_units));
  add("topology.memory", box.memory);
  add("topology.mode", box.mode);
  if (box.partitions.size() > 1) {
    for (const PartitionBox& one : box.partitions) {
      view.facts.push_back(
          {one.title, units_text(one.xccs, one.compute_units) + ", " + one.memory, no_event});
    }
  }
  add("topology.errors", errors_text(slot));
  for (const kfd::IoLink& link : node->links) {
    const TopologyNode* to = topology.find(link.node_to);
    view.facts.push_back(
        {to ? "-> " + title_of(topology, *to) : fmt::format("-> node {}", link.node_to),
         fmt::format(
             "{}  weight {}  {}", scenarios::name(link.type), link.weight,
             link.max_bandwidth == 0 ? std::string() : gigabytes_per_second(link.max_bandwidth)),
         no_event});
  }
}

/// Every number that the kernel tells, by its own names.
void tell_all(const TopologyNode& node, TopologyView& view) {
  const auto add = [&](std::string label, std::string text) {
    view.facts.push_back({std::move(label), std::move(text), no_event});
  };
  add("gpu_id", std::to_string(node.gpu_id));
  if (!node.name.empty()) add("name", node.name);
  for (const kfd::NodeKey& key : kfd::node_keys()) {
    if (key.gpu_only && !node.is_gpu()) continue;
    if (key.has && !(node.properties.*key.has)) continue;
    const std::uint64_t value = node.properties.*key.value;
    const bool hexadecimal = key.name == "capability" || key.name == "unique_id" ||
                             key.name == "hive_id" || key.name == "debug_prop";
    add(std::string(key.name), hexadecimal ? fmt::format("{:#x}", value) : std::to_string(value));
  }
  for (std::size_t i = 0; i < node.banks.size(); ++i) {
    const kfd::MemBank& bank = node.banks[i];
    add(fmt::format("mem_banks/{}", i),
        fmt::format("heap {}, {} bits, {} MHz, {}", static_cast<unsigned>(bank.heap_type),
                    bank.width, bank.mem_clk_max, gibibytes(bank.size_in_bytes)));
  }
  for (std::size_t i = 0; i < node.links.size(); ++i) {
    const kfd::IoLink& link = node.links[i];
    add(fmt::format("io_links/{}", i),
        fmt::format("to {}, {}, weight {}, {}-{} MB/s, flags {:#x}", link.node_to,
                    scenarios::name(link.type), link.weight, link.min_bandwidth, link.max_bandwidth,
                    link.flags));
  }
}

/// What is not in KFD's files: the modes that the driver offers, and each counter of errors.
void tell_driver(const TopologySlot& slot, TopologyView& view) {
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) view.facts.push_back({std::move(label), std::move(text), no_event});
  };
  add("current_compute_partition", slot.compute_mode);
  add("available_compute_partition", slot.compute_modes);
  add("current_memory_partition", slot.memory_mode);
  add("available_memory_partition", slot.memory_modes);
  for (const scenarios::ErrorCounter& counter : slot.errors)
    add(counter.name, std::to_string(counter.count));
}

void tell_socket(const Topology& topology, std::size_t socket, const SocketBox& box,
                 TopologyView& view) {
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) view.facts.push_back({label, text, no_event});
  };
  add("topology.cores", box.cores);
  add("topology.memory", box.memory);
  for (std::size_t to = 0; socket < topology.distances.size() && to < topology.distances.size();
       ++to) {
    view.facts.push_back({fmt::format("-> CPU {}", to),
                          fmt::format("SLIT {}", topology.distances[socket][to]), no_event});
  }
}

void tell_chosen(const Topology& topology, bool expert, TopologyView& view) {
  if (view.items() == 0) return;
  if (view.chosen < view.sockets.size()) {
    const SocketBox& box = view.sockets[view.chosen];
    view.chosen_title = box.title;
    const auto node = std::ranges::find_if(topology.nodes, [&](const TopologyNode& one) {
      return !one.is_gpu() && title_of(topology, one) == box.title;
    });
    if (expert && node != topology.nodes.end()) return tell_all(*node, view);
    return tell_socket(topology, view.chosen, box, view);
  }
  const std::size_t gpu = view.chosen - view.sockets.size();
  const GpuBox& box = view.gpus[gpu];
  const TopologySlot& slot = topology.slots[gpu];
  view.chosen_title = box.title == "-" ? box.product + "  " + box.bdf : box.title;
  const TopologyNode* node = slot.node ? topology.find(*slot.node) : nullptr;
  if (expert && node) {
    tell_driver(slot, view);
    for (const std::uint32_t id : slot.devices) {
      if (const TopologyNode* device = topology.find(id)) {
        if (slot.devices.size() > 1)
          view.facts.push_back({"topology.partition", title_of(topology, *device), no_event});
        tell_all(*device, view);
      }
    }
    return;
  }
  tell_gpu(topology, slot, box, view);
}

}  // namespace

std::string gibibytes(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes) / (1ull << 30);
  return value < 10 ? fmt::format("{:.1f} GiB", value) : fmt::format("{:.0f} GiB", value);
}

std::string gigabytes_per_second(std::uint64_t mb_per_s) {
  return fmt::format("{:.1f} GB/s", static_cast<double>(mb_per_s) / 1000);
}

TopologyView topology_view(const Topology* topology, bool has_node, const State& state) {
  TopologyView view;
  if (!topology) {
    view.state = has_node ? TopologyView::State::looking : TopologyView::State::no_node;
    return view;
  }
  view.state = TopologyView::State::ready;
  view.missing = topology->missing;
  view.because = topology->because;
  view.sockets = sockets_of(*topology);
  for (const TopologySlot& slot : topology->slots)
    view.gpus.push_back(box_of(*topology, slot, view.sockets.size()));
  fill_tables(*topology, view);
  fill_errors(*topology, view);
  // The first GPU, until somebody chooses.
  const auto item = state.item.find(Layout::topology);
  const std::size_t first = view.gpus.empty() ? 0 : view.sockets.size();
  view.chosen = item == state.item.end() ? first : static_cast<std::size_t>(item->second);
  view.chosen = std::min(view.chosen, view.items() == 0 ? 0 : view.items() - 1);
  tell_chosen(*topology, state.expert, view);
  return view;
}

}  // namespace rocdrill::gui
