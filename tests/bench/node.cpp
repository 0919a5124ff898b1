// Booting a node, a whole drill, and what nodes cost in memory. The baseline of a boot is reading
// every file of the node's tree once.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "scenarios/engine/load.hpp"
#include "scenarios/engine/run.hpp"

namespace rocdrill {
namespace {

const scenarios::DataPath& data() {
  static const auto path = scenarios::DataPath::find(scenarios::data_places()).value();
  return path;
}

sim::NodeSpec spec(std::string_view id) {
  auto loaded = scenarios::load_node(data(), id, scenarios::built_in_knowledge()).value();
  scenarios::load_code_objects(data(), loaded).value();
  return loaded;
}

/// Resident set of this process in bytes.
std::size_t resident() {
  std::size_t pages = 0, total = 0;
  std::ifstream("/proc/self/statm") >> total >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void boot_mi300x(benchmark::State& state) {
  const sim::NodeSpec description = spec("mi300x-8");
  for (auto _ : state) {
    state.PauseTiming();
    auto node = scenarios::make_node(description, {});
    state.ResumeTiming();
    node->boot();
    state.PauseTiming();
    benchmark::DoNotOptimize(node->os.timeline.size());
    node.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(boot_mi300x)->Unit(benchmark::kMillisecond);

void make_mi300x(benchmark::State& state) {
  const sim::NodeSpec description = spec("mi300x-8");
  for (auto _ : state) benchmark::DoNotOptimize(scenarios::make_node(description, {}));
}
BENCHMARK(make_mi300x)->Unit(benchmark::kMillisecond);

void replay_stale_dkms(benchmark::State& state) {
  const auto loaded =
      scenarios::load_drill(data(), "stale-dkms", scenarios::built_in_knowledge()).value();
  const sim::NodeSpec description = spec(loaded.drill.node);
  const auto drill = scenarios::resolve(loaded.drill, loaded.node, 1);
  for (auto _ : state) benchmark::DoNotOptimize(scenarios::run_drill(drill, description, {}));
}
BENCHMARK(replay_stale_dkms)->Unit(benchmark::kMillisecond);

void memory_of_nodes(benchmark::State& state) {
  const sim::NodeSpec description = spec("mi300x-8");
  constexpr std::size_t count = 32;
  for (auto _ : state) {
    std::vector<std::unique_ptr<sim::Node>> nodes;
    nodes.push_back(scenarios::make_node(description, {}));
    nodes.back()->boot();
    malloc_trim(0);
    const std::size_t first = resident();
    while (nodes.size() <= count) {
      nodes.push_back(scenarios::make_node(description, {}));
      nodes.back()->boot();
    }
    state.counters["process_MB"] = static_cast<double>(first) / 1e6;
    state.counters["MB_per_further_node"] = static_cast<double>(resident() - first) / 1e6 / count;
  }
}
BENCHMARK(memory_of_nodes)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A data centre in one process.
void thousand_nodes(benchmark::State& state) {
  const sim::NodeSpec description = spec("mi300x-8");
  constexpr std::size_t count = 1000;
  malloc_trim(0);
  const std::size_t before = resident();
  for (auto _ : state) {
    std::vector<std::unique_ptr<sim::Node>> nodes;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      nodes.push_back(scenarios::make_node(description, {.seed = seed}));
      nodes.back()->boot();
    }
    state.counters["MB"] = static_cast<double>(resident() - before) / 1e6;
  }
}
BENCHMARK(thousand_nodes)->Iterations(1)->Unit(benchmark::kMillisecond);

void all_drills(benchmark::State& state) {
  std::vector<std::pair<scenarios::ResolvedDrill, sim::NodeSpec>> drills;
  for (const std::string& id : data().list_drills()) {
    const auto loaded = scenarios::load_drill(data(), id, scenarios::built_in_knowledge()).value();
    drills.emplace_back(scenarios::resolve(loaded.drill, loaded.node, 1), spec(loaded.drill.node));
  }
  for (auto _ : state) {
    for (const auto& [drill, description] : drills)
      benchmark::DoNotOptimize(scenarios::run_drill(drill, description, {}));
  }
  state.counters["drills"] = static_cast<double>(drills.size());
}
BENCHMARK(all_drills)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rocdrill
