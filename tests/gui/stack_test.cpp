#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/stack_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LayerState;
using testing::ElementsAre;

const StackRow& row(const StackView& view, Layer layer) {
  return *std::ranges::find(view.rows, layer, &StackRow::layer);
}

TEST(Stack, TheFrameworkIsOnTopAndSiliconAtTheBottom) {
  const Story& story = *recorded("stale-dkms").story;
  const StackView view = stack_view(story, opened(story), nullptr);
  ASSERT_EQ(view.rows.size(), 9U);
  EXPECT_EQ(view.rows.front().layer, Layer::framework);
  EXPECT_EQ(view.rows.back().layer, Layer::silicon);
}

TEST(Stack, AtTheEndTheFaultyLayerIsShown) {
  const Story& story = *recorded("stale-dkms").story;
  const StackView view = stack_view(story, opened(story), nullptr);
  EXPECT_EQ(row(view, Layer::kernel).state, LayerState::fault);
  EXPECT_TRUE(row(view, Layer::kernel).chosen);
  EXPECT_EQ(row(view, Layer::silicon).state, LayerState::ok);
  EXPECT_EQ(row(view, Layer::firmware).state, LayerState::not_reached);
  EXPECT_EQ(row(view, Layer::framework).state, LayerState::affected);
}

TEST(Stack, ArrowsRunFromTheLayerThatBrokeToTheOneThatNoticed) {
  const Story& story = *recorded("stale-dkms").story;
  const StackView view = stack_view(story, opened(story), nullptr);
  std::vector<std::pair<Layer, Layer>> arrows;
  for (const CauseArrow& arrow : view.arrows) arrows.emplace_back(arrow.from, arrow.to);
  EXPECT_THAT(arrows, ElementsAre(std::pair(Layer::hip, Layer::framework),
                                  std::pair(Layer::runtime, Layer::hip),
                                  std::pair(Layer::access, Layer::runtime),
                                  std::pair(Layer::kernel, Layer::access)));
}

TEST(Stack, AnArrowLeadsDownWhereALayerAboveIsTheFaultyOne) {
  const Story& story = *recorded("kernel-endless").story;
  const StackView view = stack_view(story, opened(story), nullptr);
  const auto to_silicon = std::ranges::find(view.arrows, Layer::silicon, &CauseArrow::to);
  ASSERT_NE(to_silicon, view.arrows.end());
  EXPECT_EQ(to_silicon->from, Layer::code_objects);
  const auto to_hip = std::ranges::find(view.arrows, Layer::hip, &CauseArrow::to);
  ASSERT_NE(to_hip, view.arrows.end());
  EXPECT_EQ(to_hip->from, Layer::silicon);
}

TEST(Stack, BeforeAnythingHappenedNothingIsReached) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  state.now = no_event;
  for (const StackRow& one : stack_view(story, state, nullptr).rows)
    EXPECT_EQ(one.state, LayerState::not_reached) << title(one.layer);
}

TEST(Stack, AHealthyNodeHasNoFaultAndNoArrows) {
  const Story& story = *recorded("healthy-mi300x").story;
  const StackView view = stack_view(story, opened(story), nullptr);
  EXPECT_TRUE(view.arrows.empty());
  for (const StackRow& one : view.rows) EXPECT_NE(one.state, LayerState::fault) << title(one.layer);
}

TEST(Stack, TheStripNamesFirmwareDriverAndUserSpace) {
  const Recorded& drill = recorded("stale-dkms");
  const auto versions = drill.recording->versions(drill.story->last());
  const StackView view = stack_view(*drill.story, opened(*drill.story), &versions);
  ASSERT_EQ(view.versions.size(), 3U);
  EXPECT_EQ(view.versions[1].what, "amdgpu");
  EXPECT_EQ(view.versions[1].version, "(not loaded)");
  EXPECT_EQ(view.versions[1].state, LayerState::fault);
  EXPECT_EQ(view.verdict, "unknown");
}

// The index has to say of every moment what the whole story told up to there says.
TEST(StoryIndex, AgreesWithTheStoryAtEveryMoment) {
  for (const std::string id :
       {"stale-dkms", "firmware-missing", "healthy-mi300x", "double-filter"}) {
    const Story& story = *recorded(id).story;
    for (EventId now = 1; now <= story.last(); ++now) {
      const std::uint64_t time = story.timeline().time_of(now);
      if (now < story.last() && story.timeline().time_of(now + 1) == time) continue;
      for (const scenarios::LayerStory& told : scenarios::tell(story.timeline(), time)) {
        const auto moment = story.states().at(told.layer, now);
        EXPECT_EQ(moment.state, told.state) << id << " event " << now << " " << title(told.layer);
        EXPECT_EQ(moment.telling, told.telling) << id << " event " << now;
        EXPECT_EQ(moment.events, told.events.size()) << id << " event " << now;
      }
    }
  }
}

TEST(StoryIndex, ARebootStartsAfresh) {
  Timeline timeline;
  timeline.record({.layer = Layer::host, .kind = "power.on"});
  timeline.record({.layer = Layer::kernel, .severity = Severity::error, .kind = "kernel.failed"});
  timeline.record({.layer = Layer::host, .kind = "power.reboot"});
  timeline.record({.layer = Layer::kernel, .kind = "kernel.fine"});
  const Story story(timeline);
  EXPECT_EQ(story.states().at(Layer::kernel, 2).state, LayerState::fault);
  EXPECT_EQ(story.states().at(Layer::kernel, 3).state, LayerState::not_reached);
  EXPECT_EQ(story.states().at(Layer::kernel, 4).state, LayerState::ok);
  EXPECT_EQ(story.states().at(Layer::kernel, 4).events, 1U);
  EXPECT_EQ(story.states().top_symptom(2), 2U);
  EXPECT_EQ(story.states().top_symptom(4), no_event);
}

TEST(StoryIndex, GrowsWithTheTimeline) {
  Timeline timeline;
  timeline.record({.layer = Layer::host, .kind = "power.on"});
  Story story(timeline);
  const EventId error =
      timeline.record({.layer = Layer::silicon, .severity = Severity::error, .kind = "gpu.lost"});
  EXPECT_EQ(story.last(), 1U);
  story.extend();
  EXPECT_EQ(story.last(), 2U);
  EXPECT_EQ(story.states().at(Layer::silicon, 2).telling, error);
}

}  // namespace
}  // namespace rocdrill::gui
