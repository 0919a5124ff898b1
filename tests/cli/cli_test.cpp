// The rocdrill command from outside: output, --json, messages, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/rocdrill_command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Cli, ReplayTellsTheStoryFromTheBottom) {
  const Outcome replay = run("replay stale-dkms </dev/null");
  EXPECT_EQ(replay.exit_code, 0);
  EXPECT_THAT(replay.text, HasSubstr("kernel driver"));
  EXPECT_THAT(replay.text, HasSubstr("no module claims the device"));
  EXPECT_THAT(replay.text, HasSubstr("torch.cuda.is_available() is False"));
  EXPECT_LT(replay.text.find("silicon"), replay.text.find("framework"));
  EXPECT_EQ(replay.text.find('\033'), std::string::npos) << "no colour in a pipe";
}

TEST(Cli, ExplainReachesFromFaultToSymptom) {
  const auto explained = json("explain stale-dkms --json");
  const auto& chain = explained.at("chain");
  ASSERT_GE(chain.size(), 6u);
  EXPECT_EQ(chain.front().at("kind"), "fault.injected");
  EXPECT_EQ(chain.back().at("kind"), "torch.is_available");
  for (std::size_t i = 1; i < chain.size(); ++i)
    EXPECT_EQ(chain[i].at("cause"), chain[i - 1].at("id"));
}

TEST(Cli, ExplainStartsAtACheckWhereNoLayerReportsAnError) {
  const auto explained = json("explain nps-pending --json");
  const auto& chain = explained.at("chain");
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain.front().at("subject"), "nps-pending");
  EXPECT_EQ(chain.back().at("kind"), "partition.memory_requested");
}

TEST(Cli, EveryReadingCommandHasJson) {
  EXPECT_GE(json("list --json").at("drills").size(), 8u);
  EXPECT_EQ(json("show stale-dkms --json").at("id"), "stale-dkms");
  EXPECT_EQ(json("replay double-filter --json").at("layers").size(), 9u);
  EXPECT_EQ(json("replay double-filter --layer hip --json").at("layers").size(), 1u);
  EXPECT_EQ(json("check --drill firmware-missing --json").at("first_failure"), "firmware.blobs");
  EXPECT_TRUE(json("check --node mi210 --json").at("first_failure").is_null());
  EXPECT_EQ(json("versions --node mi300x-8 --json").at("verdict").at("driver_and_user_space"),
            "supported");
  EXPECT_GE(json("node list --json").at("nodes").size(), 3u);
  EXPECT_EQ(json("node show mi300x-8 --json").at("gpus").size(), 8u);
  EXPECT_GE(json("fault list --json").at("faults").size(), 7u);
  EXPECT_EQ(json("fault show stale-dkms --json").at("fault").at("layer"), "kernel");
  EXPECT_EQ(json("validate --json").at("invalid"), 0);
}

TEST(Cli, ShowDoesNotGiveTheAnswer) {
  const std::string ticket = run("show stale-dkms").text;
  EXPECT_THAT(ticket, Not(HasSubstr("linux-headers")));
}

TEST(Cli, ExitCodes) {
  EXPECT_EQ(run("check --node mi300x-8 >/dev/null 2>&1").exit_code, 0);
  EXPECT_EQ(run("check --drill stale-dkms >/dev/null 2>&1").exit_code, 1);
  EXPECT_EQ(run("2>&1").exit_code, 2);
  EXPECT_EQ(run("no-such-command 2>&1").exit_code, 2);
  EXPECT_EQ(run("replay 2>&1").exit_code, 2);
  EXPECT_EQ(run("replay stale-dkms --layer attic 2>&1").exit_code, 2);
  EXPECT_EQ(run("replay stale-dkms --at noon 2>&1").exit_code, 2);
  EXPECT_EQ(run("replay stale-dkms --seed minus 2>&1").exit_code, 2);
  EXPECT_EQ(run("check 2>&1").exit_code, 2);
  EXPECT_EQ(run("list --data /nonexistent 2>&1").exit_code, 4);
}

