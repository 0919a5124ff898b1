#include "sim/tools/topology_tables.hpp"

#include <algorithm>
#include <functional>

namespace rocdrill::sim::tools {
namespace {

/// Links between the listed GPUs, by their places in the list.
class LinkTable {
 public:
  LinkTable(Call& call, const std::vector<TopologyNode>& gpus) : size_(gpus.size()) {
    links_.resize(size_ * size_);
    for (std::size_t from = 0; from < size_; ++from) {
      for (const std::string_view kind : {"io_links", "p2p_links"}) {
        const std::string folder =
            fmt::format("/sys/class/kfd/kfd/topology/nodes/{}/{}", gpus[from].id, kind);
        for (const std::string& name :
             call.process().list(folder).value_or(std::vector<std::string>{})) {
          const auto text = call.process().read_file(folder + "/" + name + "/properties");
          const auto link = text ? kfd::parse_io_link(*text) : std::nullopt;
          if (!link) continue;
          const auto to = std::ranges::find(gpus, link->node_to, &TopologyNode::id);
          if (to != gpus.end())
            links_[from * size_ + static_cast<std::size_t>(to - gpus.begin())] = *link;
        }
      }
    }
  }

  std::size_t size() const { return size_; }
  const std::optional<kfd::IoLink>& link(std::size_t from, std::size_t to) const {
    return links_[from * size_ + to];
  }
  static bool xgmi(const kfd::IoLink& link) { return link.type == kfd::LinkType::xgmi; }
  /// As both tools count: 1 over xGMI however far it is, 2 within a socket, 3 beyond.
  static int hops(const kfd::IoLink& link) { return xgmi(link) ? 1 : link.weight <= 40 ? 2 : 3; }

 private:
  std::size_t size_;
  std::vector<std::optional<kfd::IoLink>> links_;
};

using Cell = std::function<std::string(const kfd::IoLink&)>;

std::string centred(std::string_view title, std::size_t width) {
  const std::size_t marks = width > title.size() + 2 ? width - title.size() - 2 : 0;
  return std::string(marks / 2, '=') + " " + std::string(title) + " " +
         std::string(marks - marks / 2, '=');
}

void print_matrix(Call& call, const LinkTable& table, std::string_view title, std::size_t width,
                  const Cell& cell) {
  call.print("{}\n       ", centred(title, width));
  for (std::size_t i = 0; i < table.size(); ++i) call.print("{:<13}", fmt::format("GPU{}", i));
  for (std::size_t from = 0; from < table.size(); ++from) {
    call.print("\n{:<7}", fmt::format("GPU{}", from));
    for (std::size_t to = 0; to < table.size(); ++to) {
      const auto& link = table.link(from, to);
      call.print("{:<13}", from == to ? "0" : link ? cell(*link) : "N/A");
    }
  }
  call.print("\n\n");
}

void amd_table(Call& call, const std::vector<SmiDevice>& devices, const LinkTable& table,
               std::string_view title, std::string_view self, std::string_view none,
               const Cell& cell) {
  call.print("{}:\n             ", title);
  for (const SmiDevice& device : devices) call.print("{:<13}", device.bdf);
  for (std::size_t from = 0; from < table.size(); ++from) {
    call.print("\n{:<13}", devices[from].bdf);
    for (std::size_t to = 0; to < table.size(); ++to) {
      const auto& link = table.link(from, to);
      call.print("{:<13}", from == to ? std::string(self) : link ? cell(*link) : std::string(none));
    }
  }
  call.print("\n\n");
}

std::vector<TopologyNode> nodes_of(const std::vector<SmiDevice>& devices) {
  std::vector<TopologyNode> nodes;
  for (const SmiDevice& device : devices) nodes.push_back(device.node);
  return nodes;
}

}  // namespace

bool asks_for_topology(const Options& options) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"--showtopo", "--showtopoweight", "--showtopohops",
                                              "--showtopotype", "--showtoponuma", "--showxgmierr"},
      [&](std::string_view name) { return options.has(name); });
}

