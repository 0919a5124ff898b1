// User queues: CREATE_QUEUE and its kin (kfd_chardev.c, kfd_queue.c), doorbells, progress.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <stdexcept>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t user_space_end = 1ull << 47;
// KFD_MAX_QUEUE_PERCENTAGE, KFD_MAX_QUEUE_PRIORITY
constexpr std::uint32_t max_percentage = 100;
constexpr std::uint32_t max_priority = 15;
constexpr std::uint32_t max_cu_mask_bits = 1024;

constexpr auto number(kfd::QueueType type) { return static_cast<std::uint32_t>(type); }

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

}  // namespace

std::uint64_t* KfdProcess::doorbell_page(std::uint32_t gpu_id) {
  std::uint64_t*& page = doorbells_[gpu_id];
  if (!page) {
    page = surroundings_.doorbell_page(gpu_id);
    if (!page) return nullptr;
    std::fill_n(page, kfd::doorbell_page_size / 8, ~0ull);
  }
  return page;
}

int KfdProcess::check_queue(std::uint64_t ring, std::uint64_t ring_size, std::uint32_t percentage,
                            std::uint32_t priority) const {
  if ((percentage & 0xFF) > max_percentage) return EINVAL;
  if (priority > max_priority) return EINVAL;
  if (ring >= user_space_end) return EFAULT;
  if (ring_size != 0 && !std::has_single_bit(ring_size)) return EINVAL;
  return 0;
}

/// kfd_queue.c: ring and pointers must be mapped buffers.
int KfdProcess::check_queue_buffers(const kfd::CreateQueueArgs& args) {
  const auto mapped = [&](std::uint64_t va, std::size_t bytes) {
    return page_table(args.gpu_id).translate(va, bytes, cp::Access::write) != nullptr;
  };
  if (args.ring_size < 64 || !mapped(args.ring_base_address, args.ring_size)) return EINVAL;
  if (!mapped(args.read_pointer_address, 8)) return EINVAL;
  return mapped(args.write_pointer_address, 8) ? 0 : EINVAL;
}

std::unique_ptr<KfdProcess::HardwareQueue> KfdProcess::make_queue(const kfd::CreateQueueArgs& args,
                                                                  const GpuFacts& gpu,
                                                                  std::uint32_t doorbell) {
  if (args.queue_type != number(kfd::QueueType::compute_aql)) {
    const auto generation =
        cp::sdma::generation(gpu.gfx_target_version);  // create_queue() has asked
    const cp::SdmaConfig config{.id = next_queue_,
                                .ring_base = args.ring_base_address,
                                .ring_bytes = args.ring_size,
                                .write_index_va = args.write_pointer_address,
                                .read_index_va = args.read_pointer_address,
                                .generation = generation.value()};
    return std::make_unique<SdmaQueue>(*this, config, args, doorbell);
  }
  // ROCr's write index lies in its amd_queue_t, whose start follows from it.
  const std::uint64_t amd_queue =
      args.write_pointer_address - offsetof(aql::AmdQueue, write_dispatch_id);
  const bool known =
      amd_queue % 64 == 0 &&
      page_table(args.gpu_id).translate(amd_queue, sizeof(aql::AmdQueue), cp::Access::write) &&
      args.read_pointer_address == amd_queue + offsetof(aql::AmdQueue, read_dispatch_id);
  const cp::QueueConfig config{.id = next_queue_,
                               .ring_base = args.ring_base_address,
                               .size_packets = args.ring_size / 64,
                               .write_index_va = args.write_pointer_address,
                               .read_index_va = args.read_pointer_address,
                               .amd_queue_va = known ? amd_queue : 0,
                               .limits = gpu.limits};
  return std::make_unique<AqlQueue>(*this, config, args, doorbell, gpu);
}

std::unique_ptr<KernelRunner> KfdProcess::make_runner(const GpuFacts& gpu) {
  const std::uint32_t version = gpu.gfx_target_version;
  isa::Shape shape{
      .processor = fmt::format("gfx{}{}{:x}", version / 10000, version / 100 % 100, version % 100),
      .xccs = gpu.xccs,
      .compute_units = gpu.compute_units,
      .lds_bytes_per_cu = gpu.limits.lds_bytes};
  if (!isa::executes(shape.processor)) return nullptr;
  std::shared_ptr<isa::CodeCache>& code = code_[gpu.gpu_id];
  if (!code) code = std::make_shared<isa::CodeCache>(shape.processor);
  return std::make_unique<KernelRunner>(page_table(gpu.gpu_id), surroundings_, std::move(shape),
                                        isa::Rates{gpu.engine_mhz, gpu.memory_bytes_per_us}, code);
}

