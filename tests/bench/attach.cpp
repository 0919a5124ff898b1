// Real programs on a simulated node, each figure beside the one it is a ratio of: what it costs to
// start, and how long a client waits for the device. The client is tests/clients' hsa_client.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

const std::string rocdrill = "'" ROCDRILL_COMMAND "' ";

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null </dev/null").c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return out;
}

/// A node for all figures.
class Node {
 public:
  Node() {
    std::string name = "/tmp/rdb-XXXXXX";
    folder_ = mkdtemp(name.data());
    setenv("ROCDRILL_RUNTIME_DIR", folder_.c_str(), 1);
    output_of(rocdrill + "node start mi210 --name bench");
  }
  ~Node() {
    static_cast<void>(!std::system((rocdrill + "node stop bench >/dev/null 2>&1").c_str()));
    std::filesystem::remove_all(folder_);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  std::string on(const std::string& command) const {
    return output_of(rocdrill + "run --session bench -- " + command);
  }

 private:
  std::filesystem::path folder_;
};

const Node& node() {
  static const Node the_node;
  return the_node;
}

/// The number behind a word of the client's output.
double figure(const std::string& text, const std::string& key) {
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == key && in >> value) return value;
  }
  throw std::runtime_error("the client did not print " + key);
}

/// 0: /bin/true; 1: on a node that it has to start; 2: on one that runs.
void run_true(benchmark::State& state) {
  node();
  const std::array<std::string, 3> commands{"/bin/true", rocdrill + "run --node mi210 -- /bin/true",
                                            rocdrill + "run --session bench -- /bin/true"};
  for (auto _ : state) output_of(commands[static_cast<std::size_t>(state.range(0))]);
}

/// `per_child_ms`: of 100 children of one shell. 0 here, 1 on the node.
void children(benchmark::State& state) {
  const std::string loop =
      "bash -c 'a=$EPOCHREALTIME; for i in {1..100}; do /bin/true; done; "
      "b=$EPOCHREALTIME; echo us $(( ${b/./} - ${a/./} ))'";
  double total = 0;
  for (auto _ : state)
    total += figure(state.range(0) == 0 ? output_of(loop) : node().on(loop), "us");
  state.counters["per_child_ms"] = total / 1e5 / static_cast<double>(state.iterations());
}

/// Doorbell to completion of a barrier packet, median; the argument is the pause before each, in
/// us.
void latency(benchmark::State& state) {
  const std::string pause = std::to_string(state.range(0));
  const std::string count = state.range(0) == 0 ? "5000" : "200";
  double total = 0;
  for (auto _ : state)
    total +=
        figure(node().on("'" ROCDRILL_HSA_CLIENT "' latency " + count + " " + pause), "median_us");
  state.counters["median_us"] = total / static_cast<double>(state.iterations());
}

void idle_client(benchmark::State& state) {
  double total = 0;
  for (auto _ : state)
    total += figure(node().on("'" ROCDRILL_HSA_CLIENT "' idle 3"), "cpu_percent");
  state.counters["cpu_percent"] = total / static_cast<double>(state.iterations());
}

void sdma_copy(benchmark::State& state) {
  double ratio = 0;
  const std::string bytes = std::to_string(state.range(0));
  for (auto _ : state)
    ratio += figure(node().on("'" ROCDRILL_HSA_CLIENT "' copy-rate " + bytes + " 30"), "of_memcpy");
  state.counters["of_memcpy"] = ratio / static_cast<double>(state.iterations());
}

}  // namespace

BENCHMARK(run_true)->Arg(0)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(children)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(latency)->Arg(0)->Arg(10000)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(idle_client)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sdma_copy)->Arg(1 << 20)->Arg(64 << 20)->Iterations(3)->UseRealTime()->Unit(
    benchmark::kMillisecond);
