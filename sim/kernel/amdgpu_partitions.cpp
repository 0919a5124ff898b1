// Partitions: a compute mode is switched at once, GPU by GPU, while nobody uses KFD; a memory mode
// is asked for and comes with the next start of the driver, for the whole hive. Messages: as
// aqua_vanjaram.c, amdgpu_xcp.c, amdgpu_gmc.c, amdgpu_psp.c and kfd_device.c have them.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "sim/kernel/amdgpu.hpp"
#include "sim/kernel/drm_info.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint32_t devices_per_gpu = 8;  // MAX_XCP

/// KFD's gpu_id: 16 bits drawn from what identifies the device, never 0.
std::uint32_t make_gpu_id(const silicon::Gpu& gpu, const KfdNode& node, const Kfd& kfd) {
  std::uint64_t hash = gpu.unique_id * 0x9E3779B97F4A7C15ull + gpu.bdf.location();
  if (node.partitions > 1)
    hash += (std::uint64_t{node.first_xcc} + 1 + (node.xccs << 8)) * 0xBF58476D1CE4E5B9ull;
  std::uint32_t id = static_cast<std::uint32_t>(hash >> 40) & 0xFFFF;
  while (id == 0 || kfd.find(id)) id = (id + 1) & 0xFFFF;
  return id;
}

std::uint32_t memory_partitions(const silicon::Gpu& gpu) {
  return static_cast<std::uint32_t>(gpu.memory_mode);
}

}  // namespace

/// The years are those of the patches; in AMD's tree the version is assumed.
PartitionEra Amdgpu::partition_era() const {
  using silicon::PartitionRules;
  if (!version_.empty()) {
    return {PartitionRules::counts, sim::compare_versions(version_, "6.12") >= 0,
            sim::compare_versions(version_, "6.10") >= 0};
  }
  const bool since_6_13 = sim::compare_versions(os_.kernel_release, "6.13") >= 0;
  return {since_6_13 ? PartitionRules::lists : PartitionRules::counts, since_6_13, since_6_13};
}

std::vector<MemoryMode> Amdgpu::memory_modes(const GpuDevice& device) const {
  return silicon::offered_memory_modes(board_.gpus()[device.gpu]);
}

void Amdgpu::take_minors(GpuDevice& device) {
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  device.minors = 1;
  if (gpu.product->partitions.empty()) return;
  for (; device.minors < devices_per_gpu; ++device.minors) {
    if (has_minor(os_, device.card_minor + device.minors)) continue;
    log_device(gpu, 4,
               fmt::format("Skip xcp node #{} when out of drm node resource.", device.minors),
               device.event);
    return;
  }
}

std::optional<std::uint32_t> Amdgpu::partition_of(const GpuDevice& device,
                                                  std::uint32_t minor) const {
  if (device.state != GpuDevice::State::bound) return std::nullopt;
  if (minor >= device.render_minor && minor < device.render_minor + device.minors)
    return minor - device.render_minor;
  if (minor >= device.card_minor && minor < device.card_minor + device.minors)
    return minor - device.card_minor;
  return std::nullopt;
}

SysResult<void> Amdgpu::may_open_render(std::uint32_t minor) {
  const GpuDevice* device = by_render_minor(minor);
  if (!device) return {};
  const silicon::Gpu& gpu = board_.gpus()[device->gpu];
  const std::uint32_t partition = minor - device->render_minor;
  if (partition < silicon::partition_shape(*gpu.product, device->compute_mode).devices) return {};
  log_device(gpu, 3, fmt::format("renderD{} partition {} not valid!", minor, partition),
             device->event);
  return fail(ENOENT, device->event);
}

