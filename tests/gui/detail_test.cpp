#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/model/brief_view.hpp"
#include "gui/model/detail_view.hpp"
#include "recorded.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LayerState;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

std::string row_text(const DetailView& view, std::string_view label) {
  const auto row = std::ranges::find(view.rows, label, &DetailRow::label);
  return row == view.rows.end() ? "" : row->text;
}

TEST(Detail, TellsWhatTheFaultyLayerAskedGotAndDid) {
  const Story& story = *recorded("stale-dkms").story;
  const DetailView view = detail_view(story, opened(story), 100);
  EXPECT_EQ(view.layer, Layer::kernel);
  EXPECT_EQ(view.state, LayerState::fault);
  EXPECT_THAT(view.what, HasSubstr("dkms.not_built"));
  EXPECT_EQ(row_text(view, "detail.asked"), "/lib/modules/6.8.0-60-generic/build");
  EXPECT_EQ(row_text(view, "detail.got"), "ENOENT");
  const auto because = std::ranges::find(view.rows, "detail.because", &DetailRow::label);
  ASSERT_NE(because, view.rows.end());
  EXPECT_EQ(story.timeline().head(because->link).kind, "package.removed");
}

TEST(Detail, FollowsTheEventsUnlessALayerWasChosen) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  const EventId opened_kfd = event_of(story, "device.open_failed");
  apply(intent::GoTo{opened_kfd}, state, story);
  EXPECT_EQ(detail_view(story, state, 9).event, opened_kfd);
  apply(intent::ChooseLayer{Layer::silicon}, state, story);
  EXPECT_EQ(detail_view(story, state, 9).layer, Layer::silicon);
  apply(intent::Step{-1}, state, story);
  EXPECT_NE(detail_view(story, state, 9).layer, Layer::silicon);
}

TEST(Detail, TheMostTellingCommandComesFirstAndAnotherCanBeChosen) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  EXPECT_EQ(detail_view(story, state, 9).command, "dkms status");
  EXPECT_THAT(detail_view(story, state, 9).commands, Contains("lsmod"));
  apply(intent::ChooseEvidence{"lsmod"}, state, story);
  EXPECT_EQ(detail_view(story, state, 9).command, "lsmod");
  apply(intent::ChooseEvidence{"rm -rf /"}, state, story);
  EXPECT_EQ(detail_view(story, state, 9).command, "dkms status");
}

TEST(Detail, ShowsNoMoreEventsThanAskedForAndNoneOfTheFuture) {
  const Story& story = *recorded("firmware-missing").story;
  State state = opened(story);
  state.layer = Layer::kernel;
  EXPECT_EQ(detail_view(story, state, 3).events.size(), 3U);
  state.now = 1;
  for (const EventRow& event : detail_view(story, state, 99).events) EXPECT_LE(event.id, 1U);
}

TEST(Detail, OfALayerThatNobodyReachedThereIsNothingToTell) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  state.layer = Layer::libraries;
  const DetailView view = detail_view(story, state, 9);
  EXPECT_EQ(view.event, no_event);
  EXPECT_TRUE(view.rows.empty());
  EXPECT_TRUE(view.command.empty());
}

// --- the node as of that moment ---

TEST(Recording, CommandsSeeTheNodeAsItWasThen) {
  const Recorded& drill = recorded("stale-dkms");
  const EventId end = drill.story->last();
  const auto now = drill.recording->look(end, "uname -r", no_event);
  ASSERT_TRUE(now);
  ASSERT_EQ(now->lines.size(), 1U);
  EXPECT_EQ(now->lines[0].text, "6.8.0-60-generic");
  EXPECT_LT(drill.recording->state_of(1), drill.recording->state_of(end));
}

TEST(Recording, MarksTheLinesThatTellOfTheEvent) {
  const Recorded& drill = recorded("firmware-missing");
  const EventId missing = event_of(*drill.story, "firmware.missing");
  const auto dmesg = drill.recording->look(drill.story->last(), "dmesg", missing);
  ASSERT_TRUE(dmesg);
  EXPECT_THAT(
      dmesg->lines,
      Contains(AllOf(Field(&scenarios::EvidenceLine::telling, true),
                     Field(&scenarios::EvidenceLine::text, HasSubstr("failed with error -2")))));
  EXPECT_THAT(dmesg->lines, Contains(Field(&scenarios::EvidenceLine::telling, false)));
}

TEST(Recording, LookingLeavesNoTrace) {
  const auto drill = record("double-filter");
  const std::string before = drill->timeline().to_json_lines();
  drill->look(static_cast<EventId>(drill->timeline().size()), "rocminfo", no_event);
  drill->check(1);
  EXPECT_EQ(drill->timeline().to_json_lines(), before);
}

