#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/queue_view.hpp"
#include "recorded.hpp"
#include "stack/formats/aql_text.hpp"

namespace rocdrill::gui {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t cells = 16;

QueueView drawn(const Story& story, State state) { return queue_view(story, state, cells, 24); }
QueueView at_end(const std::string& drill) {
  const Story& story = *recorded(drill).story;
  return drawn(story, opened(story));
}

/// A queue's history, made by hand.
class History {
 public:
  void created(std::int64_t slots) {
    add("queue.created", {{"gpu_id", std::int64_t{7}}, {"slots", slots}});
  }
  void doorbell(std::int64_t value) {
    add("packet.doorbell", {{"index", value}, {"type", std::string_view("INVALID")}});
  }
  void packet(std::string_view transition, std::int64_t index, const aql::Packet& packet,
              std::int64_t signal_value = 1) {
    const std::string bytes = aql::to_hex(packet);
    add("packet." + std::string(transition), {{"index", index},
                                              {"type", aql::name(packet.header().type())},
                                              {"packet", std::string_view(bytes)},
                                              {"signal_value", signal_value},
                                              {"read_index", index + 1},
                                              {field::got, std::string_view("all signals")}});
  }
  QueueView view() const {
    const Story story(timeline);
    return drawn(story, opened(story));
  }
  Timeline timeline;

