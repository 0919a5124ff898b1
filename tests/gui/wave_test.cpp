#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/wave_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using testing::HasSubstr;

struct Traced {
  KernelDispatchSeen dispatch;
  WaveTrace trace;
};

const Traced& traced(const std::string& drill) {
  static std::map<std::string, Traced> all;
  const auto [at, is_new] = all.try_emplace(drill);
  if (is_new) {
    const Recorded& run = recorded(drill);
    const auto dispatch = dispatch_before(*run.story, run.story->last());
    if (!dispatch) throw std::runtime_error(drill + " dispatches no kernel");
    const auto file = run.recording->read_file(dispatch->launched, dispatch->file);
    if (!file) throw std::runtime_error(dispatch->file + " cannot be read");
    at->second = {*dispatch, trace_wave(*dispatch, *file, {})};
  }
  return at->second;
}

WaveView drawn(const std::string& drill, std::optional<int> step = {}) {
  const Traced& one = traced(drill);
  State state;
  if (step) state.item[Layout::waves] = *step;
  return wave_view(&one.dispatch, &one.trace, true, state);
}

TEST(Waves, ADispatchIsWhatTheHistoryTells) {
  const KernelDispatchSeen& seen = traced("kernel-null-pointer").dispatch;
  EXPECT_EQ(seen.kernel, "saxpy");
  EXPECT_EQ(seen.file, "/srv/job/saxpy");
  EXPECT_THAT(seen.target, HasSubstr("gfx942"));
  EXPECT_EQ(seen.packet.workgroup_size_x, 256);
  EXPECT_THAT(seen.arguments, HasSubstr("buffer:4096 buffer:4096 00000040"));
  const Story& story = *recorded("kernel-null-pointer").story;
  EXPECT_FALSE(dispatch_before(story, seen.launched - 1));
}

TEST(Waves, AFaultingWaveStandsAtTheInstructionThatFaults) {
  const WaveView view = drawn("kernel-null-pointer");
  ASSERT_EQ(view.state, WaveView::State::ready) << view.problem;
  EXPECT_TRUE(view.at_end);
  EXPECT_EQ(view.end, WaveTrace::End::exception);
  EXPECT_THAT(view.end_text, HasSubstr("EC_QUEUE_WAVE_MEMORY_VIOLATION"));
  EXPECT_TRUE(view.code[view.current].current);
  EXPECT_THAT(view.code[view.current].text, HasSubstr("load"));
}

TEST(Waves, AnEndlessWaveIsShownInItsLoop) {
  const WaveView view = drawn("kernel-endless");
  ASSERT_EQ(view.state, WaveView::State::ready) << view.problem;
  EXPECT_EQ(view.end, WaveTrace::End::endless);
  EXPECT_GT(view.code[view.current].visits, 10U);
}

TEST(Waves, AWaveOfAHealthyKernelEnds) {
  const WaveView view = drawn("healthy-mi300x");
  ASSERT_EQ(view.state, WaveView::State::ready) << view.problem;
  EXPECT_EQ(view.end, WaveTrace::End::completed) << view.end_text;
  EXPECT_THAT(view.code[view.current].text, HasSubstr("s_endpgm"));
}

TEST(Waves, RegistersAreThoseBeforeTheStepAndWhatTheLastOneChangedIsMarked) {
  const WaveTrace& trace = traced("kernel-null-pointer").trace;
  ASSERT_GT(trace.steps.size(), 3U);
  EXPECT_EQ(drawn("kernel-null-pointer", 0).exec, ~0ull);
  for (const RegisterRow& one : drawn("kernel-null-pointer", 0).registers)
    EXPECT_FALSE(one.changed) << one.name;
  // As many marks as the instruction changed registers.
  for (std::size_t step = 1; step < trace.steps.size(); ++step) {
    const WaveView view = drawn("kernel-null-pointer", static_cast<int>(step));
    EXPECT_EQ(
        static_cast<std::size_t>(std::ranges::count(view.registers, true, &RegisterRow::changed)),
        trace.steps[step].changed.size());
    EXPECT_EQ(view.at_end, step + 1 == trace.steps.size());
  }
}

