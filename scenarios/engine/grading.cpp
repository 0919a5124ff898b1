#include "scenarios/engine/grading.hpp"

#include <algorithm>

#include "scenarios/engine/run.hpp"
#include "sim/node.hpp"
#include "sim/tools/tools.hpp"

namespace rocdrill::scenarios {
namespace {

std::string describe(const StateCheck& state) {
  switch (state.kind) {
    case StateCheck::Kind::file_absent:
      return state.subject + " should not be there";
    case StateCheck::Kind::file_present:
      return state.subject + " is not there";
    case StateCheck::Kind::command: {
      std::string line;
      for (const std::string& word : state.command) line += (line.empty() ? "" : " ") + word;
      return "`" + line + "` does not show what it should";
    }
    case StateCheck::Kind::check_passes:
      break;
  }
  return state.subject == "all" ? "a bring-up check fails"
                                : "the check " + state.subject + " does not pass";
}

bool right(const Answer& answer, const std::string& given) {
  if (!answer.layer) return given == answer.correct;
  return given == std::string(name(*answer.layer)) + "/" + answer.correct;
}

}  // namespace

std::string_view name(TaskStatus status) {
  switch (status) {
    case TaskStatus::passed:
      return "passed";
    case TaskStatus::failed:
      return "failed";
    case TaskStatus::open:
      break;
  }
  return "open";
}

bool holds(sim::Node& node, const StateCheck& state, const std::vector<checks::Result>& results) {
  switch (state.kind) {
    case StateCheck::Kind::file_absent:
      return !node.os.files.exists(state.subject);
    case StateCheck::Kind::file_present:
      return node.os.files.exists(state.subject);
    case StateCheck::Kind::command: {
      Host& host = node.host();
      const CommandResult result = host.run(state.command, host.session());
      return result.exit_code == state.exit && result.out.find(state.contains) != std::string::npos;
    }
    case StateCheck::Kind::check_passes:
      break;
  }
  return std::ranges::none_of(results, [&](const checks::Result& result) {
    if (state.subject == "all") return result.status == checks::Status::fail;
    return result.id == state.subject && result.status != checks::Status::pass;
  });
}

std::vector<TaskResult> grade(sim::Node& node, const Drill& drill, const Answers& answers) {
  const auto results = checks::run(node, deployment_of(node.spec()));
  std::vector<TaskResult> graded;
  for (const DrillTask& task : drill.tasks) {
    TaskResult result{
        .kind = task.kind, .ask = task.ask, .open_because = {}, .points = task.points};
    if (const auto* answer = std::get_if<Answer>(&task.check)) {
      result.is_answer = true;
      if (const auto given = answers.find(task.kind); given != answers.end())
        result.status = right(*answer, given->second) ? TaskStatus::passed : TaskStatus::failed;
    } else {
      result.status = TaskStatus::passed;
      for (const StateCheck& state : std::get<std::vector<StateCheck>>(task.check)) {
        if (holds(node, state, results)) continue;
        result.status = TaskStatus::open;
        result.open_because = describe(state);
        break;
      }
    }
    graded.push_back(std::move(result));
  }
  return graded;
}

bool repaired(const std::vector<TaskResult>& results) {
  return std::ranges::all_of(results, [](const TaskResult& result) {
    return result.is_answer || result.status == TaskStatus::passed;
  });
}

GivenHint next_hint(sim::Node& node, const Drill& drill, const std::vector<TaskResult>& results,
                    std::map<DrillTask::Kind, int>& taken) {
  const auto checked = checks::run(node, deployment_of(node.spec()));
  for (std::size_t i = 0; i < drill.tasks.size() && i < results.size(); ++i) {
    if (results[i].status == TaskStatus::passed) continue;
    const DrillTask& task = drill.tasks[i];
    int& given = taken[task.kind];
    while (given < static_cast<int>(task.hints.size())) {
      const Hint& hint = task.hints[static_cast<std::size_t>(given++)];
      const bool fits = std::ranges::all_of(
          hint.when, [&](const StateCheck& state) { return holds(node, state, checked); });
      if (fits) return {task.kind, &hint, static_cast<int>(task.hints.size()) - given};
    }
  }
  return {};
}

}  // namespace rocdrill::scenarios
