#include "sim/kernel/process/injections.hpp"

namespace rocdrill::kernel {
namespace {

void add(cp::Nth& to, std::uint64_t nth) {
  if (nth == 0) {
    to.add_every();
  } else {
    to.add(nth);
  }
}

void add(cp::QueueFaultInjection& to, const QueueInjection& one) {
  using cp::Injected;
  switch (one.what) {
    case Injected::doorbell_lost:
      return add(to.doorbell.lost, one.nth);
    case Injected::doorbell_duplicated:
      return add(to.doorbell.duplicated, one.nth);
    case Injected::doorbell_delayed:
      to.doorbell.delay.ns = std::max(to.doorbell.delay.ns, one.delay_ns);
      return add(to.doorbell.delayed, one.nth);
    case Injected::header_before_body:
      return add(to.header_before_body, one.nth);
    case Injected::barrier_bit_ignored:
      return add(to.barrier_bit_ignored, one.nth);
    case Injected::completion_lost:
      return add(to.completion_lost, one.nth);
    case Injected::completion_late:
      to.completion_delay.ns = std::max(to.completion_delay.ns, one.delay_ns);
      return add(to.completion_late, one.nth);
    case Injected::completion_twice:
      return add(to.completion_twice, one.nth);
    case Injected::interrupt_lost:
      return add(to.interrupt_lost, one.nth);
    case Injected::read_index_stuck: {
      const std::uint64_t from = std::max<std::uint64_t>(one.nth, 1);
      to.read_index_stuck = to.read_index_stuck == 0 ? from : std::min(to.read_index_stuck, from);
      return;
    }
  }
}

}  // namespace

cp::QueueFaultInjection combined(const std::vector<QueueInjection>& list, QueueKind kind) {
  cp::QueueFaultInjection all;
  for (const QueueInjection& one : list) {
    if (one.concerns(kind)) add(all, one);
  }
  return all;
}

}  // namespace rocdrill::kernel
