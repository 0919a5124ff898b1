// The PCI bus as the kernel enumerated it: devices with ids, class and the driver bound to them.
// /sys/bus/pci and /sys/devices/pci* are read from here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/files.hpp"

namespace rocdrill::sim {

/// Domain, bus, device, function. Prints and sorts as "0000:1b:00.0".
struct Bdf {
  std::uint16_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  auto operator<=>(const Bdf&) const = default;
  std::string text() const;
  /// bus << 8 | device << 3 | function: KFD's location_id.
  std::uint32_t location() const { return bus << 8u | device << 3u | function; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("domain", domain);
    archive("bus", bus);
    archive("device", device);
    archive("function", function);
  }
};

struct PciDevice {
  Bdf bdf;
  std::uint16_t vendor = 0x1002;
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0x1002;
  std::uint16_t subsystem_device = 0;
  std::uint8_t revision = 0;
  std::uint32_t class_code = 0x120000;  ///< processing accelerator; 0x030000 VGA
  std::uint32_t numa_node = 0;
  std::string description;   ///< as lspci names it
  std::string driver;        ///< bound driver, "" if none
  EventId event = no_event;  ///< last change of this device on the bus

  template <class Archive>
  void serialize(Archive& archive) {
    archive("bdf", bdf);
    archive("vendor", vendor);
    archive("device", device);
    archive("subsystem_vendor", subsystem_vendor);
    archive("subsystem_device", subsystem_device);
    archive("revision", revision);
    archive("class_code", class_code);
    archive("numa_node", numa_node);
    archive("description", description);
    archive("driver", driver);
    archive("event", event);
  }
};

/// "pci:v00001002d000074A1sv...": what udev hands to modprobe.
std::string modalias(const PciDevice& device);

class PciBus : public FileProvider {
 public:
  void clear() { devices_.clear(); }
  void add(PciDevice device) { devices_.insert_or_assign(device.bdf, std::move(device)); }
  void remove(const Bdf& bdf) { devices_.erase(bdf); }
  PciDevice* find(const Bdf& bdf);
  const std::map<Bdf, PciDevice>& devices() const { return devices_; }
  void bind(const Bdf& bdf, std::string driver, EventId event);

  /// Serves /sys/bus/pci: devices/<bdf>/{vendor,device,class,...,driver} and drivers/<name>/.
  SysResult<FileStat> lstat(std::string_view path) override;
  SysResult<std::string> read(std::string_view path) override;
  SysResult<std::vector<std::string>> list(std::string_view path) override;
  SysResult<std::string> readlink(std::string_view path) override;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("devices", devices_);
  }

 private:
  const PciDevice* named(std::string_view bdf) const;
  std::map<Bdf, PciDevice> devices_;
};

}  // namespace rocdrill::sim
