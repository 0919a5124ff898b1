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

void SysFs::drm(Directory& into, const GpuDevice& device) const {
  for (const std::string& name :
       {fmt::format("card{}", device.card_minor), fmt::format("renderD{}", device.render_minor)}) {
    into.directory(name, [this, &device, name](Directory& inside) { card(inside, device, name); });
  }
}

void SysFs::card(Directory& into, const GpuDevice& device, const std::string& name) const {
  const bool primary = name.starts_with("card");
  const std::uint32_t minor = primary ? device.card_minor : device.render_minor;
  into.text("dev", fmt::format("226:{}\n", minor));
  into.text("uevent",
            fmt::format("MAJOR=226\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", minor, name),
            0644);
  into.link("device", "../../../" + gpu_of(device).bdf.text());
  const std::string path = path_of(device) + "/drm/" + name;
  into.link("subsystem", sim::relative_link(path, "/sys/class/drm"));
  into.directory("power", [](Directory& power) {
    power.text("control", "auto\n", 0644);
    power.text("runtime_status", "unsupported\n");
  });
  if (!primary) return;
  for (const char* each : connectors(*gpu_of(device).product)) {
    const std::string connected = name + "-" + each;
    into.directory(connected, [path = path + "/" + connected, name](Directory& inside) {
      connector(inside, path, name);
    });
  }
}

}  // namespace rocdrill::kernel
