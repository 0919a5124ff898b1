// Running a drill: the node is made, the fault put in, the node boots, the user's workload runs.
// What happened is the node's timeline.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "scenarios/engine/data_path.hpp"
#include "scenarios/engine/drill.hpp"
#include "sim/node.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::scenarios {

struct RunOptions {
  std::uint64_t seed = 1;
  unsigned threads = 1;
  cp::EventLevel queue_events = cp::EventLevel::errors;
  /// Called after every task of the node's history.
  std::function<void(sim::Node&)> after_task = {};
  /// Everything but the faults themselves: the run that a faulty one is compared with.
  bool healthy = false;
};

/// Reads the code objects that were built into the description; false if there are none. A file
/// that is no code object, or one for another target than its name says, is a problem.
Loaded<bool> load_code_objects(const DataPath& data, sim::NodeSpec& spec);

/// A node of this description with the simulator's commands on it, powered off. Throws
/// std::runtime_error if it cannot be made.
std::unique_ptr<sim::Node> make_node(sim::NodeSpec spec, const RunOptions& options);

/// A resolved drill from power-off to the end of its workload. Throws std::runtime_error where the
/// node cannot be made or a fault does not apply (validate.hpp finds that before).
std::unique_ptr<sim::Node> run_drill(const ResolvedDrill& drill, sim::NodeSpec node,
                                     const RunOptions& options);

/// What the user runs on the node, and whatever is still to happen on it.
void run_workload(sim::Node& node, const Workload& workload,
                  const std::function<void(sim::Node&)>& after_task = {});

/// What is deployed on a node of this description, for the bring-up checks.
checks::Deployment deployment_of(const sim::NodeSpec& spec);

}  // namespace rocdrill::scenarios
