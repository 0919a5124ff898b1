#include "sim/rocr/queues.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#include "sim/rocr/queue_status.hpp"

namespace rocdrill::rocr {
namespace {

// Limits of hsa_queue_create() (hsa.cpp, amd_gpu_agent.cpp).
constexpr std::uint32_t min_packets = 64;
constexpr std::uint32_t max_packets = 131072;
constexpr std::uint32_t max_private_segment = 262128;
// Header of the context save area: where KFD finds the word and the event for exceptions.
constexpr std::size_t save_area_bytes = 4096;
constexpr std::size_t error_reason_pointer = 24;
constexpr std::size_t error_event_id = 32;

std::optional<HsaStatus> check(const QueueOptions& options) {
  if (!std::has_single_bit(options.size) || options.size < min_packets) {
    return HsaStatus::invalid_argument;
  }
  if (options.size > max_packets) return HsaStatus::out_of_resources;
  if (options.private_segment_size > max_private_segment &&
      options.private_segment_size != UINT32_MAX) {
    return HsaStatus::out_of_resources;
  }
  return std::nullopt;
}

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

SysResult<std::unique_ptr<QueueMemory>> QueueMemory::create(Thunk& thunk, std::uint32_t packets) {
  std::unique_ptr<QueueMemory> memory(new QueueMemory(thunk));
  auto ring = thunk.allocate(packets * sizeof(aql::Packet), false);
  if (!ring) return std::unexpected(ring.error());
  memory->ring_ = static_cast<aql::Packet*>(*ring);
  memory->packets_ = packets;
  for (std::uint32_t i = 0; i < packets; ++i) new (memory->ring_ + i) aql::Packet;
  auto queue = thunk.allocate(sizeof(aql::AmdQueue), false);
  if (!queue) return std::unexpected(queue.error());
  memory->queue_ = static_cast<aql::AmdQueue*>(*queue);
  memory->queue_->base_address = address(memory->ring_);
  memory->queue_->size = packets;
  memory->queue_->read_dispatch_id_field_base_byte_offset =
      offsetof(aql::AmdQueue, read_dispatch_id);
  return memory;
}

QueueMemory::~QueueMemory() {
  thunk_.release(queue_);
  thunk_.release(ring_);
}

std::uint64_t UserQueue::load_read_index() const {
  return std::atomic_ref(memory_->queue().read_dispatch_id).load(std::memory_order_acquire);
}
std::uint64_t UserQueue::load_write_index() const {
  return std::atomic_ref(memory_->queue().write_dispatch_id).load(std::memory_order_acquire);
}
std::uint64_t UserQueue::add_write_index(std::uint64_t count) {
  return std::atomic_ref(memory_->queue().write_dispatch_id).fetch_add(count);
}
void UserQueue::store_write_index(std::uint64_t value) {
  std::atomic_ref(memory_->queue().write_dispatch_id).store(value, std::memory_order_release);
}

void UserQueue::failed(HsaStatus status) {
  if (status_ != HsaStatus::success || status == HsaStatus::success) return;
  status_ = status;
  if (on_error_) on_error_(status);
}

HsaResult<std::unique_ptr<GpuQueue>> GpuQueue::create(SignalPool& signals, std::uint32_t gpu_id,
                                                      bool exceptions,
                                                      const QueueOptions& options) {
  if (const auto status = check(options)) return fail(*status);
  const auto out_of_resources = [](const SysError& error) {
    return fail(HsaStatus::out_of_resources, error.event);
  };
  Thunk& thunk = signals.thunk();
  auto memory = QueueMemory::create(thunk, options.size);
  if (!memory) return out_of_resources(memory.error());
  std::unique_ptr<GpuQueue> queue(new GpuQueue(std::move(*memory), options.on_error));
  queue->thunk_ = &thunk;
  queue->signals_ = &signals;
  queue->exceptions_ = exceptions;
  auto inactive = signals.take(0);
  if (!inactive) return out_of_resources(inactive.error());
  queue->inactive_ = *inactive;
  aql::AmdQueue& header = queue->memory_->queue();
  header.queue_inactive_signal = address(*inactive);
  if (exceptions) {
    auto area = thunk.allocate(save_area_bytes, false);
    if (!area) return out_of_resources(area.error());
    queue->save_area_ = *area;
    const std::uint64_t word = address(&(*inactive)->value);
    std::memcpy(static_cast<char*>(*area) + error_reason_pointer, &word, sizeof word);
    std::memcpy(static_cast<char*>(*area) + error_event_id, &(*inactive)->event_id, 4);
  }
  auto resource = thunk.create_queue(gpu_id, queue->ring().data(),
                                     static_cast<std::uint32_t>(queue->ring().size_bytes()),
                                     &header.write_dispatch_id, &header.read_dispatch_id,
                                     queue->save_area_, queue->save_area_ ? save_area_bytes : 0);
  if (!resource) return out_of_resources(resource.error());
  queue->resource_ = *resource;
  header.id = resource->queue_id;
  return queue;
}

GpuQueue::~GpuQueue() {
  if (resource_.doorbell) thunk_->destroy_queue(resource_.queue_id);
  thunk_->release(save_area_);
  thunk_->release(scratch_);
  if (inactive_) signals_->give_back(inactive_);
}

void GpuQueue::ring_doorbell(std::uint64_t index) {
  thunk_->process().store_doorbell(resource_.doorbell, index);
  poll_error();
}

void GpuQueue::poll_error() {
  if (status_ != HsaStatus::success) return;
  auto value = static_cast<std::uint64_t>(std::atomic_ref(inactive_->value).load());
  if ((value & cp::inactive::scratch_wave64) != 0 && provide_scratch())
    value = static_cast<std::uint64_t>(
        std::atomic_ref(inactive_->value).fetch_and(~std::int64_t{cp::inactive::scratch_wave64}) &
        ~std::int64_t{cp::inactive::scratch_wave64});
  if (value == 0) return;
  thunk_->suspend_queue(resource_.queue_id);
  failed(exceptions_ ? status_of_exception(value) : status_of_inactive_bits(value));
}

/// DynamicScratchHandler (amd_aql_queue.cpp): as much as the packet at the head asks for, for as
/// many waves as fit into one allocation of a sensible size.
bool GpuQueue::provide_scratch() {
  constexpr std::uint64_t lanes = 64;
  constexpr std::uint64_t granule = 1024;  // of COMPUTE_TMPRING_SIZE.WAVESIZE
  constexpr std::uint64_t most_waves = 1024;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
  const std::span<aql::Packet> packets = ring();
  const auto packet = packets[load_read_index() % packets.size()].as<aql::KernelDispatch>();
  const std::uint64_t lane_bytes = (std::uint64_t{packet.private_segment_size} + 15) / 16 * 16;
  const std::uint64_t wave_bytes = (lane_bytes * lanes + granule - 1) / granule * granule;
  if (wave_bytes == 0 || wave_bytes / granule > 0x1FFF) return false;
  const std::uint64_t waves = std::min(most_waves, most_bytes / wave_bytes);
  auto memory = thunk_->allocate(wave_bytes * waves, false);
  if (!memory) return false;
  thunk_->release(scratch_);
  scratch_ = *memory;
  aql::AmdQueue& header = memory_->queue();
  const std::uint64_t va = address(scratch_);
  header.scratch_backing_memory_location = va;
  header.scratch_backing_memory_byte_size = wave_bytes * waves;
  header.scratch_wave64_lane_byte_size = static_cast<std::uint32_t>(lane_bytes);
  header.compute_tmpring_size = static_cast<std::uint32_t>(std::min<std::uint64_t>(waves, 0xFFF) |
                                                           wave_bytes / granule << 12);
  // Swizzled: elements of 4 bytes, 64 lanes side by side, the lane added by hardware.
  header.scratch_resource_descriptor[0] = static_cast<std::uint32_t>(va);
  header.scratch_resource_descriptor[1] = static_cast<std::uint32_t>(va >> 32 & 0xFFFF) | 1u << 31;
  header.scratch_resource_descriptor[2] =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(wave_bytes * waves, 0xFFFFFFFF));
  header.scratch_resource_descriptor[3] = 0x00EA4FAC;
  return true;
}

SoftQueue::SoftQueue(std::unique_ptr<QueueMemory> memory, const QueueOptions& options,
                     std::uint64_t id, cp::AddressSpace& space)
    : UserQueue(std::move(memory), options.on_error),
      id_(id),
      processor_({.id = id,
                  .ring_base = address(ring().data()),
                  .size_packets = static_cast<std::uint32_t>(ring().size()),
                  .write_index_va = address(&memory_->queue().write_dispatch_id),
                  .read_index_va = address(&memory_->queue().read_dispatch_id),
                  .amd_queue_va = address(&memory_->queue()),
                  .limits = {}},
                 space, *this) {}

void SoftQueue::ring_doorbell(std::uint64_t index) {
  processor_.doorbell(index);
  run();
}

bool SoftQueue::run() {
  if (running_) return false;
  running_ = true;
  const cp::Progress progress = processor_.run(SIZE_MAX);
  running_ = false;
  poll_error();
  return progress.launched > 0 || progress.completed > 0;
}

void SoftQueue::poll_error() {
  if (processor_.error()) failed(processor_.error()->status);
}

void SoftQueue::set_handler(std::function<void(const aql::Packet&)> handler) {
  handler_ = std::move(handler);
  while (handler_ && !processor_.in_flight().empty()) {
    const cp::InFlight waiting = processor_.in_flight().front();
    handler_(waiting.packet);
    if (!processor_.complete_agent_dispatch(waiting.index)) break;
  }
}

void SoftQueue::agent_dispatch(cp::Queue& queue, std::uint64_t index, const aql::Packet& packet) {
  if (!handler_) return;  // in flight until somebody takes it
  handler_(packet);
  queue.complete_agent_dispatch(index);
}

}  // namespace rocdrill::rocr
