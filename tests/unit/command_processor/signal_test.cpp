#include "sim/silicon/command_processor/signal.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rocdrill::cp {
namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

TEST(SignalCondition, ComparesSigned) {
  EXPECT_TRUE(holds(SignalCondition::eq, -1, -1));
  EXPECT_FALSE(holds(SignalCondition::eq, -1, 1));
  EXPECT_TRUE(holds(SignalCondition::ne, 0, 1));
  EXPECT_FALSE(holds(SignalCondition::ne, 1, 1));
  EXPECT_TRUE(holds(SignalCondition::lt, -1, 0));
  EXPECT_TRUE(holds(SignalCondition::lt, lowest, highest));
  EXPECT_FALSE(holds(SignalCondition::lt, 0, 0));
  EXPECT_TRUE(holds(SignalCondition::gte, 0, 0));
  EXPECT_TRUE(holds(SignalCondition::gte, 0, -1));
  EXPECT_FALSE(holds(SignalCondition::gte, lowest, highest));
  EXPECT_FALSE(holds(static_cast<SignalCondition>(9), 0, 0));
}

TEST(Signal, InitialisesAsAUserSignalWithoutEvent) {
  aql::AmdSignal memory;
  std::memset(static_cast<void*>(&memory), 0xFF, sizeof memory);
  signal::initialise(memory, 5);
  EXPECT_EQ(memory.kind, 1);
  EXPECT_EQ(memory.value, 5);
  EXPECT_EQ(memory.event_mailbox_ptr, 0u);
  EXPECT_EQ(memory.event_id, 0u);
}

TEST(Signal, ReadModifyWriteReturnsTheValueBefore) {
  aql::AmdSignal memory;
  signal::initialise(memory, 5);
  EXPECT_EQ(signal::add(memory, 2), 5);
  EXPECT_EQ(signal::subtract(memory, 4), 7);
  EXPECT_EQ(signal::bit_or(memory, 0b1100), 3);
  EXPECT_EQ(signal::bit_and(memory, 0b0110), 15);
  EXPECT_EQ(signal::bit_xor(memory, 0b0011), 6);
  EXPECT_EQ(signal::exchange(memory, -9), 5);
  EXPECT_EQ(signal::compare_exchange(memory, 1, 2), -9);
  EXPECT_EQ(signal::load(memory), -9);
  EXPECT_EQ(signal::compare_exchange(memory, -9, 2), -9);
  EXPECT_EQ(signal::load(memory), 2);
  signal::store(memory, lowest);
  EXPECT_EQ(signal::subtract(memory, 1), lowest);
  EXPECT_EQ(signal::load(memory), highest);
}

}  // namespace
}  // namespace rocdrill::cp
