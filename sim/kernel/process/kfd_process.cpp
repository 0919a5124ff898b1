// Arguments are checked as amdkfd's kfd_chardev.c, kfd_events.c and kfd_doorbell.c check them.
#include "sim/kernel/process/kfd_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/kernel/process/kfd_queue.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {
namespace {

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

constexpr std::size_t legacy_apertures = 7;  // NUM_OF_SUPPORTED_GPUS

kfd::ProcessDeviceApertures apertures_of(std::uint32_t gpu_id) {
  constexpr std::uint64_t size = std::uint64_t{1} << 32;
  return {.lds_base = shared_aperture,
          .lds_limit = shared_aperture + size - 1,
          .scratch_base = private_aperture,
          .scratch_limit = private_aperture + size - 1,
          .gpuvm_base = 0x10000,
          .gpuvm_limit = 0x7FFF'FFFF'FFFF,
          .gpu_id = gpu_id,
          .pad = 0};
}

}  // namespace

const GpuFacts* DeviceFacts::find(std::uint32_t gpu_id) const {
  const auto at = std::ranges::find(gpus, gpu_id, &GpuFacts::gpu_id);
  return at == gpus.end() ? nullptr : &*at;
}

KfdProcess::KfdProcess(DeviceService& devices, Surroundings& surroundings, Opener opener)
    : devices_(devices),
      surroundings_(surroundings),
      opener_(std::move(opener)),
      observer_(surroundings.observer()) {}

KfdProcess::~KfdProcess() {
  queues_.clear();
  for (auto& [handle, buffer] : buffers_) release(buffer);
  devices_.detach(opener_.pid);
}

int KfdProcess::get_version(void* argument) {
  as<kfd::GetVersionArgs>(argument) = {1, devices_.facts().era.minor};
  return 0;
}

int KfdProcess::get_process_apertures(void* argument) {
  auto& args = as<kfd::GetProcessAperturesArgs>(argument);
  std::size_t count = 0;
  for (const GpuFacts& gpu : devices_.facts().gpus) {
    if (count == legacy_apertures) break;
    args.process_apertures[count++] = apertures_of(gpu.gpu_id);
  }
  args.num_of_nodes = static_cast<std::uint32_t>(count);
  return 0;
}

int KfdProcess::get_process_apertures_new(void* argument) {
  auto& args = as<kfd::GetProcessAperturesNewArgs>(argument);
  const auto& gpus = devices_.facts().gpus;
  if (args.num_of_nodes == 0) {  // only the count is asked for
    args.num_of_nodes = static_cast<std::uint32_t>(gpus.size());
    return 0;
  }
  std::vector<kfd::ProcessDeviceApertures> list;
  for (const GpuFacts& gpu : gpus) {
    if (list.size() < args.num_of_nodes) list.push_back(apertures_of(gpu.gpu_id));
  }
  args.num_of_nodes = static_cast<std::uint32_t>(list.size());
  const bool copied = list.empty() || copy_to_user(args.kfd_process_device_apertures_ptr,
                                                   list.data(), list.size() * sizeof list[0]);
  return copied ? 0 : EFAULT;
}

int KfdProcess::acquire_vm(void* argument) {
  const auto& args = as<kfd::AcquireVmArgs>(argument);
  const auto file = opener_.files ? opener_.files->device(static_cast<int>(args.drm_fd))
                                  : std::optional<OpenDevice>();
  if (!file || file->render_minor == 0) return EINVAL;
  if (const auto held = acquired_.find(args.gpu_id); held != acquired_.end()) {
    return held->second == file->file ? 0 : EBUSY;
  }
  if (auto attached = devices_.attach(opener_.pid, args.gpu_id); !attached) {
    return attached.error().error;
  }
  acquired_[args.gpu_id] = file->file;
  return 0;
}