 private:
  void add(const std::string& kind, std::initializer_list<rocdrill::Field> fields) {
    timeline.record({.time_ns = ++time_,
                     .layer = Layer::silicon,
                     .kind = kind,
                     .subject = "pid 9 queue 0",
                     .fields = fields});
  }
  std::uint64_t time_ = 0;
};

std::vector<SlotState> states(const QueueView& view, std::size_t count) {
  std::vector<SlotState> all;
  for (const RingCell& cell : view.ring) all.push_back(cell.state);
  all.resize(count);
  return all;
}

TEST(Queue, TheKernelThatHangsStaysLaunchedAndItsSignalStaysAtOne) {
  const QueueView view = at_end("kernel-endless");
  ASSERT_THAT(view.queues, SizeIs(1));
  EXPECT_EQ(view.read_index, 0U);
  EXPECT_EQ(view.write_index, 1U);
  EXPECT_EQ(view.doorbell, "0");
  EXPECT_THAT(states(view, 2), ElementsAre(SlotState::launched, SlotState::free));
  EXPECT_EQ(view.kernel, "saxpy");
  EXPECT_EQ(view.stands, "its waves do not end");
  ASSERT_THAT(view.signals, SizeIs(1));
  EXPECT_EQ(view.signals[0].value, "1");
  EXPECT_THAT(view.signals[0].waited_for_by, ElementsAre("hip.launch saxpy"));
}

TEST(Queue, AHealthyRunCompletesItsPackets) {
  const QueueView view = at_end("healthy-mi300x");
  ASSERT_FALSE(view.queues.empty());
  EXPECT_EQ(view.ring.front().state, SlotState::complete);
  EXPECT_EQ(view.read_index, 1U);
  ASSERT_THAT(view.signals, SizeIs(1));
  EXPECT_EQ(view.signals[0].value, "0");
  EXPECT_THAT(view.signals[0].waited_for_by, IsEmpty());
}

TEST(Queue, IsScrubbedWithTheTimeline) {
  const Story& story = *recorded("healthy-mi300x").story;
  State state = opened(story);
  std::vector<SlotState> seen;
  for (const EventId event : story.queues().front().events) {
    state.now = event;
    const QueueView view = drawn(story, state);
    const SlotState now = view.ring.front().state;
    if (seen.empty() || seen.back() != now) seen.push_back(now);
  }
  EXPECT_THAT(seen, ElementsAre(SlotState::free, SlotState::valid, SlotState::launched,
                                SlotState::complete));
  state.now = story.queues().front().events.front() - 1;
  EXPECT_THAT(drawn(story, state).queues, IsEmpty());
}

TEST(Queue, AMemoryFaultFailsItsPacket) {
  const QueueView view = at_end("kernel-null-pointer");
  EXPECT_EQ(view.ring.front().state, SlotState::failed);
  EXPECT_EQ(view.failure, "EC_DEVICE_MEMORY_VIOLATION");
  EXPECT_NE(view.failed, no_event);
  EXPECT_TRUE(view.queues.front().failed);
}

TEST(Queue, ABarrierWaitsForTheSignalsThatItNames) {
  History history;
  history.created(64);
  history.doorbell(1);
  aql::KernelDispatch kernel{};
  kernel.header = aql::Header::make(aql::PacketType::kernel_dispatch).bits;
  kernel.completion_signal = 0x1000;
  history.packet("launched", 0, aql::Packet(kernel), 1);
  history.packet("stalled", 1, aql::barrier_and({0x1000, 0x2000, 0, 0, 0}, 0x3000));
  QueueView view = history.view();
  EXPECT_EQ(view.stands, "all signals");
  EXPECT_THAT(states(view, 3),
              ElementsAre(SlotState::launched, SlotState::waiting, SlotState::free));
  ASSERT_THAT(view.signals, SizeIs(3));
  EXPECT_EQ(view.signals[2].name, "s1");  // the newest first
  EXPECT_EQ(view.signals[2].value, "1");
  EXPECT_EQ(view.signals[1].value, "?");  // nobody has looked
  EXPECT_THAT(view.signals[2].decremented_by, ElementsAre("packet 0"));
  EXPECT_THAT(view.signals[2].waited_for_by, ElementsAre("packet 1 (BARRIER_AND)"));
  // Its fields name signals as the list does.
  EXPECT_THAT(view.fields, Contains(AllOf(Field(&PacketField::name, "dep signal[1]"),
                                          Field(&PacketField::text, "s2"))));
  history.packet("launched", 1, aql::barrier_and({0x1000, 0x2000, 0, 0, 0}, 0x3000));
  view = history.view();
  EXPECT_THAT(view.signals[2].waited_for_by, IsEmpty());
  EXPECT_EQ(view.stands, "");
}

TEST(Queue, TheWindowFollowsTheNewestPackets) {
  History history;
  history.created(64);
  const aql::Packet packet = aql::barrier_and({}, 0);
  for (std::int64_t i = 0; i < 100; ++i) {
    history.doorbell(i);
    history.packet("launched", i, packet);
    history.packet("completed", i, packet);
  }
  const QueueView view = history.view();
  ASSERT_THAT(view.ring, SizeIs(cells));
  EXPECT_EQ(view.ring.front().index, 84U);
  EXPECT_EQ(view.ring.back().index, 99U);
  EXPECT_EQ(view.ring.back().slot, 35U);  // 64 slots
  EXPECT_EQ(view.packet, 99U);
}

TEST(Queue, ARingOfFourSlotsHasFourCells) {
  History history;
  history.created(4);
  EXPECT_THAT(history.view().ring, SizeIs(4));
}

TEST(Queue, FieldsHaveTheirBits) {
  aql::KernelDispatch kernel{};
  kernel.header = aql::Header::make(aql::PacketType::kernel_dispatch, true, aql::FenceScope::agent,
                                    aql::FenceScope::system)
                      .bits;
  kernel.workgroup_size_x = 256;
  kernel.workgroup_size_y = kernel.workgroup_size_z = 1;
  const auto fields = packet_fields(aql::Packet(kernel));
  const auto text = [&](std::string_view name) {
    const auto at = std::ranges::find(fields, name, &PacketField::name);
    return at == fields.end() ? "" : at->bits + " = " + at->text;
  };
  EXPECT_EQ(text("type"), "0-1  7:0 = 2 KERNEL_DISPATCH");
  EXPECT_EQ(text("barrier"), "0-1  8 = 1");
  EXPECT_EQ(text("acquire fence"), "0-1  10:9 = agent");
  EXPECT_EQ(text("release fence"), "0-1  12:11 = system");
  EXPECT_EQ(text("workgroup size"), "4-9 = 256 x 1 x 1");
}

TEST(Queue, AHistoryWithoutPacketsSaysSo) {
  Timeline timeline;
  timeline.record({.layer = Layer::silicon,
                   .severity = Severity::error,
                   .kind = "queue.failed",
                   .subject = "pid 9 queue 3"});
  const Story story(timeline);
  const QueueView view = drawn(story, opened(story));
  EXPECT_THAT(view.queues, SizeIs(1));
  EXPECT_FALSE(view.packets);
}

TEST(PacketBytes, SurviveTheWayThereAndBack) {
  const aql::Packet packet = aql::barrier_or({1, 0xDEADBEEF, 3, 4, 5}, 0x7F00'0000'1234);
  const auto back = aql::packet_from_hex(aql::to_hex(packet));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->bytes, packet.bytes);
  EXPECT_FALSE(aql::packet_from_hex("00"));
  EXPECT_FALSE(aql::packet_from_hex(std::string(128, 'g')));
}

}  // namespace
}  // namespace rocdrill::gui
