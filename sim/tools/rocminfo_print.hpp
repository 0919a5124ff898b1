// The text that rocminfo prints after hsa_init.
#pragma once

#include <string>

#include "sim/node.hpp"

namespace rocdrill::sim::tools {

/// From "HSA System Attributes" to "*** Done ***", in the layout of the node's ROCm release.
std::string rocminfo_text(const Node& node, Process& process, const Runtime& runtime);

}  // namespace rocdrill::sim::tools
