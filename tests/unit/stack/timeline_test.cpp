// The contract of Timeline: what is recorded is what is read back, and every event has its cause.
#include "stack/timeline.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>
#include <unordered_map>

#include "unit/stack/random_events.hpp"

namespace rocdrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A stale driver and what follows from it; event 6 is a story of its own.
Timeline small_history() {
  Timeline timeline;
  const Field release[]{{"release", "6.8.0-51"}, {"count", std::int64_t{-3}}};
  timeline.record({10, Layer::host, Severity::info, "kernel.upgraded", "linux", release});
  timeline.record({20, Layer::kernel, Severity::error, "modprobe.failed", "amdgpu", {}, 1});
  const Field opened[]{{field::asked, "open O_RDWR"}, {field::status, "ENOENT"}};
  timeline.record({30, Layer::access, Severity::error, "device.missing", "/dev/kfd", opened, 2});
  timeline.record({30, Layer::kernel, Severity::warning, "topology.empty", "kfd", {}, 2});
  timeline.record({40, Layer::runtime, Severity::error, "hsa.init", "rocminfo", {}, 3});
  timeline.record({50, Layer::host, Severity::debug, "command", "uname -r", {}});
  return timeline;
}

TEST(Timeline, NumbersEventsFromOne) {
  Timeline timeline;
  EXPECT_TRUE(timeline.empty());
  EXPECT_EQ(timeline.record({.kind = "power.on"}), 1u);
  EXPECT_EQ(timeline.record({.kind = "firmware.loaded", .cause = 1}), 2u);
  EXPECT_EQ(timeline.size(), 2u);
  EXPECT_FALSE(timeline.empty());
}

TEST(Timeline, ReadsBackEveryMember) {
  const Timeline timeline = small_history();
  const EventView event = timeline.at(3);
  EXPECT_EQ(event.id, 3u);
  EXPECT_EQ(event.time_ns, 30u);
  EXPECT_EQ(event.layer, Layer::access);
  EXPECT_EQ(event.severity, Severity::error);
  EXPECT_EQ(event.kind, "device.missing");
  EXPECT_EQ(event.subject, "/dev/kfd");
  EXPECT_EQ(event.cause, 2u);
  ASSERT_EQ(event.fields.size(), 2u);
  EXPECT_EQ(event.fields[0].key, "asked");
  EXPECT_EQ(event.fields[1].value, FieldValue("ENOENT"));
  EXPECT_EQ(timeline.cause_of(3), 2u);
  EXPECT_EQ(timeline.layer_of(3), Layer::access);
  EXPECT_EQ(timeline.time_of(3), 30u);
}

TEST(Timeline, FieldsAreFoundByKey) {
  const Timeline timeline = small_history();
  const EventView event = timeline.at(1);
  EXPECT_EQ(event.find("count"), FieldValue(std::int64_t{-3}));
  EXPECT_EQ(event.text("count"), "-3");
  EXPECT_EQ(event.text("release"), "6.8.0-51");
  EXPECT_EQ(event.find("absent"), std::nullopt);
  EXPECT_EQ(event.text("absent"), "");
}

TEST(Timeline, RefusesAnUnknownEvent) {
  const Timeline timeline = small_history();
  for (const EventId id : {EventId{0}, EventId{7}, EventId{UINT32_MAX}}) {
    EXPECT_THROW(timeline.at(id), std::out_of_range);
    EXPECT_THROW(timeline.cause_of(id), std::out_of_range);
    EXPECT_THROW(timeline.layer_of(id), std::out_of_range);
    EXPECT_THROW(timeline.time_of(id), std::out_of_range);
    EXPECT_THROW(timeline.cause_chain(id), std::out_of_range);
    EXPECT_THROW(timeline.effects_of(id), std::out_of_range);
  }
  EXPECT_THROW(Timeline().at(1), std::out_of_range);
}

