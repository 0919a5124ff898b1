// What a person sees of a queue: names, slots, and what it is waiting for.
#include <atomic>
#include <stdexcept>

#include "sim/silicon/command_processor/queue.hpp"

namespace rocdrill::cp {

std::string_view name(Transition transition) {
  switch (transition) {
    case Transition::doorbell:
      return "doorbell";
    case Transition::stalled:
      return "stalled";
    case Transition::launched:
      return "launched";
    case Transition::taken:
      return "taken";
    case Transition::completed:
      return "completed";
    case Transition::failed:
      return "failed";
    case Transition::suspended:
      return "suspended";
    case Transition::resumed:
      return "resumed";
  }
  return "?";
}

std::string_view name(QueueState state) {
  switch (state) {
    case QueueState::idle:
      return "idle";
    case QueueState::active:
      return "active";
    case QueueState::waiting:
      return "waiting";
    case QueueState::suspended:
      return "suspended";
    case QueueState::failed:
      return "failed";
  }
  return "?";
}

std::string_view name(WaitReason reason) {
  switch (reason) {
    case WaitReason::none:
      return "none";
    case WaitReason::header_invalid:
      return "header-invalid";
    case WaitReason::barrier_bit:
      return "barrier-bit";
    case WaitReason::all_signals:
      return "all-signals";
    case WaitReason::any_signal:
      return "any-signal";
    case WaitReason::signal_value:
      return "signal-value";
    case WaitReason::ring_held:
      return "ring-held";
    case WaitReason::scratch:
      return "scratch";
    case WaitReason::in_flight_limit:
      return "in-flight-limit";
  }
  return "?";
}

std::string_view name(SlotState state) {
  switch (state) {
    case SlotState::invalid:
      return "invalid";
    case SlotState::valid:
      return "valid";
    case SlotState::waiting:
      return "waiting";
    case SlotState::launched:
      return "launched";
    case SlotState::complete:
      return "complete";
    case SlotState::failed:
      return "failed";
    case SlotState::unreadable:
      return "unreadable";
  }
  return "?";
}

Wait Queue::waiting_on() const {
  Wait wait{.reason = wait_, .packet_index = launch_index_, .signals = {}};
  if (wait_ == WaitReason::signal_value) {
    const auto packet = barrier_.packet.as<aql::BarrierValue>();
    wait.signals.push_back(
        {packet.signal, static_cast<SignalCondition>(packet.condition), packet.value, packet.mask});
  } else if (wait_ == WaitReason::all_signals || wait_ == WaitReason::any_signal) {
    const auto packet = barrier_.packet.as<aql::Barrier>();
    for (std::uint32_t i = 0; i < std::size(packet.dep_signal); ++i) {
      const bool observed = (observed_ >> i & 1u) != 0;
      if (packet.dep_signal[i] != 0 && !observed) wait.signals.push_back({packet.dep_signal[i]});
    }
  }
  return wait;
}

SlotState Queue::slot_state(std::uint32_t slot) const {
  if (slot >= config_.size_packets) throw std::out_of_range("AQL queue: no such slot");
  const std::uint64_t size = config_.size_packets;
  // The packets that this slot holds next and held last.
  const std::uint64_t next = read_index_ + ((slot - read_index_) & (size - 1));
  const std::uint64_t last = next - size;
  const auto flying = [this](std::uint64_t index) {
    const std::size_t place = find_in_flight(index);
    return place < in_flight_.size() && in_flight_[place].index == index;
  };
  if (error_ && (error_->packet_index == next || error_->packet_index == last)) {
    return SlotState::failed;
  }
  if (next < launch_index_) return flying(next) ? SlotState::launched : SlotState::complete;
  if (polling_ && next == launch_index_) return SlotState::waiting;

  void* packet = memory_.translate(slot_va(slot), sizeof(aql::Packet), Access::read);
  if (packet == nullptr) return SlotState::unreadable;
  auto& word = *static_cast<std::uint16_t*>(packet);
  const aql::Header header{std::atomic_ref(word).load(std::memory_order_acquire)};
  if (header.type() != aql::PacketType::invalid) {
    const bool stands = next == launch_index_ && wait_ != WaitReason::none;
    return stands ? SlotState::waiting : SlotState::valid;
  }
  if (next < size) return SlotState::invalid;
  return flying(last) ? SlotState::launched : SlotState::complete;
}

}  // namespace rocdrill::cp