TEST(Recording, ACommandThatTheNodeDoesNotHaveIsNoEvidence) {
  const Recorded& drill = recorded("stale-dkms");
  const EventId end = drill.story->last();
  EXPECT_FALSE(drill.recording->look(end, "no-such-command", no_event));
  EXPECT_FALSE(drill.recording->look(end, "dmesg | tail", no_event));
}

TEST(Recording, ANodeThatIsOffCannotBeReached) {
  const Recorded& drill = recorded("stale-dkms");
  const auto off = drill.recording->look(1, "uname -r", no_event);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->exit_code, 255);
}

// --- the chain of causes ---

TEST(Why, LeadsFromTheTopSymptomDownToTheFault) {
  const Story& story = *recorded("stale-dkms").story;
  std::vector<std::string> kinds;
  for (const WhyRow& row : why_view(story, opened(story))) kinds.push_back(row.kind);
  EXPECT_THAT(kinds, ElementsAre("torch.is_available", "hip.no_device", "hsa.init_failed",
                                 "device.open_failed", "modprobe.not_found", "dkms.not_built",
                                 "package.removed", "fault.injected"));
}

TEST(Why, KnowsNothingOfTheFuture) {
  const Story& story = *recorded("stale-dkms").story;
  State state = opened(story);
  state.now = event_of(story, "modprobe.not_found");
  const auto rows = why_view(story, state);
  ASSERT_FALSE(rows.empty());
  for (const WhyRow& row : rows) EXPECT_LE(row.event, state.now);
}

TEST(Why, IsEmptyWhereNothingIsWrong) {
  const Story& story = *recorded("healthy-mi300x").story;
  EXPECT_TRUE(why_view(story, opened(story)).empty());
}

// --- ticket and tasks ---

TEST(Brief, ATicketsLinesBecomeParagraphs) {
  EXPECT_THAT(paragraphs_of("From: Mei\nSubject: no GPU\n\nHi,\nit broke.\n\nPlease help.\n"),
              ElementsAre("From: Mei", "Subject: no GPU", "Hi, it broke.", "Please help."));
}

TEST(Brief, ItemsOfAListStayLines) {
  EXPECT_THAT(paragraphs_of("They say:\n  - it is\n    loaded\n  - it fails\n"),
              ElementsAre("They say:", "  - it is loaded", "  - it fails"));
}

TEST(Brief, HasTheTicketButNotTheAnswer) {
  const Recorded& drill = recorded("stale-dkms");
  const BriefView view = brief_view(drill.recording->drill().drill, "node", nullptr, {});
  EXPECT_FALSE(view.checks_known);
  EXPECT_FALSE(view.debrief.known);
  EXPECT_TRUE(view.debrief.chain.empty());
  ASSERT_EQ(view.tasks.size(), 4U);
  EXPECT_EQ(view.tasks[0].choices.size(), 4U);
  EXPECT_TRUE(view.tasks[1].asks_layer);
  EXPECT_TRUE(view.tasks[3].choices.empty());
  EXPECT_EQ(view.possible, 100);
  EXPECT_EQ(view.points, 0);
}

TEST(Brief, PointsAreThoseOfPassedTasksLessTheHints) {
  const Recorded& drill = recorded("stale-dkms");
  Progress progress;
  progress.results = {{.kind = scenarios::DrillTask::Kind::detect,
                       .status = scenarios::TaskStatus::passed,
                       .ask = {},
                       .open_because = {},
                       .points = 10}};
  progress.hint_cost = 3;
  const BriefView view = brief_view(drill.recording->drill().drill, "node", nullptr, progress);
  EXPECT_EQ(view.points, 7);
  EXPECT_EQ(view.tasks[0].status, scenarios::TaskStatus::passed);
  EXPECT_EQ(view.tasks[1].status, scenarios::TaskStatus::open);
}

TEST(Brief, TheDebriefComesWithTheRepair) {
  const Recorded& drill = recorded("stale-dkms");
  Progress progress;
  progress.repaired = true;
  const BriefView view = brief_view(drill.recording->drill().drill, "node", nullptr, progress);
  EXPECT_TRUE(view.debrief.known);
  EXPECT_EQ(view.debrief.command, "dkms status");
  EXPECT_FALSE(view.debrief.sources.empty());
}

TEST(Brief, ChecksStandInTheOrderOfTheLayers) {
  const Recorded& drill = recorded("stale-dkms");
  const auto checks = drill.recording->check(drill.story->last());
  const BriefView view = brief_view(drill.recording->drill().drill, "node", &checks, {});
  ASSERT_FALSE(view.checks.empty());
  EXPECT_TRUE(std::ranges::is_sorted(view.checks, {}, &CheckRow::layer));
  EXPECT_THAT(view.checks, Contains(Field(&CheckRow::status, checks::Status::fail)));
}

}  // namespace
}  // namespace rocdrill::gui
