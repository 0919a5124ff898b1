// The corpus of tests/kernels on the simulated GPU, against its native twins and against PoCL.
//
// All figures are CPU time of this process, all its threads together, the least of the iterations:
// the machine may be busy with something else. `of_native` and `of_pocl` are ratios of it in the
// same run. The table at the end goes to stderr; stdout is Google Benchmark's.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <stdexcept>

#include "bench/kernels/contestant.hpp"

namespace rocdrill::bench {
namespace {

const char* text(Bound bound) {
  constexpr const char* names[] = {"VALU", "LDS", "memory", "GEMM", "MFMA"};
  return names[static_cast<unsigned>(bound)];
}

// --- do all have the same results? ---------------------------------------------------------------

template <class T>
double worst(std::span<const std::byte> a, std::span<const std::byte> b) {
  double largest = 0, difference = 0;
  for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    const auto one = static_cast<double>(x), other = static_cast<double>(y);
    largest = std::max(largest, std::abs(one));
    difference = std::max(difference, std::abs(one - other));
    if (std::isnan(one) != std::isnan(other)) return 1;
  }
  return largest == 0 ? difference : difference / largest;
}

/// Throws if a buffer differs by more than the problem allows.
void compare(const Problem& problem, Contestant& a, Contestant& b, const char* who) {
  for (std::size_t n = 0; n < problem.arguments.size(); ++n) {
    const Argument& argument = problem.arguments[n];
    if (!argument.is_buffer) continue;
    const auto x = a.buffer(n), y = b.buffer(n);
    double off = 0;
    if (problem.tolerance == 0 || argument.element == Element::u8 ||
        argument.element == Element::u32 || argument.element == Element::u64) {
      off = std::equal(x.begin(), x.end(), y.begin()) ? 0 : 1;
    } else if (argument.element == Element::f16) {
      off = worst<_Float16>(x, y);
    } else if (argument.element == Element::f32) {
      off = worst<float>(x, y);
    } else {
      off = worst<double>(x, y);
    }
    if (!(off <= problem.tolerance))
      throw std::runtime_error(fmt::format("{}: argument {} of {} differs by {} of its largest",
                                           problem.kernel, n, who, off));
  }
}

// --- one kernel ----------------------------------------------------------------------------------

struct Line {
  std::string name;
  Bound bound = Bound::valu;
  std::string native_name;
  double ours = 0, native = 0, pocl = 0;  // ms
  std::string no_pocl;                    // why there is no figure
};
std::deque<Line> lines;

double timed(Contestant& who) {
  const double begin = cpu_seconds();
  who.run();
  return cpu_seconds() - begin;
}

void run(benchmark::State& state, std::size_t number, const std::string& target) {
  const Problem problem = make_problem(number);
  const auto ours = simulated(problem, target);
  const auto twin = native(problem);
  MaybeContestant other = pocl(problem);
  // The first run: decodes, compiles, touches the memory; and then all have to agree.
  ours->run();
  twin->run();
  compare(problem, *ours, *twin, "the native twin");
  if (other) {
    (*other)->run();
    compare(problem, *ours, **other, "PoCL");
  }
  Line line{target + "/" + problem.kernel, problem.bound, problem.native_name, 1e9, 1e9, 1e9, {}};
  if (!other) line.no_pocl = other.error();
  for (auto _ : state) {
    const double seconds = timed(*ours);
    state.SetIterationTime(seconds);
    line.ours = std::min(line.ours, seconds * 1e3);
    line.native = std::min(line.native, timed(*twin) * 1e3);
    if (other) line.pocl = std::min(line.pocl, timed(**other) * 1e3);
  }
  state.counters["ns_per_item"] = line.ours * 1e6 / static_cast<double>(problem.items());
  state.counters["ns_per_instruction"] =
      line.ours * 1e6 / static_cast<double>(ours->instructions());
  state.counters["of_native"] = line.ours / line.native;
  if (other) state.counters["of_pocl"] = line.ours / line.pocl;
  if (problem.flops != 0) state.counters["gflops"] = problem.flops / line.ours * 1e-6;
  state.SetLabel(text(problem.bound));
  std::erase_if(lines, [&](const Line& one) { return one.name == line.name; });
  lines.push_back(line);
}

void measure(benchmark::State& state, std::size_t number, const std::string& target) {
  try {
    run(state, number, target);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

// --- the table -----------------------------------------------------------------------------------

const Line* find(const std::string& name) {
  const auto at = std::ranges::find(lines, name, &Line::name);
  return at == lines.end() ? nullptr : &*at;
}

void print_table() {
  if (lines.empty()) return;
  fmt::print(stderr, "\nCPU time of all threads; PoCL: {}\n", pocl_description());
  fmt::print(stderr, "{:<24} {:<7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "kernel", "class", "ours ms",
             "native ms", "x native", "PoCL ms", "x PoCL");
  for (const Line& line : lines) {
    fmt::print(stderr, "{:<24} {:<7} {:>9.2f} {:>9.2f} {:>9.1f}", line.name, text(line.bound),
               line.ours, line.native, line.ours / line.native);
    if (line.no_pocl.empty()) {
      fmt::print(stderr, " {:>9.2f} {:>9.1f}", line.pocl, line.ours / line.pocl);
    } else {
      fmt::print(stderr, " {:>9} {:>9}", "-", "-");
    }
    fmt::print(stderr, "  {}\n", line.native_name.empty() ? "" : "native: " + line.native_name);
  }
  for (const char* target : {"gfx90a", "gfx942"}) {
    const std::string prefix = std::string(target) + "/";
    const Line* valu = find(prefix + "hgemm");
    const Line* mfma = find(prefix + "mfma_hgemm");
    if (valu != nullptr && mfma != nullptr)
      fmt::print(stderr, "{}mfma_hgemm is {:.1f} times as fast as {}hgemm\n", prefix,
                 valu->ours / mfma->ours, prefix);
  }
}

}  // namespace
}  // namespace rocdrill::bench

int main(int argc, char** argv) {
  using namespace rocdrill::bench;
  for (const char* target : {"gfx90a", "gfx942"})
    for (std::size_t n = 0; n < problem_count(); ++n)
      benchmark::RegisterBenchmark(
          (std::string("kernels/") + target + "/" + problem_name(n)).c_str(),
          [n, target](benchmark::State& state) { measure(state, n, target); })
          ->Iterations(7)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  print_table();
  return 0;
}
