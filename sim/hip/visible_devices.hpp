// HIP_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES: which of the agents that ROCr left become HIP
// devices, and in which order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::hip {

/// Indices (into what ROCr left) of the devices that stay, in the new order.
///
/// rocdevice.cpp: an index counts only if it is its own canonical decimal text ("01", " 1", "+1"
/// and "0x1" do not); a token that starts with "GPU-" is searched in the UUIDs. Reading stops at
/// the first invalid token; duplicates are skipped.
std::vector<std::size_t> visible_devices(std::string_view value,
                                         const std::vector<std::string>& uuids);

}  // namespace rocdrill::hip
