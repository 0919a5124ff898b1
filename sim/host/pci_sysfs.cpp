// /sys/bus/pci and /sys/devices/pci*: names, modes and formats of drivers/pci/pci-sysfs.c (6.1).
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "sim/host/pci.hpp"

namespace rocdrill::sim {
namespace {

// Resource flags: IORESOURCE_* of linux/ioport.h with the low bits of the BAR.
std::uint64_t resource_flags(PciBar::Kind kind, bool window) {
  if (window) {  // pci_read_bridge_bases(): the type as the window's registers have it
    return kind == PciBar::Kind::io ? 0x101 : kind == PciBar::Kind::memory32 ? 0x200 : 0x102201;
  }
  switch (kind) {
    case PciBar::Kind::memory32:
      return 0x40200;
    case PciBar::Kind::prefetchable64:
      return 0x14220c;
    case PciBar::Kind::io:
      return 0x40101;
    case PciBar::Kind::rom:
      return 0x46200;
  }
  return 0;
}

/// Windows of a bridge, as if they were BARs: 13 I/O, 14 memory, 15 prefetchable memory.
std::vector<PciBar> windows(const PciDevice& child) {
  std::vector<PciBar> out;
  const auto cover = [&](std::uint32_t index, PciBar::Kind kind, std::uint64_t grain,
                         auto belongs) {
    std::uint64_t low = UINT64_MAX, high = 0;
    for (const PciBar& bar : child.bars) {
      if (!belongs(bar.kind) || bar.address == 0) continue;
      low = std::min(low, bar.address);
      high = std::max(high, bar.address + bar.size);
    }
    if (high == 0) return;
    low = low / grain * grain;
    out.push_back({index, kind, low, (high + grain - 1) / grain * grain - low});
  };
  using Kind = PciBar::Kind;
  cover(13, Kind::io, 4096, [](Kind kind) { return kind == Kind::io; });
  cover(14, Kind::memory32, 1 << 20,
        [](Kind kind) { return kind == Kind::memory32 || kind == Kind::rom; });
  cover(15, Kind::prefetchable64, 1 << 20, [](Kind kind) { return kind == Kind::prefetchable64; });
  return out;
}

/// start, end, flags of the 6 BARs, the ROM, SR-IOV's (unused), and the windows of a bridge.
std::string resource_text(const PciDevice& device, const PciDevice* child) {
  std::string text;
  const std::uint32_t count = device.is_bridge() ? 17 : 13;
  const std::vector<PciBar> bars = device.is_bridge() && child ? windows(*child) : device.bars;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t start = 0, end = 0, flags = 0;
    for (const PciBar& bar : bars) {
      if (bar.index != i) continue;
      start = bar.address;
      end = bar.address + bar.size - 1;
      flags = resource_flags(bar.kind, bar.index >= 13);
    }
    text += fmt::format("0x{:016x} 0x{:016x} 0x{:016x}\n", start, end, flags);
  }
  return text;
}

std::string speed(std::uint32_t generation) {
  static constexpr const char* speeds[] = {"Unknown", "2.5", "5.0", "8.0", "16.0", "32.0", "64.0"};
  return generation == 0 || generation > 6 ? "Unknown\n"
                                           : fmt::format("{} GT/s PCIe\n", speeds[generation]);
}

std::string uevent(const PciDevice& device) {
  std::string text;
  if (!device.driver.empty()) text += "DRIVER=" + device.driver + "\n";
  return text + fmt::format(
                    "PCI_CLASS={:04X}\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\n"
                    "PCI_SLOT_NAME={}\nMODALIAS={}\n",
                    device.class_code, device.vendor, device.device, device.subsystem_vendor,
                    device.subsystem_device, device.bdf.text(), modalias(device));
}

/// kstrtoul(): a number and at most a line end.
std::optional<unsigned long> number(std::string_view data) {
  std::string text(data);
  if (text.ends_with('\n')) text.pop_back();
  char* end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || text[0] == '-') return std::nullopt;
  return value;
}

SysResult<void> answer(int error, EventId event) {
  if (error != 0) return fail(error, event);
  return {};
}

void show_ids(const PciDevice& device, VirtualDirectory& into) {
  into.text("vendor", fmt::format("0x{:04x}\n", device.vendor));
  into.text("device", fmt::format("0x{:04x}\n", device.device));
  into.text("subsystem_vendor", fmt::format("0x{:04x}\n", device.subsystem_vendor));
  into.text("subsystem_device", fmt::format("0x{:04x}\n", device.subsystem_device));
  into.text("revision", fmt::format("0x{:02x}\n", device.revision));
  into.text("class", fmt::format("0x{:06x}\n", device.class_code));
  into.text("modalias", modalias(device) + "\n");
  into.text("numa_node", fmt::format("{}\n", device.numa_node), 0644);
  into.text("irq", fmt::format("{}\n", device.irq()));
}

