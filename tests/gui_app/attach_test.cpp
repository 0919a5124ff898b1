// The window on a node that runs in a server of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "driver.hpp"
#include "gui/app/png.hpp"
#include "gui/model/queue_view.hpp"
#include "gui/model/topology_view.hpp"
#include "scenarios/engine/look_message.hpp"
#include "sim/interpose/protocol/message.hpp"
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

/// A node of this kind, running, and a window on it.
struct RunningNode {
  explicit RunningNode(const std::string& id) {
    const auto started = test::shell("'" ROCDRILL_COMMAND "' node start " + id);
    if (started.exit_code != 0) throw std::runtime_error(started.err);
    session = interpose::find_session(std::nullopt);
  }
  ~RunningNode() { test::shell("'" ROCDRILL_COMMAND "' node stop " + session.name); }
  test::Output run(const std::string& words) const {
    return test::shell("'" ROCDRILL_COMMAND "' run --session " + session.name + " -- " + words);
  }
  const test::Sessions sessions;
  interpose::RunningSession session;
};

TEST(Attach, EvidenceAndTopologyAreOfTheNodeAsItIsAndLeaveNoTrace) {
  const RunningNode node("mi210");
  Driver driver("");
  ASSERT_EQ(driver.workspace.attach(node.session.path.string(), node.session.name), "");
  driver.state().layout = Layout::replay;
  driver.settle();
  const EventId booted = driver.workspace.story().last();
  Background& background = driver.workspace.background();
  ASSERT_TRUE(background.present_only());
  const auto* lsmod = background.look(booted, "lsmod", no_event);
  background.wait();
  lsmod = background.look(booted, "lsmod", no_event);
  ASSERT_TRUE(lsmod && *lsmod);
  EXPECT_TRUE(std::ranges::any_of((*lsmod)->lines, [](const scenarios::EvidenceLine& line) {
    return line.text.starts_with("amdgpu");
  }));
  const auto* topology = background.topology(booted);
  background.wait();
  topology = background.topology(booted);
  ASSERT_TRUE(topology);
  const TopologyView view = topology_view(topology, true, {});
  ASSERT_EQ(view.gpus.size(), 1U);
  EXPECT_EQ(view.gpus[0].target, "gfx90a");
  EXPECT_EQ(view.gpus[0].memory, "64 GiB");
  driver.key('5', true);
  driver.settle();
  EXPECT_TRUE(driver.has("topology.gpu." + view.gpus[0].bdf));
  // No look is an event.
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  driver.frame(2);
  EXPECT_EQ(driver.workspace.story().last(), booted);
  // What is changed on the node is seen.
  node.run("sudo modprobe -r amdgpu");
  EXPECT_TRUE(driver.wait_for([&] {
    const auto* now = background.topology(driver.workspace.story().last());
    return now && topology_view(now, true, {}).gpus.at(0).state_word == "topology.no-driver";
  }));
}

#ifdef ROCDRILL_CLIENTS  // programs of libhsa-runtime-dev

TEST(Attach, QueuesOfARealProgramAreTold) {
  const std::string client = ROCDRILL_CLIENTS "kernel_client";
  const RunningNode node("mi210");
  Driver driver("");
  ASSERT_EQ(driver.workspace.attach(node.session.path.string(), node.session.name), "");
  driver.state().layout = Layout::queues;
  driver.frame(2);
  const auto ran = node.run("'" + client +
                            "' many '" ROCDRILL_CODE_OBJECTS
                            "saxpy_v4/gfx90a.co' 10");  // the last may go with it
  ASSERT_TRUE(driver.wait_for([&] { return driver.workspace.story().queues().size() > 0; }))
      << ran.out << ran.err;
  ASSERT_TRUE(driver.wait_for([&] {
    const QueueView view = queue_view(driver.workspace.story(), driver.state(), 16, 9);
    return view.write_index >= 3 && view.read_index >= 3;
  })) << ran.out
      << ran.err;
  const QueueView view = queue_view(driver.workspace.story(), driver.state(), 16, 9);
  EXPECT_TRUE(view.packets);
  EXPECT_GT(view.slots, 0U);
  EXPECT_TRUE(view.read_known);
  EXPECT_EQ(view.ring.at(0).state, SlotState::complete);
  EXPECT_FALSE(view.fields.empty());
  driver.frame();
  EXPECT_TRUE(driver.has("queue.packet.0"));
}

