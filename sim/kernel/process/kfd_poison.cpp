// Hardware that fails under the process: poisoned memory, a MEC that does not let go of queues.
#include <algorithm>
#include <cerrno>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"

namespace rocdrill::kernel {

std::vector<std::uint64_t> KfdProcess::poison_of(const Buffer& buffer) const {
  std::vector<std::uint64_t> holes;
  const auto known = poison_.find(buffer.gpu_id);
  if (known == poison_.end() || buffer.vram.empty()) return holes;
  std::uint64_t offset = 0;
  for (const VramExtent& extent : buffer.vram) {
    for (const std::uint64_t page : known->second) {
      if (page < extent.begin || page - extent.begin >= extent.bytes) continue;
      const std::uint64_t at = offset + page - extent.begin;
      if (at < buffer.size) holes.push_back(at);
    }
    offset += extent.bytes;
  }
  std::ranges::sort(holes);
  return holes;
}

std::optional<KfdProcess::PoisonedPage> KfdProcess::poisoned_page(std::uint32_t gpu_id,
                                                                  std::uint64_t va) const {
  for (const auto& [handle, buffer] : buffers_) {
    if (va < buffer.va || va - buffer.va >= buffer.size || !buffer.mapped.contains(gpu_id))
      continue;
    const std::uint64_t wanted = (va - buffer.va) / vram_page * vram_page;
    const std::vector<std::uint64_t> holes = poison_of(buffer);
    if (!std::ranges::binary_search(holes, wanted)) return std::nullopt;
    std::uint64_t offset = 0;
    for (const VramExtent& extent : buffer.vram) {
      if (wanted - offset < extent.bytes)
        return PoisonedPage{buffer.gpu_id, extent.begin + wanted - offset};
      offset += extent.bytes;
    }
  }
  return std::nullopt;
}

void KfdProcess::refresh_poison() {
  std::map<std::uint32_t, std::vector<std::uint64_t>> now;
  for (const GpuFacts& gpu : devices_.facts().gpus) {
    if (!gpu.poisoned.empty()) now[gpu.gpu_id] = gpu.poisoned;
  }
  if (now == poison_) return;
  std::vector<std::pair<Buffer*, std::set<std::uint32_t>>> mapped;
  for (auto& [handle, buffer] : buffers_) {
    if (buffer.vram.empty() || buffer.mapped.empty()) continue;
    mapped.emplace_back(&buffer, buffer.mapped);
    while (!buffer.mapped.empty()) unmap(buffer, *buffer.mapped.begin());
  }
  poison_ = std::move(now);
  for (auto& [buffer, gpus] : mapped) {
    for (const std::uint32_t gpu_id : gpus) map(*buffer, gpu_id);
  }
}

/// kfd_signal_poison_consumed_event(): this process alone hears of it, and its queues are off.
EventId KfdProcess::consume_poison(const HardwareQueue& queue, const cp::MemoryFault& fault,
                                   const PoisonedPage& page) {
  const std::uint32_t gpu_id = queue.gpu_id;
  const EventId event =
      devices_.hardware_error(opener_.pid, {.kind = HardwareError::Kind::poison_consumed,
                                            .gpu_id = gpu_id,
                                            .doorbell = queue.doorbell_index,
                                            .page = page.page,
                                            .memory_of = page.memory_of,
                                            .by = fault.by,
                                            .cause = reason_});
  evict_queues(gpu_id);
  constexpr std::uint32_t one_engine = 1;
  constexpr std::uint32_t ecc = 1;
  for (auto& [id, other] : events_) {
    if (other.type != static_cast<std::uint32_t>(kfd::EventType::hw_exception)) continue;
    other.hardware = {one_engine, ecc, 1, gpu_id};
    signal(id);
  }
  kfd::MemoryExceptionData data{};
  data.gpu_id = gpu_id;
  data.failure.imprecise = 1;
  data.error_type = static_cast<std::uint32_t>(kfd::MemoryError::poison_consumed);
  memory_exception(data);
  return event;
}

int KfdProcess::preempt(std::uint32_t gpu_id) {
  const GpuFacts* gpu = devices_.facts().find(gpu_id);
  if (!gpu || gpu->preempts) return 0;
  const auto queue = std::ranges::find_if(queues_, [&](const auto& each) {
    return each.second->gpu_id == gpu_id && !each.second->lost;
  });
  if (queue == queues_.end()) return 0;  // nothing is mapped
  why_ = devices_.hardware_error(opener_.pid, {.kind = HardwareError::Kind::preemption_failed,
                                               .gpu_id = gpu_id,
                                               .doorbell = queue->second->doorbell_index,
                                               .cause = reason_});
  return ETIME;
}

}  // namespace rocdrill::kernel
