// From the end of the launch phase to the completion signal.
#include <algorithm>
#include <atomic>

#include "sim/silicon/command_processor/memory.hpp"
#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer does not model fences; all shared words are atomics besides.
#pragma GCC diagnostic ignored "-Wtsan"
#endif

namespace rocdrill::cp {
namespace {

std::uint64_t completion_signal(const aql::Packet& packet) {
  return packet.as<aql::Barrier>().completion_signal;  // the same place in all packets
}

}  // namespace

bool Queue::resolve_slot(std::uint64_t index, Target& to) {
  auto* slot = at<aql::Packet>(slot_va(index), Access::write, index);
  if (slot == nullptr) return false;
  to.header = reinterpret_cast<std::uint16_t*>(slot->bytes.data());
  to.read_index = at<std::uint64_t>(config_.read_index_va, Access::write, index);
  return to.read_index != nullptr;
}

bool Queue::resolve_signal(const InFlight& flight, Target& to) {
  const std::uint64_t handle = completion_signal(flight.packet);
  if (handle == 0) return true;
  to.signal = at<aql::AmdSignal>(handle, Access::write, flight.index);
  if (to.signal == nullptr) return false;
  const std::uint64_t mailbox = std::atomic_ref(to.signal->event_mailbox_ptr).load();
  if (mailbox == 0) return true;
  to.mailbox = at<std::uint64_t>(mailbox, Access::write, flight.index);
  return to.mailbox != nullptr;
}

void Queue::mark_launched(const InFlight& flight) {
  const unsigned scope = flight.packet.header().acquire();
  if (scope != 0) std::atomic_thread_fence(std::memory_order_acquire);
  ++counters_.acquire_fences[scope];
  ++counters_.launched;
  ++launch_index_;
  wait_ = WaitReason::none;
  state_ = QueueState::active;
  if (tells(EventLevel::packets)) tell(Transition::launched, flight.index, flight.packet);
}

/// The order matters to producers: the read index is what tells them that the slot is free.
void Queue::take(const InFlight& flight, const Target& to) {
  std::atomic_ref(*to.header).store(aql::Header{}.bits, std::memory_order_release);
  read_index_ = first_not_taken();
  if (!injecting_ || read_index_moves()) {
    std::atomic_ref(*to.read_index).store(read_index_, std::memory_order_release);
  }
  if (tells(EventLevel::transitions)) tell(Transition::taken, flight.index, flight.packet);
}

void Queue::complete(const InFlight& flight, const Target& to) {
  const unsigned scope = flight.packet.header().release();
  if (scope != 0) std::atomic_thread_fence(std::memory_order_release);
  ++counters_.release_fences[scope];
  ++counters_.completed;
  const std::int64_t times = injecting_ && to.signal != nullptr ? completions_to_signal(flight) : 1;
  if (times != 0) signal_completion(flight, to, times);
  if (tells(EventLevel::packets)) tell(Transition::completed, flight.index, flight.packet);
  if (times != 0 && to.mailbox != nullptr) interrupt(*to.signal, to.mailbox);
}

void Queue::signal_completion(const InFlight& flight, const Target& to, std::int64_t times) {
  if (to.signal == nullptr) return;
  if (flight.profiled) {
    std::atomic_ref(to.signal->start_ts).store(flight.start_ns, std::memory_order_relaxed);
    std::atomic_ref(to.signal->end_ts).store(hooks_.now_ns(), std::memory_order_relaxed);
  }
  signal::subtract(*to.signal, 1);
  if (times == 2) signal::subtract(*to.signal, 1);
}

/// KFD trusts an event id only if its mailbox slot has been written: slot first.
void Queue::interrupt(aql::AmdSignal& signal, std::uint64_t* mailbox) {
  const std::uint32_t event_id = std::atomic_ref(signal.event_id).load(std::memory_order_relaxed);
  std::atomic_ref(*mailbox).store(event_id, std::memory_order_release);
  if (injecting_ && !interrupt_arrives(event_id)) return;
  ++counters_.interrupts;
  hooks_.interrupt(event_id);
}

std::size_t Queue::find_in_flight(std::uint64_t index) const {
  const auto found = std::ranges::lower_bound(in_flight_, index, {}, &InFlight::index);
  return static_cast<std::size_t>(found - in_flight_.begin());
}

bool Queue::is_in_flight(std::uint64_t index, aql::PacketType type) const {
  const std::size_t place = find_in_flight(index);
  return place < in_flight_.size() && in_flight_[place].index == index &&
         in_flight_[place].packet.header().type() == type;
}

std::uint64_t Queue::first_not_taken() const {
  if (held_slots_ == 0) return launch_index_;
  return std::ranges::find(in_flight_, true, &InFlight::holds_slot)->index;
}

bool Queue::finish(std::uint64_t index, aql::PacketType type) {
  if (state_ == QueueState::failed || !is_in_flight(index, type)) return false;
  const std::size_t place = find_in_flight(index);
  const InFlight flight = in_flight_[place];
  Target to;
  if (flight.holds_slot && !resolve_slot(index, to)) return false;
  if (!resolve_signal(flight, to)) return false;
  in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(place));
  if (state_ != QueueState::idle) state_ = QueueState::active;  // the head may go on now
  if (flight.holds_slot) {
    --held_slots_;
    take(flight, to);
  }
  complete(flight, to);
  return true;
}

bool Queue::complete_agent_dispatch(std::uint64_t index) {
  return finish(index, aql::PacketType::agent_dispatch);
}

bool Queue::complete_kernel_dispatch(std::uint64_t index) {
  return finish(index, aql::PacketType::kernel_dispatch);
}

bool Queue::fail_dispatch(std::uint64_t index, KfdException code) {
  if (state_ == QueueState::failed || !is_in_flight(index, aql::PacketType::kernel_dispatch)) {
    return false;
  }
  fail(code, index);
  return true;
}

bool Queue::fault_dispatch(std::uint64_t index, std::uint64_t va, Access access, Requester by) {
  if (state_ == QueueState::failed || !is_in_flight(index, aql::PacketType::kernel_dispatch)) {
    return false;
  }
  fault(va, access, index, by);
  return true;
}

bool Queue::refuse_dispatch(std::uint64_t index, std::string_view what) {
  if (state_ == QueueState::failed || !is_in_flight(index, aql::PacketType::kernel_dispatch)) {
    return false;
  }
  hooks_.unmodelled(what, *this, index);
  fail(KfdException::packet_unsupported, index);
  return true;
}

}  // namespace rocdrill::cp
