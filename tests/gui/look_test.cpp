// Colours, words, keys and the places of the panes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "gui/model/action.hpp"
#include "gui/model/arrange.hpp"
#include "gui/model/palette.hpp"
#include "gui/model/story.hpp"

namespace rocdrill::gui {
namespace {

namespace fs = std::filesystem;
const fs::path source = ROCDRILL_SOURCE_DIR;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Strings words(const std::string& language) {
  auto read = Strings::read(source / "gui/strings" / (language + ".txt"));
  if (!read) throw std::runtime_error(read.error());
  return std::move(*read);
}

TEST(Palettes, AllTextCanBeRead) {
  ASSERT_EQ(palettes().size(), 3U);
  for (const Palette& one : palettes()) {
    for (const Rgb text : {one.text, one.dim, one.accent, one.ok, one.warning, one.fault,
                           one.affected, one.unmodelled}) {
      for (const Rgb ground : {one.pane, one.inset, one.hover, one.chosen})
        EXPECT_GE(contrast(text, ground), 4.5)
            << one.name << std::hex << " " << text << " on " << ground;
    }
  }
}

TEST(Palettes, ContrastIsThatOfWcag) {
  EXPECT_NEAR(contrast(0x000000, 0xFFFFFF), 21, 0.01);
  EXPECT_NEAR(contrast(0x777777, 0xFFFFFF), 4.48, 0.01);
}

TEST(Words, EveryLanguageHasTheSameKeys) {
  const auto english = words("en").keys();
  for (const auto& entry : fs::directory_iterator(source / "gui/strings")) {
    const std::string language = entry.path().stem().string();
    EXPECT_EQ(words(language).keys(), english) << language;
  }
}

// Keys that the panels put together ("layer." and a name) are tried with every name there is.
TEST(Words, EveryKeyThatThePanelsUseExistsAndEveryOtherIsUsed) {
  const Strings english = words("en");
  std::set<std::string> used;
  for (const char* folder : {"gui/panels", "gui/model", "gui/app"}) {
    for (const auto& entry : fs::directory_iterator(source / folder)) {
      const std::string text = content(entry.path());
      static const std::regex key("\"([a-z]+\\.[a-z0-9.-]+)\"");
      for (std::sregex_iterator at(text.begin(), text.end(), key), end; at != end; ++at)
        used.insert((*at)[1]);
    }
  }
  for (const Action& action : actions()) used.insert("action." + std::string(action.id));
  for (const Layer layer : all_layers) used.insert("layer." + std::string(name(layer)));
  used.insert("layer.host");
  for (const Layout layout : all_layouts) used.insert("layout." + std::string(name(layout)));
  for (const char* key : {"severity.debug", "severity.info", "severity.warning", "severity.error",
                          "severity.unmodelled", "verdict.supported", "verdict.unsupported",
                          "verdict.unknown", "language"})
    used.insert(key);
  for (const Palette& one : palettes()) used.insert("palette." + std::string(one.name));
  for (const std::string& key : english.keys())
    EXPECT_TRUE(used.contains(key)) << key << " is not used";
  // What has the form of a key and a known first part has to be one.
  for (const std::string& key : used) {
    static const std::set<std::string> groups{"action",   "layer",   "layout", "state",
                                              "severity", "verdict", "tip",    "language"};
    if (groups.contains(key.substr(0, key.find('.')))) {
      EXPECT_TRUE(english.has(key)) << key;
    }
  }
  static const std::regex looked_up("(?:tr|heading)\\(\"([a-z0-9.-]+)\"\\)");
  for (const auto& entry : fs::directory_iterator(source / "gui/panels")) {
    const std::string text = content(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), looked_up), end; at != end; ++at)
      EXPECT_TRUE(english.has((*at)[1].str())) << (*at)[1];
  }
}

TEST(Words, ADamagedFileSaysWhere) {
  EXPECT_EQ(Strings::parse("x.txt", "a = 1\nb\n").error(), "x.txt:2: there is no '='");
  EXPECT_EQ(Strings::parse("x.txt", "a = 1\na = 2\n").error(), "x.txt:2: 'a' is there twice");
  EXPECT_STREQ(Strings()["some.key"], "some.key");
}

TEST(Actions, EveryOneHasAKeyOfItsOwnAndAName) {
  const Strings english = words("en");
  std::set<std::string> chords;
  for (const Action& action : actions()) {
    EXPECT_TRUE(chords.insert(text(action.chord)).second) << text(action.chord);
    EXPECT_TRUE(english.has("action." + std::string(action.id))) << action.id;
    EXPECT_EQ(action_of(action.chord, false), &action);
  }
}

TEST(Actions, LettersAreTextWhileSomebodyTypes) {
  EXPECT_NE(action_of({'D', false, false}, false), nullptr);
  EXPECT_EQ(action_of({'D', false, false}, true), nullptr);
  EXPECT_EQ(action_of({'P', true, false}, true), nullptr);  // bash: previous line
  EXPECT_NE(action_of({'P', true, true}, true), nullptr);
}