TEST(Timeline, RefusesABrokenEventAndStaysAsItWas) {
  Timeline timeline = small_history();
  const Timeline before = timeline;
  const Field twice[]{{"a", "1"}, {"b", "2"}, {"a", "3"}};
  const Field not_ascii[]{{"\xc3\xa9", "1"}};
  std::vector<std::string> keys(40);
  std::vector<Field> many_twice;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = "key" + std::to_string(i % 39);
    many_twice.push_back({keys[i], "v"});
  }
  const std::vector<EventInput> broken{
      {.time_ns = 50, .kind = ""},
      {.time_ns = 50, .kind = "k", .cause = 7},
      {.time_ns = 50, .kind = "k", .cause = UINT32_MAX},
      {.time_ns = 49, .kind = "k"},
      {.time_ns = 50, .layer = static_cast<Layer>(10), .kind = "k"},
      {.time_ns = 50, .severity = static_cast<Severity>(5), .kind = "k"},
      {.time_ns = 50, .kind = "k", .fields = twice},
      {.time_ns = 50, .kind = "k", .fields = not_ascii},
      {.time_ns = 50, .kind = "k", .fields = many_twice},
  };
  for (const EventInput& event : broken) {
    EXPECT_THROW(timeline.record(event), std::invalid_argument);
    EXPECT_EQ(timeline, before);
  }
  EXPECT_EQ(timeline.record({.time_ns = 50, .kind = "k", .cause = 6}), 7u);
}

TEST(Timeline, FollowsCausesToTheFirst) {
  const Timeline timeline = small_history();
  EXPECT_THAT(timeline.cause_chain(5), ElementsAre(5, 3, 2, 1));
  EXPECT_THAT(timeline.cause_chain(6), ElementsAre(6));
}

TEST(Timeline, ListsDirectEffectsInOrder) {
  const Timeline timeline = small_history();
  EXPECT_THAT(timeline.effects_of(1), ElementsAre(2));
  EXPECT_THAT(timeline.effects_of(2), ElementsAre(3, 4));
  EXPECT_THAT(timeline.effects_of(5), IsEmpty());
  EXPECT_THAT(timeline.effects_of(6), IsEmpty());
}