/// The mode of a driver that starts: the parameter user_partt_mode, or what goes with the memory.
void Amdgpu::choose_mode(GpuDevice& device) {
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  device.compute_mode = ComputeMode::spx;
  if (gpu.product->partitions.empty()) return;
  std::optional<ComputeMode> mode;
  EventId cause = device.event;
  if (user_mode_ >= 0 && user_mode_ <= static_cast<int>(ComputeMode::cpx)) {
    const auto wanted = static_cast<ComputeMode>(user_mode_);
    cause = std::max(cause, user_mode_event_);
    if (mode_fits(device, wanted, cause)) mode = wanted;
    // What the real driver does with an unknown mode from here on is not known.
    if (!mode)
      os_.journal.unmodelled(Layer::kernel, "a user_partt_mode that the GPU refuses", "EINVAL",
                             cause);
  }
  if (!mode) mode = silicon::automatic_mode(*gpu.product, gpu.memory_mode);
  if (!mode || *mode == ComputeMode::spx) return;
  device.compute_mode = *mode;
  if (gpu.event != no_event && user_mode_ < 0) cause = std::max(cause, gpu.event);
  const std::string from = user_mode_ >= 0 ? fmt::format("user_partt_mode={}", user_mode_)
                                           : std::string(name(gpu.memory_mode));
  device.event = os_.journal.record(
      Layer::kernel, Severity::info, "partition.chosen", gpu.bdf.text(),
      {{field::asked, std::string_view(from)},
       {field::did, name(*mode)},
       {field::see, "cat /sys/class/drm/card0/device/current_compute_partition"}},
      user_mode_ >= 0 ? user_mode_event_ : cause);
}

/// Logs why, if it does not.
bool Amdgpu::mode_fits(const GpuDevice& device, ComputeMode mode, EventId event) {
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  if (silicon::accepts(*gpu.product, mode, gpu.memory_mode, partition_era().rules)) return true;
  log_device(gpu, 3,
             fmt::format("Invalid compute partition mode requested, requested: {}, available "
                         "memory partitions: {}",
                         name(mode), memory_partitions(gpu)),
             event);
  return false;
}

SysResult<void> Amdgpu::refuse_partition(const GpuDevice& device, std::string_view asked,
                                         std::string_view why, int error, EventId cause) {
  const std::string status = errno_name(error);
  const std::string word(asked.substr(0, asked.find('\n')));
  return fail(error, os_.journal.record(Layer::kernel, Severity::error, "partition.refused",
                                        board_.gpus()[device.gpu].bdf.text(),
                                        {{field::asked, std::string_view(word)},
                                         {field::got, why},
                                         {field::status, std::string_view(status)},
                                         {field::see, "dmesg"}},
                                        cause));
}

SysResult<void> Amdgpu::set_compute_partition(std::size_t index, std::string_view text,
                                              EventId cause) {
  GpuDevice& device = devices_.at(index);
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  const auto mode = silicon::parse_compute_mode(*gpu.product, text);
  if (!mode) return refuse_partition(device, text, "no mode of this GPU", EINVAL, cause);
  if (*mode == device.compute_mode) return {};
  if (!mode_fits(device, *mode, cause)) {
    const std::string why = fmt::format("does not go with {}", name(gpu.memory_mode));
    return refuse_partition(device, text, why, EINVAL, cause);
  }
  const std::vector<KfdNode> before = kfd_.nodes_of(device.gpu);
  if (const int pid = before.empty() ? 0 : kfd_.user_of(device.gpu); pid != 0) {
    const auto process = os_.processes.find(pid);
    const std::string who = process == os_.processes.end() ? "a program" : process->second.command;
    return refuse_partition(device, text, fmt::format("{} (pid {}) uses KFD", who, pid), EBUSY,
                            cause);
  }
  const silicon::PartitionShape shape = silicon::partition_shape(*gpu.product, *mode);
  const std::string did =
      fmt::format("{} device{} of {} CUs and {} MiB", shape.devices, shape.devices == 1 ? "" : "s",
                  shape.compute_units, shape.memory_bytes >> 20);
  device.compute_mode = *mode;
  device.event = os_.journal.record(
      Layer::kernel, Severity::info, "partition.switched", gpu.bdf.text(),
      {{field::asked, name(*mode)}, {field::did, std::string_view(did)}, {field::see, "rocminfo"}},
      cause);
  for (const KfdNode& node : before) kfd_.remove(node.gpu_id);
  if (!before.empty()) {
    add_to_kfd(device, device.event, false);
    kfd_.explain(device.event);
  }
  return {};
}

