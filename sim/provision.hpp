// Makes a node what its description says: packages, kernels, users, firmware, ROCm, programs.
#pragma once

#include <cstdint>

#include "sim/node_spec.hpp"

namespace rocdrill::sim {

class Node;

void provision(Node& node, const NodeSpec& spec, std::uint64_t seed);

}  // namespace rocdrill::sim
