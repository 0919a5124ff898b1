// A recorded process once more, on another node and without the program: its calls are issued again
// and its packets written again, in the recorded order, and what comes of each is compared with the
// record.
//
// Of the program's memory there is what its devices touch: buffer objects and user memory at their
// recorded addresses, rings, signals. Its contents are zeros but for packets and completion
// signals; what a packet waits for is set before it. Waits do not wait: queues run until they
// stand, then the call is made with timeout 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/host/os.hpp"
#include "sim/interpose/replay/memory.hpp"
#include "sim/interpose/trace/reader.hpp"
#include "sim/kernel/process/device_service.hpp"

namespace rocdrill::replay {

/// The first record that comes out otherwise.
struct Divergence {
  int pid = 0;
  std::uint64_t seq = 0;
  std::size_t line = 0;
  std::string what;  ///< "AMDKFD_IOC_CREATE_QUEUE: errno", "queue 0, packet 3"
  std::string recorded;
  std::string replayed;
};

struct Outcome {
  std::optional<Divergence> divergence;
  /// A record that cannot be replayed without the program, and why; what lies before it was equal.
  std::string stopped;
  std::size_t calls = 0;
  std::size_t packets = 0;
  std::size_t skipped = 0;  ///< DRM queries and SMI event streams: no business of the process part
};

/// Ends at the first divergence. Throws AddressTaken.
Outcome replay(const trace::Process& process, kernel::DeviceService& devices, sim::Os& os);

}  // namespace rocdrill::replay
