// What the HIP programs of a node's description do when they are started.
#pragma once

#include <string>

#include "sim/host/journal.hpp"
#include "stack/hip.hpp"

namespace rocdrill::sim {

/// The fat binary's constructor, hipGetDeviceCount, y = 2 x + y over a few numbers on device 0 with
/// the kernel `kernel` (saxpy's arguments) of the device code in `file`, and the usual check after
/// each call. How it fails is recorded as the program's own event, which the failure then carries.
HipResult<void> run_app(Hip& hip, Journal& journal, const std::string& file,
                        const std::string& kernel);

}  // namespace rocdrill::sim
