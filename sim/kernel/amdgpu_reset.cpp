// GPU resets: all GPUs of an xGMI hive together. KFD is locked meanwhile, and every process that
// has it open hears of the reset. Wording: amdgpu_device.c, aldebaran.c; durations are assumed.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/kernel/amdgpu.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t reset_time = 3 * sim::sec;

std::string reset_line(kfd::SmiEvent event, std::uint32_t number) {
  return fmt::format("{:x} {:x}\n", std::to_underlying(event), number);
}

}  // namespace

void Amdgpu::reset_gpu(std::uint32_t gpu, ResetMethod method, bool ecc, EventId cause) {
  if (resetting()) return;
  std::vector<std::uint32_t> members{gpu};
  for (const std::uint32_t other : board_.reset_group(gpu)) {
    if (other != gpu && bound(other)) members.push_back(other);
  }
  const silicon::Gpu& first = board_.gpus()[gpu];
  const bool mode1 = method == ResetMethod::mode1;
  const std::string did = fmt::format("mode-{} reset of {} GPU{}", mode1 ? 1 : 2, members.size(),
                                      members.size() == 1 ? "" : "s");
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::warning, "gpu.reset", first.bdf.text(),
                         {{field::did, std::string_view(did)}, {field::see, "dmesg"}}, cause);
  log_device(first, 6, "GPU reset begin!", event);
  kfd_.lock(event);
  reset_ = {members, method, os_.clock.now() + reset_time, event};
  const bool dumps = since("6.10", "6.11");
  for (const std::uint32_t member : members) {
    const silicon::Gpu& is = board_.gpus()[member];
    if (dumps) {
      log_device(is, 6, "Dumping IP State", event);
      log_device(is, 6, "Dumping IP State Completed", event);
    }
    const auto device = std::ranges::find(devices_, member, &GpuDevice::gpu);
    if (device != devices_.end()) ++device->resets;
    for (const KfdNode& node : kfd_.nodes_of(member)) {
      if (device != devices_.end())
        kfd_.smi_event(node.gpu_id, kfd::SmiEvent::gpu_pre_reset,
                       reset_line(kfd::SmiEvent::gpu_pre_reset, device->resets));
      kfd_.announce_reset(node.gpu_id, ecc ? 1 : 0);
    }
  }
  for (const std::uint32_t member : members) {
    const silicon::Gpu& is = board_.gpus()[member];
    log_device(is, 6, mode1 ? "MODE1 reset" : "MODE2 reset", event);
    if (!mode1) continue;
    log_device(is, 6, "GPU mode1 reset", event);
    log_device(is, 6, "GPU smu mode1 reset", event);
  }
}

void Amdgpu::finish_resets() {
  if (!resetting() || os_.clock.now() < reset_.until_ns) return;
  const PendingReset done = std::exchange(reset_, {});
  for (const std::uint32_t member : done.gpus) {
    silicon::Gpu& gpu = board_.gpus()[member];
    log_device(gpu, 6, "GPU reset succeeded, trying to resume", done.event);
    if (done.method == ResetMethod::mode1) {
      log(6, "[drm] PCIE GART of 512M enabled.", done.event);
      log(6, "[drm] VRAM is lost due to GPU reset!", done.event);
      gpu.ras.poisoned.clear();  // whatever is written next is sound; retired pages stay so
    }
    log_device(gpu, 6, "SMU is resuming...", done.event);
    log_device(gpu, 6, "SMU is resumed successfully!", done.event);
  }
  for (const std::uint32_t member : done.gpus) {
    const GpuDevice* device = bound(member);
    if (!device) continue;
    log_device(board_.gpus()[member], 6, fmt::format("GPU reset({}) succeeded!", device->resets),
               done.event);
    for (const KfdNode& node : kfd_.nodes_of(member)) {
      kfd_.smi_event(node.gpu_id, kfd::SmiEvent::gpu_post_reset,
                     reset_line(kfd::SmiEvent::gpu_post_reset, device->resets));
    }
  }
  os_.journal.record(Layer::kernel, Severity::info, "gpu.reset_done",
                     board_.gpus()[done.gpus.front()].bdf.text(),
                     {{field::did, "KFD can be opened again"}}, done.event);
  kfd_.unlock();
  kfd_.changed();
}

void Amdgpu::settle_resets() {
  if (!resetting()) return;
  os_.clock.advance_to(reset_.until_ns);
  finish_resets();
}

}  // namespace rocdrill::kernel
