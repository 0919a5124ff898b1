// What the HIP programs of a node's description do when they are started.
#pragma once

#include <string>

#include "stack/hip.hpp"

namespace rocdrill::sim {

/// y = 2 x + y over a few numbers on device 0, with the kernel `kernel` (saxpy's arguments) of the
/// device code in `file`.
HipResult<void> run_app(Hip& hip, const std::string& file, const std::string& kernel);

}  // namespace rocdrill::sim
