#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

TEST(TopologyPane, AGpuIsChosenByItsBoxAndByKeys) {
  Driver driver("healthy-mi300x");
  driver.key('5', true);
  EXPECT_EQ(driver.state().layout, Layout::topology);
  driver.settle();
  driver.click("topology.gpu.0000:dd:00.0");
  EXPECT_EQ(driver.state().item[Layout::topology], 9);
  driver.key('K');
  EXPECT_EQ(driver.state().item[Layout::topology], 8);
  driver.key('J');
  driver.key('J');
  EXPECT_EQ(driver.state().item[Layout::topology], 9);  // the last one
  driver.click("topology.cpu.0");
  EXPECT_EQ(driver.state().item[Layout::topology], 0);
}

TEST(TopologyPane, TheExpertFormIsTables) {
  Driver driver("healthy-mi300x");
  driver.click("bar.topology");
  driver.settle();
  EXPECT_FALSE(driver.has("topology.tables"));
  driver.click("form");
  driver.frame();
  EXPECT_TRUE(driver.has("topology.tables"));
  EXPECT_FALSE(driver.has("topology.cpu.0"));
  EXPECT_TRUE(driver.has("topology.facts"));
}

TEST(TopologyPane, LeadsToTheEventThatExplainsWhyThereAreNoNodes) {
  Driver driver("stale-dkms");
  driver.key('5', true);
  driver.settle();
  driver.click("topology.because");
  EXPECT_EQ(driver.workspace.story().timeline().head(driver.state().now).kind,
            "modprobe.not_found");
}

}  // namespace
}  // namespace rocdrill::gui
