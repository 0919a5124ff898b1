// Every fault on every node where it can be, alone and in random pairs: the first failing check is
// in its layer, explain reaches it, and what solves its drill mends the node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

/// The drill that teaches a fault: who knows how it is mended, with which parameters.
struct Lesson {
  scenarios::Drill drill;
  sim::FaultUse use;
};

const std::map<std::string, Lesson>& lessons() {
  static const std::map<std::string, Lesson> all = [] {
    std::map<std::string, Lesson> found;
    for (const std::string& id : data().list_drills()) {
      auto loaded = scenarios::load_drill(data(), id, scenarios::built_in_knowledge()).value();
      for (const auto& fault : loaded.drill.faults)
        found.emplace(fault.use.id, Lesson{loaded.drill, fault.use});
    }
    return found;
  }();
  return all;
}

const sim::NodeSpec& spec_of(const std::string& id) {
  static std::map<std::string, sim::NodeSpec> specs;
  const auto known = specs.find(id);
  return known != specs.end() ? known->second : specs.emplace(id, spec(id)).first->second;
}

std::string workload_of(const sim::NodeSpec& spec) {
  if (!spec.torch.version.empty()) return "torch";
  return spec.apps.empty() ? "none" : "hip-app";
}

/// As the drill has it, with the values of its first seed for this node.
scenarios::Drill lesson(const std::string& fault, const sim::NodeSpec& node) {
  return scenarios::resolve(lessons().at(fault).drill, node, 1).drill;
}

sim::FaultUse use_of(const std::string& fault, const sim::NodeSpec& node) {
  for (const auto& is : lesson(fault, node).faults)
    if (is.use.id == fault) return is.use;
  return {fault, {}};
}

/// Why the fault cannot be on the node, or "".
std::string inapplicable(const std::string& fault, const std::string& node_id) {
  const sim::Fault* is = sim::FaultRegistry::instance().find(fault);
  auto node = scenarios::make_node(spec_of(node_id), {});
  const auto parameters =
      sim::FaultRegistry::check(is->info(), use_of(fault, node->spec()).parameters).value();
  return is->inapplicable(*node, parameters);
}

std::unique_ptr<sim::Node> with(const std::string& node_id,
                                const std::vector<std::string>& faults) {
  auto node = scenarios::make_node(spec_of(node_id), {});
  for (const std::string& fault : faults) node->prepare(use_of(fault, node->spec()));
  for (const std::string& fault : faults) node->inject(use_of(fault, node->spec()));
  node->boot();
  node->run_workload(workload_of(node->spec()));
  return node;
}

/// The fault that the first failing check is blamed on; "" if none fails or nobody knows.
std::string blamed(sim::Node& node, std::string* check_id = nullptr, Layer* layer = nullptr) {
  const auto results = check(node);
  const checks::Result* failed = checks::first_failure(results);
  if (failed == nullptr) return {};
  if (check_id) *check_id = failed->id;
  if (layer) *layer = failed->layer;
  for (const EventId id : scenarios::explain(node.os.timeline, failed->event)) {
    const EventView event = node.os.timeline.at(id);
    if (event.kind == "fault.injected") return std::string(event.subject);
  }
  return {};
}

/// The drill's solution; what it installs is what this node has, not what the drill's node has.
/// False if one of the commands failed.
bool mend(sim::Node& node, const std::string& fault) {
  const sim::NodeSpec& own = spec_of(lessons().at(fault).drill.node);
  const std::map<std::string, std::string> packages{
      {own.firmware.package, node.spec().firmware.package},
      {"torch==" + own.torch.version, "torch==" + node.spec().torch.version}};
  bool worked = true;
  for (scenarios::Command command : lesson(fault, node.spec()).solve) {
    for (std::string& word : command)
      if (const auto other = packages.find(word); other != packages.end()) word = other->second;
    worked = sh(node, command, true).exit_code == 0 && worked;
  }
  node.log_in(no_event);  // what a login sets, it sets then
  return worked;
}

std::vector<std::string> faults() {
  std::vector<std::string> found;
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all())
    if (!fault->info().surgical) found.push_back(fault->info().id);
  return found;
}

/// The circumstances of the fault, without it.
bool works_without(const std::string& id, const std::string& fault) {
  const auto node = scenarios::make_node(spec_of(id), {});
  node->prepare(use_of(fault, node->spec()));
  node->boot();
  return checks::first_failure(check(*node)) == nullptr;
}

/// Whether the solution names no machine or board of the drill's own node.
bool is_portable(const std::string& fault, const sim::NodeSpec& node) {
  const sim::NodeSpec& own = spec_of(lessons().at(fault).drill.node);
  if (own.id == node.id) return true;
  for (const scenarios::Command& command : lesson(fault, node).solve) {
    if (std::ranges::find(command, "remote-hands") != command.end()) return false;
    for (const std::string& word : command)
      if (word.find(own.hostname) != std::string::npos) return false;
  }
  return true;
}

TEST(Matrix, EveryFaultHasALesson) {
  for (const std::string& fault : faults()) EXPECT_TRUE(lessons().contains(fault)) << fault;
}

class FaultMatrix : public testing::TestWithParam<std::string> {};

