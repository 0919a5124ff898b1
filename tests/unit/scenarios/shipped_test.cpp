// Every drill and node that comes with the program: loads, and says nothing that a grader or a
// trainee would stumble over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scenarios/engine/source.hpp"
#include "support.hpp"

namespace rocdrill::scenarios::test {
namespace {

DataPath data() {
  return *DataPath::find(data_places(std::filesystem::path(ROCDRILL_SOURCE_DIR) / "scenarios"));
}

std::vector<LoadedDrill> all_drills() {
  std::vector<LoadedDrill> drills;
  for (const std::string& id : data().list_drills()) {
    auto loaded = load_drill(data(), id, built_in_knowledge());
    EXPECT_TRUE(loaded) << text(loaded.error());
    if (loaded) drills.push_back(std::move(*loaded));
  }
  return drills;
}

TEST(Shipped, NodesLoad) {
  EXPECT_THAT(data().list_nodes(), testing::IsSupersetOf({"gfx1030", "mi100", "mi210", "mi250x-4",
                                                          "mi300x-8", "rx7900xtx-igpu"}));
  for (const std::string& id : data().list_nodes()) {
    const auto node = load_node(data(), id, built_in_knowledge());
    EXPECT_TRUE(node) << text(node.error());
  }
}

TEST(Shipped, ADrillForEveryFaultAndAControl) {
  std::set<std::string> used;
  int controls = 0;
  for (const LoadedDrill& loaded : all_drills()) {
    for (const DrillFault& fault : loaded.drill.faults) used.insert(fault.use.id);
    controls += loaded.drill.no_fault ? 1 : 0;
  }
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
    const sim::FaultInfo& info = fault->info();
    EXPECT_TRUE(info.surgical || used.contains(info.id)) << info.id;
  }
  EXPECT_GE(controls, 1);
}

TEST(Shipped, TheLayerToFindIsThatOfTheFault) {
  for (const LoadedDrill& loaded : all_drills()) {
    if (loaded.drill.no_fault) continue;
    const Answer& answer = std::get<Answer>(loaded.drill.tasks[1].check);
    EXPECT_EQ(answer.layer, built_in_knowledge().fault(loaded.drill.faults[0].use.id)->layer)
        << loaded.drill.id;
  }
}

TEST(Shipped, PointsAddUpAndNoHintIsFree) {
  for (const LoadedDrill& loaded : all_drills()) {
    int points = 0;
    for (const DrillTask& task : loaded.drill.tasks) {
      points += task.points;
      for (const Hint& hint : task.hints) EXPECT_GT(hint.cost, 0) << loaded.drill.id;
    }
    EXPECT_EQ(points, 100) << loaded.drill.id;
  }
}

TEST(Shipped, EveryDrillHasWrongFixesAndADebrief) {
  for (const LoadedDrill& loaded : all_drills()) {
    EXPECT_GE(loaded.drill.wrong.size(), 2u) << loaded.drill.id;
    EXPECT_GE(loaded.drill.debrief.look_alikes.size(), 3u) << loaded.drill.id;
    EXPECT_GE(loaded.drill.debrief.sources.size(), 2u) << loaded.drill.id;
    // A wrong fix must not be the solution.
    for (const WrongFix& fix : loaded.drill.wrong) EXPECT_NE(fix.commands, loaded.drill.solve);
  }
}

TEST(Shipped, NoBriefGivesTheAnswerAway) {
  for (const LoadedDrill& loaded : all_drills()) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Drill drill = resolve(loaded.drill, loaded.node, seed).drill;
      for (const DrillTask& task : drill.tasks) {
        if (const auto* answer = std::get_if<Answer>(&task.check)) {
          EXPECT_THAT(drill.brief, testing::Not(testing::HasSubstr(answer->correct))) << drill.id;
        }
      }
      for (const Command& command : drill.solve) {
        std::string line = command.front();
        for (std::size_t i = 1; i < command.size(); ++i) line += " " + command[i];
        const bool is_one_word = command.size() == 1;  // "reboot" is a word like any other
        EXPECT_TRUE(is_one_word || !drill.brief.contains(line)) << drill.id << ": " << line;
      }
      for (const DrillFault& fault : drill.faults) {
        EXPECT_THAT(drill.brief, testing::Not(testing::HasSubstr(fault.use.id))) << drill.id;
      }
    }
  }
}

TEST(Shipped, SeedsGiveOtherValuesAndTheSameDiagnosis) {
  for (const LoadedDrill& loaded : all_drills()) {
    std::set<std::string> briefs;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const ResolvedDrill first = resolve(loaded.drill, loaded.node, seed);
      const ResolvedDrill again = resolve(loaded.drill, loaded.node, seed);
      EXPECT_EQ(first.values, again.values);
      EXPECT_EQ(first.drill.brief, again.drill.brief);
      briefs.insert(first.drill.brief);
      for (std::size_t i = 0; i < first.drill.tasks.size(); ++i) {
        const auto* drawn = std::get_if<Answer>(&first.drill.tasks[i].check);
        const auto* written = std::get_if<Answer>(&loaded.drill.tasks[i].check);
        if (drawn != nullptr) {
          EXPECT_EQ(drawn->layer, written->layer);
        }
      }
    }
    EXPECT_GT(briefs.size(), 1u) << loaded.drill.id;
  }
}

TEST(Shipped, ParametersStayWithinWhatTheFaultsTake) {
  for (const LoadedDrill& loaded : all_drills()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      for (const DrillFault& fault : resolve(loaded.drill, loaded.node, seed).drill.faults) {
        const auto checked = sim::FaultRegistry::check(*built_in_knowledge().fault(fault.use.id),
                                                       fault.use.parameters);
        EXPECT_TRUE(checked) << checked.error();
      }
    }
  }
}

/// The first YAML example of a page of the docs.
std::string example(std::string_view page) {
  const auto text = read_file(std::filesystem::path(ROCDRILL_SOURCE_DIR) / "docs" / page);
  EXPECT_TRUE(text) << page;
  if (!text) return {};
  const std::string_view fence = "```yaml\n";
  const std::size_t start = text->find(fence) + fence.size();
  return text->substr(start, text->find("```", start) - start);
}

TEST(Shipped, TheExamplesInTheDocsAreValid) {
  const auto node =
      parse_node("node-files.md", example("node-files.md"), "mi210", built_in_knowledge());
  EXPECT_TRUE(node) << text(node.error());
  const auto drill =
      parse_drill("drill-authoring.md", example("drill-authoring.md"), "module-blacklisted");
  ASSERT_TRUE(drill) << text(drill.error());
  const auto desktop = load_node(data(), drill->node, built_in_knowledge());
  ASSERT_TRUE(desktop);
  EXPECT_EQ(text(validate(*drill, *desktop, built_in_knowledge())), "");
}

}  // namespace
}  // namespace rocdrill::scenarios::test
