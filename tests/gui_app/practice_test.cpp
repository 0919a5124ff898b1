// A whole drill in the window alone: ticket, shell, answers, check, debrief.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver.hpp"

namespace rocdrill::gui {
namespace {

using testing::HasSubstr;

std::string screen(Driver& driver) {
  const TerminalView view = driver.workspace.practice()->terminal().view();
  std::string text;
  for (int row = 0; row < view.rows; ++row) text += view.text(row) + "\n";
  return text;
}

TEST(Practice, AWholeDrillIsDoneByKeyboard) {
  Driver driver("stale-dkms", {}, ROCDRILL_COMMAND);
  driver.width = 1600;
  driver.height = 1000;
  driver.key('3', true);
  ASSERT_NE(driver.workspace.practice(), nullptr);
  Practice& practice = *driver.workspace.practice();
  ASSERT_TRUE(driver.wait_for([&] { return screen(driver).contains("ada:"); })) << screen(driver);
  const auto line = [&](const std::string& text) {
    driver.type(text);
    driver.key(key::enter);
  };
  line("uname -r; dkms status");
  ASSERT_TRUE(driver.wait_for([&] {
    return screen(driver).contains("6.8.0-55-generic, x86_64: installed");
  })) << screen(driver);
  ASSERT_TRUE(driver.wait_for([&] { return practice.story().last() > 10; }));
  EXPECT_EQ(practice.story().states().at(Layer::kernel, practice.story().last()).state,
            scenarios::LayerState::fault);

  // Not repaired: the check says so.
  driver.key(key::f1 + 4);
  ASSERT_TRUE(driver.wait_for([&] { return practice.check_results() && !practice.busy(); }));
  EXPECT_FALSE(practice.progress().repaired);
  // A hint costs.
  driver.key(key::f1 + 5);
  ASSERT_TRUE(driver.wait_for([&] { return !practice.progress().hints.empty(); }));
  EXPECT_EQ(practice.progress().hint_cost, 2);

  // The questions, by clicks.
  driver.frame(2);
  driver.click("task.1.choice.1");
  ASSERT_TRUE(driver.wait_for([&] {
    const auto& results = practice.progress().results;
    return !results.empty() && results[0].status == scenarios::TaskStatus::passed;
  }));

  line(
      "sudo apt-get install -y linux-headers-6.8.0-60-generic && sudo modprobe amdgpu && echo me''nded");
  ASSERT_TRUE(driver.wait_for([&] { return screen(driver).contains("mended"); })) << screen(driver);
  driver.key(key::f1 + 4);
  EXPECT_TRUE(driver.wait_for([&] { return practice.progress().repaired; }))
      << practice.message().text;
  EXPECT_THAT(practice.message().key + practice.message().text, testing::IsEmpty());
}

TEST(Practice, AnAnswerOfTwoPartsIsGivenOnceBothArePicked) {
  Driver driver("stale-dkms", {}, ROCDRILL_COMMAND);
  driver.width = 1920;
  driver.height = 1600;
  driver.key('3', true);
  Practice& practice = *driver.workspace.practice();
  ASSERT_TRUE(driver.wait_for([&] { return practice.story().last() > 10; }));
  driver.frame(2);
  driver.click("task.2.layer.kernel");
  EXPECT_TRUE(practice.progress().answers.empty());
  driver.click("task.2.choice.2");
  ASSERT_TRUE(driver.wait_for([&] { return !practice.progress().results.empty(); }));
  EXPECT_EQ(practice.progress().answers.begin()->second, "kernel/dkms");
  EXPECT_EQ(practice.progress().results[1].status, scenarios::TaskStatus::passed);
  driver.click("task.2.layer.access");
  EXPECT_TRUE(driver.wait_for(
      [&] { return practice.progress().results[1].status == scenarios::TaskStatus::failed; }));
}

TEST(Practice, TheShellCanBeStartedAfresh) {
  Driver driver("double-filter", {}, ROCDRILL_COMMAND);
  driver.key('3', true);
  ASSERT_TRUE(driver.wait_for([&] { return driver.workspace.practice()->story().last() > 5; }));
  driver.type("exit");
  driver.key(key::enter);
  ASSERT_TRUE(driver.wait_for([&] { return !driver.workspace.practice()->terminal().running(); }));
  EXPECT_THAT(driver.workspace.practice()->terminal().view().ended, HasSubstr("exit status"));
  driver.key(key::f1 + 7);
  driver.frame(2);
  EXPECT_TRUE(driver.workspace.practice()->terminal().running());
}

}  // namespace
}  // namespace rocdrill::gui
