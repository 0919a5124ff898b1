#include "sim/silicon/board.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::silicon {
std::uint32_t pci_class(const GpuProduct& product) {
  const std::string_view name = product.marketing_name;
  if (!name.starts_with("AMD Instinct")) return 0x030000;
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3} ? 0x120000 : 0x038000;
}

std::string pci_name(const GpuProduct& product) {
  return fmt::format("Advanced Micro Devices, Inc. [AMD/ATI] {}", product.marketing_name);
}

const GpuProduct& product_or_throw(std::string_view key) {
  if (const GpuProduct* product = find(key)) return *product;
  throw std::runtime_error(fmt::format("the GPU catalogue has no product '{}'", key));
}

void Board::power_on(EventId cause) {
  os_.pci.clear();
  for (const Gpu& gpu : gpus_) {
    if (!gpu.responds) continue;
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
                 .description = pci_name(*gpu.product),
                 .driver = {},
                 .event = event});
  }
}

std::uint64_t Board::hive_id() const {
  std::uint64_t id = 0;
  std::size_t members = 0;
  for (const Gpu& gpu : gpus_) {
    if (gpu.product->xgmi_links == 0) continue;
    ++members;
    id ^= gpu.unique_id * 0x9E3779B97F4A7C15ull;
  }
  return members > 1 ? id | 1 : 0;
}

bool Board::xgmi(std::size_t from, std::size_t to) const {
  return from != to && gpus_.at(from).product->xgmi_links > 0 &&
         gpus_.at(to).product->xgmi_links > 0;
}

}  // namespace rocdrill::silicon
