#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

TEST(QueuesPane, PacketsAreChosenByTheirSlotsAndByKeys) {
  Driver driver("kernel-endless");
  driver.key('4', true);
  driver.frame(2);
  EXPECT_EQ(driver.state().layout, Layout::queues);
  ASSERT_TRUE(driver.has("queue.packet.0"));
  EXPECT_TRUE(driver.has("queue.fields"));
  driver.click("queue.packet.3");
  EXPECT_EQ(driver.state().item[Layout::queues], 3);
  driver.frame();
  EXPECT_FALSE(driver.has("queue.fields"));  // nobody has written one there
  driver.key('K');
  EXPECT_EQ(driver.state().item[Layout::queues], 2);
  driver.click("queue.0");
  EXPECT_FALSE(driver.state().item.contains(Layout::queues));
}

TEST(QueuesPane, AnEventOfTheQueueIsGoneTo) {
  Driver driver("kernel-endless");
  driver.key('4', true);
  driver.frame();
  const EventId created = driver.workspace.story().queues().front().events.front();
  driver.click("queue.event." + std::to_string(created));
  EXPECT_EQ(driver.state().now, created);
  driver.key('X');
  EXPECT_TRUE(driver.state().expert);
  driver.frame(2);
}

TEST(QueuesPane, WithoutKernelsThereIsNothingAndItSaysSo) {
  Driver driver("stale-dkms");
  driver.key('4', true);
  driver.frame(2);
  EXPECT_FALSE(driver.has("queue.0"));
  driver.key('J');
  driver.key('J', false, true);
  EXPECT_FALSE(driver.state().item.contains(Layout::queues));
}

}  // namespace
}  // namespace rocdrill::gui
