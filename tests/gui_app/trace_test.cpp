// A trace of rocdrill run --trace, looked at as a history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"
#include "gui/app/trace_history.hpp"
#include "stack/formats/aql_text.hpp"

namespace rocdrill::gui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string header =
    R"({"schema_version":1,"minor_version":0,"pid":7,"command":"app","time_ns":1000,)"
    R"("node":{"kfd":"1.11","gpus":[]}})"
    "\n";

std::string line(int seq, const std::string& rest) {
  return R"({"seq":)" + std::to_string(seq) + R"(,"pid":7,"time_ns":)" +
         std::to_string(1000 + seq * 10) + "," + rest + "}\n";
}

std::string packets() {
  const std::string bytes = aql::to_hex(aql::barrier_and({0x1000, 0, 0, 0, 0}, 0x2000));
  return header + line(1, R"("type":"doorbell","queue":3,"value":0)") +
         line(2, R"("type":"packet","queue":3,"index":0,"kind":"aql","name":"BARRIER_AND",)"
                 R"("header":"0x1403","fields":{"dep0":"0x1000","completion":"0x2000"},)"
                 R"("bytes":")" +
                     bytes + R"(","signal":{"value":1,"mailbox":"0x0","event_id":0})") +
         line(3, R"("type":"completion","queue":3,"index":0)");
}

TEST(TraceHistory, PacketsAreThoseOfAQueue) {
  ASSERT_TRUE(is_trace(packets()));
  const auto history = history_of_trace(packets(), "a.jsonl");
  ASSERT_TRUE(history) << history.error();
  std::vector<std::string> kinds;
  for (EventId id = 1; id <= history->size(); ++id) kinds.emplace_back(history->head(id).kind);
  EXPECT_THAT(kinds, ElementsAre("process.started", "packet.doorbell", "packet.launched",
                                 "packet.completed"));
  EXPECT_EQ(history->cause_of(4), 3U);
  EXPECT_EQ(history->time_of(4), 20U);  // since the first record
  const Story story(*history);
  State state = opened(story);
  QueueView view = queue_view(story, state, 16, 9);
  ASSERT_EQ(view.queues.size(), 1U);
  EXPECT_EQ(view.queues[0].name, "pid 7 queue 3");
  EXPECT_EQ(view.ring[0].state, SlotState::complete);
  EXPECT_EQ(view.ring[0].type, "BARRIER_AND");
  EXPECT_EQ(view.signals[0].value, "?");  // after the completion nobody has looked
  EXPECT_FALSE(view.read_known);          // a trace does not tell
  state.now = 3;
  view = queue_view(story, state, 16, 9);
  EXPECT_EQ(view.ring[0].state, SlotState::launched);
  EXPECT_EQ(view.signals[0].name, "s2");
  EXPECT_EQ(view.signals[0].value, "1");
}

TEST(TraceHistory, ReadIndexAndKernelAreThoseOfTheTrace) {
  aql::Packet packet{};
  packet.set_header(aql::Header::make(aql::PacketType::kernel_dispatch));
  const std::string text =
      header + line(1, R"("type":"doorbell","queue":3,"value":0)") +
      line(2, R"("type":"packet","queue":3,"index":0,"kind":"aql","name":"KERNEL_DISPATCH",)"
              R"("header":"0x2","fields":{},"kernel":"saxpy","read_index":0,"bytes":")" +
                  aql::to_hex(packet) + "\"") +
      line(3, R"("type":"completion","queue":3,"index":0,"read_index":1)");
  const auto history = history_of_trace(text, "a.jsonl");
  ASSERT_TRUE(history) << history.error();
  const Story story(*history);
  State state = opened(story);
  const QueueView view = queue_view(story, state, 16, 9);
  EXPECT_EQ(view.kernel, "saxpy");
  EXPECT_TRUE(view.read_known);
  EXPECT_EQ(view.read_index, 1U);
  EXPECT_FALSE(history_of_trace(header + line(1, R"("type":"completion","queue":3,)"
                                                 R"("index":0,"read_index":"x")"),
                                "a.jsonl"));
}

TEST(TraceHistory, DamageIsSaidWithItsLine) {
  const auto history = history_of_trace(header + "{}\n", "a.jsonl");
  ASSERT_FALSE(history);
  EXPECT_THAT(history.error(), HasSubstr("a.jsonl"));
  EXPECT_THAT(history.error(), HasSubstr("2"));
  EXPECT_FALSE(is_trace(R"({"id":1,"time_ns":0})"));
}

TEST(TraceHistory, IsShownByTheWindow) {
  auto history = history_of_trace(packets(), "a.jsonl");
  ASSERT_TRUE(history);
  Driver driver("");
  driver.workspace.open_timeline(std::move(*history), "a.jsonl");
  driver.frame(2);
  for (const char key : {'2', '4', '5', '6', '7'}) {
    driver.key(key, true);
    driver.frame(2);
  }
  driver.key('4', true);
  driver.frame();
  EXPECT_TRUE(driver.has("queue.packet.0"));
}

}  // namespace
}  // namespace rocdrill::gui
