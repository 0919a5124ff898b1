#include "sim/host/pci.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <set>

namespace rocdrill::sim {
namespace {

constexpr std::string_view root = "/sys/bus/pci";
constexpr FileStat directory{.type = FileType::directory, .mode = 0755};
constexpr FileStat attribute{.type = FileType::regular, .mode = 0444, .size = 4096};
constexpr FileStat link{.type = FileType::symlink, .mode = 0777};

constexpr std::string_view attributes[] = {
    "class",    "device",           "modalias",         "numa_node",
    "revision", "subsystem_device", "subsystem_vendor", "vendor"};

std::string attribute_text(const PciDevice& device, std::string_view name) {
  if (name == "class") return fmt::format("0x{:06x}\n", device.class_code);
  if (name == "device") return fmt::format("0x{:04x}\n", device.device);
  if (name == "modalias") return modalias(device) + "\n";
  if (name == "numa_node") return fmt::format("{}\n", device.numa_node);
  if (name == "revision") return fmt::format("0x{:02x}\n", device.revision);
  if (name == "subsystem_device") return fmt::format("0x{:04x}\n", device.subsystem_device);
  if (name == "subsystem_vendor") return fmt::format("0x{:04x}\n", device.subsystem_vendor);
  if (name == "vendor") return fmt::format("0x{:04x}\n", device.vendor);
  return {};
}

/// The path below /sys/bus/pci as its parts.
std::vector<std::string_view> parts(std::string_view path) {
  path.remove_prefix(std::min(root.size(), path.size()));
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

}  // namespace

std::string Bdf::text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", domain, bus, device, function);
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

const PciDevice* PciBus::named(std::string_view bdf) const {
  for (const auto& [key, device] : devices_) {
    if (key.text() == bdf) return &device;
  }
  return nullptr;
}

void PciBus::bind(const Bdf& bdf, std::string driver, EventId event) {
  if (PciDevice* device = find(bdf)) {
    device->driver = std::move(driver);
    device->event = event;
  }
}

SysResult<FileStat> PciBus::lstat(std::string_view path) {
  const auto part = parts(path);
  if (part.empty()) return directory;
  if (part[0] == "drivers") {
    if (part.size() == 1) return directory;
    for (const auto& [bdf, device] : devices_) {
      if (device.driver != part[1]) continue;
      if (part.size() == 2) return directory;
      if (part.size() == 3 && part[2] == bdf.text()) return link;
    }
    return fail(ENOENT);
  }
  if (part[0] != "devices") return fail(ENOENT);
  if (part.size() == 1) return directory;
  const PciDevice* device = named(part[1]);
  if (!device) return fail(ENOENT);
  if (part.size() == 2) return directory;
  if (part.size() > 3) return fail(ENOTDIR);
  if (part[2] == "driver") {
    if (device->driver.empty()) return fail(ENOENT, device->event);
    return link;
  }
  if (attribute_text(*device, part[2]).empty()) return fail(ENOENT);
  return attribute;
}

SysResult<std::string> PciBus::read(std::string_view path) {
  const auto part = parts(path);
  if (part.size() != 3 || part[0] != "devices") return fail(EISDIR);
  const PciDevice* device = named(part[1]);
  if (!device) return fail(ENOENT);
  std::string text = attribute_text(*device, part[2]);
  if (text.empty()) return fail(ENOENT);
  return text;
}

SysResult<std::vector<std::string>> PciBus::list(std::string_view path) {
  const auto part = parts(path);
  std::set<std::string> names;
  if (part.empty()) {
    names = {"devices", "drivers"};
  } else if (part[0] == "devices" && part.size() == 1) {
    for (const auto& [bdf, device] : devices_) names.insert(bdf.text());
  } else if (part[0] == "devices" && part.size() == 2) {
    const PciDevice* device = named(part[1]);
    if (!device) return fail(ENOENT);
    names.insert(std::begin(attributes), std::end(attributes));
    if (!device->driver.empty()) names.insert("driver");
  } else if (part[0] == "drivers" && part.size() <= 2) {
    for (const auto& [bdf, device] : devices_) {
      if (device.driver.empty()) continue;
      if (part.size() == 1)
        names.insert(device.driver);
      else if (device.driver == part[1])
        names.insert(bdf.text());
    }
  } else {
    return fail(ENOTDIR);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

SysResult<std::string> PciBus::readlink(std::string_view path) {
  const auto part = parts(path);
  if (part.size() == 3 && part[0] == "devices" && part[2] == "driver") {
    const PciDevice* device = named(part[1]);
    if (device && !device->driver.empty()) return "../../drivers/" + device->driver;
  }
  if (part.size() == 3 && part[0] == "drivers") {
    return "../../devices/" + std::string(part[2]);
  }
  return fail(EINVAL);
}

}  // namespace rocdrill::sim
