// How far a drill is solved: looks at the node, and at the answers that were given.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/engine/drill.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::sim {
class Node;
}

namespace rocdrill::scenarios {

enum class TaskStatus : std::uint8_t {
  open,    ///< an answer is still to be given, or the node is not as it should be
  passed,  ///< the state holds, or the answer is right
  failed,  ///< a wrong answer was given
};
std::string_view name(TaskStatus status);

struct TaskResult {
  DrillTask::Kind kind = DrillTask::Kind::detect;
  TaskStatus status = TaskStatus::open;
  bool is_answer = false;  ///< a question; else a state of the node
  std::string ask;
  std::string open_because;  ///< what does not hold yet, for a state
  int points = 0;            ///< that can be had
};

/// Answers given so far, by task: the choice, or "layer/choice".
using Answers = std::map<DrillTask::Kind, std::string>;

/// Whether one condition holds. Commands run as the session's user.
bool holds(sim::Node& node, const StateCheck& state, const std::vector<checks::Result>& results);

/// Every task, in the drill's order. May run commands on the node.
std::vector<TaskResult> grade(sim::Node& node, const Drill& drill, const Answers& answers);
/// Whether every task that the node's state decides has passed.
bool repaired(const std::vector<TaskResult>& results);

/// The next hint of the first task that has not passed: `taken` counts those given per task.
/// nullptr if there is none left.
struct GivenHint {
  DrillTask::Kind task = DrillTask::Kind::detect;
  const Hint* hint = nullptr;
  int left = 0;  ///< of this task, after this one
};
GivenHint next_hint(sim::Node& node, const Drill& drill, const std::vector<TaskResult>& results,
                    std::map<DrillTask::Kind, int>& taken);

}  // namespace rocdrill::scenarios
