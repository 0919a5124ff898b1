#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "gui/app/png.hpp"
#include "gui/app/settings.hpp"

namespace rocdrill::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SettingsFile : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("rocdrill-settings." + std::to_string(::getpid()));
    fs::remove_all(folder);
    file = folder / "rocdrill/gui.conf";
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  fs::path folder;
  fs::path file;
};

TEST_F(SettingsFile, IsMadeAndReadBack) {
  const Settings wanted{.palette = "dark",
                        .font_size = 18,
                        .language = "zh",
                        .width = 1600,
                        .height = 900,
                        .layout = Layout::topology,
                        .expert = true,
                        .sizes = {{Pane::stack, 333}, {Pane::timeline, 200}}};
  EXPECT_EQ(write_settings(file, wanted), "");
  const ReadSettings read = read_settings(file);
  EXPECT_EQ(read.settings, wanted);
  EXPECT_EQ(read.problem, "");
}

TEST_F(SettingsFile, ThatIsNotThereMeansDefaults) {
  EXPECT_EQ(read_settings(file).settings, Settings{});
  EXPECT_EQ(read_settings(file).problem, "");
}

TEST_F(SettingsFile, ThatIsDamagedIsSetAsideWithAMessage) {
  for (const char* text : {"palette", "palette = pink\n", "font_size = 900\n", "width = -1\n",
                           "layout = practice\n", "pane.stack = 7\n", "pane.timeline = high\n",
                           "font_size = 15\nfont_size = 16\n", "\x01\x02\xFF"}) {
    write(text);
    const ReadSettings read = read_settings(file);
    EXPECT_EQ(read.settings, Settings{}) << text;
    EXPECT_THAT(read.problem, HasSubstr("gui.conf.broken")) << text;
    EXPECT_FALSE(fs::exists(file)) << text;
    std::ifstream aside(file.string() + ".broken");
    std::ostringstream kept;
    kept << aside.rdbuf();
    EXPECT_EQ(kept.str(), text);
  }
}

TEST_F(SettingsFile, OfALaterVersionKeepsWorking) {
  write("palette = dark\nsome_new_key = 7\n");
  EXPECT_EQ(read_settings(file).settings.palette, "dark");
}

TEST_F(SettingsFile, KeepsTheLayoutOfARunAndItsForm) {
  Settings settings;
  settings = changed(settings, intent::ChooseLayout{Layout::queues});
  settings = changed(settings, intent::ChooseLayout{Layout::practice});  // a shell is asked for
  settings = changed(settings, intent::ChooseLayout{Layout::drills});
  settings = changed(settings, intent::ToggleExpert{});
  EXPECT_EQ(settings.layout, Layout::queues);
  EXPECT_TRUE(settings.expert);
}

TEST_F(SettingsFile, KeepsTheSizesOfPanesUntilTheyAreTheDefault) {
  Settings settings;
  settings = changed(settings, intent::Resize{Pane::stack, 400});
  settings = changed(settings, intent::Resize{Pane::tasks, 1});
  EXPECT_EQ(settings.sizes, (PaneSizes{{Pane::stack, 400}, {Pane::tasks, least_pane}}));
  settings = changed(settings, intent::Resize{Pane::stack, 0});
  EXPECT_FALSE(settings.sizes.contains(Pane::stack));
  EXPECT_TRUE(changed(settings, intent::DefaultSizes{}).sizes.empty());
}

TEST_F(SettingsFile, ThatCannotBeWrittenIsSaid) {
  EXPECT_THAT(write_settings("/proc/nowhere/gui.conf", {}), HasSubstr("/proc/nowhere/gui.conf"));
}

TEST(Png, IsReadBackAsItWasWritten) {
  Picture picture{3, 2, {}};
  for (int i = 0; i < 18; ++i) picture.rgb.push_back(static_cast<std::uint8_t>(i * 14));
  const auto read = decode_png(encode_png(picture));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, picture);
}

TEST(Png, ThatIsDamagedIsRefused) {
  const std::string good = encode_png({2, 2, std::vector<std::uint8_t>(12, 7)});
  EXPECT_FALSE(decode_png("no picture"));
  EXPECT_FALSE(decode_png(good.substr(0, good.size() - 20)));
  EXPECT_FALSE(decode_png(good.substr(0, 33)));
}

}  // namespace
}  // namespace rocdrill::gui