TEST_P(FaultMatrix, OnEveryNodeItIsFoundAndMended) {
  const std::string fault = GetParam();
  std::size_t nodes = 0;
  for (const std::string& id : data().list_nodes()) {
    if (!inapplicable(fault, id).empty() || !works_without(id, fault)) continue;
    ++nodes;
    const auto node = with(id, {fault});
    std::string failed;
    Layer layer = Layer::host;
    EXPECT_EQ(blamed(*node, &failed, &layer), fault) << id << ": " << failed;
    EXPECT_EQ(layer, sim::FaultRegistry::instance().find(fault)->info().layer)
        << id << ": " << failed;
    if (!is_portable(fault, node->spec())) continue;
    mend(*node, fault);
    failed.clear();
    blamed(*node, &failed);
    EXPECT_EQ(failed, "") << id << " after what solves " << lessons().at(fault).drill.id;
  }
  EXPECT_GT(nodes, 0u);
}

/// A request that a boot forgets, and a process that it ends.
bool boot_undoes(const std::string& fault) {
  return fault == "nps-pending" || fault == "stranded-vram";
}
bool boots(const std::string& fault) {
  return std::ranges::any_of(lessons().at(fault).drill.solve, [](const auto& command) {
    return std::ranges::find(command, "reboot") != command.end() ||
           std::ranges::find(command, "ipmitool") != command.end();
  });
}

/// Of two that set the same variable one is in vain.
bool sets_hip_devices(const std::string& fault) {
  return fault == "double-filter" || fault == "device-index-from-one" ||
         fault == "replaced-gpu-uuid" || fault == "igpu-first";
}
bool exclude_each_other(const std::string& one, const std::string& other) {
  return one == other || (sets_hip_devices(one) && sets_hip_devices(other)) ||
         (boot_undoes(one) && boots(other)) || (boot_undoes(other) && boots(one));
}

/// Two faults on a node: the checks lead to one of them, and when that is mended to the other,
/// unless mending the first has mended both (a boot ends a process that holds memory).
struct PairOutcome {
  bool possible = true;  ///< neither excludes the other
  std::vector<std::string> found;
  std::string problem;
};

PairOutcome play(const std::string& id, const std::vector<std::string>& both) {
  PairOutcome outcome;
  std::unique_ptr<sim::Node> node;
  try {
    node = with(id, both);
  } catch (const std::invalid_argument&) {
    outcome.possible = false;
    return outcome;
  }
  for (std::size_t round = 0; round <= both.size(); ++round) {
    std::string failed;
    const std::string fault = blamed(*node, &failed);
    if (failed.empty()) return outcome;
    const bool ours = std::ranges::find(both, fault) != both.end();
    const bool again = std::ranges::find(outcome.found, fault) != outcome.found.end();
    if (!ours || again || round == both.size()) {
      outcome.problem = failed + (again ? " again blamed on " : " blamed on ") + fault;
      return outcome;
    }
    outcome.found.push_back(fault);
    if (mend(*node, fault)) continue;
    // Refused because of the other: a process that holds the GPU keeps the driver from being
    // unloaded. That one first, then.
    const std::string& other = fault == both.front() ? both.back() : both.front();
    if (std::ranges::find(outcome.found, other) != outcome.found.end()) continue;
    outcome.found.push_back(other);
    mend(*node, other);
    mend(*node, fault);
  }
  return outcome;
}

#ifdef __SANITIZE_ADDRESS__
constexpr unsigned pairs_each = 25;
#else
constexpr unsigned pairs_each = 250;
#endif

bool pairs(const std::string& fault);

/// The faults of pairs that each node can have.
const std::map<std::string, std::vector<std::string>>& possible() {
  static const auto all = [] {
    std::map<std::string, std::vector<std::string>> found;
    for (const std::string& id : data().list_nodes())
      for (const std::string& fault : faults())
        if (pairs(fault) && inapplicable(fault, id).empty()) found[id].push_back(fault);
    return found;
  }();
  return all;
}

/// Broken hardware and its firmware, containers and collectives are tried alone: their solutions
/// are of one machine, or undo the circumstances of the other.
bool pairs(const std::string& fault) {
  const Lesson& lesson = lessons().at(fault);
  const Layer layer = sim::FaultRegistry::instance().find(fault)->info().layer;
  if (layer == Layer::silicon) return fault == "gpu-off-the-bus";
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(lesson.drill.solve, [&](const scenarios::Command& command) {
      return std::ranges::find(command, word) != command.end();
    });
  };
  return lesson.drill.workload.kind != scenarios::Workload::Kind::torchrun && !has("docker") &&
         !has("podman") && !has("kubectl") && !has("remote-hands") && !has("mount") &&
         layer != Layer::firmware;
}

class RandomPairs : public testing::TestWithParam<unsigned> {};

/// Seeds of one eighth.
TEST_P(RandomPairs, AreFoundOneAfterTheOther) {
  const auto nodes = data().list_nodes();
  unsigned both_found = 0;
  for (unsigned seed = GetParam() * pairs_each; seed < (GetParam() + 1) * pairs_each; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
    const std::string id = pick(nodes);
    const std::string one = pick(possible().at(id));
    const std::string other = pick(possible().at(id));
    if (exclude_each_other(one, other)) continue;
    const PairOutcome outcome = play(id, {one, other});
    if (!outcome.possible) continue;
    EXPECT_EQ(outcome.problem, "")
        << "seed " << seed << " on " << id << ": " << one << ", " << other;
    EXPECT_FALSE(outcome.found.empty()) << "seed " << seed;
    both_found += outcome.found.size() == 2 ? 1 : 0;
  }
  EXPECT_GT(both_found, pairs_each / 2) << "most do not hide each other";
}

INSTANTIATE_TEST_SUITE_P(All, RandomPairs, testing::Range(0u, 8u));

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, FaultMatrix, testing::ValuesIn(faults()), test_name);

}  // namespace
}  // namespace rocdrill::test
