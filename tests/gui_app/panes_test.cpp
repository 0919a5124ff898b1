// Every pane of three drills, clicked through without a display.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

class Panes : public testing::TestWithParam<const char*> {};

TEST_P(Panes, EveryWidgetOfReplayCanBePressed) {
  Driver driver(GetParam());
  driver.workspace.settle();
  driver.frame(2);
  std::vector<std::string> ids;
  for (const auto& [id, entry] : driver.context.widgets().all()) ids.push_back(id);
  EXPECT_GT(ids.size(), 30U);
  for (const char* pane : {"pane.bar", "pane.stack", "pane.detail", "pane.brief", "pane.timeline"})
    EXPECT_TRUE(driver.has(pane)) << pane;
  for (const std::string& id : ids) {
    bool leaves = id.starts_with("pane.");
    for (const Layout layout : all_layouts)
      leaves = leaves || (layout != Layout::replay && id == "bar." + std::string(name(layout)));
    if (leaves || !driver.has(id)) continue;
    driver.click(id);
    driver.key(key::escape);
    driver.key(key::escape);
    EXPECT_EQ(driver.state().layout, Layout::replay) << id;
    EXPECT_LE(driver.state().now, driver.workspace.story().last()) << id;
  }
}

TEST_P(Panes, ALayerIsChosenByItsRow) {
  Driver driver(GetParam());
  for (const Layer layer : all_layers) {
    driver.click("stack." + std::string(name(layer)));
    EXPECT_EQ(driver.state().layer, layer);
  }
}

TEST_P(Panes, AWholeRunIsSteppedThroughByKeys) {
  Driver driver(GetParam());
  driver.key(key::home);
  EXPECT_EQ(driver.state().now, 1U);
  for (EventId event = 2; event <= driver.workspace.story().last(); ++event) {
    driver.key(key::right);
    ASSERT_EQ(driver.state().now, event);
  }
  driver.key(key::left);
  EXPECT_EQ(driver.state().now, driver.workspace.story().last() - 1);
}

TEST_P(Panes, ThePlayheadFollowsThePointer) {
  Driver driver(GetParam());
  const Rect lanes = driver.context.widgets().find("timeline.lanes")->rect;
  driver.click_at(lanes.x + x_of(driver.state(), lanes.w, 4), lanes.y + 5);
  EXPECT_EQ(driver.state().now, 4U);
  driver.click_at(lanes.right() - 1, lanes.y + 5);
  EXPECT_EQ(driver.state().now, driver.workspace.story().last());
}

