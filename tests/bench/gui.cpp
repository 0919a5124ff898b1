// The window on a history of a million events: the time of a frame without OpenGL, of its
// view-models alone, and of getting there. Bounds: 16 ms per frame at 1920x1080, 5 ms for the
// view-models, 1 s from the start to the first frame of a drill.
#include <benchmark/benchmark.h>

#include "gui/app/context.hpp"
#include "scenarios/engine/data_path.hpp"

namespace {

using namespace rocdrill;

constexpr std::size_t event_count = 1'000'000;

const Timeline& history() {
  static const Timeline made = [] {
    Timeline timeline;
    const Field fields[] = {{field::asked, "ioctl(AMDKFD_IOC_CREATE_QUEUE)"}, {field::got, "0"}};
    for (std::size_t i = 1; i <= event_count; ++i) {
      timeline.record({.time_ns = i * 700,
                       .layer = static_cast<Layer>(i % 10),
                       .severity = i % 5000 == 0 ? Severity::error : Severity::info,
                       .kind = "kfd.ioctl",
                       .subject = i % 10 == 1 ? "pid 1000 queue 0" : "/dev/kfd",
                       .fields = fields,
                       .cause = static_cast<EventId>(i - i % 8 == i ? 0 : i - i % 8)});
    }
    return timeline;
  }();
  return made;
}

/// Somewhere else each time, zoomed in and out.
void scrub(gui::State& state, const gui::Story& story, std::size_t i) {
  gui::apply(gui::intent::GoTo{static_cast<EventId>(1 + i * 7919 % event_count)}, state, story);
  if (i % 16 == 0) gui::apply(gui::intent::Zoom{i % 32 == 0 ? 0.5 : 2}, state, story);
}

void bench_index(benchmark::State& bench) {
  for (auto _ : bench) benchmark::DoNotOptimize(gui::Story(history()).last());
}
BENCHMARK(bench_index)->Unit(benchmark::kMillisecond);

void bench_view_models(benchmark::State& bench) {
  const gui::Story story(history());
  gui::State state = gui::opened(story);
  std::size_t i = 0;
  for (auto _ : bench) {
    scrub(state, story, ++i);
    benchmark::DoNotOptimize(gui::timeline_view(story, state, 1760, 9, 72));
    benchmark::DoNotOptimize(gui::stack_view(story, state, nullptr));
    benchmark::DoNotOptimize(gui::detail_view(story, state, 64));
    benchmark::DoNotOptimize(gui::why_view(story, state));
  }
}
BENCHMARK(bench_view_models)->Unit(benchmark::kMillisecond);

scenarios::DataPath data() { return scenarios::DataPath::find(scenarios::data_places()).value(); }

void bench_frame(benchmark::State& bench) {
  gui::Context context(gui::Settings{});
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  gui::Workspace workspace({data(), {}, {}});
  workspace.open_timeline(history(), "a million events");
  std::size_t i = 0;
  for (auto _ : bench) {
    scrub(workspace.state(), workspace.story(), ++i);
    context.frame(workspace, 1920, 1080, 1.0 / 60);
  }
}
BENCHMARK(bench_frame)->Unit(benchmark::kMillisecond);

/// Scrubbing while a filter is set, in the layout with that number.
void bench_layout(benchmark::State& bench) {
  gui::Context context(gui::Settings{});
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  gui::Workspace workspace({data(), {}, {}});
  workspace.open_timeline(history(), "a million events");
  workspace.compare_with(history(), "the same");
  workspace.state().layout = gui::all_layouts[static_cast<std::size_t>(bench.range(0))];
  workspace.state().filter.at_least = Severity::error;
  bench.SetLabel(std::string(gui::name(workspace.state().layout)));
  context.frame(workspace, 1920, 1080, 1.0 / 60);  // pairs the two runs, finds the matches
  std::size_t i = 0;
  for (auto _ : bench) {
    scrub(workspace.state(), workspace.story(), ++i);
    context.frame(workspace, 1920, 1080, 1.0 / 60);
  }
}
BENCHMARK(bench_layout)->Arg(1)->Arg(3)->Arg(4)->Arg(5)->Arg(6)->Unit(benchmark::kMillisecond);

/// A letter of a filter: every event's texts are looked through once.
void bench_filter(benchmark::State& bench) {
  const gui::Story story(history());
  std::size_t i = 0;
  for (auto _ : bench) {
    const std::string typed = ++i % 2 == 0 ? "CREATE" : "ioctl(AM";
    benchmark::DoNotOptimize(
        story.matching({.layer = {}, .at_least = {}, .contains = typed}).size());
  }
}
BENCHMARK(bench_filter)->Unit(benchmark::kMillisecond);

/// Two runs of a million events, once, when they are first compared.
void bench_pairing(benchmark::State& bench) {
  const gui::Story story(history());
  for (auto _ : bench) benchmark::DoNotOptimize(gui::Comparison(story, story).pairs().size());
}
BENCHMARK(bench_pairing)->Unit(benchmark::kMillisecond);

void bench_first_frame(benchmark::State& bench) {
  for (auto _ : bench) {
    gui::Context context(gui::Settings{});
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    gui::Workspace workspace({data(), {}, {}});
    if (const std::string problem = workspace.open("stale-dkms"); !problem.empty())
      return bench.SkipWithError(problem.c_str());
    context.frame(workspace, 1920, 1080, 1.0 / 60);
  }
}
BENCHMARK(bench_first_frame)->Unit(benchmark::kMillisecond);

}  // namespace
