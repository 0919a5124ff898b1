#include "scenarios/engine/branch.hpp"

#include <stdexcept>

namespace rocdrill::scenarios {
namespace {

void intervene(sim::Node& node, const Intervention& what, Branch& branch) {
  branch.from = static_cast<EventId>(node.os.timeline.size());
  branch.at_ns = node.os.clock.now();
  for (const sim::FaultUse& use : what.faults) {
    node.prepare(use);
    node.inject(use);
  }
  Host& host = node.host();
  if (!what.commands.empty() && node.os.session.user.empty()) {
    throw std::invalid_argument(
        "nobody is logged in at that moment; commands need one after the boot");
  }
  for (const Command& command : what.commands)
    branch.results.push_back(host.run(command, host.session()));
}

}  // namespace

Branch branch(const ResolvedDrill& drill, sim::NodeSpec spec, RunOptions options,
              const Intervention& what) {
  Branch result;
  bool done = false;
  const auto after_task = std::move(options.after_task);
  options.after_task = [&](sim::Node& node) {
    if (after_task) after_task(node);
    const auto next = node.os.scheduler.next_time();
    if (done || (node.os.clock.now() < what.at_ns && (!next || *next <= what.at_ns))) return;
    done = true;
    intervene(node, what, result);
  };
  ResolvedDrill boot = drill;
  boot.drill.workload.kind = Workload::Kind::none;
  result.node = run_drill(boot, std::move(spec), options);
  if (!done) {
    run_workload(*result.node, drill.drill.workload);
    intervene(*result.node, what, result);
  }
  result.node->run();
  run_workload(*result.node, drill.drill.workload);
  return result;
}

}  // namespace rocdrill::scenarios
