#include "sim/host/virtual_tree.hpp"

#include <gmock/gmock.h>

#include <cerrno>

#include "sim/host/os.hpp"

namespace rocdrill::sim {
namespace {

using testing::ElementsAre;

TEST(RelativeLink, GoesUpNoFurtherThanNeeded) {
  EXPECT_EQ(relative_link("/sys/class/drm", "/sys/devices/pci0000:c0/a/drm/card0"),
            "../../devices/pci0000:c0/a/drm/card0");
  EXPECT_EQ(relative_link("/sys/devices/x/port/gpu/drm/card0", "/sys/devices/x/port/gpu"),
            "../../../gpu");
  EXPECT_EQ(relative_link("/a", "/b/c"), "../b/c");
}

class VirtualTreeTest : public testing::Test {
 protected:
  Os os;
  VirtualTree tree{"/v", os.journal};
  std::string stored;

  void SetUp() override {
    os.files.mount("/v", tree);
    tree.add("/v/a/b", [this](VirtualDirectory& into) {
      into.explain(7);
      into.text("plain", "text\n");
      into.text("unwritten", "0\n", 0644);
      into.unmodelled("trigger");
      into.writable(
          "value", [this] { return stored; },
          [this](std::string_view data, EventId cause) -> SysResult<void> {
            if (data == "bad") return fail(EINVAL, cause);
            stored = data;
            return {};
          });
      into.explain_absence("gone", 9);
      into.directory("list", [](VirtualDirectory& list) {
        list.numbered(12, [](VirtualDirectory& one, std::uint32_t i) {
          one.text("number", std::to_string(i));
        });
      });
      into.link("link", "list/3");
    });
    tree.add("/v/a/b", [](VirtualDirectory& into) { into.text("more", "x"); });
  }
};

TEST_F(VirtualTreeTest, ListsAndReads) {
  EXPECT_THAT(os.files.list("/v").value(), ElementsAre("a"));
  EXPECT_THAT(os.files.list("/v/a/b").value(),
              ElementsAre("link", "list", "more", "plain", "trigger", "unwritten", "value"));
  EXPECT_EQ(os.files.list("/v/a/b/list")->size(), 12u);
  EXPECT_EQ(os.files.text("/v/a/b/link/number"), "3");
  EXPECT_EQ(os.files.readlink("/v/a/b/link").value(), "list/3");
  EXPECT_EQ(os.files.text("/v/a/b/list/11/number"), "11");
  for (const char* absent : {"/v/a/b/list/12", "/v/a/b/list/03", "/v/a/b/list/x", "/v/a/c"}) {
    EXPECT_EQ(os.files.read(absent).error().error, ENOENT) << absent;
  }
}

TEST_F(VirtualTreeTest, KnowsWhy) {
  EXPECT_EQ(os.files.why("/v/a/b/plain"), 7u);
  EXPECT_EQ(os.files.why("/v/a/b/list/3"), 7u);
  EXPECT_EQ(os.files.read("/v/a/b/gone").error().event, 9u);
  EXPECT_EQ(os.files.why("/v/a"), no_event);
}

TEST_F(VirtualTreeTest, WritesReachWhoTakesThem) {
  EXPECT_TRUE(os.files.store("/v/a/b/value", "on", no_event));
  EXPECT_EQ(os.files.text("/v/a/b/value"), "on");
  EXPECT_EQ(os.files.store("/v/a/b/value", "bad", 4).error().error, EINVAL);
  EXPECT_EQ(os.files.store("/v/a/b/plain", "x", no_event).error().error, EACCES);
  EXPECT_EQ(os.timeline.find({.at_least = Severity::unmodelled}).size(), 0u);
  EXPECT_EQ(os.files.store("/v/a/b/unwritten", "1", no_event).error().error, EOPNOTSUPP);
  EXPECT_EQ(os.files.store("/v/a/b/trigger", "1", no_event).error().error, EOPNOTSUPP);
  EXPECT_EQ(os.timeline.find({.at_least = Severity::unmodelled}).size(), 2u);
  EXPECT_EQ(os.files.read("/v/a/b/trigger").error().error, EIO);
}

TEST_F(VirtualTreeTest, WalksEverythingOnce) {
  std::vector<std::string> paths;
  tree.walk([&](const std::string& path, const VirtualEntry&) { paths.push_back(path); });
  EXPECT_EQ(paths.front(), "/v");
  EXPECT_EQ(paths.size(), 3u + 7u + 2 * 12u);
}

}  // namespace
}  // namespace rocdrill::sim