TEST(Actions, AreFoundByTheirWords) {
  const Strings english = words("en");
  const auto found = matching_actions("DEVIATION first", english);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front()->id, "deviation");
  EXPECT_TRUE(matching_actions("xyzzy", english).empty());
  EXPECT_EQ(matching_actions("", english).size(), actions().size() - 1);
}

TEST(Arrange, PanesShareTheWindowWithoutGapsOrOverlaps) {
  for (const Layout layout : all_layouts) {
    for (const auto& [width, height] :
         {std::pair(1280.0F, 800.0F), std::pair(1920.0F, 1080.0F), std::pair(3840.0F, 2160.0F),
          std::pair(200.0F, 150.0F), std::pair(1.0F, 1.0F), std::pair(0.0F, 0.0F)}) {
      for (const float scale : {1.0F, 2.0F, 32.0F / 15}) {
        float area = 0;
        const auto panes = arrange(layout, width, height, scale);
        for (std::size_t i = 0; i < panes.size(); ++i) {
          const Rect& a = panes[i].rect;
          EXPECT_GE(a.w, 0);
          EXPECT_GE(a.h, 0);
          EXPECT_EQ(a.x, std::floor(a.x));
          EXPECT_EQ(a.h, std::floor(a.h));
          area += a.w * a.h;
          for (std::size_t j = i + 1; j < panes.size(); ++j) {
            const Rect& b = panes[j].rect;
            const bool apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y ||
                               b.bottom() <= a.y || a.w * a.h == 0 || b.w * b.h == 0;
            EXPECT_TRUE(apart) << name(panes[i].pane) << " and " << name(panes[j].pane);
          }
        }
        EXPECT_EQ(area, width * height) << name(layout) << " " << width << "x" << height;
      }
    }
  }
}

TEST(Arrange, ChosenSizesHoldAsFarAsTheWindowAllows) {
  const auto width_of = [](const std::vector<Placed>& panes, Pane pane) {
    return std::ranges::find(panes, pane, &Placed::pane)->rect.w;
  };
  PaneSizes sizes{{Pane::stack, 400}, {Pane::timeline, 300}};
  auto panes = arrange(Layout::replay, 1280, 800, 1, sizes);
  EXPECT_EQ(width_of(panes, Pane::stack), 400);
  EXPECT_EQ(panes[1].pane, Pane::timeline);
  EXPECT_EQ(panes[1].rect.h, 300);
  EXPECT_EQ(width_of(arrange(Layout::replay, 1920, 1080, 1.5F, sizes), Pane::stack), 600);
  EXPECT_EQ(width_of(arrange(Layout::practice, 1280, 800, 1, sizes), Pane::stack), 400);
  sizes = {{Pane::stack, 5000}, {Pane::brief, 5000}, {Pane::timeline, 5000}};
  panes = arrange(Layout::replay, 1280, 800, 1, sizes);
  float area = 0;
  for (const Placed& one : panes) area += one.rect.w * one.rect.h;
  EXPECT_EQ(area, 1280 * 800);
  EXPECT_GE(panes.back().rect.w, 80);  // the pane in the middle is still there
  EXPECT_GE(panes.back().rect.h, 200);
}

TEST(Arrange, EverySizedPaneHasASeamAtItsInnerEdge) {
  const auto panes = arrange(Layout::replay, 1280, 800, 1);
  const auto all = seams(panes, 1);
  ASSERT_EQ(all.size(), 3U);
  for (const Seam& seam : all) {
    const auto pane = std::ranges::find(panes, seam.pane, &Placed::pane);
    const float x = seam.rect.x + seam.rect.w / 2;
    const float y = seam.rect.y + seam.rect.h / 2;
    EXPECT_EQ(size_at(seam, x, y, 1280, 800, 1), seam.size) << name(seam.pane);
    EXPECT_EQ(seam.size, seam.at == Edge::bottom ? pane->rect.h : pane->rect.w);
  }
  EXPECT_EQ(size_at(all[0], 0, 9000, 1280, 800, 1), least_pane);
  EXPECT_TRUE(seams(arrange(Layout::drills, 1280, 800, 1), 1).empty());
}

TEST(Arrange, SizesAreKeptWithinReasonAndForgottenAtZero) {
  const Timeline nothing;
  const Story story(nothing);
  State state;
  apply(intent::Resize{Pane::stack, 3}, state, story);
  EXPECT_EQ(state.sizes[Pane::stack], least_pane);
  apply(intent::Resize{Pane::brief, 333}, state, story);
  apply(intent::Resize{Pane::stack, 0}, state, story);
  EXPECT_FALSE(state.sizes.contains(Pane::stack));
  apply(intent::DefaultSizes{}, state, story);
  EXPECT_TRUE(state.sizes.empty());
}

}  // namespace
}  // namespace rocdrill::gui
