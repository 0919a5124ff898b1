// A queue's doorbell: any thread rings it, the thread that runs the queue notices.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sim/silicon/command_processor/fault_injection.hpp"

namespace rocdrill::cp {

class Doorbell {
 public:
  /// What an injection did with a ring.
  struct Ring {
    std::optional<Injected> injected;
    std::uint64_t nth = 0;
  };

  /// `value` as written; everything below `limit` is announced by it. From any thread. Values may
  /// arrive out of order: one below an earlier one announces nothing new.
  Ring ring(std::uint64_t value, std::uint64_t limit) {
    Ring ring;
    if (injecting_) {
      ring = arrive(value, limit);
    } else if (hidden_.load(std::memory_order_relaxed)) {
      hidden_.store(false);
    }
    const bool unseen =
        ring.injected == Injected::doorbell_lost || ring.injected == Injected::doorbell_delayed;
    if (!unseen) accept(value, limit);
    return ring;
  }

  /// The last value rung, in order of arrival.
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t limit() const { return limit_.load(std::memory_order_acquire); }
  /// Something rang since the last notice(), or will be seen late: run() has something to do.
  bool rung() const {
    return rings_.load(std::memory_order_relaxed) != seen_ || late_.load(std::memory_order_relaxed);
  }
  /// When the ring that is late will be seen, if there is one and run() has looked at it.
  std::optional<std::uint64_t> late_until() const {
    return late_.load() ? late_wait_.due_ns() : std::nullopt;
  }
  /// The write index in memory counts for nothing, rings alone do: while a ring may be lost or
  /// late, a look at memory must not tell of its packets before it does.
  bool hidden() const { return hidden_.load(std::memory_order_relaxed); }

  /// The queue is mapped anew: the scheduler reads the write index in memory, rung or not.
  void reveal() { hidden_.store(false); }

  /// Whether a ring arrived since the last call; `now_ns()` is asked only if one is late. Like all
  /// below, on the thread that runs the queue.
  template <class Clock>
  bool notice(Clock now_ns) {
    if (late_.load(std::memory_order_acquire) && late_wait_.over(now_ns())) deliver_late();
    const std::uint64_t rings = rings_.load(std::memory_order_acquire);
    if (rings == seen_) return false;
    seen_ = rings;
    if (again_.exchange(false)) rings_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  /// Not while another thread rings. A ring that is late remains so.
  void inject(const DoorbellFaultInjection& faults) {
    faults_ = faults;
    arrivals_.store(0);
    if (!late_.load()) late_wait_ = InjectedWait(faults.delay);
    injecting_ = faults.lost.any() || faults.duplicated.any() || faults.delayed.any();
    if (injecting_) hidden_.store(true);
  }

  template <class Archive>
  void serialize(Archive& archive);

 private:
  void accept(std::uint64_t value, std::uint64_t limit) {
    value_.store(value, std::memory_order_relaxed);
    std::uint64_t known = limit_.load(std::memory_order_relaxed);
    while (known < limit && !limit_.compare_exchange_weak(known, limit, std::memory_order_release,
                                                          std::memory_order_relaxed)) {
    }
    rings_.fetch_add(1, std::memory_order_release);
  }
  Ring arrive(std::uint64_t value, std::uint64_t limit) {
    const std::uint64_t nth = arrivals_.fetch_add(1) + 1;
    const bool lost = faults_.lost.has(nth);
    const bool delayed = !lost && faults_.delayed.has(nth);
    hidden_.store(true);
    if (lost) return {Injected::doorbell_lost, nth};
    if (delayed) {
      late_value_.store(value);
      late_limit_.store(limit);
      late_.store(true, std::memory_order_release);
      return {Injected::doorbell_delayed, nth};
    }
    if (!faults_.duplicated.has(nth)) return {};
    again_.store(true);
    return {Injected::doorbell_duplicated, nth};
  }
  void deliver_late() {
    late_.store(false);
    late_wait_ = InjectedWait(faults_.delay);  // for the next that is late
    accept(late_value_.load(), late_limit_.load());
  }

  std::atomic<std::uint64_t> value_ = 0;
  std::atomic<std::uint64_t> limit_ = 0;  // the largest rung
  std::atomic<std::uint64_t> rings_ = 0;
  std::uint64_t seen_ = 0;  // rings_ at the last notice()

  bool injecting_ = false;
  DoorbellFaultInjection faults_;
  std::atomic<std::uint64_t> arrivals_ = 0;  // since inject()
  std::atomic<bool> hidden_ = false;
  std::atomic<bool> again_ = false;  // the ring last accepted comes again
  std::atomic<bool> late_ = false;   // a ring is under way; then these hold it:
  std::atomic<std::uint64_t> late_value_ = 0;
  std::atomic<std::uint64_t> late_limit_ = 0;
  InjectedWait late_wait_;
};

template <class Archive>
void Doorbell::serialize(Archive& archive) {
  const auto field = [&archive](const char* name, auto& atomic) {
    auto value = atomic.load();
    archive(name, value);
    atomic.store(value);
  };
  field("value", value_);
  field("limit", limit_);
  field("rings", rings_);
  archive("seen", seen_);
  archive("injecting", injecting_);
  archive("faults", faults_);
  field("arrivals", arrivals_);
  field("hidden", hidden_);
  field("again", again_);
  field("late", late_);
  field("late_value", late_value_);
  field("late_limit", late_limit_);
  archive("late_wait", late_wait_);
}

}  // namespace rocdrill::cp