TEST(Attach, PacketsAreToldWhileSomebodyLooksOnly) {
  const std::string client = ROCDRILL_CLIENTS "kernel_client";
  const RunningNode node("mi210");
  {
    Attached attached(node.session.path.string());
  }
  const auto ran =
      node.run("'" + client + "' many '" ROCDRILL_CODE_OBJECTS "saxpy_v4/gfx90a.co' 2");
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  Attached attached(node.session.path.string());
  Timeline timeline;
  bool restarted = false;
  ASSERT_TRUE(attached.poll(timeline, restarted));
  EXPECT_TRUE(timeline.find({.kind_prefix = "packet."}).empty());
}

/// A look's checks run kernels on a copy of the node. What becomes of the copy is nobody's
/// business.
TEST(Attach, ALookResetsNoProgram) {
  const RunningNode node("--drill athub-ue");
  const std::string heard = (node.sessions.path() / "heard").string();
  test::shell("'" ROCDRILL_COMMAND "' run --session " + node.session.name +
              " -- sh -c 'until timeout 60 \"" ROCDRILL_CLIENTS
              "ioctl_client\" reset; do sleep 0.1; done' > '" +
              heard + "' 2>/dev/null &");
  // The drill's own reset takes its time: until then nobody can open KFD.
  const auto text = [&] {
    std::ostringstream read;
    read << std::ifstream(heard).rdbuf();
    return read.str();
  };
  for (int i = 0; i < 300 && !text().ends_with("ready\n"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::string before = text();
  ASSERT_TRUE(before.ends_with("ready\n")) << before;
  const int fd = interpose::connect_to_session(node.session.path.string());
  scenarios::LookQuestion question;
  question.checks = true;
  const interpose::Json reply = interpose::request(fd, scenarios::to_json(question));
  ::close(fd);
  const auto answer = scenarios::answer_of(reply);
  ASSERT_TRUE(answer) << answer.error();
  ASSERT_TRUE(answer->checks);
  EXPECT_NE(checks::first_failure(*answer->checks), nullptr) << "kernels have run";
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(text(), before) << "it waits on";
}

#endif

TEST(Attach, WhatIsMalformedIsRefusedAndTheNodeGoesOn) {
  const RunningNode node("mi210");
  const auto ask = [&](const interpose::Json& question) {
    const int fd = interpose::connect_to_session(node.session.path.string());
    const interpose::Json reply = interpose::request(fd, question);
    ::close(fd);
    return reply;
  };
  EXPECT_EQ(ask({{"op", "look"}}).value("errno", 0), EINVAL);
  interpose::Json question = scenarios::to_json(scenarios::LookQuestion{});
  question["commands"] = "all";
  EXPECT_THAT(ask(question).value("error", ""), testing::HasSubstr("'commands' is no list"));
  question["commands"] = interpose::Json::array();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ask(question).value("errno", -1), 0);
  EXPECT_EQ(ask({{"op", "status"}}).value("errno", -1), 0);
  // The same connection goes on after a look.
  const int fd = interpose::connect_to_session(node.session.path.string());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(interpose::request(fd, question).value("errno", -1), 0);
  EXPECT_EQ(interpose::request(fd, {{"op", "status"}}).value("errno", -1), 0);
  ::close(fd);
}

TEST(Attach, APictureOfARunningNodeIsTaken) {
  const RunningNode node("mi210");
  const auto file = node.sessions.path() / "topology.png";
  const auto taken = test::shell("'" ROCDRILL_COMMAND "' gui --attach " + node.session.name +
                                 " --layout topology --screenshot '" + file.string() + "'");
  ASSERT_EQ(taken.exit_code, 0) << taken.err;
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  const auto picture = decode_png(bytes.str());
  ASSERT_TRUE(picture) << picture.error();
  std::set<std::array<std::uint8_t, 3>> colours;
  for (std::size_t i = 0; i + 2 < picture->rgb.size(); i += 3)
    colours.insert({picture->rgb[i], picture->rgb[i + 1], picture->rgb[i + 2]});
  EXPECT_GT(colours.size(), 20U);  // not one empty pane
}

TEST(Attach, ANodeThatDoesNotRunIsSaid) {
  Driver driver("");
  EXPECT_NE(driver.workspace.attach("/no/such/session", "x"), "");
}

}  // namespace
}  // namespace rocdrill::gui
