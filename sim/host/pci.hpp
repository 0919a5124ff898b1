// The PCI bus as the kernel enumerated it: devices with ids, resources and the driver bound to
// them, each below a root port of its own. /sys/bus/pci and /sys/devices/pci* are read from here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/journal.hpp"
#include "sim/host/virtual_tree.hpp"

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

/// A base address register, or the expansion ROM (index 6).
struct PciBar {
  enum class Kind : std::uint8_t { memory32, prefetchable64, io, rom };
  std::uint32_t index = 0;  ///< 64-bit ones take two
  Kind kind = Kind::memory32;
  std::uint64_t address = 0;  ///< 0: it was given none
  std::uint64_t size = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("index", index);
    archive("kind", kind);
    archive("address", address);
    archive("size", size);
  }
};

/// ACS Control of a port: source validation, and requests and completions between peers go up to
/// the root complex (PCI Express Base 5.0, 7.7.11).
inline constexpr std::uint16_t acs_source_validation = 0x01, acs_request_redirect = 0x04,
                               acs_redirect = 0x1D;

struct PciDevice {
  Bdf bdf;
  std::uint16_t vendor = 0x1002;
  std::uint16_t device = 0;
  std::uint16_t subsystem_vendor = 0x1002;
  std::uint16_t subsystem_device = 0;
  std::uint8_t revision = 0;
  std::uint32_t class_code = 0x120000;  ///< processing accelerator; 0x030000 VGA
  std::uint32_t numa_node = 0;
  std::vector<PciBar> bars;
  std::uint8_t link_generation = 4;  ///< trained: 4 = 16 GT/s
  std::uint8_t link_lanes = 16;
  bool atomics = true;            ///< AtomicOps: completes them; a root port: routes them
  std::uint16_t acs_control = 0;  ///< of a root port: what it does with requests between peers
  std::string description;        ///< as lspci names it
  std::string driver;             ///< bound driver, "" if none
  EventId event = no_event;       ///< last change of this device on the bus

  bool is_bridge() const { return class_code >> 8 == 0x0604; }
  /// Interrupt line as Linux numbers it; assumed.
  std::uint32_t irq() const { return 64u + bdf.bus; }

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
    archive("bars", bars);
    archive("link_generation", link_generation);
    archive("link_lanes", link_lanes);
    archive("atomics", atomics);
    archive("acs_control", acs_control);
    archive("description", description);
    archive("driver", driver);
    archive("event", event);
  }
};

/// "pci:v00001002d000074A1sv...": what udev hands to modprobe.
std::string modalias(const PciDevice& device);

/// The 4096 bytes of configuration space. Which capabilities a GPU and a root port have is that of
/// real ones (lspci -vv of MI210, Navi 21, Starship); their control and status bits are assumed.
/// `child` is the device below a bridge.
std::string config_space(const PciDevice& device, const PciDevice* child = nullptr);

/// A driver of the bus. What it does to a device, it does when it is told to.
struct PciDriver {
  std::string name;
  std::function<bool()> loaded;
  std::function<bool(const PciDevice&)> matches;
  /// 0 or an errno.
  std::function<int(const Bdf&, EventId)> probe;
  std::function<int(const Bdf&, EventId)> remove;
};

class PciBus {
 public:
  void clear() { devices_.clear(); }
  void add(PciDevice device) { devices_.insert_or_assign(device.bdf, std::move(device)); }
  void remove(const Bdf& bdf) { devices_.erase(bdf); }
  PciDevice* find(const Bdf& bdf);
  const std::map<Bdf, PciDevice>& devices() const { return devices_; }
  void bind(const Bdf& bdf, std::string driver, EventId event);

  /// ACS Control of every root port, as the firmware sets it.
  void set_acs(std::uint16_t control, EventId event);
  /// Of one of them (setpci). False if there is no such port.
  bool set_acs(const Bdf& port, std::uint16_t control, EventId event);
  std::uint16_t acs(const Bdf& port) const;
  /// What explains the ports' ACS Control; no_event: as the board comes.
  EventId why_acs() const { return acs_event_; }
  /// Whether a port sends requests between peers up to the root complex.
  bool redirects() const;

  /// The root port above each bus that has devices: real boards have more bridges, which are left
  /// out. Derived from devices().
  std::vector<PciDevice> root_ports() const;
  /// Devices and root ports.
  std::vector<PciDevice> all() const;
  /// "/sys/devices/pci0000:c0/0000:c0:01.1/0000:c3:00.0".
  std::string sysfs_path(const PciDevice& device) const;

  // --- the kernel's side ---
  void register_driver(PciDriver driver) { drivers_.push_back(std::move(driver)); }
  /// More attributes in the directory of every device.
  using Extension = std::function<void(const PciDevice&, VirtualDirectory&)>;
  void extend(Extension extension) { extensions_.push_back(std::move(extension)); }
  /// What puts devices on the bus that answer and are not there yet.
  void on_rescan(std::function<void(EventId)> rescan) { rescan_ = std::move(rescan); }
  /// Why a device that should be there does not answer; no_event if all do.
  void explain_missing(std::function<EventId()> why) { why_missing_ = std::move(why); }

  /// What root can do through sysfs. 0 or an errno, as the write returns it.
  int attach(std::string_view driver, const Bdf& bdf, EventId cause);
  int detach(const Bdf& bdf, EventId cause);
  int unplug(const Bdf& bdf, EventId cause);
  void rescan(EventId cause);

  /// Adds /sys/bus/pci and /sys/devices/pci* to the tree.
  void show(VirtualTree& tree, Journal& journal);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("devices", devices_);
    archive("acs", acs_);
    archive("acs_of_port", acs_of_port_);
    archive("acs_event", acs_event_);
  }

 private:
  const PciDevice* named(std::string_view bdf) const;
  const PciDriver* driver(std::string_view name) const;
  std::vector<std::string> drivers_shown() const;
  void show_device(const PciDevice& device, const PciDevice* child, VirtualDirectory& into);
  void show_controls(const PciDevice& device, VirtualDirectory& into);
  void show_driver(const std::string& name, VirtualDirectory& into);
  void show_bus(VirtualDirectory& into);
  void show_tree(VirtualDirectory& into);

  std::map<Bdf, PciDevice> devices_;
  std::uint16_t acs_ = 0;
  std::map<Bdf, std::uint16_t> acs_of_port_;  ///< where it differs from acs_
  EventId acs_event_ = no_event;
  std::vector<PciDriver> drivers_;
  std::vector<Extension> extensions_;
  std::function<void(EventId)> rescan_;
  std::function<EventId()> why_missing_;
  Journal* journal_ = nullptr;
};

/// "0000:c3:00.0"; nothing if it is no address.
std::optional<Bdf> parse_bdf(std::string_view text);

}  // namespace rocdrill::sim
