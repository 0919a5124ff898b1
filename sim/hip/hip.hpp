// The HIP runtime (CLR): devices out of ROCr's agents, code objects out of fat binaries, launches
// into a queue.
#pragma once

#include <memory>

#include "sim/host/journal.hpp"
#include "sim/rocr/rocr.hpp"
#include "stack/hip.hpp"

namespace rocdrill::hip {

/// libamdhip64 in `process`. Nothing happens before the first call, as in reality.
std::unique_ptr<Hip> load(Process& process, sim::Journal& journal,
                          const rocr::Installation& installation);

}  // namespace rocdrill::hip