int KfdProcess::create_queue(void* argument) {
  auto& args = as<kfd::CreateQueueArgs>(argument);
  if (const int error = check_queue(args.ring_base_address, args.ring_size, args.queue_percentage,
                                    args.queue_priority)) {
    return error;
  }
  if (args.read_pointer_address >= user_space_end || args.write_pointer_address >= user_space_end)
    return EFAULT;
  const GpuFacts* gpu = devices_.facts().find(args.gpu_id);
  if (!gpu || !acquired(args.gpu_id)) return EINVAL;
  if (args.queue_type > number(kfd::QueueType::sdma_by_engine_id)) return EINVAL;
  const bool sdma_by_engine = args.queue_type == number(kfd::QueueType::sdma_by_engine_id);
  if (sdma_by_engine &&
      (devices_.facts().era.minor < 17 || args.sdma_engine_id >= gpu->sdma_engines))
    return EINVAL;
  const bool sdma = args.queue_type != number(kfd::QueueType::compute_aql) &&
                    args.queue_type != number(kfd::QueueType::compute);
  if (args.queue_type == number(kfd::QueueType::compute) ||
      (sdma && !cp::sdma::generation(gpu->gfx_target_version))) {
    devices_.unmodelled(
        Layer::kernel,
        sdma ? std::string("SDMA queues of this generation") : std::string("PM4 compute queues"),
        "EINVAL", devices_.facts().event);
    return EINVAL;
  }
  if (const int error = check_queue_buffers(args)) return error;
  std::uint64_t* const doorbells = doorbell_page(args.gpu_id);
  if (!doorbells) return ENOMEM;
  // The run list is stopped before it grows.
  if (const int error = preempt(args.gpu_id)) return error;
  gpu = devices_.facts().find(args.gpu_id);  // as they are now
  if (!gpu) return EINVAL;
  const auto doorbell = devices_.take_doorbell(
      opener_.pid, args.gpu_id,
      {next_queue_, args.queue_type, args.ring_size, sdma_by_engine ? args.sdma_engine_id : 0});
  if (!doorbell) {
    why_ = doorbell.error().event;
    return doorbell.error().error;
  }
  doorbells[*doorbell] = ~0ull;  // re-armed before it is handed out
  try {
    queues_[next_queue_] = make_queue(args, *gpu, *doorbell);
  } catch (const std::invalid_argument&) {  // from within the queue: its doorbell is released
    queues_.erase(next_queue_);
    return EINVAL;
  }
  if (evictions_[args.gpu_id] != 0) queues_[next_queue_]->evict();
  args.queue_id = next_queue_++;
  args.doorbell_offset = kfd::MmapOffset{kfd::MmapType::doorbell,
                                         static_cast<std::uint16_t>(args.gpu_id), *doorbell * 8ull}
                             .encode();
  surroundings_.queues_changed();
  return 0;
}

int KfdProcess::destroy_queue(void* argument) {
  const auto at = queues_.find(as<kfd::DestroyQueueArgs>(argument).queue_id);
  if (at == queues_.end()) return EINVAL;
  const int error = preempt(at->second->gpu_id);  // the queue goes all the same
  queues_.erase(at);
  surroundings_.queues_changed();
  return error;
}

int KfdProcess::update_queue(void* argument) {
  const auto& args = as<kfd::UpdateQueueArgs>(argument);
  if (const int error = check_queue(args.ring_base_address, args.ring_size, args.queue_percentage,
                                    args.queue_priority)) {
    return error;
  }
  const auto at = queues_.find(args.queue_id);
  if (at == queues_.end()) return EINVAL;
  HardwareQueue& queue = *at->second;
  queue.stopped = (args.queue_percentage & 0xFF) == 0;
  if (queue.stopped) {
    queue.suspend();
  } else if (!queue.evicted && !queue.lost) {
    queue.resume();
  }
  return 0;
}

int KfdProcess::set_cu_mask(void* argument) {
  auto& args = as<kfd::SetCuMaskArgs>(argument);
  if (args.num_cu_mask == 0 || args.num_cu_mask % 32 != 0) return EINVAL;
  args.num_cu_mask = std::min(args.num_cu_mask, max_cu_mask_bits);
  std::vector<std::uint32_t> mask(args.num_cu_mask / 32);
  if (!copy_from_user(mask.data(), args.cu_mask_ptr, mask.size() * sizeof mask[0])) return EFAULT;
  const auto at = queues_.find(args.queue_id);
  if (at == queues_.end()) return EFAULT;  // pqm_update_mqd: no such queue
  at->second->set_cu_mask(std::move(mask));
  return 0;
}

void KfdProcess::heed_facts() {
  const DeviceFacts& facts = devices_.facts();
  if (facts.epoch == facts_epoch_) return;
  facts_epoch_ = facts.epoch;
  refresh_poison();
  for (auto& [id, queue] : queues_) {
    queue->take_injections(facts.injections.queues);
    queue->heed_level();
  }
  refresh_paths();
}

std::optional<std::uint64_t> KfdProcess::late_until() {
  const std::lock_guard lock(mutex_);
  std::optional<std::uint64_t> next;
  for (const auto& [id, queue] : queues_) {
    const auto late = queue->late_until();
    if (late && (!next || *late < *next)) next = late;
  }
  return next;
}

void KfdProcess::set_reason(EventId event) {
  const std::lock_guard lock(mutex_);
  reason_ = event;
}

