#include "sim/host/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace rocdrill::sim {
namespace {

/// Host bridges own sixteen buses each; assumed.
std::uint8_t root_bus(const Bdf& bdf) { return bdf.bus & 0xF0; }

std::string root_name(const Bdf& bdf) {
  return fmt::format("pci{:04x}:{:02x}", bdf.domain, root_bus(bdf));
}

}  // namespace

std::string Bdf::text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", domain, bus, device, function);
}

std::optional<Bdf> parse_bdf(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != 12 || text[4] != ':' || text[7] != ':' || text[10] != '.') return std::nullopt;
  const auto hex = [&](std::size_t at, std::size_t length) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const char* last = text.data() + at + length;
    const auto [end, error] = std::from_chars(text.data() + at, last, value, 16);
    if (error != std::errc{} || end != last) return std::nullopt;
    return value;
  };
  const auto domain = hex(0, 4), bus = hex(5, 2), device = hex(8, 2), function = hex(11, 1);
  if (!domain || !bus || !device || !function || *device > 31 || *function > 7) return std::nullopt;
  return Bdf{static_cast<std::uint16_t>(*domain), static_cast<std::uint8_t>(*bus),
             static_cast<std::uint8_t>(*device), static_cast<std::uint8_t>(*function)};
}

std::string modalias(const PciDevice& d) {
  return fmt::format("pci:v{:08X}d{:08X}sv{:08X}sd{:08X}bc{:02X}sc{:02X}i{:02X}", d.vendor,
                     d.device, d.subsystem_vendor, d.subsystem_device, d.class_code >> 16 & 0xFF,
                     d.class_code >> 8 & 0xFF, d.class_code & 0xFF);
}

PciDevice* PciBus::find(const Bdf& bdf) {
  const auto at = devices_.find(bdf);
  return at == devices_.end() ? nullptr : &at->second;
}

const PciDevice* PciBus::named(std::string_view text) const {
  const auto bdf = parse_bdf(text);
  if (!bdf) return nullptr;
  const auto at = devices_.find(*bdf);
  return at == devices_.end() ? nullptr : &at->second;
}

void PciBus::bind(const Bdf& bdf, std::string driver, EventId event) {
  if (PciDevice* device = find(bdf)) {
    device->driver = std::move(driver);
    device->event = event;
  }
}

void PciBus::set_acs(std::uint16_t control, EventId event) {
  acs_ = control;
  acs_of_port_.clear();
  acs_event_ = event;
}

bool PciBus::set_acs(const Bdf& port, std::uint16_t control, EventId event) {
  const auto ports = root_ports();
  if (std::ranges::find(ports, port, &PciDevice::bdf) == ports.end()) return false;
  acs_of_port_[port] = control;
  acs_event_ = event;
  return true;
}

std::uint16_t PciBus::acs(const Bdf& port) const {
  const auto own = acs_of_port_.find(port);
  return own == acs_of_port_.end() ? acs_ : own->second;
}

bool PciBus::redirects() const {
  return std::ranges::any_of(root_ports(), [](const PciDevice& port) {
    return (port.acs_control & acs_request_redirect) != 0;
  });
}

std::vector<PciDevice> PciBus::root_ports() const {
  std::vector<PciDevice> ports;
  std::uint8_t below_root = 0;
  for (const auto& [bdf, device] : devices_) {
    if (bdf.bus == root_bus(bdf)) continue;  // sits on the root itself
    const PciDevice* last = ports.empty() ? nullptr : &ports.back();
    const Bdf root{bdf.domain, root_bus(bdf), 0, 0};
    const bool same_root = last && last->bdf.domain == root.domain && last->bdf.bus == root.bus;
    if (same_root && last->subsystem_device == bdf.bus) continue;  // another function of the bus
    below_root = same_root ? below_root + 1 : 1;
    PciDevice port;
    port.bdf = {root.domain, root.bus, below_root, 1};
    port.vendor = port.subsystem_vendor = 0x1022;
    port.device = 0x1483;
    port.subsystem_device = bdf.bus;  // tells the ports apart here; not shown
    port.class_code = 0x060400;
    port.numa_node = device.numa_node;
    port.link_generation = device.link_generation;
    port.link_lanes = device.link_lanes;
    port.atomics = device.atomics;
    port.description = "Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge";
    port.driver = "pcieport";
    port.acs_control = acs(port.bdf);
    ports.push_back(std::move(port));
  }
  for (PciDevice& port : ports) port.subsystem_device = 0x1453;
  return ports;
}

std::vector<PciDevice> PciBus::all() const {
  std::vector<PciDevice> list = root_ports();
  for (const auto& [bdf, device] : devices_) list.push_back(device);
  return list;
}

std::string PciBus::sysfs_path(const PciDevice& device) const {
  const Bdf& bdf = device.bdf;
  std::string path = "/sys/devices/" + root_name(bdf);
  if (!device.is_bridge() && bdf.bus != root_bus(bdf)) {
    // Ports are in the order of the buses below them.
    std::uint8_t index = 0;
    std::optional<std::uint8_t> last;
    for (const auto& [other, below] : devices_) {
      if (other.domain != bdf.domain || root_bus(other) != root_bus(bdf)) continue;
      if (other.bus == root_bus(other) || other.bus > bdf.bus || last == other.bus) continue;
      last = other.bus;
      ++index;
    }
    path += "/" + Bdf{bdf.domain, root_bus(bdf), index, 1}.text();
  }
  return path + "/" + bdf.text();
}

const PciDriver* PciBus::driver(std::string_view name) const {
  const auto at = std::ranges::find(drivers_, name, &PciDriver::name);
  return at == drivers_.end() || !at->loaded() ? nullptr : &*at;
}

int PciBus::attach(std::string_view name, const Bdf& bdf, EventId cause) {
  const PciDriver* driver = this->driver(name);
  const PciDevice* device = find(bdf);
  if (!driver || !device || !driver->matches(*device)) return ENODEV;
  if (!device->driver.empty()) return EBUSY;
  return driver->probe(bdf, cause);
}

int PciBus::detach(const Bdf& bdf, EventId cause) {
  const PciDevice* device = find(bdf);
  if (!device || device->driver.empty()) return ENODEV;
  const PciDriver* driver = this->driver(device->driver);
  return driver ? driver->remove(bdf, cause) : EOPNOTSUPP;
}

int PciBus::unplug(const Bdf& bdf, EventId cause) {
  const PciDevice* device = find(bdf);
  if (!device) return ENODEV;
  if (!device->driver.empty()) {
    if (const int error = detach(bdf, cause)) return error;
  }
  journal_->record(
      Layer::kernel, Severity::warning, "pci.removed", bdf.text(),
      {{field::did, "the kernel forgets the device until a rescan"}, {field::see, "lspci"}}, cause);
  remove(bdf);
  return 0;
}

void PciBus::rescan(EventId cause) {
  std::vector<Bdf> before;
  for (const auto& [bdf, device] : devices_) before.push_back(bdf);
  if (rescan_) rescan_(cause);
  std::vector<Bdf> added;
  for (const auto& [bdf, device] : devices_) {
    if (std::ranges::find(before, bdf) == before.end()) added.push_back(bdf);
  }
  for (const Bdf& bdf : added) {
    for (const PciDriver& driver : drivers_) {
      if (driver.loaded() && driver.matches(*find(bdf))) driver.probe(bdf, cause);
    }
  }
}

}  // namespace rocdrill::sim
