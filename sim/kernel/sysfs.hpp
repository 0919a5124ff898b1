// What the kernel shows of itself as files, besides the PCI bus: /proc, /sys/module, the
// processors, the KFD topology, the DRM devices and the attributes that amdgpu puts into the PCI
// directory of a device. Every file is made when it is read.
#pragma once

#include <span>
#include <string>

#include "sim/host/os.hpp"
#include "sim/kernel/amdgpu.hpp"

namespace rocdrill::kernel {

class Kernel;
struct LoadedModule;

class SysFs {
 public:
  SysFs(sim::Os& os, Kernel& kernel);
  SysFs(const SysFs&) = delete;

 private:
  using Directory = sim::VirtualDirectory;

  // sysfs.cpp: classes and character devices
  void classes(Directory& into) const;
  void class_drm(Directory& into) const;
  void char_devices(Directory& into) const;
  EventId driver_event() const;

  // procfs.cpp
  void proc(Directory& into) const;

  // sysfs_modules.cpp
  void modules(Directory& into) const;
  void module(Directory& into, const LoadedModule& module) const;

  // sysfs_cpu.cpp
  void cpus(Directory& into) const;
  void cpu(Directory& into, std::uint32_t number) const;
  void numa_nodes(Directory& into) const;

  // sysfs_kfd.cpp
  void kfd(Directory& into) const;
  void topology_node(Directory& into, std::uint32_t index) const;
  void kfd_process(Directory& into, int pid) const;

  // sysfs_drm.cpp: <device>/drm of the GPU and, in /sys/devices/platform, of the further devices
  // that it can be divided into
  void drm(Directory& into, const GpuDevice& device, std::uint32_t partition) const;
  void card(Directory& into, const GpuDevice& device, std::uint32_t partition, bool primary) const;
  void platform(Directory& into) const;
  void platform_bus(Directory& into) const;
  /// "/sys/devices/pci.../0000:c3:00.0", or "/sys/devices/platform/amdgpu_xcp_3".
  std::string drm_parent(const GpuDevice& device, std::uint32_t partition) const;
  /// Number of the platform device, in the order in which the driver made them.
  std::uint32_t xcp_number(const GpuDevice& device, std::uint32_t partition) const;

  // sysfs_ras.cpp: <pci device>/ras, /sys/kernel/debug
  void ras(Directory& into, std::size_t index) const;
  void debug(Directory& into) const;
  void debug_device(Directory& into, std::size_t index) const;

  // sysfs_gpu.cpp, sysfs_pm.cpp, sysfs_hwmon.cpp: <pci device>
  void gpu(Directory& into, std::size_t index) const;
  void identity(Directory& into, const GpuDevice& device) const;
  void memory(Directory& into, const GpuDevice& device) const;
  void firmware(Directory& into, const GpuDevice& device) const;
  void links(Directory& into, const GpuDevice& device) const;
  void partitions(Directory& into, std::size_t index) const;
  void power_management(Directory& into, std::size_t index) const;
  EventId throttle_event(const GpuDevice& device) const;
  void hwmon(Directory& into, std::size_t index) const;

  const silicon::Gpu& gpu_of(const GpuDevice& device) const;
  /// "/sys/devices/pci.../0000:c3:00.0" of a bound device.
  std::string path_of(const GpuDevice& device) const;
  std::uint64_t used_vram(const GpuDevice& device) const;

  sim::Os& os_;
  Kernel& kernel_;
};

/// DRM connectors of a board with a display: "DP-1". None has a monitor.
std::span<const char* const> connectors(const GpuProduct& product);

}  // namespace rocdrill::kernel
