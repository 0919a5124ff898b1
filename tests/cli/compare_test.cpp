// diff, what-if, compat, trace export and completion from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/rocdrill_command.hpp"

namespace rocdrill::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const json* of_layer(const json& rows, const std::string& layer) {
  for (const json& row : rows)
    if (row.at("layer") == layer) return &row;
  return nullptr;
}

TEST(Diff, NamesTheFirstDivergenceOfEachLayer) {
  const auto diff = test::json("diff stale-dkms --json");
  EXPECT_FALSE(diff.at("equal"));
  const auto& rows = diff.at("layers");
  EXPECT_EQ(rows.front().at("layer"), "host") << "from the bottom";
  EXPECT_FALSE(of_layer(rows, "silicon")->at("differs"));
  const json& kernel = *of_layer(rows, "kernel");
  EXPECT_EQ(kernel.at("state"), "fault");
  EXPECT_EQ(kernel.at("healthy_state"), "ok");
  EXPECT_EQ(kernel.at("healthy").at("kind"), "dkms.built");
  EXPECT_EQ(kernel.at("here").at("kind"), "dkms.not_built");
  EXPECT_TRUE(of_layer(rows, "code-objects")->at("here").is_null()) << "it is not reached";
  EXPECT_EQ(diff.at("first").at("subject"), "linux-headers-generic");
}

TEST(Diff, TellsItToPeopleAndByItsExitCode) {
  const Outcome faulty = run("diff render-group-missing");
  EXPECT_EQ(faulty.exit_code, 1);
  EXPECT_THAT(faulty.text, HasSubstr("healthy: device.opened /dev/kfd"));
  EXPECT_THAT(faulty.text, HasSubstr("here:    device.open_failed /dev/kfd"));
  const Outcome control = run("diff healthy-mi300x");
  EXPECT_EQ(control.exit_code, 0);
  EXPECT_THAT(control.text, HasSubstr("no layer does anything else"));
}

TEST(WhatIf, AFixThatDoesNotHelpAndOneThatDoes) {
  const Outcome wrong = run("what-if stale-dkms --do 'sudo modprobe amdgpu'");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.text, HasSubstr("exit 1 modprobe: FATAL: Module amdgpu not found"));
  EXPECT_THAT(wrong.text, HasSubstr("first failure: amdgpu is loaded"));
  const auto right = test::json("what-if stale-dkms --solve --json");
  EXPECT_EQ(right.at("first_failure_before"), "kernel.module");
  EXPECT_TRUE(right.at("first_failure").is_null());
  EXPECT_EQ(right.at("commands").back().at("argv"), json({"sudo", "modprobe", "amdgpu"}));
}

TEST(WhatIf, BranchesBeforeTheBootAndAfterTheWorkload) {
  // Before the kernel reads its command line, and after it has.
  const auto early = test::json("what-if healthy-mi300x --at 0s --fault nomodeset --json");
  EXPECT_EQ(early.at("at_ns"), 0);
  EXPECT_EQ(early.at("first_failure"), "kernel.module");
  const auto late = test::json("what-if healthy-mi300x --at 1.3s --fault nomodeset --json");
  EXPECT_GT(late.at("at_ns"), 1'000'000'000);
  EXPECT_TRUE(late.at("first_failure").is_null()) << "until the next boot";
  const auto rebooted =
      test::json("what-if healthy-mi300x --fault nomodeset --do 'sudo reboot' --json");
  EXPECT_EQ(rebooted.at("first_failure"), "kernel.module");
}

TEST(WhatIf, RefusesWhatMakesNoSense) {
  const std::pair<const char*, const char*> wrong[]{
      {"stale-dkms", "say what is done otherwise"},
      {"stale-dkms --do 'a | b'", "--do 'a | b'"},
      {"stale-dkms --at soon --solve", "--at takes a virtual time"},
      {"stale-dkms --fault stale-dkm", "there is no fault"},
      {"stale-dkms --at 0s --do id", "nobody is logged in"},
      {"render-group-missing --fault stale-dkms", "cannot be on node"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = run(std::string("what-if ") + arguments + " 2>&1");
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.text, HasSubstr(message)) << arguments;
  }
}

TEST(Compat, JudgesPairsAndSaysWhoSaysSo) {
  const auto matrix = test::json("compat --json");
  EXPECT_GT(matrix.at("pairs").size(), 200u);
  const auto good = test::json("compat --driver 6.3.3 --rocm 7.0 --json");
  EXPECT_EQ(good.at("support"), "supported");
  EXPECT_THAT(good.at("verdicts").front().at("source").get<std::string>(), HasSubstr("matrix"));
  const Outcome bad = run("compat --driver 5.4 --rocm 6.3");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.text, HasSubstr("unsupported"));
  EXPECT_EQ(test::json("compat --driver 30.30 --rocm 10.1 --json").at("support"), "unknown");
}

