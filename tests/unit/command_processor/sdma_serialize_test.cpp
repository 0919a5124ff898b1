// Saving and restoring an SDMA queue between any two calls of run().
#include <gmock/gmock.h>

#include "unit/command_processor/map_archive.hpp"
#include "unit/command_processor/sdma_rig.hpp"

namespace rocdrill::cp::testing {
namespace {

/// Saves, restores into a fresh queue, saves again, then makes `step` with both.
template <class Step>
void expect_same(SdmaRig& rig, Step step) {
  const State saved = save(*rig.queue);
  const auto before = std::make_unique<SdmaRig::Memory>(*rig.memory);
  step(rig);
  const State expected = save(*rig.queue);
  const auto after = std::make_unique<SdmaRig::Memory>(*rig.memory);
  EXPECT_NE(saved, expected) << "the step does nothing";

  *rig.memory = *before;
  rig.make_queue();
  EXPECT_NE(save(*rig.queue), saved) << "nothing to restore";
  load(*rig.queue, saved);
  EXPECT_EQ(save(*rig.queue), saved);
  step(rig);
  EXPECT_EQ(save(*rig.queue), expected);
  EXPECT_EQ(std::memcmp(rig.memory.get(), after.get(), sizeof *after), 0);
}

TEST(SdmaSerialize, NamesEveryField) {
  SdmaRig rig;
  const State state = save(*rig.queue);
  for (const char* field :
       {"/config/ring_bytes", "/config/generation", "/event_level", "/doorbell/limit",
        "/look_at_write_index", "/announced", "/read_index", "/state", "/suspended", "/wait",
        "/begun", "/head/12", "/dwords", "/done", "/tries", "/timestamp_offset", "/error/there",
        "/counters/bytes_filled"}) {
    EXPECT_TRUE(state.contains(field)) << field;
  }
}

TEST(SdmaSerialize, BetweenDoorbellAndRun) {
  SdmaRig rig;
  rig.execute(packets::timestamp(0, 77));
  rig.submit(packets::timestamp(1, rig.at(0)));
  expect_same(rig, [](SdmaRig& each) { EXPECT_EQ(each.run().packets, 1u); });
}

TEST(SdmaSerialize, InTheMiddleOfAPollWithRetries) {
  SdmaRig rig;
  rig.submit(packets::poll(rig.at(0), sdma::PollFunction::equal, 1, ~0u, 3));
  rig.run();
  rig.run();
  expect_same(rig, [](SdmaRig& each) {
    EXPECT_EQ(each.run().packets, 0u);
    EXPECT_EQ(each.run().packets, 1u);
  });
}

TEST(SdmaSerialize, InTheMiddleOfARectangle) {
  SdmaRig rig;
  // 2^21 rows cost two calls of run().
  rig.submit(packets::window({.base = rig.at(4096)}, {.base = rig.at(0)}, {1, 0x1000, 0x200}, 0));
  rig.count_up(0, 4096);
  EXPECT_EQ(rig.run().packets, 0u);
  EXPECT_EQ(rig.queue->counters().bytes_copied, 1u << 20);
  expect_same(rig, [](SdmaRig& each) { EXPECT_EQ(each.run().packets, 1u); });
}

TEST(SdmaSerialize, Suspended) {
  SdmaRig rig;
  rig.submit(packets::fence(rig.at(0), 1));
  rig.queue->suspend();
  expect_same(rig, [](SdmaRig& each) {
    each.queue->resume();
    EXPECT_EQ(each.run().packets, 1u);
  });
}

TEST(SdmaSerialize, FailedStaysFailed) {
  SdmaRig rig;
  rig.execute(packets::fence(rig.end(), 1));
  const State saved = save(*rig.queue);
  rig.make_queue();
  load(*rig.queue, saved);
  EXPECT_EQ(save(*rig.queue), saved);
  EXPECT_EQ(rig.queue->state(), QueueState::failed);
  EXPECT_EQ(rig.failure(), SdmaFailure::memory_violation);
}

}  // namespace
}  // namespace rocdrill::cp::testing
