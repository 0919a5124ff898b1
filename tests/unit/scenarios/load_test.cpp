// Finding the data, and loading by id: what the command line does first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support.hpp"

namespace rocdrill::scenarios::test {
namespace {

namespace fs = std::filesystem;

class DataFolder : public testing::Test {
 protected:
  DataFolder() {
    folder.write("data/drills/sample/drill.yaml", with(good_drill, "node: mi210", "node: small"));
    folder.write("data/drills/README.md", "");
    folder.write("data/drills/no-file/x", "");
    folder.write("data/nodes/small.yaml", good_node);
    folder.write("data/nodes/notes.txt", "");
    folder.write("share/code_objects/saxpy/gfx90a.co", "");
  }
  DataPath data() const { return *DataPath::find(data_places(folder.path() / "data")); }
  std::string path(std::string_view name) const { return (folder.path() / name).string(); }

  Folder folder;
};

TEST_F(DataFolder, ListsWhatIsThere) {
  EXPECT_EQ(data().list_drills(), (std::vector<std::string>{"sample"}));
  EXPECT_EQ(data().list_nodes(), (std::vector<std::string>{"small"}));
}

TEST_F(DataFolder, FindsScenariosAndCodeObjectsSeparately) {
  const auto found = DataPath::find(
      {.option = {},
       .environment = {},
       .guesses = {folder.path() / "nowhere", folder.path() / "share", folder.path() / "data"}});
  ASSERT_TRUE(found) << text(found.error());
  EXPECT_EQ(found->root(), folder.path() / "data");
  EXPECT_EQ(found->code_objects(), folder.path() / "share/code_objects");
}

TEST_F(DataFolder, TheOptionGoesBeforeTheEnvironment) {
  const auto found = DataPath::find(
      {.option = folder.path() / "data", .environment = folder.path() / "nowhere", .guesses = {}});
  ASSERT_TRUE(found) << text(found.error());
  EXPECT_EQ(found->root(), folder.path() / "data");
}

TEST_F(DataFolder, WhatIsGivenMustBeRight) {
  const auto option = DataPath::find(
      {.option = folder.path(), .environment = {}, .guesses = {folder.path() / "data"}});
  ASSERT_FALSE(option);
  EXPECT_EQ(text(option.error()), folder.path().string() +
                                      ": error: no drills/ and nodes/ here, where --data says\n"
                                      "  hint: give the folder that holds both\n");
  const auto environment = DataPath::find(
      {.option = {}, .environment = folder.path(), .guesses = {folder.path() / "data"}});
  ASSERT_FALSE(environment);
  EXPECT_THAT(text(environment.error()), testing::HasSubstr("where ROCDRILL_DATA says"));
}

TEST_F(DataFolder, TheErrorNamesAllPlaces) {
  const auto found = DataPath::find({.option = {}, .environment = {}, .guesses = {"/a", "/b/c"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(text(found.error()),
            "rocdrill: error: no drills/ and nodes/ found in: /a, /b/c\n"
            "  hint: set ROCDRILL_DATA to the folder that holds both\n");
}

TEST_F(DataFolder, ReadsTheEnvironment) {
  ASSERT_EQ(setenv("ROCDRILL_DATA", "/some/where", 1), 0);
  EXPECT_EQ(data_places().environment, fs::path("/some/where"));
  ASSERT_EQ(setenv("ROCDRILL_DATA", "", 1), 0);
  EXPECT_EQ(data_places().environment, std::nullopt);
  unsetenv("ROCDRILL_DATA");
  EXPECT_EQ(data_places("/x").option, fs::path("/x"));
  EXPECT_FALSE(data_places().guesses.empty());
}

TEST_F(DataFolder, LoadsADrillWithItsNode) {
  const auto loaded = load_drill(data(), "sample", knowledge());
  ASSERT_TRUE(loaded) << text(loaded.error());
  EXPECT_EQ(loaded->drill.id, "sample");
  EXPECT_EQ(loaded->node.id, "small");
}

TEST_F(DataFolder, NoSuchDrillOrNode) {
  const auto drill = load_drill(data(), "smaple", knowledge());
  ASSERT_FALSE(drill);
  EXPECT_EQ(text(drill.error()), path("data/drills") +
                                     ": error: there is no drill 'smaple'\n"
                                     "  hint: did you mean 'sample'?\n");
  const auto node = load_node(data(), "../small", knowledge());
  ASSERT_FALSE(node);
  EXPECT_THAT(text(node.error()), testing::HasSubstr("there is no node '../small'"));
}

TEST_F(DataFolder, AMissingNodeIsReportedWhereTheDrillNamesIt) {
  const fs::path file =
      folder.write("data/drills/sample/drill.yaml", with(good_drill, "node: mi210", "node: smal"));
  const auto loaded = load_drill(data(), "sample", knowledge());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(text(loaded.error()), file.string() +
                                      ":7:7: error: there is no node 'smal'\n"
                                      "  hint: did you mean 'small'?\n");
}

TEST_F(DataFolder, ProblemsOfTheNodeAreReportedToo) {
  const fs::path drill = folder.write(
      "data/drills/sample/drill.yaml",
      with(with(good_drill, "node: mi210", "node: small"), "minutes: 10", "minutes: x"));
  const fs::path node =
      folder.write("data/nodes/small.yaml", with(good_node, "memory_gib: 64", "memory_gib: 0"));
  const auto loaded = load_drill(data(), "sample", knowledge());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(text(loaded.error()),
            drill.string() + ":5:10: error: 'minutes' must be an integer, not text 'x'\n" +
                node.string() +
                ":7:13: error: 'memory_gib' must be between 1 and 1048576, not 0\n");
}

TEST_F(DataFolder, AFileThatCannotBeRead) {
  const auto missing = load_drill_file(data(), folder.path() / "x.yaml", knowledge());
  ASSERT_FALSE(missing);
  EXPECT_EQ(text(missing.error()),
            path("x.yaml") + ": error: cannot read the file: No such file or directory\n");
  const auto directory = load_node_file(folder.path(), knowledge());
  ASSERT_FALSE(directory);
  EXPECT_THAT(text(directory.error()), testing::HasSubstr("cannot read the file: Is a directory"));
}

TEST_F(DataFolder, AFolderThatIsNoIdIsNotListed) {
  folder.write("data/drills/Bad Name/drill.yaml", good_drill);
  EXPECT_EQ(data().list_drills(), (std::vector<std::string>{"sample"}));
}

}  // namespace
}  // namespace rocdrill::scenarios::test
