// first_divergence: where two histories tell different stories.
#include <gtest/gtest.h>

#include "stack/timeline.hpp"

namespace rocdrill {
namespace {

struct Step {
  Layer layer = Layer::runtime;
  std::string_view kind = "hsa.init";
  std::string_view subject = "rocminfo";
  std::string_view key = field::got;
  FieldValue value = "ENOENT";
  std::uint64_t time_ns = 0;
  Severity severity = Severity::info;
};

Timeline history(std::initializer_list<Step> steps) {
  Timeline timeline;
  for (const Step& step : steps) {
    const Field fields[]{{step.key, step.value}};
    timeline.record(
        {step.time_ns, step.layer, step.severity, step.kind, step.subject, fields, no_event});
  }
  return timeline;
}

void expect_divergence(const Timeline& first, const Timeline& second, EventId in_first,
                       EventId in_second) {
  const auto divergence = first_divergence(first, second);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->in_first, in_first);
  EXPECT_EQ(divergence->in_second, in_second);
}

TEST(FirstDivergence, EqualHistoriesHaveNone) {
  EXPECT_FALSE(first_divergence(Timeline(), Timeline()));
  EXPECT_FALSE(first_divergence(history({{}, {}}), history({{}, {}})));
}

TEST(FirstDivergence, IgnoresTimeSeverityAndOtherFields) {
  const Step late{.time_ns = 99};
  const Step loud{.severity = Severity::error};
  EXPECT_FALSE(first_divergence(history({{}}), history({late})));
  EXPECT_FALSE(first_divergence(history({{}}), history({loud})));
  EXPECT_FALSE(first_divergence(history({{.key = field::shows, .value = "old wording"}}),
                                history({{.key = field::shows, .value = "new wording"}})));
}

TEST(FirstDivergence, ComparesLayerKindAndSubject) {
  const Timeline base = history({{}, {}});
  expect_divergence(base, history({{}, {.layer = Layer::hip}}), 2, 2);
  expect_divergence(base, history({{}, {.kind = "hsa.shut_down"}}), 2, 2);
  expect_divergence(base, history({{.subject = "clinfo"}, {}}), 1, 1);
}

TEST(FirstDivergence, ComparesWhatWasAskedGotDoneAndTheStatus) {
  for (const std::string_view key : {field::asked, field::got, field::did, field::status}) {
    const Timeline base = history({{.key = key}});
    expect_divergence(base, history({{.key = key, .value = "EACCES"}}), 1, 1);
    expect_divergence(base, history({{.key = field::see}}), 1, 1);  // absent on one side
  }
  // The integer 2 is not the text "2".
  expect_divergence(history({{.value = std::int64_t{2}}}), history({{.value = "2"}}), 1, 1);
}

TEST(FirstDivergence, ASideThatHasEndedIsNoEvent) {
  expect_divergence(history({{}}), history({{}, {}}), no_event, 2);
  expect_divergence(history({{}, {}}), history({{}}), 2, no_event);
  expect_divergence(Timeline(), history({{}}), no_event, 1);
}

TEST(FirstDivergence, SkipsOnBothSides) {
  const Step noise{.layer = Layer::host, .kind = "command"};
  const Step other{.kind = "hsa.shut_down"};
  const Timeline first = history({noise, {}, noise, noise, {}});
  const Timeline second = history({{}, {}, noise});
  const auto skip = [](const EventView& event) { return event.layer == Layer::host; };
  EXPECT_TRUE(first_divergence(first, second));
  EXPECT_FALSE(first_divergence(first, second, skip));
  const auto divergence = first_divergence(first, history({noise, noise, {}, other}), skip);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->in_first, 5u);
  EXPECT_EQ(divergence->in_second, 4u);
}

/// Each layer by itself: what another does in between is none of its business.
TEST(DivergencesByLayer, AreIndependentOfEachOther) {
  const Step kernel{.layer = Layer::kernel, .kind = "module.loaded"};
  const Step other{.layer = Layer::kernel, .kind = "module.refused"};
  const Timeline first = history({kernel, {}, {}});
  const Timeline second = history({{}, other, kernel});
  const auto found = divergences_by_layer(first, second);
  const auto at = [&](Layer layer) { return found[static_cast<std::size_t>(layer)]; };
  ASSERT_TRUE(at(Layer::kernel));
  EXPECT_EQ(at(Layer::kernel)->in_first, 1u);
  EXPECT_EQ(at(Layer::kernel)->in_second, 2u);
  ASSERT_TRUE(at(Layer::runtime)) << "the second has one event, the first two";
  EXPECT_EQ(at(Layer::runtime)->in_first, 3u);
  EXPECT_EQ(at(Layer::runtime)->in_second, no_event);
  EXPECT_FALSE(at(Layer::silicon));
  const auto skipped = divergences_by_layer(
      first, second, [](const EventView& event) { return event.layer == Layer::kernel; });
  EXPECT_FALSE(skipped[static_cast<std::size_t>(Layer::kernel)]);
}

}  // namespace
}  // namespace rocdrill
