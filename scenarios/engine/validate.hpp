// Whether a drill fits the node it names and the faults that exist.
#pragma once

#include "scenarios/engine/drill.hpp"
#include "scenarios/engine/knowledge.hpp"

namespace rocdrill::scenarios {

/// All problems. Parameters are tried with every value that their variables can take.
Diagnostics validate(const Drill& drill, const sim::NodeSpec& node, const Knowledge& knowledge);

}  // namespace rocdrill::scenarios
