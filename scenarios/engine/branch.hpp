// A drill that goes on otherwise from some moment: what would have happened, had somebody done
// this.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scenarios/engine/run.hpp"

namespace rocdrill::scenarios {

/// What is done to the node, in this order.
struct Intervention {
  /// Virtual time; a task of the node's history (a boot, a probe) is not interrupted. The default:
  /// after the drill's workload.
  std::uint64_t at_ns = UINT64_MAX;
  std::vector<sim::FaultUse> faults;
  std::vector<Command> commands;  ///< by the node's user
};

struct Branch {
  std::unique_ptr<sim::Node> node;     ///< as it is at the end
  EventId from = no_event;             ///< the last event before anything was done
  std::uint64_t at_ns = 0;             ///< when it was done
  std::vector<CommandResult> results;  ///< of the commands
};

/// Runs the drill up to that moment, does it, lets happen what is still to happen, and runs the
/// workload (again). Throws std::invalid_argument for a fault that does not apply, and for commands
/// while nobody is logged in.
Branch branch(const ResolvedDrill& drill, sim::NodeSpec node, RunOptions options,
              const Intervention& what);

}  // namespace rocdrill::scenarios
