// Every shipped drill is proved: untouched it fails its tasks, its `solve` passes them, each of
// its `wrong` fixes does not; a control has nothing to find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using scenarios::DrillTask;
using scenarios::StateCheck;

bool holds(sim::Node& node, const StateCheck& state) {
  switch (state.kind) {
    case StateCheck::Kind::file_absent:
      return !node.os.files.exists(state.subject);
    case StateCheck::Kind::file_present:
      return node.os.files.exists(state.subject);
    case StateCheck::Kind::command: {
      const CommandResult result = sh(node, state.command);
      return result.exit_code == state.exit && result.out.find(state.contains) != std::string::npos;
    }
    case StateCheck::Kind::check_passes:
      break;
  }
  for (const checks::Result& result : check(node)) {
    if (state.subject == "all"
            ? result.status == checks::Status::fail
            : result.id == state.subject && result.status != checks::Status::pass) {
      return false;
    }
  }
  return true;
}

/// Whether all state checks of all tasks hold; answers are the trainee's business.
bool solved(sim::Node& node, const scenarios::Drill& drill, std::string& open) {
  for (const DrillTask& task : drill.tasks) {
    const auto* states = std::get_if<std::vector<StateCheck>>(&task.check);
    if (!states) continue;
    for (const StateCheck& state : *states) {
      if (holds(node, state)) continue;
      open = std::string(scenarios::name(task.kind)) + ": " + state.subject;
      return false;
    }
  }
  return true;
}

void perform(sim::Node& node, const std::vector<scenarios::Command>& commands) {
  for (const scenarios::Command& command : commands) {
    const CommandResult result = sh(node, command, true);
    EXPECT_TRUE(result.found) << "no command " << command.front();
    for (const std::string& line : {result.out, result.err}) {
      EXPECT_EQ(line.find("not modelled by rocdrill"), std::string::npos)
          << command.front() << ": " << line;
    }
  }
}

class Drills : public testing::TestWithParam<std::string> {};

TEST_P(Drills, UntouchedItFails) {
  const auto resolved = drill(GetParam());
  const auto broken = run(GetParam());
  std::string open;
  if (resolved.drill.no_fault) {
    EXPECT_EQ(scenarios::top_symptom(broken->os.timeline), no_event) << "a control is healthy";
    return;
  }
  const bool latent = std::ranges::any_of(resolved.drill.faults, [](const auto& fault) {
    return sim::FaultRegistry::instance().find(fault.use.id)->info().latent;
  });
  EXPECT_NE(scenarios::top_symptom(broken->os.timeline) != no_event, latent);
  EXPECT_FALSE(solved(*broken, resolved.drill, open));
}

TEST_P(Drills, SolveSolvesIt) {
  const auto resolved = drill(GetParam());
  const auto broken = run(GetParam());
  perform(*broken, resolved.drill.solve);
  std::string open;
  EXPECT_TRUE(solved(*broken, resolved.drill, open)) << open;
}

TEST_P(Drills, NoWrongFixSolvesIt) {
  const auto resolved = drill(GetParam());
  if (resolved.drill.no_fault) return;
  EXPECT_FALSE(resolved.drill.wrong.empty());
  for (const scenarios::WrongFix& wrong : resolved.drill.wrong) {
    const auto broken = run(GetParam());
    perform(*broken, wrong.commands);
    std::string open;
    EXPECT_FALSE(solved(*broken, resolved.drill, open)) << wrong.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Drills, testing::ValuesIn(data().list_drills()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace rocdrill::test
