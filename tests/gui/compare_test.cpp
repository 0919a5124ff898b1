#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/compare_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LayerState;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

/// Events of one layer each: "k1" to "k9" of the layer with that number, in this order.
Timeline run(const std::string& layers) {
  Timeline timeline;
  for (const char layer : layers)
    timeline.record({.layer = static_cast<Layer>(layer - '0'), .kind = std::string{'k', layer}});
  return timeline;
}

struct Both {
  Both(const std::string& a, const std::string& b)
      : first(run(a)), second(run(b)), story_a(first), story_b(second), both(story_a, story_b) {}
  std::string text() const {
    std::string all;
    for (const Comparison::Pair& pair : both.pairs())
      all += pair.same() ? '=' : pair.first != no_event ? '<' : '>';
    return all;
  }
  Timeline first, second;
  Story story_a, story_b;
  Comparison both;
};

TEST(Compare, TheSameRunsHaveNoDifference) {
  const Both runs("123", "123");
  EXPECT_EQ(runs.text(), "===");
  EXPECT_THAT(runs.both.differences(), IsEmpty());
  for (const Layer layer : all_layers) {
    EXPECT_EQ(runs.both.divergence(layer).first, no_event);
    EXPECT_EQ(runs.both.divergence(layer).second, no_event);
  }
}

TEST(Compare, WhatOnlyOneRunHasStandsAlone) {
  EXPECT_EQ(Both("1293", "123").text(), "==<=");
  EXPECT_EQ(Both("123", "1293").text(), "==>=");
  EXPECT_EQ(Both("12", "12345").text(), "==>>>");
  EXPECT_EQ(Both("", "1").text(), ">");
  EXPECT_EQ(Both("", "").text(), "");
}

TEST(Compare, EachLayerDivergesByItself) {
  const Both runs("1234", "1244");
  EXPECT_EQ(runs.both.divergence(Layer::kernel).first, 3U);
  EXPECT_EQ(runs.both.divergence(Layer::kernel).second, no_event);
  EXPECT_EQ(runs.both.divergence(Layer::access).second, 4U);
  EXPECT_EQ(runs.both.divergence(Layer::silicon).first, no_event);
}

TEST(Compare, NoEventOfEitherRunIsLost) {
  const Story& story = *recorded("firmware-missing").story;
  const Timeline& healthy = recorded("firmware-missing").recording->healthy();
  const Story other(healthy);
  const Comparison both(story, other);
  EventId first = 0;
  EventId second = 0;
  for (const Comparison::Pair& pair : both.pairs()) {
    if (pair.first != no_event) {
      EXPECT_EQ(pair.first, ++first);
    }
    if (pair.second != no_event) {
      EXPECT_EQ(pair.second, ++second);
    }
  }
  EXPECT_EQ(first, story.last());
  EXPECT_EQ(second, other.last());
  for (EventId id = 1; id <= story.last(); ++id) EXPECT_EQ(both.pairs()[both.at(id)].first, id);
}

TEST(Compare, ADrillDiffersFromItsHealthyRunWhereItsFaultIs) {
  const Story& story = *recorded("stale-dkms").story;
  const Story other(recorded("stale-dkms").recording->healthy());
  const Comparison both(story, other);
  const CompareView view = compare_view(&both, opened(story), 20);
  ASSERT_TRUE(view.ready);
  const auto kernel = std::ranges::find(view.layers, Layer::kernel, &CompareLayer::layer);
  EXPECT_TRUE(kernel->differs);
  EXPECT_EQ(kernel->first, LayerState::fault);
  EXPECT_EQ(kernel->second, LayerState::ok);
  EXPECT_EQ(kernel->first_text.substr(0, 14), "dkms.not_built");
  const auto firmware = std::ranges::find(view.layers, Layer::firmware, &CompareLayer::layer);
  EXPECT_FALSE(firmware->differs);
  EXPECT_THAT(view.rows, SizeIs(20));
}

TEST(Compare, DifferencesAreGoneToInBothDirections) {
  const Both runs("12934", "12344");  // 9 is alone, 4 at the end is the other's
  const EventId first = next_difference(runs.both, 1, true);
  EXPECT_EQ(first, 3U);
  EXPECT_EQ(next_difference(runs.both, first, false), no_event);
  EXPECT_EQ(next_difference(runs.both, 5, false), 3U);
}

TEST(Compare, TheCurrentLineTellsBoth) {
  Timeline first;
  Timeline second;
  const rocdrill::Field asked[] = {{field::asked, "a"}, {field::got, "ENOENT"}};
  const rocdrill::Field other[] = {{field::asked, "a"}, {field::got, "0"}};
  first.record({.kind = "open", .fields = asked});
  second.record({.kind = "open", .fields = asked});
  first.record({.kind = "close", .fields = asked});
  second.record({.kind = "close", .fields = other});
  const Story a(first);
  const Story b(second);
  const Comparison both(a, b);
  State state = opened(a);
  state.now = 1;
  const CompareView same = compare_view(&both, state, 9);
  EXPECT_THAT(same.first_detail, SizeIs(2));
  EXPECT_THAT(same.second_detail, SizeIs(2));
  state.now = 2;
  EXPECT_THAT(compare_view(&both, state, 9).second_detail, IsEmpty());  // not the same event
}

TEST(Compare, WithoutAnotherRunThereIsNothing) { EXPECT_FALSE(compare_view(nullptr, {}, 9).ready); }

}  // namespace
}  // namespace rocdrill::gui
