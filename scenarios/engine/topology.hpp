// Processors, memories and links of a node at one moment, as /sys shows them to the node's user,
// and which GPU of the board is which node of KFD.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stack/event.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::sim {
class Node;
}

namespace rocdrill::scenarios {

/// A node of the KFD topology: /sys/class/kfd/kfd/topology/nodes/<id>.
struct TopologyNode {
  std::uint32_t id = 0;
  std::uint32_t gpu_id = 0;  ///< 0 on CPU nodes
  std::string name;          ///< "aqua_vanjaram"; "" on CPU nodes
  std::string bdf;           ///< "0000:1b:00.0"; "" on CPU nodes
  std::string target;        ///< "gfx942"; "" on CPU nodes
  kfd::KfdNodeProperties properties;
  std::vector<kfd::MemBank> banks;
  std::vector<kfd::IoLink> links;  ///< from here, in KFD's order

  bool is_gpu() const { return properties.simd_count > 0; }
  std::uint64_t memory_bytes() const;
  std::uint64_t compute_units() const;  ///< 0 on CPU nodes
};

/// A counter of errors: a file of the GPU's directory in /sys.
struct ErrorCounter {
  std::string name;  ///< "pcie_replay_count", "xgmi_wafl ue"
  std::uint64_t count = 0;
};

/// A GPU that sits in the machine, whatever became of it.
struct TopologySlot {
  std::string product;  ///< "MI300X"
  std::string bdf;
  std::uint32_t numa_node = 0;
  bool on_bus = false;                ///< the kernel has it in /sys/bus/pci/devices
  std::string driver;                 ///< bound to it; "" if none
  std::string speed;                  ///< "32.0 GT/s PCIe", as trained
  std::string lanes;                  ///< "16"
  std::optional<std::uint32_t> node;  ///< of the KFD topology; where it is divided, the first
  /// The devices that it is divided into, as nodes of the KFD topology; one where it is whole.
  std::vector<std::uint32_t> devices;
  std::string compute_mode;          ///< "SPX", "CPX"; "" where the driver knows no partitions
  std::string memory_mode;           ///< "NPS1"
  std::string compute_modes;         ///< that the driver offers: "SPX, DPX, QPX, CPX"
  std::string memory_modes;          ///< "NPS1, NPS4"; "" where there is no choice
  std::vector<ErrorCounter> errors;  ///< of its links
};

struct Topology {
  std::vector<TopologyNode> nodes;
  std::vector<TopologySlot> slots;
  /// ACPI SLIT: [from][to] of the NUMA nodes that are on line; 10 is local.
  std::vector<std::vector<std::uint32_t>> distances;
  std::string missing;         ///< why there are no nodes: "ENOENT"; "" if there are
  EventId because = no_event;  ///< the event that explains it

  const TopologyNode* find(std::uint32_t id) const;
};

/// As the node's user reads it. Leaves out what this user may not read.
Topology topology_of(sim::Node& node);

/// "PCIe", "xGMI", "HT" (HyperTransport and its successors), "QPI"; "type 7" for others.
std::string name(kfd::LinkType type);

}  // namespace rocdrill::scenarios
