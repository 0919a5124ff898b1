// Faults for those who write drivers and runtimes: a system call that fails, a doorbell that is
// lost, a completion that comes late. They are state of the device part; each process part and each
// of its queues counts for itself. Every list may hold several: they add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/silicon/command_processor/fault_injection.hpp"
#include "stack/event.hpp"

namespace rocdrill::kernel {

/// One ioctl of /dev/kfd fails or is late.
struct IoctlInjection {
  std::uint32_t nr = 0;   ///< kfd::Ioctl
  std::uint64_t nth = 0;  ///< of each process, from 1, since the injection; 0: every one
  int error = 0;          ///< errno; 0: it is served, after the delay
  std::uint64_t delay_ns = 0;
  EventId event = no_event;  ///< the fault

  template <class Archive>
  void serialize(Archive& archive) {
    archive("nr", nr);
    archive("nth", nth);
    archive("error", error);
    archive("delay_ns", delay_ns);
    archive("event", event);
  }
};

enum class QueueKind : std::uint8_t { any, aql, sdma };

/// Something that happens to hardware queues: those that are there and those that will be. SDMA
/// queues have doorbells only.
struct QueueInjection {
  cp::Injected what = cp::Injected::doorbell_lost;
  std::uint64_t nth = 0;  ///< of each queue, from 1, since the injection; 0: every one
  std::uint64_t delay_ns = 0;
  QueueKind on = QueueKind::any;
  EventId event = no_event;  ///< the fault

  bool concerns(QueueKind kind) const { return on == QueueKind::any || on == kind; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("what", what);
    archive("nth", nth);
    archive("delay_ns", delay_ns);
    archive("on", on);
    archive("event", event);
  }
  friend bool operator==(const QueueInjection&, const QueueInjection&) = default;
};

/// The queue's view of all that concern it. Of several delays of one kind the longest counts.
cp::QueueFaultInjection combined(const std::vector<QueueInjection>& list, QueueKind kind);

/// CREATE_QUEUE finds no doorbell when the process has this many queues on the GPU.
struct DoorbellLimit {
  std::uint32_t queues = 0;
  EventId event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("queues", queues);
    archive("event", event);
  }
};

/// An open() of a device fails.
struct OpenInjection {
  std::uint64_t nth = 0;  ///< of all programs, from 1, since the injection; 0: every one
  int error = 0;
  std::uint64_t seen = 0;  ///< opens so far
  EventId event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("nth", nth);
    archive("error", error);
    archive("seen", seen);
    archive("event", event);
  }
};

struct Injections {
  std::vector<IoctlInjection> ioctls;
  std::vector<QueueInjection> queues;
  std::vector<DoorbellLimit> doorbells;
  std::vector<OpenInjection> opens;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("ioctls", ioctls);
    archive("queues", queues);
    archive("doorbells", doorbells);
    archive("opens", opens);
  }
};

}  // namespace rocdrill::kernel
