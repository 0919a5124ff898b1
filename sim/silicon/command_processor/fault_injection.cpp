// Where an AQL queue does, on purpose, what it should not.
#include "sim/silicon/command_processor/fault_injection.hpp"

#include <algorithm>

#include "sim/silicon/command_processor/queue.hpp"

namespace rocdrill::cp {
namespace {

constexpr std::size_t first_dword = 4;  // producers write header and setup as one

}  // namespace

void Queue::inject(const QueueFaultInjection& faults) {
  faults_ = faults;
  injected_ = {.launched_before = counters_.launched};
  injecting_ = true;
  doorbell_.inject(faults.doorbell);
}

void Queue::spoil_body(aql::Packet& packet) {
  const std::uint64_t nth = counters_.launched - injected_.launched_before + 1;
  if (nth != faults_.header_before_body) return;
  std::fill(packet.bytes.begin() + first_dword, packet.bytes.end(), std::byte{0});
}

bool Queue::barrier_bit_holds() const {
  const std::uint64_t nth = counters_.launched - injected_.launched_before + 1;
  return !injecting_ || nth != faults_.barrier_bit_ignored;
}

/// How many times the signal of `flight` is decremented now.
std::int64_t Queue::completions_to_signal(const InFlight& flight) {
  const std::uint64_t nth = ++injected_.completions;
  if (nth == faults_.completion_lost) return 0;
  if (nth == faults_.completion_late && !late_completion_) {
    late_completion_ = {flight, InjectedWait(faults_.completion_delay)};
    return 0;
  }
  return nth == faults_.completion_twice ? 2 : 1;
}

bool Queue::interrupt_arrives() { return ++injected_.interrupts != faults_.interrupt_lost; }

bool Queue::read_index_moves() {
  ++injected_.taken;
  return faults_.read_index_stuck == 0 || injected_.taken < faults_.read_index_stuck;
}

void Queue::deliver_late_completion() {
  if (!late_completion_->wait.over(hooks_.now_ns())) return;
  const InFlight flight = late_completion_->flight;
  late_completion_.reset();
  Target to;
  if (!resolve_signal(flight, to)) return;
  signal_completion(flight, to, 1);
  if (to.mailbox != nullptr) interrupt(*to.signal, to.mailbox);
}

}  // namespace rocdrill::cp