void show_link(const PciDevice& device, VirtualDirectory& into) {
  into.text("current_link_speed", speed(device.link_generation));
  into.text("max_link_speed", speed(device.link_generation));
  into.text("current_link_width", fmt::format("{}\n", device.link_lanes));
  into.text("max_link_width", fmt::format("{}\n", device.link_lanes));
}

void show_power(VirtualDirectory& into) {
  into.directory("power", [](VirtualDirectory& power) {
    power.text("control", "on\n", 0644);
    power.text("runtime_status", "active\n");
    power.text("runtime_enabled", "forbidden\n");
    power.text("runtime_usage", "1\n");
    power.text("runtime_active_time", "0\n");
    power.text("runtime_suspended_time", "0\n");
    power.text("async", "enabled\n", 0644);
  });
  into.text("power_state", "D0\n");
  into.text("d3cold_allowed", "1\n", 0644);
}

}  // namespace

void PciBus::show_controls(const PciDevice& device, VirtualDirectory& into) {
  const Bdf bdf = device.bdf;
  const bool bridge = device.is_bridge();
  if (bridge) {
    into.unmodelled("remove");
  } else {
    into.write_only("remove", [this, bdf](std::string_view data, EventId cause) {
      const auto value = number(data);
      if (!value) return answer(EINVAL, cause);
      return answer(*value != 0 ? unplug(bdf, cause) : 0, cause);
    });
  }
  into.write_only("rescan", [this](std::string_view data, EventId cause) {
    const auto value = number(data);
    if (!value) return answer(EINVAL, cause);
    if (*value != 0) rescan(cause);
    return answer(0, cause);
  });
  into.unmodelled("reset");
  // Assumed: compute boards can reset one function, display boards the bus.
  const bool flr = device.class_code >> 8 == 0x1200 || device.class_code >> 8 == 0x0380;
  const std::string methods = bridge ? "pm\n" : flr ? "flr bus\n" : "bus\n";
  into.text("reset_method", methods, 0644);
  into.text("driver_override", "(null)\n", 0644);
  const bool enabled = !device.driver.empty();
  into.text("enable", enabled ? "1\n" : "0\n", 0644);
}

void PciBus::show_device(const PciDevice& device, const PciDevice* child, VirtualDirectory& into) {
  show_ids(device, into);
  show_link(device, into);
  show_power(into);
  show_controls(device, into);
  // `device` may be gone when a file is read: a root port is made up.
  if (into.wants_only("uevent")) into.explain(device.event);  // it names the driver
  if (into.wants("uevent")) into.text("uevent", uevent(device), 0644);
  if (into.wants("resource")) into.text("resource", resource_text(device, child));
  if (into.wants("config")) into.text("config", config_space(device, child), 0644);
  for (const PciBar& bar : device.bars) {
    if (bar.kind == PciBar::Kind::rom) {
      into.file("rom", [] { return std::string(); }, 0600, bar.size);
    }
  }
  into.text("ari_enabled", "0\n");
  into.text("broken_parity_status", "0\n", 0644);
  into.text("consistent_dma_mask_bits", "44\n");
  into.text("dma_mask_bits", "44\n");
  into.text("msi_bus", "1\n", 0644);
  if (device.class_code >> 8 == 0x0300) {
    const bool first = [&] {
      for (const auto& [bdf, other] : devices_) {
        if (other.class_code >> 8 == 0x0300) return bdf == device.bdf;
      }
      return false;
    }();
    into.text("boot_vga", first ? "1\n" : "0\n");
  }
  const std::string here = sysfs_path(device);
  into.link("subsystem", relative_link(here, "/sys/bus/pci"));
  if (device.driver.empty()) {
    into.explain_absence("driver", device.event);
  } else {
    into.link("driver", relative_link(here, "/sys/bus/pci/drivers/" + device.driver));
  }
  for (const Extension& extension : extensions_) extension(device, into);
}

