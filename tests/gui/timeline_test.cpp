#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/timeline_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using testing::ElementsAre;

constexpr float width = 1000;

TimelineView drawn(const Story& story, const State& state) {
  return timeline_view(story, state, width, 9, 72);
}

std::size_t marks(const TimelineView& view) {
  std::size_t count = 0;
  for (const TimelineLane& lane : view.lanes) count += lane.marks.size();
  return count;
}

/// `count` events, one in each layer in turn, every hundredth an error.
Timeline many(std::size_t count) {
  Timeline timeline;
  for (std::size_t i = 1; i <= count; ++i) {
    timeline.record({.time_ns = i * 1000,
                     .layer = static_cast<Layer>(i % lane_count),
                     .severity = i % 100 == 0 ? Severity::error : Severity::info,
                     .kind = "some.event"});
  }
  return timeline;
}

TEST(TimelineView, EveryEventOfADrillHasItsMark) {
  const Story& story = *recorded("stale-dkms").story;
  const TimelineView view = drawn(story, opened(story));
  EXPECT_EQ(marks(view), story.last());
  for (const TimelineLane& lane : view.lanes) {
    for (const TimelineMark& mark : lane.marks) {
      EXPECT_TRUE(mark.single());
      EXPECT_GE(mark.x, 0);
      EXPECT_LE(mark.x, width);
    }
  }
  EXPECT_EQ(view.lanes.front().layer, Layer::framework);
  EXPECT_EQ(view.lanes.back().layer, Layer::host);
}

TEST(TimelineView, CountsAndTellsTheTime) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::GoTo{5}, state, story);
  EXPECT_EQ(drawn(story, state).count, "5 / " + std::to_string(story.last()));
  state.now = no_event;
  EXPECT_EQ(drawn(story, state).time, "-");
}

TEST(TimelineView, ManyEventsShareMarksAndNoErrorIsLost) {
  const Timeline timeline = many(100'000);
  const Story story(timeline);
  const TimelineView view = drawn(story, opened(story));
  EXPECT_LE(marks(view), lane_count * 120);
  // All errors are in two lanes (every hundredth event, ten lanes).
  std::size_t errors = 0;
  for (const TimelineMark& mark : view.lanes.back().marks)
    errors += mark.worst == Severity::error ? 1U : 0U;
  EXPECT_EQ(errors, view.lanes.back().marks.size());
  std::size_t events = 0;
  for (const TimelineMark& mark : view.lanes.front().marks)
    events += static_cast<std::size_t>(
        std::ranges::count_if(story.events_of(Layer::framework),
                              [&](EventId id) { return id >= mark.first && id <= mark.last; }));
  EXPECT_EQ(events, story.events_of(Layer::framework).size());
}

TEST(TimelineView, PixelsAndEventsAreEachOthersInverse) {
  const Timeline timeline = many(1000);
  const Story story(timeline);
  State state = opened(story);
  apply(intent::Zoom{0.1, 300}, state, story);
  for (const double event : {250.0, 300.0, 333.0})
    EXPECT_NEAR(event_at(state, width, x_of(state, width, event)), event, 0.01);
}

TEST(TimelineView, ZoomKeepsWhatIsUnderThePointer) {
  const Timeline timeline = many(1000);
  const Story story(timeline);
  State state = opened(story);
  const float before = x_of(state, width, 400);
  apply(intent::Zoom{0.5, 400}, state, story);
  EXPECT_NEAR(x_of(state, width, 400), before, 0.5);
  EXPECT_NEAR(state.span.length(), 999.0 / 2, 1);
  apply(intent::ShowAll{}, state, story);
  EXPECT_EQ(state.span, (Span{1, 1000}));
}

TEST(TimelineView, ZoomAndPanStayInside) {
  const Timeline timeline = many(1000);
  const Story story(timeline);
  State state = opened(story);
  for (int i = 0; i < 40; ++i) apply(intent::Zoom{0.5, 10}, state, story);
  EXPECT_GE(state.span.length(), 8);
  for (int i = 0; i < 40; ++i) apply(intent::Pan{-1}, state, story);
  EXPECT_DOUBLE_EQ(state.span.first, 1);
  for (int i = 0; i < 400; ++i) apply(intent::Pan{1}, state, story);
  EXPECT_DOUBLE_EQ(state.span.last, 1000);
  for (int i = 0; i < 40; ++i) apply(intent::Zoom{2}, state, story);
  EXPECT_EQ(state.span, (Span{1, 1000}));
}

TEST(TimelineView, AFilterDimsWhatItDoesNotMatch) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::SetFilter{{.layer = {}, .at_least = {}, .contains = "modprobe"}}, state, story);
  const TimelineView view = drawn(story, state);
  EXPECT_TRUE(view.filtered);
  EXPECT_EQ(view.matching, story.timeline().find({.contains = "modprobe"}).size());
  std::size_t bright = 0;
  for (const TimelineLane& lane : view.lanes)
    for (const TimelineMark& mark : lane.marks) bright += mark.matches ? 1U : 0U;
  EXPECT_EQ(bright, view.matching);
  EXPECT_LT(bright, marks(view));
}

