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

std::uint64_t Queue::nth_launched() const {
  return counters_.launched - injected_.launched_before + 1;
}

void Queue::spoil_body(aql::Packet& packet) {
  const std::uint64_t nth = nth_launched();
  if (!faults_.header_before_body.has(nth)) return;
  std::fill(packet.bytes.begin() + first_dword, packet.bytes.end(), std::byte{0});
  hooks_.injected(Injected::header_before_body, nth, launch_index_);
}

bool Queue::barrier_bit_holds() {
  const std::uint64_t nth = nth_launched();
  if (!injecting_ || !faults_.barrier_bit_ignored.has(nth)) return true;
  hooks_.injected(Injected::barrier_bit_ignored, nth, launch_index_);
  return false;
}

/// How many times the signal of `flight` is decremented now.
std::int64_t Queue::completions_to_signal(const InFlight& flight) {
  const std::uint64_t nth = ++injected_.completions;
  if (faults_.completion_lost.has(nth)) {
    hooks_.injected(Injected::completion_lost, nth, flight.index);
    return 0;
  }
  if (faults_.completion_late.has(nth)) {
    late_completions_.push_back({flight, InjectedWait(faults_.completion_delay)});
    hooks_.injected(Injected::completion_late, nth, flight.index);
    return 0;
  }
  if (!faults_.completion_twice.has(nth)) return 1;
  hooks_.injected(Injected::completion_twice, nth, flight.index);
  return 2;
}

bool Queue::interrupt_arrives(std::uint32_t event_id) {
  const std::uint64_t nth = ++injected_.interrupts;
  if (!faults_.interrupt_lost.has(nth)) return true;
  hooks_.injected(Injected::interrupt_lost, nth, event_id);
  return false;
}

bool Queue::read_index_moves() {
  const std::uint64_t nth = ++injected_.taken;
  if (nth == faults_.read_index_stuck)
    hooks_.injected(Injected::read_index_stuck, nth, read_index_ - 1);
  return faults_.read_index_stuck == 0 || nth < faults_.read_index_stuck;
}

void Queue::deliver_late_completions() {
  const std::uint64_t now = hooks_.now_ns();
  std::vector<InFlight> due;
  for (LateCompletion& late : late_completions_) {
    if (late.wait.over(now)) due.push_back(late.flight);
  }
  for (const InFlight& flight : due) {
    std::erase_if(late_completions_,
                  [&](const LateCompletion& late) { return late.flight.index == flight.index; });
    Target to;
    if (!resolve_signal(flight, to)) return;
    signal_completion(flight, to, 1);
    if (to.mailbox != nullptr) interrupt(*to.signal, to.mailbox);
  }
}

std::optional<std::uint64_t> Queue::late_until() const {
  std::optional<std::uint64_t> next = doorbell_.late_until();
  for (const LateCompletion& late : late_completions_) {
    const auto due = late.wait.due_ns();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

std::string_view name(Injected what) {
  switch (what) {
    case Injected::doorbell_lost:
      return "doorbell.lost";
    case Injected::doorbell_duplicated:
      return "doorbell.duplicated";
    case Injected::doorbell_delayed:
      return "doorbell.delayed";
    case Injected::header_before_body:
      return "packet.header_before_body";
    case Injected::barrier_bit_ignored:
      return "packet.barrier_bit_ignored";
    case Injected::completion_lost:
      return "completion.lost";
    case Injected::completion_late:
      return "completion.late";
    case Injected::completion_twice:
      return "completion.twice";
    case Injected::interrupt_lost:
      return "interrupt.lost";
    case Injected::read_index_stuck:
      return "ring.read_index_stuck";
  }
  return "?";
}

}  // namespace rocdrill::cp
