// A program of the node's user, called by its path.
#pragma once

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {

/// Starts one of the node's HIP programs (NodeSpec::apps). Exit status 126 and 127 as of a shell,
/// 134 for an abort; a program that is none of those is refused.
int run_program(Call& call);

}  // namespace rocdrill::sim::tools