TEST(Waves, AStepThatIsNotThereIsTheLast) {
  EXPECT_TRUE(drawn("kernel-null-pointer", 100'000).at_end);
}

TEST(Waves, LdsIsWhatTheWorkgroupHasWritten) {
  const WaveTrace& trace = traced("healthy-mi300x").trace;
  EXPECT_GT(trace.lds_bytes, 0U);  // matmul_tiled
  const WaveView view = drawn("healthy-mi300x");
  ASSERT_FALSE(view.lds.empty());
  EXPECT_EQ(view.lds[0].words[0], "3f800000");  // 1.0
  EXPECT_TRUE(drawn("healthy-mi300x", 0).lds.empty());
}

TEST(Waves, NoInstructionIsLeftOutAtABarrier) {
  const WaveTrace& trace = traced("healthy-mi300x").trace;
  std::map<std::uint64_t, std::string> code;
  for (const WaveTrace::Line& line : trace.code) code[line.va] = line.text;
  std::size_t barriers = 0;
  for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
    const std::string& text = code.at(trace.steps[i].va);
    barriers += text.starts_with("s_barrier") ? 1U : 0U;
    if (text.contains("branch")) continue;
    const auto after = std::next(code.find(trace.steps[i].va));
    EXPECT_EQ(trace.steps[i + 1].va, after->first) << text;
  }
  EXPECT_GT(barriers, 4U);  // two for each tile
}

TEST(Waves, AnotherWaveIsStepped) {
  const Recorded& run = recorded("kernel-null-pointer");
  const Traced& one = traced("kernel-null-pointer");
  const auto file = run.recording->read_file(one.dispatch.launched, one.dispatch.file);
  const WaveTrace other = trace_wave(one.dispatch, *file, 2);
  EXPECT_EQ(other.wave, 2U);
  EXPECT_EQ(other.waves, 4U);
  EXPECT_EQ(trace_wave(one.dispatch, *file, 99).wave, 3U);
}

TEST(Waves, AWaveThatWaitsForAnEndlessOneAtABarrierIsGivenUp) {
  const Traced& one = traced("kernel-endless");
  const auto file =
      recorded("kernel-endless").recording->read_file(one.dispatch.launched, one.dispatch.file);
  for (std::uint32_t wave = 0; wave < one.trace.waves; ++wave) {
    const WaveTrace trace = trace_wave(one.dispatch, *file, wave);
    EXPECT_EQ(trace.end, WaveTrace::End::endless) << wave;
    EXPECT_FALSE(trace.steps.empty());
  }
}

TEST(Waves, WhatCannotBeRunSaysWhy) {
  const Traced& one = traced("kernel-null-pointer");
  EXPECT_NE(trace_wave(one.dispatch, "no code object", {}).problem, "");
  KernelDispatchSeen other = one.dispatch;
  other.kernel = "nobody";
  const auto file =
      recorded("kernel-null-pointer").recording->read_file(other.launched, other.file);
  EXPECT_THAT(trace_wave(other, *file, {}).problem, HasSubstr("no kernel nobody"));
  other = one.dispatch;
  other.arguments = "buffer:4096";
  EXPECT_NE(trace_wave(other, *file, {}).problem, "");
}

TEST(Waves, NothingIsShownBeforeTheFirstDispatch) {
  EXPECT_EQ(wave_view(nullptr, nullptr, true, {}).state, WaveView::State::no_dispatch);
  EXPECT_EQ(wave_view(nullptr, nullptr, false, {}).state, WaveView::State::no_node);
  const KernelDispatchSeen some;
  EXPECT_EQ(wave_view(&some, nullptr, true, {}).state, WaveView::State::looking);
}

}  // namespace
}  // namespace rocdrill::gui
