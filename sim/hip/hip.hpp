// The HIP runtime (CLR): devices out of ROCr's agents, code objects out of fat binaries, launches
// into a queue.
#pragma once

#include <memory>

#include "sim/host/journal.hpp"
#include "sim/rocr/rocr.hpp"
#include "stack/hip.hpp"

namespace rocdrill::hip {

/// What libraries that write packets themselves take from HIP besides its API.
class HsaInterop {
 public:
  virtual ~HsaInterop() = default;
  /// The runtime below, and the agent of a HIP device. Fails as every first call does.
  struct Device {
    rocr::RocrRuntime* runtime = nullptr;
    std::size_t agent = 0;
    EventId event = no_event;  ///< behind the device
  };
  virtual HipResult<Device> hsa(int device) = 0;
};

/// libamdhip64 in `process`; it has HsaInterop, too. Nothing happens before the first call, as in
/// reality.
std::unique_ptr<Hip> load(Process& process, sim::Journal& journal,
                          const rocr::Installation& installation);

}  // namespace rocdrill::hip
