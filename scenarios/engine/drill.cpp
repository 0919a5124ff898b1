#include "scenarios/engine/drill.hpp"

namespace rocdrill::scenarios {
namespace {

using Visit = std::function<void(std::string&)>;

void visit_all(std::vector<std::string>& texts, const Visit& visit) {
  for (std::string& text : texts) visit(text);
}

void visit_checks(std::vector<StateCheck>& checks, const Visit& visit) {
  for (StateCheck& check : checks) {
    visit(check.subject);
    visit_all(check.command, visit);
    visit(check.contains);
  }
}

void visit_task(DrillTask& task, const Visit& visit) {
  visit(task.ask);
  if (auto* answer = std::get_if<Answer>(&task.check)) {
    visit_all(answer->choices, visit);
    visit(answer->correct);
  } else {
    visit_checks(std::get<std::vector<StateCheck>>(task.check), visit);
  }
  for (Hint& hint : task.hints) {
    visit(hint.text);
    visit_checks(hint.when, visit);
  }
}

}  // namespace

std::string_view name(DrillTask::Kind kind) {
  switch (kind) {
    case DrillTask::Kind::detect:
      return "detect";
    case DrillTask::Kind::localise:
      return "localise";
    case DrillTask::Kind::root_cause:
      return "root_cause";
    case DrillTask::Kind::mitigate:
      return "mitigate";
  }
  return "unknown";
}

std::string_view name(Control control) {
  return control == Control::healthy ? "healthy" : "works-as-configured";
}

void for_each_text(Drill& drill, const Visit& visit) {
  visit(drill.title);
  visit_all(drill.objectives, visit);
  visit(drill.workload.path);
  visit(drill.brief);
  for (DrillTask& task : drill.tasks) visit_task(task, visit);
  for (Penalty& penalty : drill.penalties) {
    visit_all(penalty.command, visit);
    visit(penalty.why);
  }
  for (Command& command : drill.solve) visit_all(command, visit);
  for (WrongFix& fix : drill.wrong) {
    visit(fix.name);
    visit(fix.why);
    for (Command& command : fix.commands) visit_all(command, visit);
  }
  visit(drill.debrief.chain);
  visit_all(drill.debrief.discriminator, visit);
  visit(drill.debrief.discriminator_shows);
  visit_all(drill.debrief.look_alikes, visit);
}

ResolvedDrill resolve(const Drill& drill, const sim::NodeSpec& node, std::uint64_t seed) {
  ResolvedDrill resolved{drill, draw(drill.vars, drill.id, node.gpus.size(), seed), seed};
  for_each_text(resolved.drill,
                [&](std::string& text) { text = substitute(text, resolved.values); });
  for (DrillFault& fault : resolved.drill.faults) {
    for (auto& [parameter, value] : fault.use.parameters) {
      value = substitute_value(value, resolved.values);
    }
  }
  return resolved;
}

}  // namespace rocdrill::scenarios