TEST(Timeline, FindsByEachCriterion) {
  const Timeline timeline = small_history();
  EXPECT_THAT(timeline.find({}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(timeline.find({.layer = Layer::kernel}), ElementsAre(2, 4));
  EXPECT_THAT(timeline.find({.at_least = Severity::warning}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(timeline.find({.kind_prefix = "hsa"}), ElementsAre(5));
  EXPECT_THAT(timeline.find({.subject = "amdgpu"}), ElementsAre(2));
  EXPECT_THAT(timeline.find({.subject = "amd"}), IsEmpty());
  // A text that the timeline knows, but as a kind.
  EXPECT_THAT(timeline.find({.subject = "command"}), IsEmpty());
  EXPECT_THAT(timeline.find({.from_ns = 30, .until_ns = 40}), ElementsAre(3, 4, 5));
  EXPECT_THAT(timeline.find({.from_ns = 31, .until_ns = 39}), IsEmpty());
  EXPECT_THAT(timeline.find({.from_ns = 51}), IsEmpty());
  EXPECT_THAT(timeline.find({.layer = Layer::host, .at_least = Severity::info}), ElementsAre(1));
}

TEST(Timeline, FindsTextAnywhere) {
  const Timeline timeline = small_history();
  EXPECT_THAT(timeline.find({.contains = "modprobe"}), ElementsAre(2));  // kind
  EXPECT_THAT(timeline.find({.contains = "dev/k"}), ElementsAre(3));     // subject
  EXPECT_THAT(timeline.find({.contains = "NOENT"}), ElementsAre(3));     // a field's text
  EXPECT_THAT(timeline.find({.contains = "-3"}), ElementsAre(1));        // an integer
  EXPECT_THAT(timeline.find({.contains = "release"}), IsEmpty());        // keys are no text
  EXPECT_THAT(timeline.find({.contains = "kfd"}), ElementsAre(3, 4));
  EXPECT_THAT(Timeline().find({.contains = "x"}), IsEmpty());
}

TEST(Timeline, CopiesAreIndependent) {
  Timeline original = small_history();
  Timeline copy = original;
  EXPECT_EQ(copy, original);
  const Field extra[]{{"note", "only in the copy, and long enough to be shared"}};
  copy.record({60, Layer::hip, Severity::info, "copy.only", "x", extra, 2});
  EXPECT_NE(copy, original);
  EXPECT_EQ(original.size(), 6u);
  EXPECT_THAT(original.effects_of(2), ElementsAre(3, 4));
  EXPECT_THAT(copy.effects_of(2), ElementsAre(3, 4, 7));
  original.record({60, Layer::hip, Severity::info, "original.only", "y", {}, 2});
  EXPECT_EQ(copy.at(7).kind, "copy.only");
  original = copy;
  EXPECT_EQ(original, copy);
  original = *&original;  // assignment to itself
  EXPECT_EQ(original, copy);
}

TEST(Timeline, MovedFromIsEmptyAndUsable) {
  Timeline original = small_history();
  const Timeline moved = std::move(original);
  EXPECT_EQ(moved.size(), 6u);
  EXPECT_TRUE(original.empty());  // NOLINT: that is the point
  EXPECT_EQ(original, Timeline());
  EXPECT_EQ(original.to_json_lines(), "");  // NOLINT: that is the point
  EXPECT_EQ(original.record({.kind = "again"}), 1u);
}

TEST(Timeline, EqualityLooksAtEveryMember) {
  const Field one[]{{"a", "1"}};
  const Field other_key[]{{"b", "1"}};
  const Field number[]{{"a", std::int64_t{1}}};
  const EventInput base{5, Layer::hip, Severity::info, "k", "s", one, 1};
  const auto with = [](const EventInput& event) {
    Timeline timeline;
    timeline.record({.kind = "first"});
    timeline.record(event);
    return timeline;
  };
  EXPECT_EQ(with(base), with(base));
  std::vector<EventInput> others(8, base);
  others[0].time_ns = 6;
  others[1].layer = Layer::kernel;
  others[2].severity = Severity::error;
  others[3].kind = "j";
  others[4].subject = "";
  others[5].fields = other_key;
  others[6].fields = number;
  others[7].cause = no_event;
  for (const EventInput& other : others) EXPECT_NE(with(base), with(other));
}

TEST(Timeline, KeepsAnyText) {
  const std::string bytes("\xff\x00\xfe raw", 7);
  const std::string large(200'000, 'x');
  const Field fields[]{{"empty", ""}, {"", "empty key"}, {"bytes", bytes}, {"large", large}};
  Timeline timeline;
  timeline.record({.kind = bytes, .subject = "", .fields = fields});
  timeline.record({.kind = large, .subject = large, .fields = fields});
  for (const EventId id : {1, 2}) {
    const EventView event = timeline.at(id);
    EXPECT_EQ(event.text("empty"), "");
    EXPECT_TRUE(event.find("empty").has_value());
    EXPECT_EQ(event.text(""), "empty key");
    EXPECT_EQ(event.text("bytes"), bytes);
    EXPECT_EQ(event.text("large"), large);
  }
  EXPECT_EQ(timeline.at(1).kind, bytes);
  EXPECT_EQ(timeline.at(1).subject, "");
  EXPECT_EQ(timeline.at(2).kind, large);
}

// Texts are found again by 32 bits of their hash; equal hashes must not make them equal.
TEST(Timeline, TextsWithEqualHashesStayApart) {
  std::unordered_map<std::uint32_t, std::string> by_hash;
  Timeline timeline;
  std::size_t pairs = 0;
  for (int i = 10'000'000; i < 10'200'000; ++i) {
    const std::string text = std::to_string(i);
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
    const auto [other, is_new] = by_hash.try_emplace(hash, text);
    if (is_new) continue;
    const Field fields[]{{"first", other->second}, {"second", text}};
    timeline.record({.kind = other->second, .subject = text, .fields = fields});
    const EventView event = timeline.at(static_cast<EventId>(++pairs));
    EXPECT_EQ(event.text("first"), other->second);
    EXPECT_EQ(event.text("second"), text);
    EXPECT_EQ(event.kind, other->second);
    EXPECT_EQ(event.subject, text);
  }
  EXPECT_GT(pairs, 0u);
}

TEST(Timeline, ViewsStayValidWhileItGrows) {
  Timeline timeline = small_history();
  const EventView early = timeline.at(3);
  const char* const subject = early.subject.data();
  const char* const status = std::get<std::string_view>(early.fields[1].value).data();
  for (const auto& event : test::RandomEvents(7).make(5000)) {
    auto later = event;
    later.time_ns += 50;
    later.record(timeline);
  }
  EXPECT_EQ(timeline.at(3).subject.data(), subject);
  EXPECT_EQ(std::get<std::string_view>(timeline.at(3).fields[1].value).data(), status);
  EXPECT_EQ(early.subject, "/dev/kfd");
  EXPECT_EQ(early.text("status"), "ENOENT");
}

TEST(Timeline, RecordsWhatPointsIntoItself) {
  Timeline timeline = small_history();
  for (int i = 0; i < 1000; ++i) {
    const EventView event = timeline.at(3);
    timeline.record({50, event.layer, event.severity, event.kind, event.subject, event.fields, 3});
  }
  EXPECT_EQ(timeline.at(1006).text("asked"), "open O_RDWR");
}

TEST(Timeline, AgreesWithAModel) {
  const std::vector<test::OwnedEvent> events = test::RandomEvents(1).make(20'000);
  Timeline timeline;
  for (const auto& event : events) event.record(timeline);
  ASSERT_EQ(timeline.size(), events.size());
  std::vector<std::vector<EventId>> effects(events.size() + 1);
  for (EventId id = 1; id <= events.size(); ++id) {
    ASSERT_TRUE(events[id - 1].is(timeline.at(id), id)) << "event " << id;
    effects[events[id - 1].cause].push_back(id);
  }
  for (EventId id = 1; id <= events.size(); ++id) ASSERT_EQ(timeline.effects_of(id), effects[id]);

  const std::uint64_t middle = events[events.size() / 2].time_ns;
  std::vector<EventId> expected;
  for (EventId id = 1; id <= events.size(); ++id) {
    const auto& event = events[id - 1];
    if (event.time_ns >= middle && event.severity >= Severity::error && event.kind == "kind.33") {
      expected.push_back(id);
    }
  }
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(
      timeline.find({.at_least = Severity::error, .kind_prefix = "kind.33", .from_ns = middle}),
      expected);
}

/// Three fields, two texts of 30 bytes that vary, one integer.
Timeline typical_events(std::size_t count) {
  Timeline timeline;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(10'000'000 + i);
    const std::string asked = "dispatch of a kernel n" + number;
    const std::string got = "completed at doorbell " + number;
    const Field fields[]{{"asked", asked}, {"got", got}, {"index", static_cast<std::int64_t>(i)}};
    timeline.record({100 * i, Layer::runtime, Severity::info, "aql.packet", "queue 3", fields,
                     static_cast<EventId>(i - i % 8)});
  }
  return timeline;
}

TEST(Timeline, ATypicalEventTakesAtMost150Bytes) {
  constexpr std::size_t count = 100'000;
  EXPECT_LE(typical_events(count).memory_bytes(), 150 * count);
}

// The records alone take 40 bytes, the texts 60: a figure below that leaves something out.
TEST(Timeline, MemoryIsAccountedFor) {
  constexpr std::size_t count = 100'000;
  EXPECT_GE(typical_events(count).memory_bytes(), 100 * count);
  EXPECT_LE(typical_events(1).memory_bytes(), 40u * 1024);
  EXPECT_LE(Timeline().memory_bytes(), 64u);
}

TEST(Timeline, CapacityInExcessIsAtMostABlock) {
  Timeline timeline;
  std::size_t before = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::string text = "a text of thirty bytes " + std::to_string(10'000'000 + i);
    const Field fields[]{{"asked", text}};
    timeline.record({.time_ns = i, .kind = "k", .fields = fields});
    const std::size_t bytes = timeline.memory_bytes();
    ASSERT_LE(bytes - before, 100u * 1024) << "event " << i;
    before = bytes;
  }
}

TEST(Timeline, LargeTextsWasteNoBlocks) {
  constexpr std::size_t size = 40'000;
  Timeline timeline;
  for (char c = 'a'; c <= 'z'; ++c) {
    const std::string text(size, c);
    const Field fields[]{{"shows", text}};
    timeline.record({.kind = "k", .fields = fields});
  }
  EXPECT_LE(timeline.memory_bytes(), 26 * size * 11 / 10);
}

TEST(Timeline, RepeatedTextIsKeptOnce) {
  const std::string text(1000, 't');
  const Field fields[]{{field::shows, text}};
  Timeline timeline;
  for (int i = 0; i < 1000; ++i) timeline.record({.kind = "k", .fields = fields});
  EXPECT_EQ(timeline.at(1000).text("shows"), text);
  EXPECT_LE(timeline.memory_bytes(), 150'000u);
}

}  // namespace
}  // namespace rocdrill
