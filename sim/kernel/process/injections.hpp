// Faults for those who write drivers and runtimes: a system call that fails, a doorbell that is lost, a
// completion that comes late. They are state of the device part; each process part and each of its
// queues counts for itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/silicon/command_processor/fault_injection.hpp"
#include "stack/event.hpp"

namespace rocdrill::kernel {

/// One ioctl of /dev/kfd fails or is late.
struct IoctlInjection {
  std::uint32_t nr = 0;    ///< kfd::Ioctl
  std::uint64_t nth = 0;   ///< of each process, from 1; 0: every one
  int error = 0;           ///< errno; 0: it is served, after the delay
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

struct Injections {
  std::vector<IoctlInjection> ioctls;
  /// Every queue that is made from now on gets these (SDMA queues the doorbell's).
  cp::QueueFaultInjection queue;
  EventId queue_event = no_event;
  /// Queues that one process may have on a GPU before CREATE_QUEUE finds no doorbell; 0: as many as
  /// the page holds.
  std::uint32_t doorbells = 0;
  EventId doorbells_event = no_event;
  /// The nth open() of a device fails with this; nth 0: never.
  std::uint64_t open_nth = 0;
  int open_error = 0;
  std::uint64_t opens = 0;  ///< so far
  EventId open_event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("ioctls", ioctls);
    archive("queue", queue);
    archive("queue_event", queue_event);
    archive("doorbells", doorbells);
    archive("doorbells_event", doorbells_event);
    archive("open_nth", open_nth);
    archive("open_error", open_error);
    archive("opens", opens);
    archive("open_event", open_event);
  }
};

}  // namespace rocdrill::kernel
