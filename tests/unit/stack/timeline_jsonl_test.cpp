// Timeline <-> JSON Lines: nothing is lost on the way there and back, and what is not a timeline
// is refused with the line and the reason.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "stack/timeline.hpp"
#include "unit/stack/random_events.hpp"

namespace rocdrill {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view first_line =
    R"({"id":1,"time_ns":5,"layer":"kernel","severity":"error","kind":"modprobe.failed",)"
    R"("subject":"amdgpu","cause":0,"fields":{"status":"ENOENT","tries":2}})";

/// first_line with one part replaced by another.
std::string changed(std::string_view part, std::string_view by) {
  std::string line(first_line);
  const std::size_t at = line.find(part);
  EXPECT_NE(at, line.npos) << part;
  return line.replace(at, part.size(), by);
}

std::string error_of(std::string_view text) {
  const auto timeline = Timeline::from_json_lines(text);
  return timeline ? "no error" : timeline.error();
}

TEST(TimelineJsonLines, WritesOneObjectPerEvent) {
  const Field fields[]{{"status", "ENOENT"}, {"tries", std::int64_t{2}}};
  Timeline timeline;
  timeline.record({5, Layer::kernel, Severity::error, "modprobe.failed", "amdgpu", fields});
  EXPECT_EQ(timeline.to_json_lines(), std::string(first_line) + "\n");
  EXPECT_EQ(Timeline::to_json_line(timeline.at(1)), first_line);
  EXPECT_EQ(Timeline().to_json_lines(), "");
}

TEST(TimelineJsonLines, ReadsWhatItWrites) {
  const auto timeline = Timeline::from_json_lines(first_line);  // no newline at the end
  ASSERT_TRUE(timeline) << timeline.error();
  ASSERT_EQ(timeline->size(), 1u);
  const EventView event = timeline->at(1);
  EXPECT_EQ(event.time_ns, 5u);
  EXPECT_EQ(event.layer, Layer::kernel);
  EXPECT_EQ(event.severity, Severity::error);
  EXPECT_EQ(event.kind, "modprobe.failed");
  EXPECT_EQ(event.subject, "amdgpu");
  EXPECT_EQ(event.find("status"), FieldValue("ENOENT"));
  EXPECT_EQ(event.find("tries"), FieldValue(std::int64_t{2}));
  EXPECT_TRUE(Timeline::from_json_lines("").value().empty());
}

TEST(TimelineJsonLines, KeysAndSpaceMayStandInAnyOrder) {
  const auto timeline = Timeline::from_json_lines(
      "  { \"fields\": {}, \"cause\": 0, \"subject\": \"\", \"kind\": \"k\", \"severity\": "
      "\"debug\", \"layer\": \"host\", \"time_ns\": 18446744073709551615, \"id\": 1 }\t\r\n");
  ASSERT_TRUE(timeline) << timeline.error();
  EXPECT_EQ(timeline->time_of(1), UINT64_MAX);
}

TEST(TimelineJsonLines, RoundTripOfRandomHistoriesIsExact) {
  Timeline timeline;
  for (const auto& event : test::RandomEvents(2).make(100'000)) event.record(timeline);
  const std::string lines = timeline.to_json_lines();
  const auto restored = Timeline::from_json_lines(lines);
  ASSERT_TRUE(restored) << restored.error();
  EXPECT_TRUE(*restored == timeline);
  EXPECT_TRUE(restored->to_json_lines() == lines);
  // And the two go on alike.
  Timeline again = *restored;
  const EventInput next{.time_ns = UINT64_MAX, .kind = "next", .cause = 1};
  timeline.record(next);
  again.record(next);
  EXPECT_TRUE(again == timeline);
}

TEST(TimelineJsonLines, IntegersAndTextsStayWhatTheyAre) {
  const Field fields[]{{"text", "42"},        {"number", std::int64_t{42}},
                       {"lowest", INT64_MIN}, {"highest", INT64_MAX},
                       {"text_zero", "0"},    {"zero", std::int64_t{0}}};
  Timeline timeline;
  timeline.record({.kind = "k", .fields = fields});
  const auto restored = Timeline::from_json_lines(timeline.to_json_lines());
  ASSERT_TRUE(restored) << restored.error();
  for (const Field& field : fields) EXPECT_EQ(restored->at(1).find(field.key), field.value);
}

TEST(TimelineJsonLines, EveryLineIsJsonForOthersToo) {
  Timeline timeline;
  for (const auto& event : test::RandomEvents(3).make(500)) event.record(timeline);
  std::istringstream lines(timeline.to_json_lines());
  std::string line;
  EventId id = 0;
  while (std::getline(lines, line)) {
    const auto json = nlohmann::json::parse(line);
    const EventView event = timeline.at(++id);
    EXPECT_EQ(json.at("id"), id);
    EXPECT_EQ(json.at("subject"), event.subject);
    for (const Field& field : event.fields) {
      const auto& value = json.at("fields").at(std::string(field.key));
      std::visit([&](const auto& expected) { EXPECT_EQ(value, expected); }, field.value);
    }
  }
  EXPECT_EQ(id, timeline.size());
}

TEST(TimelineJsonLines, TextThatIsNotUtf8IsReplacedOnce) {
  const Field fields[]{{"path", "/tmp/\xff\xfe"}};
  Timeline timeline;
  timeline.record({.kind = "k", .subject = "caf\xc3", .fields = fields});
  const std::string lines = timeline.to_json_lines();
  const auto restored = Timeline::from_json_lines(lines);
  ASSERT_TRUE(restored) << restored.error();
  EXPECT_EQ(restored->at(1).subject, "caf\xef\xbf\xbd");
  EXPECT_EQ(restored->at(1).text("path"), "/tmp/\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(restored->to_json_lines(), lines);
}

TEST(TimelineJsonLines, NamesTheLineOfAnError) {
  std::string text = std::string(first_line) + "\n";
  text += changed(R"("id":1)", R"("id":2)") + "\n";
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_THAT(error_of(text + "{}\n"), StartsWith("line 3: "));
  EXPECT_THAT(error_of(text + "\n"), StartsWith("line 3: "));
  EXPECT_EQ(error_of(text + changed(R"("id":1)", R"("id":4)")), "line 3: id 4 where 3 is due");
}

struct Malformed {
  std::string line;
  std::string problem;
};

class TimelineJsonLinesMalformed : public ::testing::TestWithParam<Malformed> {};

TEST_P(TimelineJsonLinesMalformed, IsRefusedWithTheReason) {
  const std::string error = error_of(GetParam().line);
  EXPECT_THAT(error, StartsWith("line 1: ")) << GetParam().line;
  EXPECT_THAT(error, HasSubstr(GetParam().problem)) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TimelineJsonLinesMalformed,
    ::testing::Values(Malformed{"\n", "unexpected end of input"}, Malformed{"x", "column 1"},
                      Malformed{"42", "an event is an object, not a number"},
                      Malformed{"-1", "an event is an object"},
                      Malformed{"\"text\"", "an event is an object, not a text"},
                      Malformed{"null", "an event is an object, not null"},
                      Malformed{"true", "an event is an object, not a boolean"},
                      Malformed{"1e9", "an event is an object"},
                      Malformed{std::string(100'000, '['), "an event is an object, not an array"},
                      Malformed{"{}", "key 'id' is missing"},
                      Malformed{std::string(first_line) + "x", "column"},
                      Malformed{std::string(first_line) + std::string(first_line), "column"},
                      Malformed{std::string(first_line) + std::string(1, '\0') + "x", "NUL"}));

INSTANTIATE_TEST_SUITE_P(
    Values, TimelineJsonLinesMalformed,
    ::testing::Values(
        Malformed{changed(R"("id":1)", R"("id":"1")"), "'id' cannot be a text"},
        Malformed{changed(R"("id":1)", R"("id":0)"), "id 0 where 1 is due"},
        Malformed{changed(R"("id":1)", R"("id":4294967297)"), "'id' cannot be a number above"},
        Malformed{changed(R"("id":1)", R"("id":-1)"), "'id' cannot be a negative number"},
        Malformed{changed(R"("time_ns":5)", R"("time_ns":5.0)"), "'time_ns' cannot be a number"},
        Malformed{changed(R"("time_ns":5)", R"("time_ns":18446744073709551616)"), "'time_ns'"},
        Malformed{changed(R"("time_ns":5)", R"("time_ns":1e99999)"), "line 1"},
        Malformed{changed(R"("time_ns":5)", R"("time_ns":null)"), "'time_ns' cannot be null"},
        Malformed{changed(R"("kernel")", R"("cellar")"), "unknown layer 'cellar'"},
        Malformed{changed(R"("kernel")", "3"), "'layer' cannot be a number"},
        Malformed{changed(R"("error")", R"("fatal")"), "unknown severity 'fatal'"},
        Malformed{changed(R"("modprobe.failed")", R"("")"), "its kind is empty"},
        Malformed{changed(R"("modprobe.failed")", "[]"), "'kind' cannot be an array"},
        Malformed{changed(R"("amdgpu")", "{}"), "'subject' cannot be an object"},
        Malformed{changed(R"("amdgpu")", "\"\xff\""), "column"},
        Malformed{changed(R"("cause":0)", R"("cause":1)"), "cause 1 is not an earlier event"},
        Malformed{changed(R"("cause":0)", R"("cause":4294967296)"), "'cause' cannot be"},
        Malformed{changed(R"("cause":0)", R"("effect":0)"), "unknown key 'effect'"},
        Malformed{changed(R"("cause":0,)", ""), "key 'cause' is missing"},
        Malformed{changed(R"("cause":0)", R"("cause":0,"cause":0)"), "'cause' is there twice"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, TimelineJsonLinesMalformed,
    ::testing::Values(
        Malformed{changed(R"({"status":"ENOENT","tries":2})", "[]"), "'fields' cannot be an array"},
        Malformed{changed(R"("tries":2)", R"("tries":2.5)"), "field 'tries' cannot be a number"},
        Malformed{changed(R"("tries":2)", R"("tries":9223372036854775808)"), "above 2^63 - 1"},
        Malformed{changed(R"("tries":2)", R"("tries":-9223372036854775809)"), "field 'tries'"},
        Malformed{changed(R"("tries":2)", R"("tries":true)"), "field 'tries' cannot be a boolean"},
        Malformed{changed(R"("tries":2)", R"("tries":null)"), "field 'tries' cannot be null"},
        Malformed{changed(R"("tries":2)", R"("tries":{})"), "field 'tries' cannot be an object"},
        Malformed{changed(R"("tries":2)", R"("tries":[1])"), "field 'tries' cannot be an array"},
        Malformed{changed(R"("tries")", R"("status")"), "field 'status' is there twice"},
        Malformed{changed(R"("tries")", "\"\xc3\xa9\""), "not ASCII"}));

TEST(TimelineJsonLines, RefusesEveryTruncation) {
  for (std::size_t length = 1; length < first_line.size(); ++length) {
    EXPECT_THAT(error_of(first_line.substr(0, length)), StartsWith("line 1: ")) << length;
  }
}

// Whatever one byte is changed to: a timeline or an error, and one that can be printed.
TEST(TimelineJsonLines, SurvivesEveryChangedByte) {
  for (std::size_t at = 0; at < first_line.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string line(first_line);
      line[at] = static_cast<char>(byte);
      const auto timeline = Timeline::from_json_lines(line);
      if (timeline) continue;
      ASSERT_THAT(timeline.error(), StartsWith("line "));
      ASSERT_LE(timeline.error().size(), 300u);
      for (const char c : timeline.error()) ASSERT_TRUE(c >= ' ' && c <= '~') << timeline.error();
    }
  }
}

TEST(TimelineJsonLines, ErrorsStayShortAndPrintable) {
  const std::string long_key = changed("\"cause\"", '"' + std::string(10'000, 'k') + "\x7f\"");
  EXPECT_LE(error_of(long_key).size(), 300u);
  EXPECT_THAT(error_of(changed("kernel", "\\u001b[2J")), HasSubstr("unknown layer '?[2J'"));
}

}  // namespace
}  // namespace rocdrill