/// A combination is as good as its worst part.
TEST(Compat, FirmwareAndKernelCount) {
  const std::string pair = "compat --module 6.10.5 --rocm 6.3.3 --product MI300X ";
  EXPECT_EQ(test::json(pair + "--firmware 01.26.00.05 --json").at("support"), "supported");
  EXPECT_EQ(test::json(pair + "--firmware 01.25.06.05 --json").at("support"), "supported");
  EXPECT_EQ(test::json(pair + "--firmware 01.24.00.00 --json").at("support"), "unsupported");
  EXPECT_EQ(test::json("compat --product MI300X --kernel 6.1 --json").at("support"), "unsupported");
  EXPECT_THAT(run("compat --product MI300A").text, HasSubstr("BKC 27 (or later); BKC 26.1"));
}

TEST(Compat, RefusesWhatItCannotJudge) {
  const std::pair<const char*, const char*> wrong[]{{"--driver 6", "takes a version"},
                                                    {"--rocm 7.0", "that is one part"},
                                                    {"--product MI309X", "did you mean 'MI30"},
                                                    {"--kernel 6.1", "need a --product"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = run(std::string("compat ") + arguments + " 2>&1");
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.text, HasSubstr(message)) << arguments;
  }
}

/// Slices by track, and arrows that start where a slice is.
TEST(Export, ADrillForPerfetto) {
  const ScratchFolder folder;
  const std::string file = folder.file("stale.json");
  const Outcome outcome = run("trace export stale-dkms --out '" + file + "' 2>&1");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, HasSubstr("ui.perfetto.dev"));
  std::ifstream in(file);
  const json events = json::parse(in).at("traceEvents");
  std::set<std::string> tracks;
  std::set<std::pair<int, double>> slices;
  for (const json& event : events) {
    if (event.at("name") == "thread_name") tracks.insert(event.at("args").at("name"));
    if (event.at("ph") == "X") slices.emplace(event.at("tid"), event.at("ts"));
  }
  EXPECT_TRUE(tracks.contains("kernel driver"));
  EXPECT_TRUE(tracks.contains("operating system"));
  std::size_t arrows = 0;
  for (const json& event : events) {
    if (event.value("cat", "") != "cause") continue;
    ++arrows;
    EXPECT_TRUE(slices.contains({event.at("tid"), event.at("ts")})) << event;
  }
  EXPECT_GT(arrows, 10u);
}

TEST(Export, SaysWhatIsNeitherFileNorDrill) {
  const Outcome outcome = run("trace export stale-dkm 2>&1");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("stale-dkms"));
  EXPECT_EQ(run("trace export stale-dkms --out /nonexistent/x 2>&1").exit_code, 4);
}

/// Through the script in a real bash.
std::string completed(const std::string& words) {
  const Output outcome =
      shell("PATH=\"$(dirname '" ROCDRILL_COMMAND
            "'):$PATH\" bash --norc -c '"
            "eval \"$(rocdrill completion bash)\"; COMP_WORDS=(" +
            words +
            "); "
            "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rocdrill; echo -n \"${COMPREPLY[*]}\"'");
  EXPECT_EQ(outcome.exit_code, 0);
  return outcome.out;
}

TEST(Completion, OffersCommandsActionsOptionsAndNames) {
  EXPECT_EQ(completed("rocdrill what"), "what-if");
  EXPECT_EQ(completed("rocdrill explain stale-d"), "stale-dkms");
  EXPECT_EQ(completed("rocdrill node st"), "start stop status");
  EXPECT_EQ(completed("rocdrill node start mi25"), "mi250x-4");
  EXPECT_EQ(completed("rocdrill node inject no"), "nomodeset");
  EXPECT_EQ(completed("rocdrill check --node mi25"), "mi250x-4");
  EXPECT_EQ(completed("rocdrill check --node mi210 --j"), "--json");
  EXPECT_EQ(completed("rocdrill replay stale-dkms --layer ker"), "kernel");
  EXPECT_EQ(completed("rocdrill compat --product MI30"), "MI300A MI300X MI308X");
  EXPECT_EQ(completed("rocdrill completion z"), "zsh");
  EXPECT_THAT(completed("rocdrill \"\""), Not(HasSubstr("complete "))) << "not for people";
  EXPECT_EQ(completed("rocdrill nosuch x"), "");
}

TEST(Completion, KnowsThreeShells) {
  for (const char* name : {"bash", "zsh", "fish"})
    EXPECT_EQ(run(std::string("completion ") + name).exit_code, 0);
  const Outcome other = run("completion tcsh 2>&1");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.text, HasSubstr("bash, zsh, fish"));
}

}  // namespace
}  // namespace rocdrill::test
