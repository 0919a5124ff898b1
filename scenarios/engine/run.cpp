#include "scenarios/engine/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/code_objects/code_object.hpp"
#include "sim/device_code.hpp"
#include "sim/distributed.hpp"
#include "sim/frameworks/torch.hpp"
#include "sim/tools/tools.hpp"

namespace rocdrill::scenarios {
namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Why these bytes are no code object for the target, or "".
std::string code_object_problem(const std::string& bytes, const std::string& target) {
  const auto object =
      code_objects::read_code_object(std::as_bytes(std::span(bytes.data(), bytes.size())));
  if (!object) return "not a code object: " + object.error().what;
  const auto wanted = TargetId::parse(target);
  if (!wanted || object->target != *wanted) {
    return "holds code for " + object->target.text() + ", not for " + in_quotes(target);
  }
  return {};
}

sim::Json to_json(const sim::FaultUse& use) {
  sim::Json parameters = sim::Json::object();
  for (const auto& [name, value] : use.parameters) {
    std::visit([&](const auto& is) { parameters[name] = is; }, value);
  }
  return {{"id", use.id}, {"parameters", std::move(parameters)}};
}

/// Runs the node until nothing is left to do; a fault with a trigger goes in as soon as an event
/// of that kind has been recorded.
void run_with_triggers(sim::Node& node, std::vector<const DrillFault*> waiting,
                       const std::function<void(sim::Node&)>& after_task) {
  std::size_t seen = 0;
  while (node.step()) {
    if (after_task) after_task(node);
    for (; seen < node.os.timeline.size() && !waiting.empty(); ++seen) {
      const std::string kind(node.os.timeline.at(static_cast<EventId>(seen + 1)).kind);
      std::erase_if(waiting, [&](const DrillFault* fault) {
        if (!kind.starts_with(fault->at.trigger)) return false;
        node.schedule({"inject", to_json(fault->use)});
        return true;
      });
    }
  }
}

std::string workload_kind(const Workload& workload) {
  switch (workload.kind) {
    case Workload::Kind::torch:
      return "torch";
    case Workload::Kind::torchrun:
      return "torchrun";
    case Workload::Kind::hip_app:
      return "hip-app";
    case Workload::Kind::none:
      break;
  }
  return "none";
}

}  // namespace

Loaded<bool> load_code_objects(const DataPath& data, sim::NodeSpec& spec) {
  Diagnostics problems;
  if (!data.code_objects()) return false;
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(*data.code_objects(), error)) {
    const std::string source = folder.path().filename().string();
    for (const auto& file : std::filesystem::directory_iterator(folder.path(), error)) {
      if (file.path().extension() != ".co") continue;
      std::string target = file.path().stem().string();
      std::ranges::replace(target, '@', ':');  // ':' is no good in file names
      std::string bytes = read_all(file.path());
      if (const std::string problem = code_object_problem(bytes, target); !problem.empty()) {
        problems.push_back({file.path().string(), 0, 0, problem,
                            "build it anew: ./dev clean, then ./dev rocdrill list"});
        continue;
      }
      spec.code_objects[source][target] = std::move(bytes);
    }
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return !spec.code_objects.empty();
}

std::unique_ptr<sim::Node> make_node(sim::NodeSpec spec, const RunOptions& options) {
  auto node = std::make_unique<sim::Node>(
      std::move(spec), sim::NodeOptions{options.seed, options.threads, options.queue_events});
  node->set_command_runner(sim::tools::run_command);
  return node;
}

std::unique_ptr<sim::Node> run_drill(const ResolvedDrill& resolved, sim::NodeSpec spec,
                                     const RunOptions& options) {
  const Drill& drill = resolved.drill;
  auto node = make_node(std::move(spec), options);
  std::vector<const DrillFault*> triggered;
  for (const DrillFault& fault : drill.faults) {
    if (options.healthy) continue;
    if (fault.at.kind == FaultTime::Kind::trigger) triggered.push_back(&fault);
    if (fault.at.kind == FaultTime::Kind::boot) node->schedule(0, {"inject", to_json(fault.use)});
    if (fault.at.kind == FaultTime::Kind::time) {
      node->schedule(fault.at.time_ns, {"inject", to_json(fault.use)});
    }
  }
  for (const DrillFault& fault : drill.faults) node->prepare(fault.use);
  node->schedule({"power_on", sim::Json::object()});
  run_with_triggers(*node, std::move(triggered), options.after_task);
  run_workload(*node, drill.workload, options.after_task);
  return node;
}

void run_workload(sim::Node& node, const Workload& workload,
                  const std::function<void(sim::Node&)>& after_task) {
  if (workload.kind == Workload::Kind::none) return;
  node.schedule({"workload", {{"kind", workload_kind(workload)}, {"path", workload.path}}});
  while (node.step()) {
    if (after_task) after_task(node);
  }
}

checks::Deployment deployment_of(const sim::NodeSpec& spec) {
  checks::Deployment deployment;
  deployment.programs = sim::programs_of(spec);
  for (const sim::AppSpec& app : spec.apps) deployment.commands.push_back(app.path);
  if (!spec.torch.version.empty()) {
    deployment.rocblas_library =
        spec.torch.directory + "/" + std::string(frameworks::torch_rocblas);
  }
  deployment.expected_gpus = spec.gpus.size();
  deployment.partition_plan = sim::partition_plan;
  if (!spec.torch.version.empty() && spec.gpus.size() > 1)
    deployment.training = {"torchrun", fmt::format("--nproc_per_node={}", spec.gpus.size()),
                           sim::training_script};
  return deployment;
}

}  // namespace rocdrill::scenarios