int KfdProcess::set_memory_policy(void* argument) {
  const auto& args = as<kfd::SetMemoryPolicyArgs>(argument);
  if (args.default_policy > 1) return EINVAL;
  if (args.alternate_policy > 1) return EINVAL;
  return acquired(args.gpu_id) ? 0 : EINVAL;
}

int KfdProcess::available_memory(void* argument) {
  auto& args = as<kfd::AvailableMemoryArgs>(argument);
  if (!acquired(args.gpu_id)) return EINVAL;
  args.available = devices_.available_vram(args.gpu_id);
  return 0;
}

int KfdProcess::set_scratch_backing_va(void* argument) {
  return acquired(as<kfd::SetScratchBackingVaArgs>(argument).gpu_id) ? 0 : EINVAL;
}

int KfdProcess::set_trap_handler(void* argument) {
  return acquired(as<kfd::SetTrapHandlerArgs>(argument).gpu_id) ? 0 : EINVAL;
}

/// gfx9 and later have no tile tables: the counts are 0 and GB_ADDR_CONFIG alone is of use.
int KfdProcess::get_tile_config(void* argument) {
  auto& args = as<kfd::GetTileConfigArgs>(argument);
  const GpuFacts* gpu = devices_.facts().find(args.gpu_id);
  if (!gpu) return EINVAL;
  args.num_tile_configs = 0;
  args.num_macro_tile_configs = 0;
  args.gb_addr_config = gpu->gb_addr_config;
  args.num_banks = 0;
  args.num_ranks = 0;
  return 0;
}

int KfdProcess::set_xnack_mode(void* argument) {
  auto& args = as<kfd::SetXnackModeArgs>(argument);
  const DeviceFacts& facts = devices_.facts();
  XnackSupport support = XnackSupport::per_process;
  for (const GpuFacts& gpu : facts.gpus) support = std::min(support, gpu.xnack);
  if (facts.gpus.empty()) support = XnackSupport::none;
  if (!xnack_) xnack_ = support != XnackSupport::none && !facts.noretry;
  if (args.xnack_enabled < 0) {
    args.xnack_enabled = *xnack_ ? 1 : 0;
    return 0;
  }
  if (!queues_.empty()) return EBUSY;
  const bool wanted = args.xnack_enabled != 0;
  if (wanted == *xnack_) return 0;
  if (wanted && support != XnackSupport::per_process) return EPERM;
  xnack_ = wanted;
  return 0;
}

int KfdProcess::runtime_enable(void* argument) {
  auto& args = as<kfd::RuntimeEnableArgs>(argument);
  const bool enable = (args.mode_mask & kfd::runtime_mode::enable) != 0;
  if (enable == runtime_enabled_ && enable) return EBUSY;
  runtime_enabled_ = enable;
  args.capabilities_mask = 0;
  return 0;
}

int KfdProcess::get_clock_counters(void* argument) {
  auto& args = as<kfd::GetClockCountersArgs>(argument);
  const ClockSample now = surroundings_.clocks();
  // The GPU counter runs at 100 MHz; an unknown or zero id is no error.
  args.gpu_clock_counter = devices_.facts().find(args.gpu_id) ? now.monotonic_raw_ns / 10 : 0;
  args.cpu_clock_counter = now.monotonic_raw_ns;
  args.system_clock_counter = now.boottime_ns;
  args.system_clock_freq = 1'000'000'000;
  return 0;
}

int KfdProcess::smi_events(void* argument) {
  auto& args = as<kfd::SmiEventsArgs>(argument);
  if (!devices_.facts().find(args.gpuid)) return EINVAL;
  const int fd = surroundings_.open_smi_events(args.gpuid);
  if (fd < 0) {
    devices_.unmodelled(Layer::kernel, "SMI events of a process of the simulator", "ENODEV",
                        devices_.facts().event);
    return ENODEV;
  }
  args.anon_fd = static_cast<std::uint32_t>(fd);
  return 0;
}

}  // namespace rocdrill::kernel
