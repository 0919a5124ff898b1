// ROCR_VISIBLE_DEVICES: which GPU agents hsa_init leaves, and in which order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::rocr {

/// Indices of the GPUs that stay, in the new order. `uuids` are "GPU-%016x" of all GPUs; a GPU
/// whose unique id is 0 ("GPU-XX") can be named by index only.
///
/// amd_filter_device.cpp: tokens are trimmed and upper-cased; an index is what strtol reads in
/// base 0; a UUID token of 5 to 20 characters is a prefix of the UUID. Only as many tokens as
/// there are GPUs are read, and reading stops at the first that is no number, out of range,
/// an unknown or ambiguous UUID or a duplicate; what came before stays. Set but empty: no GPU.
std::vector<std::size_t> visible_gpus(std::string_view value,
                                      const std::vector<std::string>& uuids);

}  // namespace rocdrill::rocr
