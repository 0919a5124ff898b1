#include "sim/silicon/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::silicon {
namespace {

/// BARs as on real boards: 0 the VRAM (all of it: resizable), 2 the doorbells, 4 I/O ports of
/// boards with a display, 5 registers, then the ROM. The addresses are assumed; every GPU has a
/// stretch of its own, aligned to the size.
std::vector<sim::PciBar> bars_of(const GpuProduct& product, std::uint64_t index) {
  using Kind = sim::PciBar::Kind;
  const bool cdna3 = product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3};
  const bool display = pci_class(product) == 0x030000;
  const std::uint64_t prefetchable = (1 + index) << 41, registers = 0x9000'0000 + (index << 23);
  const std::uint64_t vram = product.apu ? 256ull << 20 : std::bit_ceil(product.vram_bytes);
  std::vector<sim::PciBar> bars{{0, Kind::prefetchable64, prefetchable, vram},
                                {2, Kind::prefetchable64, prefetchable + (1ull << 40), 2u << 20},
                                {5, Kind::memory32, registers, cdna3 ? 2u << 20 : 512u << 10},
                                {6, Kind::rom, registers + (4u << 20), 128u << 10}};
  if (display) bars.push_back({4, Kind::io, 0xE000 - (index << 12), 256});
  return bars;
}

bool answers(const Gpu& gpu) { return gpu.responds && !gpu.needs_power_cycle; }

}  // namespace

Board::Board(sim::Os& os) : os_(os) {
  os.pci.on_rescan([this](EventId cause) { enumerate(cause); });
  os.pci.explain_missing([this] { return why_silent(); });
}

std::uint32_t pci_class(const GpuProduct& product) {
  const std::string_view name = product.marketing_name;
  if (!name.starts_with("AMD Instinct")) return 0x030000;
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3} ? 0x120000 : 0x038000;
}

std::string pci_name(const GpuProduct& product) {
  struct Row {
    std::uint16_t device;
    std::string_view name;
  };
  // pci.ids; those of MI350X and later are not in Debian 12's.
  static constexpr Row rows[] = {
      {0x66AF, "Vega 20 [Radeon VII]"},
      {0x738C, "Arcturus GL-XL [Instinct MI100]"},
      {0x7408, "Aldebaran/MI200 [Instinct MI250X]"},
      {0x740F, "Aldebaran/MI200 [Instinct MI210]"},
      {0x74A0, "Aqua Vanjaram [Instinct MI300A]"},
      {0x74A1, "Aqua Vanjaram [Instinct MI300X]"},
      {0x74A2, "Aqua Vanjaram [Instinct MI308X]"},
      {0x74A5, "Aqua Vanjaram [Instinct MI325X]"},
      {0x73BF, "Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]"},
      {0x744C, "Navi 31 [Radeon RX 7900 XT/7900 XTX]"},
      {0x747E, "Navi 32 [Radeon RX 7700 XT / 7800 XT]"},
      {0x7550, "Navi 48 [Radeon RX 9070/9070 XT/9070 GRE]"},
      {0x164E, "Raphael"},
      {0x1586, "Strix Halo [Radeon Graphics / Radeon 8050S Graphics / Radeon 8060S Graphics]"},
  };
  const auto row = std::ranges::find(rows, product.device_id, &Row::device);
  return fmt::format("Advanced Micro Devices, Inc. [AMD/ATI] {}",
                     row == std::end(rows) ? product.marketing_name : row->name);
}

const GpuProduct& product_or_throw(std::string_view key) {
  if (const GpuProduct* product = find(key)) return *product;
  throw std::runtime_error(fmt::format("the GPU catalogue has no product '{}'", key));
}

void Board::power_on(EventId cause) {
  os_.pci.clear();
  for (Gpu& gpu : gpus_) {
    gpu.memory_mode = MemoryMode::nps1;  // the firmware's default
    gpu.ras.counts.clear();
    gpu.ras.poisoned.clear();
  }
  for (Gpu& gpu : gpus_) {
    if (answers(gpu)) continue;
    gpu.event = os_.journal.record(Layer::silicon, Severity::error, "pci.no_answer", gpu.bdf.text(),
                                   {{field::asked, "the vendor id behind the port"},
                                    {field::got, "0xffff"},
                                    {field::did, "the device is not on the bus"},
                                    {field::see, "lspci -d 1002:"}},
                                   gpu.event != no_event ? gpu.event : cause);
  }
  train_links();
  os_.pci.set_acs(os_.uefi.acs ? sim::acs_redirect : 0, os_.uefi.event);
  enumerate(cause);
}

void Board::power_cycle() {
  for (Gpu& gpu : gpus_) {
    if (std::exchange(gpu.needs_power_cycle, false)) gpu.event = no_event;
    gpu.defects.preemption = false;
  }
  for (Link& link : links_) {  // that it helps is assumed
    link.state = LinkState::up;
    link.passes_training = false;
    link.event = no_event;
  }
}

const Gpu* Board::boot_failure(std::size_t gpu) const {
  for (const std::uint32_t member : reset_group(static_cast<std::uint32_t>(gpu))) {
    if (gpus_[member].defects.boot) return &gpus_[member];
  }
  return nullptr;
}

std::vector<std::uint32_t> Board::reset_group(std::uint32_t gpu) const {
  if (hive_id() == 0 || gpus_.at(gpu).product->xgmi_links == 0) return {gpu};
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i].product->xgmi_links != 0) members.push_back(i);
  }
  return members;
}

void Board::replace(std::size_t index, EventId cause) {
  Gpu& gpu = gpus_.at(index);
  gpu.ras = {};
  gpu.defects = {};
  gpu.needs_power_cycle = false;
  gpu.responds = true;
  gpu.unique_id = gpu.unique_id * 0x9E3779B97F4A7C15ull | 1;
  gpu.event = os_.journal.record(Layer::silicon, Severity::info, "gpu.replaced", gpu.bdf.text(),
                                 {{field::see, "lspci -d 1002:"}}, cause);
}

EventId Board::why_silent() const {
  EventId event = no_event;
  for (const Gpu& gpu : gpus_) {
    if (!answers(gpu)) event = std::max(event, gpu.event);
  }
  return event;
}

void Board::enumerate(EventId cause) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const Gpu& gpu = gpus_[i];
    if (!answers(gpu) || os_.pci.find(gpu.bdf)) continue;
    const std::string bdf = gpu.bdf.text();
    const std::string unique_id = fmt::format("{:016x}", gpu.unique_id);
    const EventId event = os_.journal.record(Layer::silicon, Severity::info, "pci.enumerated", bdf,
                                             {{"product", gpu.product->product},
                                              {"unique_id", std::string_view(unique_id)},
                                              {field::see, "lspci -d 1002:"}},
                                             cause);
    os_.pci.add({.bdf = gpu.bdf,
                 .device = gpu.product->device_id,
                 .subsystem_device = gpu.product->device_id,
                 .revision = gpu.product->pci_rev,
                 .class_code = pci_class(*gpu.product),
                 .numa_node = gpu.numa_node,
                 .bars = bars_of(*gpu.product, i),
                 .link_generation = gpu.product->pcie_generation,
                 .link_lanes = gpu.product->pcie_lanes,
                 .atomics = gpu.pcie_atomics,
                 .description = pci_name(*gpu.product),
                 .driver = {},
                 .event = event});
  }
}

std::uint64_t Board::hive_id() const {
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (in_hive(i)) id ^= gpus_[i].unique_id * 0x9E3779B97F4A7C15ull;
  }
  return links_.empty() ? 0 : id | 1;
}

}  // namespace rocdrill::silicon
