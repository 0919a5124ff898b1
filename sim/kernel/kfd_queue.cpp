#include "sim/kernel/kfd_queue.hpp"

#include <fmt/format.h>

#include <atomic>

#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::kernel {
namespace {

// Header at the start of the CWSR area (kfd_context_save_area_header).
constexpr std::uint64_t error_reason_pointer = 24;
constexpr std::uint64_t error_event_id = 32;

}  // namespace

KfdProcess::HardwareQueue::HardwareQueue(KfdProcess& process, const cp::QueueConfig& config,
                                         std::uint32_t gpu, std::uint32_t doorbell_index,
                                         std::uint64_t context_save_area)
    : process_(process),
      gpu_id(gpu),
      doorbell(doorbell_index),
      save_area(context_save_area),
      queue(config, *process.opener_.memory, *this) {
  queue.set_event_level(process.context_.queue_events);
}

KfdProcess::HardwareQueue::~HardwareQueue() {
  process_.context_.kfd.release_doorbell(process_.opener_.pid, gpu_id, doorbell);
}

void KfdProcess::HardwareQueue::queue_error(cp::Queue&, const cp::QueueError& error) {
  const std::string subject =
      fmt::format("pid {} queue {}", process_.opener_.pid, queue.config().id);
  const std::string status = name(error.status);
  process_.context_.os.journal.record(
      Layer::silicon, refused_ != no_event ? Severity::unmodelled : Severity::error, "queue.failed",
      subject,
      {{"packet", static_cast<std::int64_t>(error.packet_index)},
       {"exception", cp::name(error.kfd_code)},
       {field::status, std::string_view(status)}},
      refused_ != no_event ? refused_ : process_.context_.kfd.event());
  if (!process_.runtime_enabled_ || save_area == 0) return;  // path A: the queue wrote the signal
  cp::RangeAddressSpace& memory = *process_.opener_.memory;
  const auto* reason = static_cast<std::uint64_t*>(
      memory.translate(save_area + error_reason_pointer, 8, cp::Access::read));
  const auto* event = static_cast<std::uint32_t*>(
      memory.translate(save_area + error_event_id, 4, cp::Access::read));
  if (!reason || !event || *reason % 8 != 0) return;
  auto* word = static_cast<std::uint64_t*>(memory.translate(*reason, 8, cp::Access::write));
  if (!word) return;
  std::atomic_ref(*word).fetch_or(cp::exception_mask(error.kfd_code));
  process_.signal(*event);
}

void KfdProcess::HardwareQueue::unmodelled(std::string_view what, cp::Queue&,
                                           std::uint64_t packet_index) {
  refused_ = process_.context_.os.journal.unmodelled(
      Layer::silicon, fmt::format("{} (packet {})", what, packet_index),
      "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT", process_.context_.kfd.event());
}

void KfdProcess::HardwareQueue::memory_fault(const cp::MemoryFault& fault) {
  const std::string address = fmt::format("{:#x}", fault.address);
  process_.context_.os.journal.record(
      Layer::silicon, Severity::error, "gpu.memory_fault", address,
      {{"access", fault.access == cp::Access::write ? "write" : "read"},
       {"packet", static_cast<std::int64_t>(fault.packet_index)}},
      process_.context_.kfd.event());
  for (auto& [id, event] : process_.events_) {
    if (event.type == static_cast<std::uint32_t>(kfd::EventType::memory)) process_.signal(id);
  }
}

void KfdProcess::HardwareQueue::observe(const cp::PacketEvent& packet) {
  process_.context_.os.journal.record(
      Layer::silicon, Severity::debug, fmt::format("packet.{}", cp::name(packet.transition)),
      fmt::format("pid {} queue {}", process_.opener_.pid, packet.queue_id),
      {{"index", static_cast<std::int64_t>(packet.index)},
       {"type", aql::name(packet.header.type())}},
      process_.context_.kfd.event());
}

}  // namespace rocdrill::kernel
