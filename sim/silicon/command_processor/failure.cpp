// How a queue ends, and how it tells.
#include <atomic>

#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"

namespace rocdrill::cp {

void Queue::fail(KfdException code, std::uint64_t index) {
  if (state_ == QueueState::failed) return;
  state_ = QueueState::failed;
  wait_ = WaitReason::none;
  error_ = make_queue_error(code, index);
  if (hooks_.legacy_errors()) raise_inactive_signal(error_->inactive_bits);
  if (tells(EventLevel::errors)) tell(Transition::failed, index, packet_in_slot(index));
  hooks_.queue_error(*this, *error_);
}

void Queue::fault(std::uint64_t va, Access access, std::uint64_t index, Requester by) {
  if (state_ == QueueState::failed) return;
  hooks_.memory_fault({config_.id, va, access, index, by});
  fail(KfdException::device_memory_violation, index);
}

/// nullptr if amd_queue_t or the signal are not reachable.
aql::AmdSignal* Queue::inactive_signal() {
  if (config_.amd_queue_va == 0) return nullptr;
  auto* queue = static_cast<aql::AmdQueue*>(
      memory_.translate(config_.amd_queue_va, sizeof(aql::AmdQueue), Access::write));
  if (queue == nullptr) return nullptr;
  const std::uint64_t handle = std::atomic_ref(queue->queue_inactive_signal).load();
  if (handle == 0 || handle % alignof(aql::AmdSignal) != 0) return nullptr;
  return static_cast<aql::AmdSignal*>(
      memory_.translate(handle, sizeof(aql::AmdSignal), Access::write));
}

/// ROCr waits for this signal through its event where it has one. If it cannot be reached there is
/// nobody to tell.
void Queue::raise_inactive_signal(std::uint32_t bits) {
  aql::AmdSignal* signal = bits == 0 ? nullptr : inactive_signal();
  if (signal == nullptr) return;
  signal::bit_or(*signal, bits);
  const std::uint64_t mailbox = std::atomic_ref(signal->event_mailbox_ptr).load();
  if (mailbox == 0 || mailbox % sizeof mailbox != 0) return;
  void* slot = memory_.translate(mailbox, sizeof mailbox, Access::write);
  if (slot != nullptr) interrupt(*signal, static_cast<std::uint64_t*>(slot));
}

void Queue::tell(Transition transition, std::uint64_t index, const aql::Packet& packet) {
  hooks_.observe({.transition = transition,
                  .queue_id = config_.id,
                  .index = index,
                  .header = packet.header(),
                  .completion_signal = packet.as<aql::Barrier>().completion_signal});
}

/// For events only: an INVALID packet if the ring cannot be read.
aql::Packet Queue::packet_in_slot(std::uint64_t index) const {
  const void* slot = memory_.translate(slot_va(index), sizeof(aql::Packet), Access::read);
  return slot == nullptr ? aql::Packet{} : *static_cast<const aql::Packet*>(slot);
}

}  // namespace rocdrill::cp
