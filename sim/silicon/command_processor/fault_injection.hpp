// What can go wrong between a driver and a hardware queue, on purpose and at a known moment. A
// queue that is given one of these behaves as if its doorbell, interrupt or memory traffic had been
// lost, late or repeated; nothing else about it changes, so that what follows (a hang, a spurious
// wake-up, a refused packet) is the consequence.
//
// Events are counted from 1 since the injection was given to the queue. No chance is involved: the
// same calls give the same result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rocdrill::cp {

/// Which events of one kind: the nth, several of them, or every one. 0 names none.
class Nth {
 public:
  Nth() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is the usual case
  Nth(std::uint64_t nth) { add(nth); }
  void add(std::uint64_t nth) {
    if (nth != 0) listed_.push_back(nth);
  }
  void add_every() { every_ = true; }
  bool has(std::uint64_t nth) const {
    return every_ || std::ranges::find(listed_, nth) != listed_.end();
  }
  bool any() const { return every_ || !listed_.empty(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("every", every_);
    archive("listed", listed_);
  }

 private:
  bool every_ = false;
  std::vector<std::uint64_t> listed_;
};

/// What an injection did, at the moment at which it did it.
enum class Injected : std::uint8_t {
  doorbell_lost,
  doorbell_duplicated,
  doorbell_delayed,
  header_before_body,
  barrier_bit_ignored,
  completion_lost,
  completion_late,
  completion_twice,
  interrupt_lost,
  read_index_stuck,
};
/// "doorbell.lost"
std::string_view name(Injected what);

/// How late something comes: after this many further calls of run() and this much time, both. The
/// time begins at the first run() after the event, by now_ns() of the queue's hooks.
struct InjectedDelay {
  std::uint32_t runs = 0;
  std::uint64_t ns = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("runs", runs);
    archive("ns", ns);
  }
};

/// The wait of one thing that is late.
class InjectedWait {
 public:
  InjectedWait() = default;
  explicit InjectedWait(InjectedDelay delay) : delay_(delay) {}

  /// Once in each run().
  bool over(std::uint64_t now_ns) {
    if (!due_ns_) due_ns_ = now_ns + delay_.ns;
    if (delay_.runs != 0) {
      --delay_.runs;
      return false;
    }
    return now_ns >= *due_ns_;
  }

  /// When it is over; known after the first over().
  std::optional<std::uint64_t> due_ns() const { return due_ns_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("delay", delay_);
    archive("due_ns", due_ns_);
  }

 private:
  InjectedDelay delay_;
  std::optional<std::uint64_t> due_ns_;
};

/// Of a queue's doorbell. While a ring is lost or late the queue does not see the write index in
/// memory either: an idle queue looks at it because it was rung, or because it was resumed.
struct DoorbellFaultInjection {
  Nth lost{};        ///< these rings are never seen; the next one announces their packets
  Nth duplicated{};  ///< seen once more, a run() later
  Nth delayed{};     ///< seen late; later rings may overtake them
  InjectedDelay delay{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive("lost", lost);
    archive("duplicated", duplicated);
    archive("delayed", delayed);
    archive("delay", delay);
  }
};

/// Of an AQL queue.
struct QueueFaultInjection {
  DoorbellFaultInjection doorbell{};
  /// Of the launched packets. It is read as header and setup (its first dword) and zeros: what the
  /// packet processor sees if the producer publishes the header before it writes the body.
  Nth header_before_body{};
  Nth barrier_bit_ignored{};  ///< of the launched packets
  /// The completion signal is neither decremented nor its interrupt raised. These three count
  /// only packets that have a completion signal.
  Nth completion_lost{};
  Nth completion_late{};  ///< with its interrupt
  InjectedDelay completion_delay{};
  Nth completion_twice{};  ///< the signal is decremented twice, one interrupt
  Nth interrupt_lost{};    ///< its mailbox slot is written nevertheless
  /// From the nth taken packet on (0: never), the read index in memory stays as it is, so that
  /// producers see a ring that fills up; those that do not look overrun it.
  std::uint64_t read_index_stuck = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("doorbell", doorbell);
    archive("header_before_body", header_before_body);
    archive("barrier_bit_ignored", barrier_bit_ignored);
    archive("completion_lost", completion_lost);
    archive("completion_late", completion_late);
    archive("completion_delay", completion_delay);
    archive("completion_twice", completion_twice);
    archive("interrupt_lost", interrupt_lost);
    archive("read_index_stuck", read_index_stuck);
  }
};

}  // namespace rocdrill::cp