TEST(Cli, WrongNamesGetASuggestion) {
  EXPECT_THAT(run("replay stale-dmks 2>&1").text, HasSubstr("did you mean 'stale-dkms'?"));
  EXPECT_THAT(run("check --node mi210x 2>&1").text, HasSubstr("did you mean 'mi210'?"));
  EXPECT_THAT(run("fault show stale-dkm 2>&1").text, HasSubstr("did you mean 'stale-dkms'?"));
  EXPECT_THAT(run("replya stale-dkms 2>&1").text, HasSubstr("did you mean 'replay'?"));
}

TEST(Cli, HelpEverywhere) {
  for (const char* command :
       {"list", "show", "replay", "explain", "check", "versions", "node", "fault", "validate"}) {
    const Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.text, HasSubstr("usage: rocdrill " + std::string(command)));
    EXPECT_THAT(help.text, HasSubstr("examples:"));
  }
}

TEST(Cli, InvalidFilesAreNamedWithLineAndColumn) {
  const ScratchFolder folder;
  const auto expect = [&](const std::string& text, const std::string& message) {
    const std::string file = folder.write("bad/drill.yaml", text);
    const Outcome outcome = run("validate '" + file + "' 2>&1");
    EXPECT_EQ(outcome.exit_code, 3) << text;
    EXPECT_THAT(outcome.text, HasSubstr(message));
    EXPECT_THAT(outcome.text, testing::ContainsRegex("drill.yaml:[0-9]+:[0-9]+: error: "));
  };
  expect("schema: 1\nid: [", "error");
  expect("schema: 1\nschema: 1\n", "schema");
  expect("a: &a [x]\nb: *a\n", "anchor");
  expect("schema: 1\nid: bad\nnode: nowhere\n", "error");
  expect("", "error");
}

TEST(Cli, AGoodDrillWithOneThingWrong) {
  std::ostringstream good;
  good << std::ifstream(ROCDRILL_SOURCE_DIR "/scenarios/drills/stale-dkms/drill.yaml").rdbuf();
  const ScratchFolder folder;
  const auto expect = [&](const std::string& from, const std::string& to,
                          const std::string& message) {
    std::string text = good.str();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string file = folder.write("stale-dkms/drill.yaml", text);
    const Outcome outcome = run("validate '" + file + "' 2>&1");
    EXPECT_EQ(outcome.exit_code, 3) << to;
    EXPECT_THAT(outcome.text, HasSubstr(message));
  };
  expect("kind: stale-dkms", "kind: stale-dmks", "did you mean 'stale-dkms'?");
  expect("reason: headers-missing", "reason: tuesday", "headers-missing, autoinstall-off");
  expect("reason: headers-missing", "reason: 7", "must be text");
  expect("node: mi300x-8", "node: mi300x-9", "mi300x-9");
  expect("title:", "tittle:", "tittle");
}

TEST(Cli, DamagedCodeObjectsAreNamed) {
  const ScratchFolder folder;
  const std::filesystem::path from = ROCDRILL_SOURCE_DIR "/scenarios";
  const std::string object = folder.write("code_objects/saxpy/gfx90a.co",
                                          "\x7f"
                                          "ELF cut short");
  const auto root = std::filesystem::path(object).parent_path().parent_path().parent_path();
  std::filesystem::copy(from / "drills", root / "drills", std::filesystem::copy_options::recursive);
  std::filesystem::copy(from / "nodes", root / "nodes", std::filesystem::copy_options::recursive);
  const Outcome outcome = run("check --node mi210 --data '" + root.string() + "' 2>&1");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.text, HasSubstr("gfx90a.co: error: not a code object"));
}

TEST(Cli, TimeStandsWhereItIsAsked) {
  const auto early = json("replay stale-dkms --at 0.5s --json");
  for (const auto& layer : early.at("layers")) {
    for (const auto& event : layer.at("events"))
      EXPECT_LE(event.at("time_ns").get<std::uint64_t>(), 500'000'000u);
  }
}

}  // namespace
}  // namespace rocdrill::test