void show_topology(Call& call, const Options& options, std::size_t width) {
  const auto gpus = gpus_by_address(call);
  const LinkTable table(call, gpus);
  const auto wants = [&](std::string_view name) {
    return options.has("--showtopo") || options.has(name);
  };
  if (wants("--showtopoweight"))
    print_matrix(call, table, "Weight between two GPUs", width,
                 [](const kfd::IoLink& link) { return std::to_string(link.weight); });
  if (wants("--showtopohops"))
    print_matrix(call, table, "Hops between two GPUs", width,
                 [](const kfd::IoLink& link) { return std::to_string(LinkTable::hops(link)); });
  if (wants("--showtopotype"))
    print_matrix(call, table, "Link Type between two GPUs", width, [](const kfd::IoLink& link) {
      return std::string(LinkTable::xgmi(link) ? "XGMI" : "PCIE");
    });
  if (wants("--showtoponuma")) {
    call.print("{}\n", centred("Numa Nodes", width));
    const auto devices = smi_devices(call);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      call.print(
          "GPU[{0}]\t\t: (Topology) Numa Node: {1}\nGPU[{0}]\t\t: (Topology) Numa Affinity: {1}\n",
          i, devices[i].gpu->numa_node);
    }
  }
  if (options.has("--showxgmierr")) {
    call.print("{}\n", centred("XGMI Error status", width));
    const auto devices = smi_devices(call);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const std::string errors = devices[i].attribute(call, "xgmi_error");
      call.print("GPU[{}]\t\t: XGMI Error count: {}\n", i,
                 errors == "N/A" ? std::string("N/A")
                 : errors == "0" ? std::string("0 (no errors)")
                                 : errors + " (errors were detected)");
    }
  }
}

int amd_smi_topology(Call& call, const std::vector<SmiDevice>& devices) {
  const LinkTable table(call, nodes_of(devices));
  amd_table(call, devices, table, "ACCESS TABLE", "ENABLED", "DISABLED",
            [](const kfd::IoLink&) { return std::string("ENABLED"); });
  amd_table(call, devices, table, "WEIGHT TABLE", "0", "N/A",
            [](const kfd::IoLink& link) { return std::to_string(link.weight); });
  amd_table(call, devices, table, "HOPS TABLE", "0", "N/A",
            [](const kfd::IoLink& link) { return std::to_string(LinkTable::hops(link)); });
  amd_table(call, devices, table, "LINK TYPE TABLE", "SELF", "N/A", [](const kfd::IoLink& link) {
    return std::string(LinkTable::xgmi(link) ? "XGMI" : "PCIE");
  });
  amd_table(call, devices, table, "NUMA BW TABLE", "N/A", "N/A", [](const kfd::IoLink& link) {
    return LinkTable::xgmi(link) ? fmt::format("{}-{}", link.min_bandwidth, link.max_bandwidth)
                                 : std::string("N/A");
  });
  return 0;
}

/// The state of the links as it is now, and what they have counted.
int amd_smi_xgmi(Call& call, const std::vector<SmiDevice>& devices) {
  const silicon::Board& board = call.node.board;
  const auto index = [&](const SmiDevice& device) {
    return static_cast<std::size_t>(device.gpu - board.gpus().data());
  };
  call.print(
      "LINK METRIC TABLE:\n       bdf          bit_rate     max_bandwidth  link_type    errors       ");
  call.print("\n");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].primary()) continue;
    std::uint64_t errors = 0;
    for (const silicon::Link& link : board.links()) {
      if (link.first != index(devices[i]) && link.second != index(devices[i])) continue;
      errors += link.crc_errors + link.uncorrectable_errors;
      if (link.event != no_event) call.event = link.event;
    }
    const bool linked = board.in_hive(index(devices[i]));
    call.print("{:<7}{:<13}{:<13}{:<15}{:<13}{:<13}\n", fmt::format("GPU{}", i), devices[i].bdf,
               linked ? "32 Gb/s" : "N/A", linked ? "512 Gb/s" : "N/A", linked ? "XGMI" : "PCIE",
               errors);
  }
  call.print("\nXGMI LINK STATUS:\n       bdf          ");
  for (const SmiDevice& device : devices)
    if (device.primary()) call.print("{:<13}", device.bdf);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].primary()) continue;
    call.print("\n{:<7}{:<13}", fmt::format("GPU{}", i), devices[i].bdf);
    for (const SmiDevice& to : devices) {
      if (!to.primary()) continue;
      const silicon::Link* link = board.link(index(devices[i]), index(to));
      call.print("{:<13}", &to == &devices[i]                        ? "SELF"
                           : !link                                   ? "N/A"
                           : link->state == silicon::LinkState::dead ? "D"
                                                                     : "U");
    }
  }
  call.print("\n\n* U:Up D:Down X:Disabled\n");
  return 0;
}

}  // namespace rocdrill::sim::tools
