// What can go wrong between a driver and a hardware queue, on purpose and at a known moment. A
// queue that is given one of these behaves as if its doorbell, interrupt or memory traffic had been
// lost, late or repeated; nothing else about it changes, so that what follows (a hang, a spurious
// wake-up, a refused packet) is the consequence.
//
// Every member that names an nth event counts from 1, since the injection was given to the queue;
// 0 is never. No chance is involved: the same calls give the same result.
#pragma once

#include <cstdint>
#include <optional>

namespace rocdrill::cp {

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
  std::uint64_t lost = 0;        ///< the nth ring is never seen; the next one announces its packets
  std::uint64_t duplicated = 0;  ///< the nth ring is seen once more, a run() later
  std::uint64_t delayed = 0;     ///< the nth ring is seen late; later rings may overtake it
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
  /// The nth launched packet is read as header and setup (its first dword) and zeros: what the
  /// packet processor sees if the producer publishes the header before it writes the body.
  std::uint64_t header_before_body = 0;
  std::uint64_t barrier_bit_ignored = 0;  ///< of the nth launched packet
  /// The nth completion signal is neither decremented nor its interrupt raised. These three count
  /// only packets that have a completion signal.
  std::uint64_t completion_lost = 0;
  std::uint64_t completion_late = 0;  ///< the nth, with its interrupt; one at a time
  InjectedDelay completion_delay{};
  std::uint64_t completion_twice = 0;  ///< the nth signal is decremented twice, one interrupt
  std::uint64_t interrupt_lost = 0;    ///< the nth; its mailbox slot is written nevertheless
  /// From the nth taken packet on, the read index in memory stays as it is, so that producers see
  /// a ring that fills up; those that do not look overrun it.
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
