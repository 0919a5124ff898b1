// The layouts that look into a run: its kernel's waves, and another run beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

TEST(WavesPane, IsSteppedByButtonsKeysAndLines) {
  Driver driver("kernel-null-pointer");
  driver.key('6', true);
  EXPECT_EQ(driver.state().layout, Layout::waves);
  driver.settle();
  ASSERT_TRUE(driver.has("waves.code"));
  EXPECT_TRUE(driver.has("waves.exec"));
  driver.click("waves.first");
  EXPECT_EQ(driver.state().item[Layout::waves], 0);
  driver.click("waves.step");
  EXPECT_EQ(driver.state().item[Layout::waves], 1);
  driver.key('J');
  EXPECT_EQ(driver.state().item[Layout::waves], 2);
  driver.key('K');
  EXPECT_EQ(driver.state().item[Layout::waves], 1);
  driver.click("waves.line.0");
  EXPECT_EQ(driver.state().item[Layout::waves], 0);
  driver.click("waves.last");
  EXPECT_GT(driver.state().item[Layout::waves], 2);
}

TEST(WavesPane, AnotherWaveIsChosen) {
  Driver driver("kernel-null-pointer");
  driver.key('6', true);
  driver.settle();
  driver.click("wave.2");
  EXPECT_EQ(driver.state().group[Layout::waves], 2);
  driver.settle();
  EXPECT_TRUE(driver.has("waves.code"));
  driver.key('J', false, true);
  EXPECT_EQ(driver.state().group[Layout::waves], 3);
}

TEST(WavesPane, WithoutAKernelItSaysSo) {
  Driver driver("stale-dkms");
  driver.key('6', true);
  driver.settle();
  EXPECT_FALSE(driver.has("waves.code"));
  driver.key('J');
}

TEST(ComparePane, ALayerLeadsToItsFirstDifference) {
  Driver driver("stale-dkms");
  driver.key('7', true);
  EXPECT_EQ(driver.state().layout, Layout::compare);
  driver.frame(2);
  driver.click("compare.kernel");
  EXPECT_EQ(driver.workspace.story().timeline().head(driver.state().now).kind, "dkms.not_built");
  driver.key(key::home);
  const EventId first = driver.state().now;
  driver.key('J');
  EXPECT_GT(driver.state().now, first);
  driver.click("compare.row." + std::to_string(driver.state().now));
}

TEST(ComparePane, AnotherDrillIsComparedWith) {
  Driver driver("stale-dkms");
  EXPECT_EQ(driver.workspace.compare_with("module-blacklisted"), "");
  driver.key('7', true);
  driver.frame(2);
  EXPECT_TRUE(driver.has("compare.silicon"));
  EXPECT_NE(driver.workspace.compare_with("no-such-drill"), "");
}

TEST(ComparePane, AHistoryAloneHasNothingToCompareWith) {
  Driver driver("");
  driver.workspace.open_timeline({}, "nothing");
  driver.key('7', true);
  driver.frame(2);
  EXPECT_FALSE(driver.has("compare.silicon"));
  driver.key('J');
  driver.workspace.compare_with(Timeline(), "nothing else");
  driver.frame(2);
  EXPECT_TRUE(driver.has("compare.silicon"));
}

}  // namespace
}  // namespace rocdrill::gui