/// /sys/devices: one pciDDDD:BB per host bridge, its root ports, their devices.
void PciBus::show_tree(VirtualDirectory& into) {
  if (!into.wants_some("pci")) return;
  const auto place = [this](VirtualDirectory& at, const Bdf& bdf) {
    at.directory(bdf.text(), [this, bdf](VirtualDirectory& inside) {
      if (const PciDevice* device = find(bdf)) show_device(*device, nullptr, inside);
    });
  };
  for (const auto& [bdf, device] : devices_) {
    const std::string path = sysfs_path(device).substr(std::string_view("/sys/devices/").size());
    const std::string root = path.substr(0, path.find('/'));
    const std::string rest = path.substr(root.size() + 1);
    into.directory(root, [place, bdf = bdf, rest](VirtualDirectory& inside) {
      if (rest.find('/') == std::string::npos) return place(inside, bdf);
      inside.directory(rest.substr(0, rest.find('/')),
                       [place, bdf](VirtualDirectory& port) { place(port, bdf); });
    });
  }
  for (const PciDevice& port : root_ports()) {
    const std::string root = fmt::format("pci{:04x}:{:02x}", port.bdf.domain, port.bdf.bus);
    into.directory(root, [this, port](VirtualDirectory& inside) {
      inside.directory(port.bdf.text(), [this, port](VirtualDirectory& at) {
        const PciDevice* child = nullptr;
        for (const auto& [bdf, device] : devices_) {
          if (sysfs_path(device).find("/" + port.bdf.text() + "/") != std::string::npos) {
            child = &device;
            break;
          }
        }
        show_device(port, child, at);
      });
    });
  }
}

std::vector<std::string> PciBus::drivers_shown() const {
  std::set<std::string> names;
  for (const PciDriver& driver : drivers_) {
    if (driver.loaded()) names.insert(driver.name);
  }
  for (const auto& [bdf, device] : devices_) {
    if (!device.driver.empty()) names.insert(device.driver);
  }
  if (!devices_.empty()) names.insert("pcieport");
  return {names.begin(), names.end()};
}

void PciBus::show_driver(const std::string& name, VirtualDirectory& into) {
  const std::string here = "/sys/bus/pci/drivers/" + name;
  for (const PciDevice& device : all()) {
    if (device.driver == name) {
      into.link(device.bdf.text(), relative_link(here, sysfs_path(device)));
    }
  }
  if (driver(name)) into.link("module", "../../../../module/" + name);
  const auto for_device = [](std::string_view data, auto act, EventId cause) {
    const auto bdf = parse_bdf(data);
    return answer(bdf ? act(*bdf) : ENODEV, cause);
  };
  into.write_only("bind", [this, name, for_device](std::string_view data, EventId cause) {
    return for_device(data, [&](const Bdf& bdf) { return attach(name, bdf, cause); }, cause);
  });
  into.write_only("unbind", [this, name, for_device](std::string_view data, EventId cause) {
    return for_device(
        data,
        [&](const Bdf& bdf) {
          const PciDevice* device = find(bdf);
          return device && device->driver == name ? detach(bdf, cause) : ENODEV;
        },
        cause);
  });
  into.unmodelled("new_id");
  into.unmodelled("remove_id");
  into.unmodelled("uevent");
}

void PciBus::show_bus(VirtualDirectory& into) {
  into.directory("devices", [this](VirtualDirectory& list) {
    if (why_missing_) list.explain(why_missing_());
    for (const PciDevice& device : all()) {
      list.link(device.bdf.text(), relative_link("/sys/bus/pci/devices", sysfs_path(device)));
    }
  });
  into.directory("drivers", [this](VirtualDirectory& list) {
    for (const std::string& name : drivers_shown()) {
      list.directory(name, [this, name](VirtualDirectory& inside) { show_driver(name, inside); });
    }
  });
  into.directory("slots", [](VirtualDirectory&) {});
  into.write_only("rescan", [this](std::string_view data, EventId cause) {
    const auto value = number(data);
    if (!value) return answer(EINVAL, cause);
    if (*value != 0) rescan(cause);
    return answer(0, cause);
  });
  into.write_only("drivers_probe", [this](std::string_view data, EventId cause) {
    const auto bdf = parse_bdf(data);
    if (!bdf || !find(*bdf)) return answer(ENODEV, cause);
    for (const PciDriver& driver : drivers_) {
      if (driver.loaded() && attach(driver.name, *bdf, cause) == 0) break;
    }
    return answer(0, cause);
  });
  into.text("drivers_autoprobe", "1\n", 0644);
  into.unmodelled("uevent");
}

void PciBus::show(VirtualTree& tree, Journal& journal) {
  journal_ = &journal;
  tree.add("/sys/bus/pci", [this](VirtualDirectory& into) { show_bus(into); });
  tree.add("/sys/devices", [this](VirtualDirectory& into) { show_tree(into); });
}

}  // namespace rocdrill::sim