TEST(TimelineView, TheDeviationIsTheFirstEventThatAHealthyRunDoesNotHave) {
  const Story& story = *recorded("stale-dkms").story;
  EXPECT_EQ(story.timeline().head(story.deviation()).kind, "package.removed");
  EXPECT_GE(drawn(story, opened(story)).deviation_x, 0);
  const Story& healthy = *recorded("healthy-mi300x").story;
  EXPECT_EQ(healthy.deviation(), no_event);
  EXPECT_LT(drawn(healthy, opened(healthy)).deviation_x, 0);
}

TEST(TimelineView, AnEmptyTimelineAndANarrowPaneAreDrawn) {
  const Timeline timeline;
  const Story story(timeline);
  State state = opened(story);
  EXPECT_EQ(marks(drawn(story, state)), 0U);
  EXPECT_EQ(drawn(story, state).count, "0 / 0");
  for (const Intent& intent :
       {Intent(intent::Step{1}), Intent(intent::Step{-1}), Intent(intent::GoTo{7}),
        Intent(intent::ToCause{}), Intent(intent::ToEffect{}), Intent(intent::Bookmark{}),
        Intent(intent::ToDeviation{}), Intent(intent::ToSymptom{}), Intent(intent::NextLayer{1}),
        Intent(intent::Play{})}) {
    apply(intent, state, story);
    EXPECT_EQ(state.now, no_event);
  }
  const Story& drill = *recorded("stale-dkms").story;
  EXPECT_GT(marks(timeline_view(drill, opened(drill), 0, 9, 72)), 0U);
}

// --- going about ---

TEST(Going, StepsFollowTheFilter) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::SetFilter{{.layer = {}, .at_least = Severity::error, .contains = ""}}, state,
        story);
  apply(intent::GoTo{1}, state, story);
  std::vector<EventId> visited;
  for (EventId before = no_event; before != state.now;) {
    before = state.now;
    apply(intent::Step{1}, state, story);
    if (state.now != before) visited.push_back(state.now);
  }
  EXPECT_EQ(visited, story.timeline().find({.at_least = Severity::error}));
  apply(intent::Step{-1}, state, story);
  EXPECT_EQ(state.now, visited[visited.size() - 2]);
}

TEST(Going, CausesAndEffectsLeadBackAndForth) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::ToSymptom{}, state, story);
  EXPECT_EQ(story.timeline().head(state.now).kind, "torch.is_available");
  apply(intent::ToCause{}, state, story);
  EXPECT_EQ(story.timeline().head(state.now).kind, "hip.no_device");
  apply(intent::ToEffect{}, state, story);
  EXPECT_EQ(story.timeline().head(state.now).kind, "torch.is_available");
}

TEST(Going, BookmarksGoAround) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  for (const EventId id : {3U, 7U}) {
    apply(intent::GoTo{id}, state, story);
    apply(intent::Bookmark{}, state, story);
  }
  apply(intent::ToBookmark{true}, state, story);
  EXPECT_EQ(state.now, 3U);
  apply(intent::ToBookmark{false}, state, story);
  EXPECT_EQ(state.now, 7U);
  EXPECT_EQ(drawn(story, state).bookmarks.size(), 2U);
  apply(intent::Bookmark{}, state, story);
  EXPECT_THAT(state.bookmarks, ElementsAre(3U));
}

TEST(Going, PlayingEndsAtTheEndAndStartsAgainFromTheBeginning) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::Play{}, state, story);
  EXPECT_EQ(state.now, 1U);
  EXPECT_TRUE(state.playing);
  advance(state, story, 2.5);
  EXPECT_EQ(state.now, 3U);
  advance(state, story, 0.5);
  EXPECT_EQ(state.now, 4U);
  advance(state, story, 1e6);
  EXPECT_EQ(state.now, story.last());
  EXPECT_FALSE(state.playing);
}

TEST(Going, OutsideTheTimelineIsItsEnd) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  apply(intent::GoTo{UINT32_MAX}, state, story);
  EXPECT_EQ(state.now, story.last());
  apply(intent::Step{1}, state, story);
  EXPECT_EQ(state.now, story.last());
  apply(intent::Step{-1000}, state, story);
  EXPECT_EQ(state.now, 1U);
}

TEST(Going, TheSpanFollowsNow) {
  const Timeline timeline = many(1000);
  const Story story(timeline);
  State state = opened(story);
  apply(intent::Zoom{0.05, 1000}, state, story);
  apply(intent::GoTo{10}, state, story);
  EXPECT_LE(state.span.first, 10);
  EXPECT_GE(state.span.last, 10);
}

}  // namespace
}  // namespace rocdrill::gui