void Amdgpu::add_to_kfd(const GpuDevice& device, EventId event, bool first) {
  if (!kfd_.present()) return;
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  const GpuProduct& product = *gpu.product;
  const silicon::PartitionShape shape = silicon::partition_shape(product, device.compute_mode);
  if (first)
    log(6, fmt::format("amdgpu: HMM registered {}MB device memory", product.vram_bytes >> 20),
        event);
  // A device without a DRM node is none (amdgpu_xcp_mgr).
  const std::uint32_t count = std::min(shape.devices, device.minors);
  log(6, fmt::format("kfd kfd: amdgpu: Total number of KFD nodes to be created: {}", count), event);
  for (std::uint32_t i = 0; i < count; ++i) {
    log(6,
        fmt::format("kfd kfd: amdgpu: KFD node {0} partition {0} size {1}M", i,
                    shape.memory_bytes >> 20),
        event);
    log(6, "amdgpu: Virtual CRAT table created for GPU", event);
    log(6, fmt::format("amdgpu: Topology: Add dGPU node [0x{:04x}:0x1002]", product.device_id),
        event);
    KfdNode node{.gpu = device.gpu,
                 .render_minor = device.render_minor + i,
                 .vram_bytes = shape.memory_bytes,
                 .partition = i,
                 .partitions = shape.devices,
                 .first_xcc = i * shape.xccs,
                 .xccs = shape.xccs,
                 .compute_units = shape.compute_units};
    node.gpu_id = make_gpu_id(gpu, node, kfd_);
    node.event = os_.journal.record(
        Layer::kernel, Severity::info, "kfd.node_added", gpu.bdf.text(),
        {{"gpu_id", static_cast<std::int64_t>(node.gpu_id)}, {field::see, "rocminfo"}}, event);
    kfd_.add(node);
  }
  log(6, fmt::format("kfd kfd: amdgpu: added device 1002:{:04x}", product.device_id), event);
}

SysResult<void> Amdgpu::set_memory_partition(std::size_t index, std::string_view text,
                                             EventId cause) {
  GpuDevice& device = devices_.at(index);
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  const auto mode = silicon::parse_memory_mode(memory_modes(device), text);
  if (!mode) return refuse_partition(device, text, "not among the available ones", EINVAL, cause);
  if (*mode == gpu.memory_mode) {  // a request that is queued already stays
    log_device(gpu, 6, "requested NPS mode is same as current NPS mode, skipping", cause);
    return {};
  }
  const EventId event = os_.journal.record(Layer::kernel, Severity::info,
                                           "partition.memory_requested", gpu.bdf.text(),
                                           {{field::asked, name(*mode)},
                                            {field::did, "nothing before the driver is removed"},
                                            {field::see, "dmesg"}},
                                           cause);
  const bool hive = board_.hive_id() != 0 && gpu.product->xgmi_links > 0;
  for (GpuDevice& each : devices_) {
    const bool member = hive && board_.gpus()[each.gpu].product->xgmi_links > 0;
    if (&each != &device && !member) continue;
    each.requested_memory = mode;
    each.requested_by = event;
  }
  log_device(gpu, 6, "NPS mode change requested, please remove and reload the driver", event);
  return {};
}

/// amdgpu_gmc_prepare_nps_mode_change(), when the driver goes.
void Amdgpu::apply_memory_requests(EventId cause) {
  for (GpuDevice& device : devices_) {
    silicon::Gpu& gpu = board_.gpus()[device.gpu];
    if (device.state != GpuDevice::State::bound || !device.requested_memory) continue;
    if (*device.requested_memory == gpu.memory_mode) continue;
    log_device(gpu, 6,
               fmt::format("Requesting {} memory partition change through PSP",
                           static_cast<unsigned>(*device.requested_memory)),
               device.requested_by);
    if (!silicon::switches_memory_mode(gpu)) {
      const std::string shows =
          fmt::format("PSP request failed to change to {} mode", name(*device.requested_memory));
      gpu.event = os_.journal.record(
          Layer::kernel, Severity::info, "partition.memory_refused", gpu.bdf.text(),
          {{field::asked, name(*device.requested_memory)},
           {field::got, "refused by the PSP: the IFWI is too old"},
           {field::shows, std::string_view(shows)},
           {field::see, "dmesg"}},
          gpu.ifwi_event != no_event ? gpu.ifwi_event : device.requested_by);
      log_device(gpu, 3, shows, gpu.event);
      continue;
    }
    gpu.memory_mode = *device.requested_memory;
    gpu.event = os_.journal.record(
        Layer::silicon, Severity::info, "memory.partitioned", gpu.bdf.text(),
        {{field::did, name(gpu.memory_mode)},
         {field::see, "cat /sys/class/drm/card0/device/current_memory_partition"}},
        std::max(cause, device.requested_by));
    log_device(gpu, 6, "NPS mode change request done, reload driver to complete the change",
               gpu.event);
  }
}

}  // namespace rocdrill::kernel