TEST_P(Panes, NoPaneMindsAnySize) {
  Driver driver(GetParam());
  for (const auto& [width, height] :
       {std::pair(0.0F, 0.0F), std::pair(1.0F, 1.0F), std::pair(90.0F, 60.0F),
        std::pair(400.0F, 300.0F), std::pair(3840.0F, 2160.0F)}) {
    driver.width = width;
    driver.height = height;
    for (const Layout layout : all_layouts) {
      if (layout == Layout::practice) continue;  // needs a shell
      driver.state().layout = layout;
      for (const Overlay overlay :
           {Overlay::none, Overlay::palette, Overlay::keys, Overlay::settings}) {
        driver.state().overlay = overlay;
        driver.frame(2);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drills, Panes,
                         testing::Values("stale-dkms", "firmware-missing", "healthy-mi300x"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Keys, ReachDeviationSymptomAndCauses) {
  Driver driver("stale-dkms");
  const auto kind = [&] {
    return driver.workspace.story().timeline().head(driver.state().now).kind;
  };
  driver.key('D');
  EXPECT_EQ(kind(), "package.removed");
  driver.key('S');
  EXPECT_EQ(kind(), "torch.is_available");
  driver.key('C');
  EXPECT_EQ(kind(), "hip.no_device");
  driver.key('B');
  EXPECT_EQ(driver.state().bookmarks.size(), 1U);
  driver.key('X');
  EXPECT_TRUE(driver.state().expert);
  driver.key(key::up);
  EXPECT_EQ(driver.state().layer, Layer::code_objects);
}

TEST(Keys, AFilterIsTypedWithoutMeaningKeys) {
  Driver driver("stale-dkms");
  const EventId now = driver.state().now;
  driver.key('F');
  driver.frame(2);
  driver.type("dkms");
  EXPECT_EQ(driver.state().filter.contains, "dkms");
  EXPECT_EQ(driver.state().now, now);  // 'd' and 's' were text
  EXPECT_FALSE(driver.state().expert);
  driver.key(key::enter);
  EXPECT_EQ(driver.state().filter.contains, "dkms");
  driver.frame(2);
  driver.key('F', false, true);
  EXPECT_TRUE(driver.state().filter.empty());
}

TEST(Palette, FindsAnActionAndDoesIt) {
  Driver driver("stale-dkms");
  driver.key('P', true);
  EXPECT_EQ(driver.state().overlay, Overlay::palette);
  driver.frame(2);
  driver.type("first deviation");
  driver.key(key::enter);
  EXPECT_EQ(driver.state().overlay, Overlay::none);
  EXPECT_EQ(driver.state().now, driver.workspace.story().deviation());
}

TEST(Palette, OpensAnotherDrill) {
  Driver driver("stale-dkms");
  driver.key('P', true);
  driver.frame(2);
  driver.type("firmware-missing");
  driver.key(key::enter);
  driver.frame(2);
  EXPECT_EQ(driver.workspace.recording().drill().drill.id, "firmware-missing");
  EXPECT_EQ(driver.state().layout, Layout::replay);
}

TEST(Palette, IsClosedByEscapeAndByItsKey) {
  Driver driver("stale-dkms");
  driver.key('P', true);
  driver.key(key::escape);
  EXPECT_EQ(driver.state().overlay, Overlay::none);
  driver.key('P', true);
  driver.frame(2);
  driver.key('P', true);
  EXPECT_EQ(driver.state().overlay, Overlay::none);
}

TEST(Drills, AreBrowsedSortedAndOpenedByKeys) {
  Driver driver("");
  ASSERT_TRUE(driver.has("drill.acs-redirects-p2p"));
  driver.click("drill.replay.acs-redirects-p2p");
  EXPECT_EQ(driver.workspace.recording().drill().drill.id, "acs-redirects-p2p");
  EXPECT_EQ(driver.state().layout, Layout::replay);
  driver.key('1', true);
  EXPECT_EQ(driver.state().layout, Layout::drills);
  driver.click("drills.sort.1");
  EXPECT_EQ(driver.state().sort, 1);
  driver.key(key::down);
  driver.key(key::enter);
  EXPECT_EQ(driver.state().layout, Layout::replay);
}

TEST(Evidence, IsWhatTheCommandPrintsOnTheNode) {
  Driver driver("stale-dkms");
  driver.workspace.settle();
  driver.frame();
  const auto* answer = driver.workspace.recording().look(driver.state().now, "uname -r", no_event)
                           ? "there"
                           : "missing";
  EXPECT_STREQ(answer, "there");
  driver.key(key::tab);
  EXPECT_EQ(driver.state().command, "lsmod");
  driver.key(key::tab, false, true);
  EXPECT_EQ(driver.state().command, "dkms status");
}

TEST(SettingsPane, ChangesColoursSizeAndLanguage) {
  Driver driver("stale-dkms");
  driver.key(',', true);
  driver.frame(2);
  Settings settings = driver.context.settings();
  for (const char* id : {"settings.palette.dark", "settings.bigger", "settings.language.zh"}) {
    for (const Intent& intent : driver.click(id)) settings = changed(settings, intent);
    driver.context.use(settings);
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    driver.frame(2);
  }
  EXPECT_EQ(settings.palette, "dark");
  EXPECT_EQ(settings.font_size, 16);
  EXPECT_EQ(settings.language, "zh");
  EXPECT_TRUE(driver.context.problems().empty());
}

}  // namespace
}  // namespace rocdrill::gui