void KfdProcess::stored(volatile void* address) {
  const std::lock_guard lock(mutex_);
  heed_facts();
  for (auto& [id, queue] : queues_) {
    std::uint64_t* doorbell = doorbell_page(queue->gpu_id) + queue->doorbell_index;
    if (doorbell == address) {
      queue->seen = *doorbell;
      if (observer_) observer_->doorbell(id, *doorbell);
      queue->ring(*doorbell);
    }
  }
  run_queues();
}

bool KfdProcess::run_queues() {
  bool any = false;
  for (auto& [id, queue] : queues_) any = queue->run() || any;
  return any;
}

bool KfdProcess::progress() {
  const std::lock_guard lock(mutex_);
  heed_facts();
  return run_queues();
}

KfdProcess::Served KfdProcess::serve_doorbells() {
  const std::lock_guard lock(mutex_);
  if (!queues_.empty()) heed_facts();
  Served served;
  for (auto& [id, queue] : queues_) {
    served.queues = true;
    const bool rung = queue->look_at_doorbell();
    const bool ran = queue->run();
    served.rung = served.rung || rung;
    served.any = served.any || rung || ran;
    served.waiting = served.waiting || queue->waiting();
  }
  return served;
}

void KfdProcess::run_packets() {
  const std::lock_guard lock(mutex_);
  if (!queues_.empty()) heed_facts();
  for (auto& [id, queue] : queues_) {
    if (queue->type == number(kfd::QueueType::compute_aql)) queue->run();
  }
}

std::vector<QueueView> KfdProcess::queues() {
  const std::lock_guard lock(mutex_);
  std::vector<QueueView> views;
  for (const auto& [id, queue] : queues_) {
    views.push_back({id, queue->gpu_id, queue->type, queue->doorbell_index, queue->read_index(),
                     queue->state()});
  }
  return views;
}

std::set<std::uint32_t> KfdProcess::gpus() {
  const std::lock_guard lock(mutex_);
  std::set<std::uint32_t> ids;
  for (const auto& [id, file] : acquired_) ids.insert(id);
  return ids;
}

// --- what the device part tells ------------------------------------------------------------

EventId KfdProcess::page_fault(const HardwareQueue& queue, const cp::MemoryFault& fault) {
  const std::uint32_t gpu_id = queue.gpu_id;
  if (const auto poison = poisoned_page(gpu_id, fault.address))
    return consume_poison(queue, fault, *poison);
  const bool mapped = page_table(gpu_id).translate(fault.address, 1, cp::Access::read) != nullptr;
  const EventId event = devices_.page_fault(opener_.pid, {.gpu_id = gpu_id,
                                                          .doorbell = queue.doorbell_index,
                                                          .address = fault.address,
                                                          .access = fault.access,
                                                          .mapped = mapped,
                                                          .by = fault.by,
                                                          .packet = fault.packet_index,
                                                          .cause = reason_});
  evict_queues(gpu_id);  // kfd_dqm_evict_pasid(): for good
  kfd::MemoryExceptionData data{};
  data.gpu_id = gpu_id;
  data.va = fault.address & ~0xFFFull;  // page granular
  data.failure.not_present = mapped ? 0 : 1;
  data.failure.read_only = mapped && fault.access == cp::Access::write ? 1 : 0;
  data.failure.no_execute = mapped && fault.access == cp::Access::execute ? 1 : 0;
  memory_exception(data);
  return event;
}

void KfdProcess::evict_queues(std::uint32_t gpu_id) {
  ++evictions_[gpu_id];
  for (auto& [id, queue] : queues_) {
    if (queue->gpu_id == gpu_id) queue->evict();
  }
}

void KfdProcess::gpu_reset(std::uint32_t gpu_id, std::uint32_t cause) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, queue] : queues_) {
    if (queue->gpu_id != gpu_id) continue;
    queue->lost = true;
    queue->suspend();
  }
  for (auto& [id, event] : events_) {
    // Whoever waits reads the first that comes, long before the reset of the next GPU of a hive.
    if (event.signalled || std::ranges::any_of(event.waiters, &Waiter::activated)) continue;
    if (event.type == static_cast<std::uint32_t>(kfd::EventType::hw_exception)) {
      event.hardware = {0, cause, 1, gpu_id};
      signal(id);
    }
    constexpr std::uint32_t ecc = 1;
    if (event.type == static_cast<std::uint32_t>(kfd::EventType::memory) && cause == ecc) {
      event.memory = {};
      event.memory.gpu_id = gpu_id;
      event.memory.failure.imprecise = 1;
      event.memory.error_type = static_cast<std::uint32_t>(kfd::MemoryError::sram_ecc);
      signal(id);
    }
  }
}

void KfdProcess::evict(std::uint32_t gpu_id) {
  const std::lock_guard lock(mutex_);
  evict_queues(gpu_id);
}

void KfdProcess::restore(std::uint32_t gpu_id) {
  const std::lock_guard lock(mutex_);
  if (evictions_[gpu_id] == 0 || --evictions_[gpu_id] != 0) return;
  for (auto& [id, queue] : queues_) {
    if (queue->gpu_id != gpu_id || !queue->evicted) continue;
    queue->evicted = false;
    if (!queue->stopped && !queue->lost) queue->resume();
  }
}

}  // namespace rocdrill::kernel
