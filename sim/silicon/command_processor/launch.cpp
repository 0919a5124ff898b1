// The launch phase, one function per kind of packet.
#include <atomic>
#include <variant>

#include "sim/silicon/command_processor/memory.hpp"
#include "sim/silicon/command_processor/pm4.hpp"
#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"

namespace rocdrill::cp {
namespace {

constexpr std::uint32_t profiling_enabled = 1u << 3;  // AMD_QUEUE_PROPERTIES_ENABLE_PROFILING
constexpr std::uint32_t last_condition = 3;           // GTE

WaitReason barrier_reason(const aql::Packet& packet) {
  switch (packet.header().type()) {
    case aql::PacketType::barrier_and:
      return WaitReason::all_signals;
    case aql::PacketType::barrier_or:
      return WaitReason::any_signal;
    default:
      return WaitReason::signal_value;
  }
}

}  // namespace

Queue::Step Queue::refuse(KfdException code, std::string_view unmodelled) {
  if (!unmodelled.empty()) hooks_.unmodelled(unmodelled, *this, launch_index_);
  fail(code, launch_index_);
  return Step::stop;
}

/// Whether a packet is profiled is decided at its launch (amd_queue_t.queue_properties).
bool Queue::begin_profile(std::uint64_t completion_signal, InFlight& flight) {
  flight.profiled = false;
  flight.start_ns = 0;
  if (completion_signal == 0 || config_.amd_queue_va == 0) return true;
  auto* queue = at<aql::AmdQueue>(config_.amd_queue_va, Access::write, flight.index);
  if (queue == nullptr) return false;
  const std::uint32_t properties =
      std::atomic_ref(queue->queue_properties).load(std::memory_order_relaxed);
  flight.profiled = (properties & profiling_enabled) != 0;
  if (flight.profiled) flight.start_ns = hooks_.now_ns();
  return true;
}

Queue::Step Queue::launch_barrier(const aql::Packet& packet) {
  barrier_.index = launch_index_;
  barrier_.packet = packet;
  if (!begin_profile(packet.as<aql::Barrier>().completion_signal, barrier_)) return Step::stop;
  observed_ = 0;
  polling_ = true;
  return poll_barrier();
}

Queue::Step Queue::launch_vendor(const aql::Packet& packet) {
  switch (static_cast<aql::VendorFormat>(packet.bytes[2])) {
    case aql::VendorFormat::barrier_value:
      if (packet.as<aql::BarrierValue>().condition > last_condition) break;
      return launch_barrier(packet);
    case aql::VendorFormat::pm4_ib:
      return launch_pm4(packet);
  }
  return refuse(KfdException::packet_vendor_unsupported);
}

/// Commands for the caches; the packet is complete when they are done, which is at once.
Queue::Step Queue::launch_pm4(const aql::Packet& packet) {
  const auto effects = pm4::execute(packet.as<aql::Pm4IndirectBuffer>(), memory_);
  if (!effects) {
    if (effects.error().fault_va == 0)
      return refuse(KfdException::packet_vendor_unsupported, effects.error().unmodelled);
    fault(effects.error().fault_va, Access::read, launch_index_);
    return Step::stop;
  }
  if (effects->invalidates_code && executor_ != nullptr) executor_->invalidate_code();
  InFlight flight{.index = launch_index_, .packet = packet};
  Target to;
  if (!begin_profile(packet.as<aql::Pm4IndirectBuffer>().completion_signal, flight) ||
      !resolve_slot(flight.index, to) || !resolve_signal(flight, to)) {
    return Step::stop;
  }
  mark_launched(flight);
  take(flight, to);
  complete(flight, to);
  return Step::again;
}

Queue::Step Queue::poll_barrier() {
  const bool vendor = barrier_.packet.header().type() == aql::PacketType::vendor_specific;
  const bool any = barrier_.packet.header().type() == aql::PacketType::barrier_or;
  const std::optional<bool> satisfied = vendor
                                            ? poll_value(barrier_.packet.as<aql::BarrierValue>())
                                            : poll_signals(barrier_.packet.as<aql::Barrier>(), any);
  if (!satisfied) return Step::stop;
  if (!*satisfied) return stall(barrier_reason(barrier_.packet));

  Target to;
  if (!resolve_slot(barrier_.index, to) || !resolve_signal(barrier_, to)) return Step::stop;
  polling_ = false;
  mark_launched(barrier_);
  take(barrier_, to);
  complete(barrier_, to);
  return Step::again;
}

/// Null handles are satisfied dependencies of a barrier-AND and no dependencies of a barrier-OR
/// (hsa.h); a barrier-OR without any depends on nothing and completes. The signals of a
/// barrier-AND need not be 0 at the same moment: each has to be seen at 0 once.
std::optional<bool> Queue::poll_signals(const aql::Barrier& packet, bool any) {
  std::uint32_t named = 0;
  for (std::uint32_t i = 0; i < std::size(packet.dep_signal); ++i) {
    const std::uint32_t bit = 1u << i;
    if (packet.dep_signal[i] == 0) continue;
    named |= bit;
    if ((observed_ & bit) != 0) continue;
    const std::optional<std::int64_t> value = load_signal(packet.dep_signal[i]);
    if (!value) return std::nullopt;
    if (*value != 0) continue;
    observed_ |= bit;
    if (any) return true;
  }
  return any ? named == 0 : observed_ == named;
}

/// A null signal is a satisfied dependency (hsa_ext_amd.h).
std::optional<bool> Queue::poll_value(const aql::BarrierValue& packet) {
  if (packet.signal == 0) return true;
  const std::optional<std::int64_t> value = load_signal(packet.signal);
  if (!value) return std::nullopt;
  return holds(static_cast<SignalCondition>(packet.condition), *value & packet.mask, packet.value);
}

std::optional<std::int64_t> Queue::load_signal(std::uint64_t handle) {
  auto* signal = at<aql::AmdSignal>(handle, Access::read, launch_index_);
  if (signal == nullptr) return std::nullopt;
  return signal::load(*signal);
}

Queue::Step Queue::launch_agent_dispatch(const aql::Packet& packet) {
  InFlight flight{.index = launch_index_, .packet = packet};
  Target to;
  if (!begin_profile(packet.as<aql::AgentDispatch>().completion_signal, flight) ||
      !resolve_slot(flight.index, to) || !resolve_signal(flight, to)) {
    return Step::stop;
  }
  in_flight_.push_back(flight);
  mark_launched(flight);
  take(flight, to);
  hooks_.agent_dispatch(*this, flight.index, packet);
  return Step::again;
}

/// The runtime is told once and resets the signal when it has done what it can.
bool Queue::has_what_it_needs(const KernelLaunch& launch) {
  if (wait_ == WaitReason::scratch) {
    aql::AmdSignal* signal = inactive_signal();
    if (signal == nullptr || signal::load(*signal) != 0) return false;
  }
  const std::uint32_t bits = executor_->lacks(launch);
  if (bits == 0) return true;
  raise_inactive_signal(bits);
  return false;
}

Queue::Step Queue::launch_kernel_dispatch(const aql::Packet& packet) {
  const auto body = packet.as<aql::KernelDispatch>();
  if (const auto code = check_dispatch(body, config_.limits); code != KfdException::none) {
    return refuse(code);
  }
  const auto entry = find_entry(memory_, body.kernel_object);
  if (const auto* code = std::get_if<KfdException>(&entry)) return refuse(*code);
  const std::uint32_t kernarg = kernarg_bytes(memory_, body.kernel_object);
  if (kernarg != 0 && memory_.translate(body.kernarg_address, kernarg, Access::read) == nullptr) {
    fault(body.kernarg_address, Access::read, launch_index_);
    return Step::stop;
  }
  if (executor_ == nullptr) {
    return refuse(KfdException::packet_unsupported, "AQL kernel dispatch");
  }
  const KernelLaunch request{.queue_id = config_.id,
                             .packet_index = launch_index_,
                             .packet_va = slot_va(launch_index_),
                             .amd_queue_va = config_.amd_queue_va,
                             .entry_va = std::get<std::uint64_t>(entry),
                             .packet = body};
  if (!has_what_it_needs(request)) return stall(WaitReason::scratch);
  InFlight flight{.index = launch_index_, .packet = packet, .holds_slot = true};
  if (!begin_profile(body.completion_signal, flight)) return Step::stop;
  in_flight_.push_back(flight);
  ++held_slots_;
  mark_launched(flight);
  const auto launched = executor_->launch(request);
  if (!launched) {
    fail(launched.error(), flight.index);
  } else if (*launched == LaunchState::completed) {
    finish(flight.index, aql::PacketType::kernel_dispatch);
  }
  return state_ == QueueState::failed ? Step::stop : Step::again;
}

}  // namespace rocdrill::cp
