// The GPUs of this node: which products sit in which slots, and how they are linked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/host/os.hpp"
#include "sim/silicon/ras.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::silicon {

struct Gpu {
  const GpuProduct* product = nullptr;
  sim::Bdf bdf;
  std::uint32_t numa_node = 0;
  std::uint64_t unique_id = 0;     ///< "GPU-%016x"
  bool responds = true;            ///< false: off the bus
  bool needs_power_cycle = false;  ///< off the bus until main power was gone; a reset is not enough
  bool pcie_atomics = true;        ///< the slot's path to the root complex routes AtomicOps
  MemoryMode memory_mode = MemoryMode::nps1;  ///< of the memory controllers
  /// Version of the IFWI, "022.040.003.043.000001"; "" where none is known.
  std::string ifwi = {};
  EventId ifwi_event = no_event;  ///< what put another one there
  Ras ras = {};
  Defects defects = {};
  EventId event = no_event;  ///< last change of the silicon

  template <class Archive>
  void serialize(Archive& archive);
};

class Board {
 public:
  explicit Board(sim::Os& os);

  void add(Gpu gpu) { gpus_.push_back(std::move(gpu)); }
  const std::vector<Gpu>& gpus() const { return gpus_; }
  std::vector<Gpu>& gpus() { return gpus_; }
  /// Firmware POST: every GPU that answers appears on the PCI bus.
  void power_on(EventId cause);
  /// Main power goes and comes back (a BMC does that): what hung answers again.
  void power_cycle();
  /// The event of a GPU that does not answer; no_event if all do.
  EventId why_silent() const;
  /// The GPU of this GPU's hive, or itself, that does not boot: then none of them does. nullptr if
  /// all do.
  const Gpu* boot_failure(std::size_t gpu) const;
  /// The GPUs that are reset together with this one: its hive, else itself.
  std::vector<std::uint32_t> reset_group(std::uint32_t gpu) const;
  /// Another board of the same product in this slot, and the power on again.
  void replace(std::size_t gpu, EventId cause);
  /// A rescan of the bus: those that answer and are not on it appear.
  void enumerate(EventId cause);

  /// GPUs with xGMI links form one hive; 0 if there is none.
  std::uint64_t hive_id() const;
  /// Whether two GPUs have a direct xGMI link.
  bool xgmi(std::size_t from, std::size_t to) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("gpus", gpus_);
  }

 private:
  sim::Os& os_;
  std::vector<Gpu> gpus_;
};

/// PCI class code of the product: processing accelerator, display or VGA controller.
std::uint32_t pci_class(const GpuProduct& product);
/// As lspci names it.
std::string pci_name(const GpuProduct& product);

const GpuProduct& product_or_throw(std::string_view key);

template <class Archive>
void Gpu::serialize(Archive& archive) {
  std::string key = product ? std::string(product->product) : std::string();
  archive("product", key);
  if constexpr (!Archive::saving) product = &product_or_throw(key);
  archive("bdf", bdf);
  archive("numa_node", numa_node);
  archive("unique_id", unique_id);
  archive("responds", responds);
  archive("needs_power_cycle", needs_power_cycle);
  archive("pcie_atomics", pcie_atomics);
  archive("memory_mode", memory_mode);
  archive("ifwi", ifwi);
  archive("ifwi_event", ifwi_event);
  archive("ras", ras);
  archive("defects", defects);
  archive("event", event);
}

}  // namespace rocdrill::silicon
