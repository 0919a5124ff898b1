// Modules that stay loaded, and groups that only a description names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

TEST(Modules, ACompanionThatStayedLoadedIsInUseAgain) {
  auto server = booted("mi300x-8");
  ASSERT_EQ(server->kernel.remove_module("amdgpu", no_event).exit_code, 0);
  const auto* companion = server->kernel.modules.find("amdkcl");
  ASSERT_NE(companion, nullptr);
  EXPECT_TRUE(companion->used_by.empty());
  ASSERT_EQ(server->kernel.load_module("amdgpu", {}, no_event).exit_code, 0);
  EXPECT_THAT(server->kernel.modules.find("amdkcl")->used_by, testing::ElementsAre("amdgpu"));
}

TEST(Users, EveryGroupOfTheDescriptionExists) {
  sim::NodeSpec description = spec("mi210");
  description.users.front().groups = {"adm", "render", "hpc"};
  const auto made = scenarios::make_node(description, {});
  for (const char* group : {"adm", "hpc", "render"}) {
    const auto found = sim::find_group(made->os.files, group);
    ASSERT_TRUE(found) << group;
    EXPECT_THAT(found->members, testing::Contains(description.users.front().name)) << group;
  }
}

}  // namespace
}  // namespace rocdrill::test
