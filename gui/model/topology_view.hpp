// The machine at one moment: sockets, GPUs with their XCDs, and what links them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/fact.hpp"
#include "gui/model/stack_view.hpp"
#include "scenarios/engine/topology.hpp"

namespace rocdrill::gui {

/// A NUMA node of the host.
struct SocketBox {
  std::string title;   ///< "CPU 0"
  std::string cores;   ///< logical ones; "" while KFD knows none
  std::string memory;  ///< "768 GiB"
};

/// A device that a GPU is divided into: a node of KFD, an agent of the runtime.
struct PartitionBox {
  std::string title;  ///< "GPU 12"
  std::uint64_t xccs = 0;
  std::uint64_t compute_units = 0;
  std::string memory;  ///< "24 GiB"
};

/// A GPU that sits in the machine.
struct GpuBox {
  std::string title;    ///< "GPU 3", as the runtime counts; divided "GPU 24-31"; "-" where it is no
                        ///< node of KFD
  std::string product;  ///< "MI300X"
  std::string target;   ///< "gfx942"
  std::string bdf;
  std::size_t socket = 0;  ///< index in TopologyView::sockets
  LayerState state = LayerState::ok;
  std::string state_word;  ///< key of the strings: "topology.in-kfd"
  std::uint64_t xccs = 0;  ///< 0: not known; of all partitions together
  std::uint64_t compute_units = 0;
  std::string memory;                    ///< "192 GiB"
  std::string mode;                      ///< "CPX NPS4"; "" where nothing can be divided
  std::vector<PartitionBox> partitions;  ///< one where it is whole
  std::uint64_t errors = 0;              ///< that its links have counted
  std::string pcie;                      ///< "64.0 GB/s" to its socket
  std::vector<std::size_t> peers;        ///< GPUs with a direct xGMI link, by index
};

/// A link from one node of KFD to another; type "" where there is none.
struct LinkCell {
  std::string type;       ///< "xGMI"
  std::string weight;     ///< "15"
  std::string bandwidth;  ///< "64.0 GB/s"; "" where the driver tells none
};

struct TopologyView {
  enum class State : std::uint8_t { no_node, looking, ready } state = State::no_node;
  std::vector<SocketBox> sockets;
  std::vector<GpuBox> gpus;
  std::string missing;         ///< why KFD has no nodes: "ENOENT"; "" if it has
  EventId because = no_event;  ///< of `missing`
  /// Sockets first, then GPUs.
  std::size_t chosen = 0;
  std::string chosen_title;
  std::vector<Fact> facts;         ///< of the chosen one; the expert form has every property
  std::vector<std::string> nodes;  ///< of KFD: "CPU 0", "GPU 0", ...
  std::vector<std::vector<LinkCell>> links;         ///< [from][to], in the order of `nodes`
  std::vector<std::vector<std::string>> distances;  ///< ACPI SLIT, [from][to] of NUMA nodes
  /// Errors that links have counted: the files' names, and for each GPU its title and the counts.
  std::vector<std::string> counters;
  std::vector<std::pair<std::string, std::vector<std::string>>> errors;

  std::size_t items() const { return sockets.size() + gpus.size(); }
};

/// `topology` may be null: being asked for, or (`has_node` false) there is no node to ask.
TopologyView topology_view(const scenarios::Topology* topology, bool has_node, const State& state);

std::string gibibytes(std::uint64_t bytes);                ///< "192 GiB"
std::string gigabytes_per_second(std::uint64_t mb_per_s);  ///< "64.0 GB/s"

}  // namespace rocdrill::gui
