// The running kernel with the GPU driver in it: boot, hot plug, devices, sysfs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/amdgpu.hpp"
#include "sim/kernel/cpu_topology.hpp"
#include "sim/kernel/dkms.hpp"
#include "sim/kernel/kfd.hpp"
#include "sim/kernel/modprobe.hpp"
#include "sim/kernel/modules.hpp"
#include "sim/kernel/process/device_file.hpp"
#include "sim/kernel/sysfs.hpp"
#include "sim/kernel/vfio.hpp"

namespace rocdrill::kernel {

class Kernel {
 public:
  Kernel(sim::Os& os, silicon::Board& board);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  CpuInfo cpu;
  ModuleTable modules;
  Dkms dkms;
  Kfd kfd;
  Amdgpu amdgpu;
  Vfio vfio;
  Modprobe modprobe;
  /// How much queues tell the timeline.
  cp::EventLevel queue_events = cp::EventLevel::errors;

  /// The kernel's start, up to user space. The bus has been enumerated and os.boot() has chosen the
  /// kernel.
  void boot(EventId cause);
  /// What the initramfs loads before there is a root file system.
  void early_modules(EventId cause);
  /// udev: every device on the bus without a driver asks modprobe for one.
  void cold_plug(EventId cause);

  /// Who is told when device nodes have appeared or gone: udev.
  void set_uevent_handler(std::function<void()> handler) { uevent_ = std::move(handler); }

  std::vector<CharDevice> char_devices() const;
  /// Why a device node is not there.
  EventId why_no_device(std::string_view path) const;
  SysResult<std::unique_ptr<DeviceFile>> open(std::string_view path, const Opener& opener);
  /// What decided whether a driver is there: the last load, refusal or removal.
  EventId driver_event() const { return driver_event_; }
  /// A person or a boot script loads or removes a module.
  ModprobeResult load_module(const std::string& name,
                             const std::map<std::string, std::string>& parameters, EventId cause);
  ModprobeResult insert_module(const std::string& path, EventId cause);
  ModprobeResult remove_module(const std::string& name, EventId cause);

  KfdEra era() const;
  /// open() of /dev/kfd without a process part: 0 or why it fails, and what the kernel logs then.
  SysResult<void> may_open_kfd();
  silicon::Board& board() { return board_; }
  const silicon::Board& board() const { return board_; }
  const sim::Os& os() const { return os_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("cpu", cpu);
    archive("modules", modules);
    archive("kfd", kfd);
    archive("amdgpu", amdgpu);
    archive("vfio", vfio);
    archive("queue_events", queue_events);
    archive("driver_event", driver_event_);
  }

 private:
  DeviceFacts describe() const;
  std::vector<UnreachablePeer> unreachable_from(const KfdNode& node) const;
  ModprobeResult note(ModprobeResult result);
  void uevent() const {
    if (uevent_) uevent_();
  }

  sim::Os& os_;
  silicon::Board& board_;
  SysFs sysfs_;
  std::function<void()> uevent_;
  EventId driver_event_ = no_event;
};

}  // namespace rocdrill::kernel
