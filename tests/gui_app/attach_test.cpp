// The window on a node that runs in a server of its own.
#include <gtest/gtest.h>

#include "driver.hpp"
#include "sim/interpose/server/session.hpp"
#include "support/command.hpp"

namespace rocdrill::gui {
namespace {

TEST(Attach, FollowsANodeUntilItStops) {
  const test::Sessions sessions;
  const std::string rocdrill = "'" ROCDRILL_COMMAND "'";
  const auto started = test::shell(rocdrill + " node start mi210");
  ASSERT_EQ(started.exit_code, 0) << started.err;
  const auto session = interpose::find_session(std::nullopt);

  Driver driver("");
  ASSERT_EQ(driver.workspace.attach(session.path.string(), session.name), "");
  driver.frame(2);
  const EventId booted = driver.workspace.story().last();
  EXPECT_GT(booted, 3U);
  EXPECT_EQ(driver.state().now, booted);
  EXPECT_EQ(driver.workspace.story().states().at(Layer::kernel, booted).state,
            scenarios::LayerState::ok);

  const auto injected = test::shell(rocdrill + " node inject ioctl=CREATE_QUEUE,errno=ENOMEM");
  ASSERT_EQ(injected.exit_code, 0) << injected.err;
  EXPECT_TRUE(driver.wait_for([&] { return driver.workspace.story().last() > booted; }));
  EXPECT_EQ(driver.state().now, driver.workspace.story().last());  // it was at the end

  driver.key(key::home);
  test::shell(rocdrill + " node stop " + session.name);
  EXPECT_TRUE(driver.wait_for([&] { return !driver.workspace.notice().empty(); }));
  EXPECT_EQ(driver.state().now, 1U);
  driver.key(key::escape);
  driver.frame(2);
  EXPECT_EQ(driver.workspace.notice(), "");
}

TEST(Attach, ANodeThatDoesNotRunIsSaid) {
  Driver driver("");
  EXPECT_NE(driver.workspace.attach("/no/such/session", "x"), "");
}

}  // namespace
}  // namespace rocdrill::gui
