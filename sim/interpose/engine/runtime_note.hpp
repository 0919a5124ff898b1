// A runtime that is older than a GPU lists no agent for it and says little. Whoever sees that on a
// simulated node should not look for a fault in the node.
#pragma once

#include <string>

#include "sim/kernel/process/device_service.hpp"

namespace rocdrill::interpose {

/// Lines about GPUs of the node whose names the ROCr of this program does not contain; "" if it
/// knows all, or if this program has loaded none.
std::string runtime_note(const kernel::DeviceFacts& facts);

/// "gfx942" of 90402.
std::string gfx_name(std::uint32_t gfx_target_version);

}  // namespace rocdrill::interpose
