// The pictures of docs/: what the window looks like has to stay as it was looked at. A change that
// is meant: ROCDRILL_UPDATE_PICTURES=1 writes them anew (`./dev pictures`); look at them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gui/app/fonts.hpp"
#include "gui/app/gui.hpp"
#include "gui/app/png.hpp"
#include "support/nodes.hpp"

namespace rocdrill::gui {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::string name;
  Request request;
  bool repeatable = true;  ///< a shell's first words are not
  friend void PrintTo(const Wanted& wanted, std::ostream* out) { *out << wanted.name; }
};

Request request(const std::string& drill) {
  Request made{.data = test::data(), .options = {}};
  made.drill = drill;
  return made;
}

std::vector<Wanted> pictures() {
  std::vector<Wanted> all;
  all.push_back({"replay", request("stale-dkms")});
  all.push_back({"replay-firmware", request("firmware-missing")});
  all.back().request.at = "1.45s";
  all.back().request.width = 1920;
  all.back().request.height = 1080;
  all.push_back({"replay-dark", request("render-group-missing")});
  all.back().request.overrides.palette = "dark";
  all.back().request.expert = true;
  all.push_back({"replay-colour-blind", request("double-filter")});
  all.back().request.overrides.palette = "colour-blind";
  all.push_back({"replay-chinese", request("stale-dkms")});
  all.back().request.overrides.language = "zh";
  all.back().request.overlay = "settings";
  all.push_back({"drills", request("")});
  all.push_back({"palette", request("stale-dkms")});
  all.back().request.overlay = "palette";
  all.push_back({"keys", request("stale-dkms")});
  all.back().request.overlay = "keys";
  all.push_back({"topology", request("healthy-mi300x")});
  all.back().request.layout = Layout::topology;
  all.push_back({"topology-expert", request("healthy-mi300x")});
  all.back().request.layout = Layout::topology;
  all.back().request.expert = true;
  all.push_back({"topology-partitions", request("cpx-partitioned")});
  all.back().request.layout = Layout::topology;
  all.push_back({"queues", request("kernel-endless")});
  all.back().request.layout = Layout::queues;
  all.push_back({"waves", request("kernel-null-pointer"), false});  // its memory is elsewhere
  all.back().request.layout = Layout::waves;
  all.push_back({"waves-lds", request("healthy-mi300x"), false});
  all.back().request.layout = Layout::waves;
  all.back().request.width = 1920;
  all.back().request.height = 1080;
  all.push_back({"compare", request("firmware-missing")});
  all.back().request.layout = Layout::compare;
  all.back().request.at = "#20";
  all.push_back({"practice", request("stale-dkms"), false});
  all.back().request.layout = Layout::practice;
  all.back().request.rocdrill = ROCDRILL_COMMAND;
  return all;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Pictures : public testing::TestWithParam<Wanted> {};

TEST_P(Pictures, LookAsTheyDid) {
  const Wanted& wanted = GetParam();
  const fs::path kept = fs::path(ROCDRILL_SOURCE_DIR) / "docs/pictures" / (wanted.name + ".png");
  if (!sans_font(false).path.contains("Inter") || !mono_font().path.contains("JetBrains"))
    GTEST_SKIP() << "the pictures were made with fonts-inter and fonts-jetbrains-mono";
  if (std::getenv("ROCDRILL_UPDATE_PICTURES")) {
    fs::create_directories(kept.parent_path());
    take_picture(wanted.request, kept.string());
    return;
  }
  const fs::path made = fs::temp_directory_path() /
                        ("rocdrill-" + std::to_string(::getpid()) + "-" + wanted.name + ".png");
  take_picture(wanted.request, made.string());
  const auto now = decode_png(content(made));
  ASSERT_TRUE(now) << now.error();
  EXPECT_EQ(now->width, wanted.request.width);
  EXPECT_EQ(now->height, wanted.request.height);
  const auto before = decode_png(content(kept));
  ASSERT_TRUE(before) << kept << ": " << before.error();
  if (wanted.repeatable) {
    ASSERT_EQ(now->rgb.size(), before->rgb.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < now->rgb.size(); i += 3) {
      bool same = true;
      for (std::size_t c = i; c < i + 3; ++c)
        same = same && std::abs(int{now->rgb[c]} - int{before->rgb[c]}) <= 2;
      different += same ? 0U : 1U;
    }
    EXPECT_LE(different * 1000, now->rgb.size() / 3)
        << different << " pixels differ; see " << made << " and " << kept
        << "; if that is meant: ./dev pictures";
    if (different * 1000 > now->rgb.size() / 3) return;  // it stays, to be looked at
  }
  fs::remove(made);
}

INSTANTIATE_TEST_SUITE_P(OfTheDocs, Pictures, testing::ValuesIn(pictures()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Picture, TwiceTheSameRequestGivesTheSameBytes) {
  const fs::path folder = fs::temp_directory_path();
  const fs::path first = folder / ("rocdrill-first." + std::to_string(::getpid()));
  const fs::path second = folder / ("rocdrill-second." + std::to_string(::getpid()));
  take_picture(request("double-filter"), first.string());
  take_picture(request("double-filter"), second.string());
  EXPECT_EQ(content(first), content(second));
  fs::remove(first);
  fs::remove(second);
}

TEST(Picture, OfSizesThatCannotBeIsRefused) {
  Request wanted = request("double-filter");
  wanted.width = 0;
  EXPECT_THROW(take_picture(wanted, "/tmp/never.png"), Failure);
  wanted.width = 1 << 20;
  EXPECT_THROW(take_picture(wanted, "/tmp/never.png"), Failure);
}

TEST(Picture, ThatCannotBeWrittenIsSaid) {
  try {
    take_picture(request("double-filter"), "/no/such/folder/a.png");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, 4);
    EXPECT_TRUE(failure.message.contains("/no/such/folder/a.png"));
  }
}

TEST(Picture, OfADrillThatIsNotThereIsUsage) {
  try {
    take_picture(request("stale-dkm"), "/tmp/never.png");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, 2);
    EXPECT_TRUE(failure.message.contains("stale-dkms")) << failure.message;
  }
}

TEST(Picture, FourKAndTinyOnesAreDrawn) {
  const fs::path file = fs::temp_directory_path() / ("rocdrill-size." + std::to_string(::getpid()));
  for (const auto& [width, height] : {std::pair(3840, 2160), std::pair(1, 1), std::pair(160, 90)}) {
    Request wanted = request("stale-dkms");
    wanted.width = width;
    wanted.height = height;
    if (width == 3840) wanted.overrides.font_size = 30;
    take_picture(wanted, file.string());
    EXPECT_EQ(decode_png(content(file))->width, width);
  }
  fs::remove(file);
}

}  // namespace
}  // namespace rocdrill::gui
