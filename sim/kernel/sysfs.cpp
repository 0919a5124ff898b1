// /sys/class and /sys/dev/char: links to where the devices are.
#include "sim/kernel/sysfs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {

using sim::relative_link;

SysFs::SysFs(sim::Os& os, Kernel& kernel) : os_(os), kernel_(kernel) {
  os.procfs.add("/proc", [this](Directory& into) { proc(into); });
  os.sysfs.add("/sys/class", [this](Directory& into) { classes(into); });
  os.sysfs.add("/sys/kernel", [this](Directory& into) { debug(into); });
  os.sysfs.add("/sys/dev/char", [this](Directory& into) { char_devices(into); });
  os.sysfs.add("/sys/module", [this](Directory& into) { modules(into); });
  os.sysfs.add("/sys/devices/system/cpu", [this](Directory& into) { cpus(into); });
  os.sysfs.add("/sys/devices/system/node", [this](Directory& into) { numa_nodes(into); });
  os.sysfs.add("/sys/devices/platform", [this](Directory& into) { platform(into); });
  os.sysfs.add("/sys/bus/platform/devices", [this](Directory& into) { platform_bus(into); });
  os.sysfs.add("/sys/devices/virtual", [this](Directory& into) {
    if (!kernel_.kfd.present()) return into.explain_absence("kfd", driver_event());
    into.directory("kfd", [this](Directory& above) {
      above.explain(kernel_.kfd.event());
      above.directory("kfd", [this](Directory& inside) { kfd(inside); });
    });
  });
  os.pci.extend([this](const sim::PciDevice& on_bus, Directory& into) {
    const CpuTopology topology(kernel_.cpu);
    const std::uint32_t node = on_bus.numa_node;
    into.file("local_cpulist",
              [=] { return CpuTopology::list(topology.cpus_of_node(node)) + "\n"; });
    into.file("local_cpus", [=] { return topology.mask(topology.cpus_of_node(node)) + "\n"; });
    if (on_bus.driver != "amdgpu") return;
    const auto& devices = kernel_.amdgpu.devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (gpu_of(devices[i]).bdf == on_bus.bdf) gpu(into, i);
    }
  });
}

EventId SysFs::driver_event() const {
  const bool said = kernel_.kfd.present() || kernel_.modules.find("amdgpu");
  return said && kernel_.kfd.event() != no_event ? kernel_.kfd.event() : kernel_.driver_event();
}

const silicon::Gpu& SysFs::gpu_of(const GpuDevice& device) const {
  return kernel_.board().gpus()[device.gpu];
}

std::string SysFs::path_of(const GpuDevice& device) const {
  const sim::PciDevice* on_bus = os_.pci.find(gpu_of(device).bdf);
  return on_bus ? os_.pci.sysfs_path(*on_bus) : std::string();
}

void SysFs::classes(Directory& into) const {
  into.explain(driver_event());
  into.directory("drm", [this](Directory& inside) { class_drm(inside); });
  into.directory("hwmon", [this](Directory& inside) {
    std::size_t number = 0;
    for (const GpuDevice& device : kernel_.amdgpu.devices()) {
      if (device.state != GpuDevice::State::bound) continue;
      const std::string name = fmt::format("hwmon{}", number++);
      if (!inside.wants(name)) continue;
      inside.link(name, relative_link("/sys/class/hwmon", path_of(device) + "/hwmon/" + name));
    }
  });
  if (!kernel_.kfd.present()) return into.explain_absence("kfd", driver_event());
  into.directory("kfd", [](Directory& inside) {
    inside.link("kfd", relative_link("/sys/class/kfd", "/sys/devices/virtual/kfd/kfd"));
  });
}

void SysFs::class_drm(Directory& into) const {
  into.text("version", "drm 1.1.0 20060810\n");
  for (const GpuDevice& device : kernel_.amdgpu.devices()) {
    if (device.state != GpuDevice::State::bound) continue;
    const auto link = [&](const std::string& name, const std::string& parent,
                          const std::string& below) {
      if (!into.wants(name)) return;
      into.link(name, relative_link("/sys/class/drm", parent + "/drm/" + below));
    };
    for (std::uint32_t i = 0; i < device.minors; ++i) {
      const std::string parent = drm_parent(device, i);
      const std::string card = fmt::format("card{}", device.card_minor + i);
      const std::string render = fmt::format("renderD{}", device.render_minor + i);
      link(card, parent, card);
      link(render, parent, render);
      if (i != 0) continue;
      for (const char* connector : connectors(*gpu_of(device).product)) {
        const std::string name = card + "-" + connector;
        link(name, parent, card + "/" + name);
      }
    }
  }
}

void SysFs::char_devices(Directory& into) const {
  for (const CharDevice& device : kernel_.char_devices()) {
    const std::string name = fmt::format("{}:{}", device.major, device.minor);
    if (!into.wants(name)) continue;
    std::string target = "/sys/devices/virtual/kfd/kfd";
    for (const GpuDevice& gpu : kernel_.amdgpu.devices()) {
      if (!device.path.starts_with("/dev/dri/")) break;
      if (const auto partition = kernel_.amdgpu.partition_of(gpu, device.minor)) {
        target = drm_parent(gpu, *partition) + "/drm/" + std::string(sim::basename(device.path));
      }
    }
    into.link(name, relative_link("/sys/dev/char", target));
  }
}

}  // namespace rocdrill::kernel
