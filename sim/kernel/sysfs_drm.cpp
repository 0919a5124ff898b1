// <pci device>/drm: the card and the render node (drm_sysfs.c).
#include <fmt/format.h>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {
namespace {

constexpr const char* display_connectors[] = {"DP-1", "DP-2", "DP-3", "HDMI-A-1"};  // assumed

void connector(sim::VirtualDirectory& into, const std::string& path, const std::string& card) {
  into.link("device", "../../" + card);
  into.link("subsystem", sim::relative_link(path, "/sys/class/drm"));
  into.text("status", "disconnected\n", 0644);
  into.text("enabled", "disabled\n");
  into.text("dpms", "Off\n");
  into.text("modes", "");
  into.text("edid", "");
  into.text("uevent", "DEVTYPE=drm_connector\n", 0644);
}

}  // namespace

std::span<const char* const> connectors(const GpuProduct& product) {
  if (silicon::pci_class(product) != 0x030000) return {};
  return display_connectors;
}

std::uint32_t SysFs::xcp_number(const GpuDevice& device, std::uint32_t partition) const {
  std::uint32_t before = 0;
  for (const GpuDevice& each : kernel_.amdgpu.devices()) {
    if (&each == &device) break;
    if (each.state == GpuDevice::State::bound) before += each.minors - 1;
  }
  return before + partition - 1;
}

std::string SysFs::drm_parent(const GpuDevice& device, std::uint32_t partition) const {
  if (partition == 0) return path_of(device);
  return fmt::format("/sys/devices/platform/amdgpu_xcp_{}", xcp_number(device, partition));
}

/// amdgpu_xcp_drv.c: a platform device without attributes of its own for each further DRM device.
void SysFs::platform(Directory& into) const {
  for (const GpuDevice& device : kernel_.amdgpu.devices()) {
    if (device.state != GpuDevice::State::bound) continue;
    for (std::uint32_t i = 1; i < device.minors; ++i) {
      into.directory(fmt::format("amdgpu_xcp_{}", xcp_number(device, i)), [this, &device,
                                                                           i](Directory& inside) {
        inside.explain(device.event);
        inside.text("modalias", "platform:amdgpu_xcp\n");
        inside.text("uevent", "MODALIAS=platform:amdgpu_xcp\n", 0644);
        inside.text("driver_override", "(null)\n", 0644);
        inside.link("subsystem", "../../../bus/platform");
        inside.directory("drm", [this, &device, i](Directory& below) { drm(below, device, i); });
      });
    }
  }
}

void SysFs::platform_bus(Directory& into) const {
  for (const GpuDevice& device : kernel_.amdgpu.devices()) {
    if (device.state != GpuDevice::State::bound) continue;
    for (std::uint32_t i = 1; i < device.minors; ++i) {
      const std::string name = fmt::format("amdgpu_xcp_{}", xcp_number(device, i));
      into.link(name, "../../../devices/platform/" + name);
    }
  }
}

void SysFs::drm(Directory& into, const GpuDevice& device, std::uint32_t partition) const {
  for (const bool primary : {true, false}) {
    const std::string name = primary ? fmt::format("card{}", device.card_minor + partition)
                                     : fmt::format("renderD{}", device.render_minor + partition);
    into.directory(name, [this, &device, partition, primary](Directory& inside) {
      card(inside, device, partition, primary);
    });
  }
}

void SysFs::card(Directory& into, const GpuDevice& device, std::uint32_t partition,
                 bool primary) const {
  const std::uint32_t minor = (primary ? device.card_minor : device.render_minor) + partition;
  const std::string name = fmt::format("{}{}", primary ? "card" : "renderD", minor);
  const std::string parent = drm_parent(device, partition);
  into.text("dev", fmt::format("226:{}\n", minor));
  into.text("uevent",
            fmt::format("MAJOR=226\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", minor, name),
            0644);
  into.link("device", "../../../" + std::string(sim::basename(parent)));
  const std::string path = parent + "/drm/" + name;
  into.link("subsystem", sim::relative_link(path, "/sys/class/drm"));
  into.directory("power", [](Directory& power) {
    power.text("control", "auto\n", 0644);
    power.text("runtime_status", "unsupported\n");
  });
  if (!primary || partition != 0) return;
  for (const char* each : connectors(*gpu_of(device).product)) {
    const std::string connected = name + "-" + each;
    into.directory(connected, [path = path + "/" + connected, name](Directory& inside) {
      connector(inside, path, name);
    });
  }
}

}  // namespace rocdrill::kernel
