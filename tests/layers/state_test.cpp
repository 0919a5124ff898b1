// What is promised of a node's history and state: determinism, and saving between any two tasks.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

TEST(Determinism, SameSeedSameBytesForAnyNumberOfThreads) {
  for (const std::string& id : data().list_drills()) {
    const std::string one = run(id, {.seed = 7, .threads = 1})->os.timeline.to_json_lines();
    const std::string two = run(id, {.seed = 7, .threads = 2})->os.timeline.to_json_lines();
    EXPECT_EQ(one, two) << id;
    EXPECT_FALSE(one.empty());
  }
}

TEST(Determinism, AnotherSeedOtherValuesSameDiagnosis) {
  for (const std::string& id : data().list_drills()) {
    const auto first = run(id, {.seed = 1});
    const auto second = run(id, {.seed = 2});
    // Cards without serial numbers may differ in their ticket alone.
    const bool serials = std::ranges::any_of(
        first->board.gpus(), [](const silicon::Gpu& gpu) { return gpu.unique_id != 0; });
    const auto told = [&](const sim::Node& node, std::uint64_t seed) {
      return node.os.timeline.to_json_lines() + (serials ? "" : drill(id, seed).drill.brief);
    };
    EXPECT_NE(told(*first, 1), told(*second, 2)) << id;
    // How many wait in a row for the rank that has left depends on which it is.
    const auto chain = [](const sim::Node& node) {
      auto list =
          kinds(node.os.timeline,
                scenarios::explain(node.os.timeline, scenarios::top_symptom(node.os.timeline)));
      list.erase(std::unique(list.begin(), list.end()), list.end());
      return list;
    };
    EXPECT_EQ(chain(*first), chain(*second)) << id;
  }
}

/// The tasks of a whole drill, without the engine in between.
std::unique_ptr<sim::Node> scheduled(std::string_view id, const sim::FaultUse& use,
                                     const char* workload) {
  auto made = node(id);
  sim::Json parameters = sim::Json::object();
  made->schedule(0, {"inject", {{"id", use.id}, {"parameters", parameters}}});
  made->schedule(0, {"upgrade", sim::Json::object()});
  made->schedule(0, {"power_on", sim::Json::object()});
  made->schedule(10 * sim::sec, {"workload", {{"kind", workload}}});
  made->schedule(20 * sim::sec, {"reboot", sim::Json::object()});
  made->schedule(40 * sim::sec, {"workload", {{"kind", workload}}});
  return made;
}

void save_between_all_tasks(std::string_view id, const sim::FaultUse& use, const char* workload) {
  auto original = scheduled(id, use, workload);
  int steps = 0;
  for (bool more = true; more; ++steps) {
    const std::string state = original->save();
    auto copy = node(id);
    copy->restore(state);
    ASSERT_EQ(copy->save(), state)
        << id << ": restored and saved again, after " << steps << " tasks";
    more = original->step();
    EXPECT_EQ(copy->step(), more);
    ASSERT_EQ(copy->save(), original->save())
        << id << ": one task further, after " << steps << " tasks";
  }
  EXPECT_GT(steps, 10);
}

TEST(Saving, BetweenAnyTwoTasks) {
  save_between_all_tasks("mi300x-8", {"stale-dkms", {}}, "torch");
  save_between_all_tasks("mi300x-8", {"firmware-missing", {}}, "torch");
  save_between_all_tasks("mi210", {"render-group-missing", {}}, "hip-app");
  save_between_all_tasks("rx7900xtx-igpu", {"module-blacklisted", {}}, "torch");
}

TEST(Saving, ForeignAndDamagedStatesAreRefused) {
  auto mi210 = booted("mi210");
  const std::string state = mi210->save();
  auto other = node("mi300x-8");
  EXPECT_THROW(other->restore(state), std::runtime_error);
  auto same = node("mi210");
  EXPECT_THROW(same->restore(state.substr(0, state.size() / 2)), std::runtime_error);
  EXPECT_THROW(same->restore(""), std::runtime_error);
  EXPECT_THROW(same->restore("not a state"), std::runtime_error);
  sim::Json json = sim::Json::from_cbor(state);
  json["os"].erase("clock");
  std::string lacking;
  sim::Json::to_cbor(json, lacking);
  EXPECT_THROW(same->restore(lacking), std::runtime_error);
}

TEST(Timeline, OfEveryDrillReadsBackExactly) {
  for (const std::string& id : data().list_drills()) {
    const auto made = run(id);
    const std::string lines = made->os.timeline.to_json_lines();
    const auto back = Timeline::from_json_lines(lines);
    ASSERT_TRUE(back) << id << ": " << back.error();
    EXPECT_EQ(*back, made->os.timeline) << id;
    EXPECT_EQ(back->to_json_lines(), lines) << id;
  }
}

}  // namespace
}  // namespace rocdrill::test
