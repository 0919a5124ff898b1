#include "scenarios/engine/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::scenarios {
namespace {

class Validator {
 public:
  Validator(const Drill& drill, const sim::NodeSpec& node, const Knowledge& knowledge)
      : drill_(drill), node_(node), knowledge_(knowledge) {}

  Diagnostics run() {
    for (const DrillFault& fault : drill_.faults) check_fault(fault);
    for (const auto& [program, mark] : drill_.programs) {
      // A path is a program of the user.
      if (!program.starts_with('/')) known(program, mark, knowledge_.commands, "command");
    }
    check_workload();
    check_gpus();
    for (const DrillTask& task : drill_.tasks) {
      if (const auto* checks = std::get_if<std::vector<StateCheck>>(&task.check)) {
        check_states(*checks);
      }
      for (const Hint& hint : task.hints) check_states(hint.when);
    }
    std::ranges::stable_sort(found_, {}, [](const Diagnostic& problem) {
      return std::pair{problem.line, problem.column};
    });
    return std::move(found_);
  }

 private:
  void complain(Mark mark, std::string message, std::string hint = {}) {
    found_.push_back({drill_.file, mark.line, mark.column, std::move(message), std::move(hint)});
  }

  void check_fault(const DrillFault& fault) {
    if (fault.use.id.empty()) return;  // has been complained about
    const sim::FaultInfo* info = knowledge_.fault ? knowledge_.fault(fault.use.id) : nullptr;
    if (info == nullptr) {
      complain(fault.mark, fmt::format("there is no fault {}", in_quotes(fault.use.id)),
               suggest(fault.use.id, knowledge_.fault_ids, "faults"));
      return;
    }
    std::vector<std::string> names;
    names.reserve(info->parameters.size());
    for (const sim::ParameterInfo& parameter : info->parameters) names.push_back(parameter.name);
    for (const auto& [name, value] : fault.use.parameters) {
      const auto mark = fault.parameter_marks.find(name);
      const Mark at = mark == fault.parameter_marks.end() ? fault.mark : mark->second;
      check_parameter(*info, names, name, value, at);
    }
  }

  void check_parameter(const sim::FaultInfo& info, const std::vector<std::string>& names,
                       const std::string& name, const ParameterValue& value, Mark mark) {
    for (const ParameterValue& possible : possible_values(value)) {
      const auto checked = sim::FaultRegistry::check(info, {{name, possible}});
      if (checked) continue;
      const bool known = std::ranges::find(names, name) != names.end();
      std::string hint = known ? meaning(info, name) : did_you_mean(name, names);
      complain(mark, checked.error(), std::move(hint));
      return;  // once per parameter
    }
  }

  static std::string meaning(const sim::FaultInfo& info, const std::string& name) {
    const auto parameter = std::ranges::find(info.parameters, name, &sim::ParameterInfo::name);
    return parameter->meaning.empty() ? std::string()
                                      : fmt::format("{}: {}", name, parameter->meaning);
  }

  /// What a parameter can become: each value of a variable that it consists of, else one sample.
  std::vector<ParameterValue> possible_values(const ParameterValue& value) const {
    const auto* text = std::get_if<std::string>(&value);
    const auto found = text == nullptr ? std::vector<Reference>{} : references(*text);
    if (found.empty()) return {value};
    if (found.size() == 1 && found[0].length == text->size()) {
      const auto variable = std::ranges::find(drill_.vars, found[0].name, &Variable::name);
      if (variable == drill_.vars.end()) return {};  // has been complained about
      if (const auto* choose = std::get_if<Choose>(&variable->source)) return choose->values;
    }
    return {substitute_value(value, draw(drill_.vars, drill_.id, node_.gpus.size(), 0))};
  }

  void check_workload() {
    const Workload& workload = drill_.workload;
    if (workload.kind == Workload::Kind::torch && node_.torch.version.empty()) {
      complain(workload.mark, fmt::format("node '{}' has no torch", node_.id));
    }
    const bool fixed = references(workload.path).empty() && !workload.path.empty();
    if (workload.kind != Workload::Kind::hip_app || !fixed) return;
    std::vector<std::string> paths;
    paths.reserve(node_.apps.size());
    for (const sim::AppSpec& app : node_.apps) paths.push_back(app.path);
    if (std::ranges::find(paths, workload.path) != paths.end()) return;
    complain(workload.mark,
             fmt::format("node '{}' has no program {}", node_.id, in_quotes(workload.path)),
             suggest(workload.path, paths, "programs"));
  }

  void check_gpus() {
    for (const Variable& variable : drill_.vars) {
      if (std::holds_alternative<AnyGpu>(variable.source) && node_.gpus.empty()) {
        complain(variable.mark, fmt::format("node '{}' has no GPU to draw", node_.id));
      }
    }
  }

  void check_states(const std::vector<StateCheck>& checks) {
    for (const StateCheck& check : checks) {
      if (check.kind == StateCheck::Kind::check_passes) {
        known(check.subject, check.mark, knowledge_.checks, "check");
      }
    }
  }

  void known(const std::string& word, Mark mark, const std::vector<std::string>& words,
             std::string_view noun) {
    if (words.empty() || word.empty() || !references(word).empty()) return;
    if ((noun == "check" && word == "all") || std::ranges::find(words, word) != words.end()) return;
    complain(mark, fmt::format("there is no {} {}", noun, in_quotes(word)),
             suggest(word, words, fmt::format("{}s", noun)));
  }

  const Drill& drill_;
  const sim::NodeSpec& node_;
  const Knowledge& knowledge_;
  Diagnostics found_;
};

}  // namespace

Diagnostics validate(const Drill& drill, const sim::NodeSpec& node, const Knowledge& knowledge) {
  return Validator(drill, node, knowledge).run();
}

}  // namespace rocdrill::scenarios
