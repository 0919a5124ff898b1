// The seams between panes: dragged, double clicked, moved by keys.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

float width_of(const Driver& driver, const std::string& pane) {
  const Widgets::Entry* entry = driver.context.widgets().find(pane);
  return entry ? entry->rect.w : -1;
}

ImVec2 middle_of(const Driver& driver, const std::string& id) {
  const Widgets::Entry* entry = driver.context.widgets().find(id);
  if (!entry) return {-1, -1};
  return {entry->rect.x + entry->rect.w / 2, entry->rect.y + entry->rect.h / 2};
}

/// Gives back the intents of the whole way.
Intents drag(Driver& driver, const std::string& id, float x, float y) {
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = middle_of(driver, id);
  Intents all = driver.frame();
  io.MouseDown[0] = true;
  driver.frame();
  for (int i = 0; i < 4; ++i) {
    io.MousePos.x += x / 4;
    io.MousePos.y += y / 4;
    const Intents more = driver.frame();
    all.insert(all.end(), more.begin(), more.end());
  }
  io.MouseDown[0] = false;
  driver.frame(2);
  io.MousePos = {-FLT_MAX, -FLT_MAX};
  driver.frame();
  return all;
}

TEST(Seams, AreDraggedWithTheMouse) {
  Driver driver("stale-dkms");
  const float before = width_of(driver, "pane.stack");
  const Intents all = drag(driver, "seam.stack", 80, 0);
  EXPECT_EQ(width_of(driver, "pane.stack"), before + 80);
  bool told = false;  // for the settings
  for (const Intent& one : all) told = told || std::holds_alternative<intent::Resize>(one);
  EXPECT_TRUE(told);
  const float brief = width_of(driver, "pane.brief");
  drag(driver, "seam.brief", -40, 0);
  EXPECT_EQ(width_of(driver, "pane.brief"), brief + 40);
  const float height = driver.context.widgets().find("pane.timeline")->rect.h;
  drag(driver, "seam.timeline", 0, 60);
  EXPECT_EQ(driver.context.widgets().find("pane.timeline")->rect.h, height - 60);
}

TEST(Seams, ADoubleClickRestoresTheDefault) {
  Driver driver("stale-dkms");
  const float before = width_of(driver, "pane.stack");
  drag(driver, "seam.stack", 100, 0);
  ASSERT_NE(width_of(driver, "pane.stack"), before);
  driver.frame(60);  // the drag was no first click
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = middle_of(driver, "seam.stack");
  for (const bool down : {true, false, true, false}) {
    io.MouseDown[0] = down;
    driver.frame();
  }
  driver.frame();
  EXPECT_EQ(width_of(driver, "pane.stack"), before);
  EXPECT_TRUE(driver.state().sizes.empty());
}

TEST(Seams, AreMovedByKeysAndKeptFromDrillToDrill) {
  Driver driver("stale-dkms");
  const float stack = width_of(driver, "pane.stack");
  const float brief = width_of(driver, "pane.brief");
  driver.key(key::right, true);
  driver.key(key::right, true);
  driver.key(key::left, true, true);
  driver.frame();
  EXPECT_EQ(width_of(driver, "pane.stack"), stack + 32);
  EXPECT_EQ(width_of(driver, "pane.brief"), brief + 16);
  EXPECT_EQ(driver.workspace.open("double-filter"), "");
  driver.frame(2);
  EXPECT_EQ(width_of(driver, "pane.stack"), stack + 32);
  driver.key('0', true);
  driver.frame();
  EXPECT_EQ(width_of(driver, "pane.stack"), stack);
  driver.key('1', true);  // no seams here: nothing happens
  driver.key(key::right, true);
  EXPECT_TRUE(driver.state().sizes.empty());
}

TEST(Seams, AreNotUnderAnOverlay) {
  Driver driver("stale-dkms");
  EXPECT_TRUE(driver.has("seam.stack"));
  driver.key(key::f1);
  driver.frame();
  EXPECT_FALSE(driver.has("seam.stack"));
}

}  // namespace
}  // namespace rocdrill::gui
