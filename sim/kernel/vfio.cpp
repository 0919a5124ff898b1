// Ring-buffer lines: drivers/vfio/pci/vfio_pci.c and vfio_main.c.
#include "sim/kernel/vfio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace rocdrill::kernel {
namespace {

constexpr std::string_view driver = "vfio-pci";

std::string id_of(const sim::PciDevice& device) {
  return fmt::format("{:04x}:{:04x}", device.vendor, device.device);
}

}  // namespace

bool Vfio::claims(const sim::PciDevice& device) const {
  return std::ranges::find(ids_, id_of(device)) != ids_.end();
}

int Vfio::bind(const sim::Bdf& bdf, EventId cause) {
  const std::string subject = bdf.text();
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::warning, "vfio.bound", subject,
                         {{field::did, "vfio-pci holds the device; no other driver gets it"},
                          {field::see, "lspci -k"}},
                         cause);
  os_.pci.bind(bdf, std::string(driver), event);
  return 0;
}

int Vfio::unbind(const sim::Bdf& bdf, EventId cause) {
  const EventId event = os_.journal.record(Layer::kernel, Severity::info, "vfio.unbound",
                                           bdf.text(), {{field::see, "lspci -k"}}, cause);
  os_.pci.bind(bdf, "", event);
  return 0;
}

int Vfio::init(const LoadedModule& module, EventId cause) {
  os_.log(6, "VFIO - User Level meta-driver version: 0.3", module.event);
  ids_.clear();
  if (const auto given = module.parameters.find("ids"); given != module.parameters.end()) {
    std::string list = given->second;
    std::ranges::replace(list, ',', ' ');
    ids_ = sim::words_of(list);
  }
  for (std::string& id : ids_) {
    std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
    os_.log(6, fmt::format("vfio_pci: add [{}[ffffffff:ffffffff]] class 0x000000/00000000", id),
            module.event);
  }
  const EventId why = module.parameters_event != no_event ? module.parameters_event : cause;
  std::vector<sim::Bdf> free;
  for (const auto& [bdf, device] : os_.pci.devices()) {
    if (device.driver.empty() && claims(device)) free.push_back(bdf);
  }
  for (const sim::Bdf& bdf : free) bind(bdf, why);
  return 0;
}

int Vfio::exit(EventId cause) {
  std::vector<sim::Bdf> held;
  for (const auto& [bdf, device] : os_.pci.devices()) {
    if (device.driver == driver) held.push_back(bdf);
  }
  for (const sim::Bdf& bdf : held) unbind(bdf, cause);
  ids_.clear();
  return 0;
}

}  // namespace rocdrill::kernel
