#include "sim/rocr/signals.hpp"

#include <algorithm>
#include <atomic>

#include "sim/silicon/command_processor/signal.hpp"

namespace rocdrill::rocr {
namespace {

constexpr std::size_t per_page = 4096 / sizeof(aql::AmdSignal);
constexpr std::int64_t user_signal = 1;  // amd_signal_kind_t
constexpr std::uint64_t ms = 1'000'000;

std::atomic_ref<std::int64_t> value_of(aql::AmdSignal* signal) {
  return std::atomic_ref(signal->value);
}

}  // namespace

SysResult<aql::AmdSignal*> SignalPool::take(std::int64_t initial) {
  if (free_.empty()) {
    auto page = thunk_.allocate(4096, false);
    if (!page) return std::unexpected(page.error());
    auto* signals = static_cast<aql::AmdSignal*>(*page);
    for (std::size_t i = per_page; i-- > 0;) free_.push_back(signals + i);
  }
  aql::AmdSignal* signal = free_.back();
  *signal = aql::AmdSignal{};
  if (interrupts_) {
    auto event = thunk_.create_event(true);
    if (!event) return std::unexpected(event.error());
    signal->event_id = event->id;
    signal->event_mailbox_ptr = event->mailbox;
  }
  free_.pop_back();
  signal->kind = user_signal;
  value_of(signal).store(initial);
  return signal;
}

void SignalPool::give_back(aql::AmdSignal* signal) {
  if (signal->event_id != 0) thunk_.destroy_event(signal->event_id);
  *signal = aql::AmdSignal{};
  free_.push_back(signal);
}

std::int64_t UserSignal::load() const {
  pool_.relax();
  return value_of(memory_).load();
}
void UserSignal::store(std::int64_t value) { value_of(memory_).store(value); }
void UserSignal::add(std::int64_t value) { value_of(memory_).fetch_add(value); }
void UserSignal::subtract(std::int64_t value) { value_of(memory_).fetch_sub(value); }
std::int64_t UserSignal::exchange(std::int64_t value) { return value_of(memory_).exchange(value); }
std::int64_t UserSignal::compare_exchange(std::int64_t expected, std::int64_t value) {
  value_of(memory_).compare_exchange_strong(expected, value);
  return expected;
}

std::int64_t UserSignal::wait(SignalCondition condition, std::int64_t value,
                              std::uint64_t timeout_ns) {
  const auto observe = [&] { return value_of(memory_).load(); };
  while (!cp::holds(condition, observe(), value) && pool_.relax()) {
  }
  const bool for_ever = timeout_ns == UINT64_MAX;
  if (cp::holds(condition, observe(), value) || timeout_ns == 0) return observe();
  // Nothing that runs can change it: block until something late does, or the time is up.
  if (memory_->event_id != 0) {
    const auto timeout = for_ever ? kfd::wait_for_ever
                                  : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                        (timeout_ns + ms - 1) / ms, 0xFFFFFFFE));
    // The event may be an old one of this signal: then there is more to wait for.
    while (pool_.thunk().wait_event(memory_->event_id, timeout).value_or(false) &&
           !cp::holds(condition, observe(), value)) {
    }
  } else if (!for_ever) {
    pool_.thunk().process().sleep_ns(timeout_ns);
    pool_.relax();
  }
  return observe();
}

}  // namespace rocdrill::rocr
