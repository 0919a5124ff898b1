// Every drill, worked on by a real bash: its `solve` repairs the node, its `wrong` ones do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What a person types: the commands, then `rocdrill check`, whose exit status is the last line.
std::string script(const std::vector<scenarios::Command>& commands) {
  std::string text;
  for (const scenarios::Command& command : commands) {
    const bool assigns = command.front() == "export" || command.front() == "unset";
    for (std::size_t i = 0; i < command.size(); ++i)
      text += (i == 0 ? "" : " ") + (assigns ? command[i] : quoted(command[i]));
    text += "\n";
  }
  return text + "rocdrill check --json >/dev/null; echo check=$?\n";
}

class ShellDrills : public testing::TestWithParam<std::string> {
 protected:
  Output typed(const std::vector<scenarios::Command>& commands) {
    const auto file = sessions_.path() / "typed";
    std::ofstream(file) << script(commands);
    return shell("timeout -k 5 100 '" ROCDRILL_COMMAND "' shell " + GetParam() + " <'" +
                 file.string() + "'");
  }
  Sessions sessions_;
};

TEST_P(ShellDrills, SolveRepairsIt) {
  const Output output = typed(drill(GetParam()).drill.solve);
  EXPECT_THAT(output.out, HasSubstr("check=0\n")) << output.out << output.err;
  EXPECT_EQ((output.out + output.err).find("not modelled by rocdrill"), std::string::npos)
      << output.err;
}

TEST_P(ShellDrills, WrongFixesDoNot) {
  const auto resolved = drill(GetParam());
  if (resolved.drill.no_fault) return;
  EXPECT_THAT(typed({}).out, HasSubstr("check=1\n")) << "untouched";
  for (const scenarios::WrongFix& wrong : resolved.drill.wrong) {
    const Output output = typed(wrong.commands);
    EXPECT_THAT(output.out, HasSubstr("check=1\n")) << wrong.name << output.out << output.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, ShellDrills, testing::ValuesIn(data().list_drills()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class Shell : public testing::Test {
 protected:
  Output typed(const std::string& arguments, const std::string& text) {
    const auto file = sessions_.path() / "typed";
    std::ofstream(file) << text;
    return shell("timeout -k 5 100 '" ROCDRILL_COMMAND "' shell " + arguments + " <'" +
                 file.string() + "'");
  }
  Sessions sessions_;
};

TEST_F(Shell, APersonLooksAround) {
  const Output output =
      typed("--node mi210",
            "whoami\nid -nG\nhostname\nuname -r\npwd\n"
            "ls -l /dev/kfd /dev/dri/renderD128\n"
            "cat /sys/module/amdgpu/initstate\n"
            "for n in /sys/class/kfd/kfd/topology/nodes/*/gpu_id; do cat $n; done | wc -l\n"
            "grep -c amdgpu /proc/modules\ncd /sys/class/drm && ls -d card*\n");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.err, "");
  EXPECT_THAT(output.out,
              HasSubstr("ada\nada sudo render video\nlab-mi210\n6.1.0-37-amd64\n/home/ada\n"));
  EXPECT_THAT(output.out, HasSubstr("crw-rw---- 1 root render 235,   0"));
  EXPECT_THAT(output.out, HasSubstr("crw-rw---- 1 root render 226, 128"));
  EXPECT_THAT(output.out, HasSubstr("live\n2\n"));
  EXPECT_THAT(output.out, HasSubstr("card0\n"));
}

TEST_F(Shell, FilesThatAPersonWritesCount) {
  const Output output =
      typed("--node mi210",
            "echo 'blacklist amdgpu' > /etc/modprobe.d/x.conf\necho denied=$?\n"
            "echo 'blacklist amdgpu' | sudo tee /etc/modprobe.d/x.conf\n"
            "sudo reboot\nlsmod | grep -c '^amdgpu'\n"
            "sudo rm /etc/modprobe.d/x.conf\nsudo reboot\nlsmod | grep -c '^amdgpu'\n");
  EXPECT_THAT(output.out, HasSubstr("denied=1\nblacklist amdgpu\n0\n1\n"))
      << output.out << output.err;
}

/// With FUSE a write to /sys answers as the driver does; without, it takes effect and its error is
/// lost.
TEST_F(Shell, AttributesOfTheDriverCanBeWritten) {
  const Output output =
      typed("--node mi210",
            "f=/sys/class/drm/card0/device/power_dpm_force_performance_level\n"
            "echo high > $f\necho user=$?\necho high | sudo tee $f\nsleep 0.2\ncat $f\n"
            "echo bogus | sudo tee $f >/dev/null\necho bogus=$?\nsleep 0.3\ncat $f\n");
  EXPECT_THAT(output.out, HasSubstr("user=1\nhigh\nhigh\n")) << output.err;
  const char* forced = std::getenv("ROCDRILL_FUSE");
  if (::access("/dev/fuse", R_OK | W_OK) != 0 || (forced && std::string_view(forced) == "0")) {
    EXPECT_THAT(output.out, HasSubstr("bogus=0\nhigh\n"));
    return;
  }
  EXPECT_THAT(output.out, HasSubstr("bogus=1\nhigh\n")) << output.err;
  EXPECT_THAT(output.err, HasSubstr("Invalid argument"));
}

TEST_F(Shell, UndoTakesBackWhatChangedTheNode) {
  const Output output =
      typed("--node mi210",
            "sudo rmmod amdgpu\nls /dev/kfd\nrocdrill undo\nls /dev/kfd\nrocdrill undo\n"
            "echo rc=$?\n");
  EXPECT_THAT(output.out, HasSubstr("undone: sudo rmmod amdgpu\n/dev/kfd\nrc=2\n")) << output.out;
  EXPECT_THAT(output.err, HasSubstr("there is nothing to undo"));
}

TEST_F(Shell, HintsCostPoints) {
  const Output output = typed("stale-dkms", "rocdrill hint\nrocdrill brief\n");
  EXPECT_THAT(output.out, HasSubstr("costs 2 points"));
  EXPECT_THAT(output.out, HasSubstr("It worked yesterday"));
}

/// Right and wrong show in check only, and an answer does not repair the node.
TEST_F(Shell, AnswersAQuestion) {
  const std::string judged = "rocdrill check | grep -A1 ^tasks\n";
  const Output asked = typed("stale-dkms", "rocdrill answer\n");
  EXPECT_THAT(asked.out, HasSubstr("detect  What is the state of the node?\n   1  The GPUs"));
  EXPECT_THAT(asked.out, HasSubstr("and --layer: one of host, silicon,"));
  EXPECT_THAT(asked.out, Not(HasSubstr("mitigate"))) << "a state of the node, no question";
  EXPECT_THAT(typed("stale-dkms", "rocdrill answer detect 2\n" + judged).out,
              AllOf(HasSubstr("answered: The GPUs are on the PCI bus"), HasSubstr("  passed ")));
  EXPECT_THAT(typed("stale-dkms", "rocdrill answer detect 1\n" + judged).out,
              HasSubstr("  failed "));
  EXPECT_THAT(typed("stale-dkms",
                    "rocdrill answer localise dkms --layer firmware\nrocdrill check\n"
                    "rocdrill answer localise dkms --layer kernel\nrocdrill check\n")
                  .out,
              AllOf(HasSubstr("  failed     Which layer"), HasSubstr("  passed     Which layer"),
                    HasSubstr("not repaired yet")));
  const Output wrong =
      typed("stale-dkms",
            "rocdrill answer localise dkms\nrocdrill answer detect 9\n"
            "rocdrill answer mitigate 1\nrocdrill answer localise 3 --layer shoe\n");
  EXPECT_THAT(wrong.err, HasSubstr("it also asks for --layer"));
  EXPECT_THAT(wrong.err, HasSubstr("give a number from 1 to 4"));
  EXPECT_THAT(wrong.err, HasSubstr("the drill has no question"));
  EXPECT_THAT(wrong.err, HasSubstr("there is no layer"));
}

TEST_F(Shell, ATranscriptIsKept) {
  const auto state = sessions_.path() / "state";
  ::setenv("XDG_STATE_HOME", state.c_str(), 1);
  typed("--node mi210", "uname -r\nls /dev/kfd\n");
  std::string found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(state)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    found = text.str();
  }
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(found, "uname -r\nls /dev/kfd\n");
}

/// By their numbers as by their jobs; what the node alone knows is in the drill stranded-vram.
TEST_F(Shell, RealProgramsAreEndedByKill) {
  const Output output = typed("--node mi210",
                              "sleep 100 &\nkill $!\nwait $!\necho plain=$?\n"
                              "sleep 100 & kill %%\nwait $!\necho job=$?\n"
                              "sleep 100 7<>/dev/kfd & sleep 0.5\nsudo kill -9 $!\nwait $!\n"
                              "echo holder=$?\nsudo rmmod amdgpu\necho gone=$?\n");
  EXPECT_THAT(output.out, HasSubstr("plain=143\njob=143\nholder=137\ngone=0\n")) << output.err;
}

TEST_F(Shell, AModuleInUseStays) {
  const Output output = typed("--node mi210",
                              "exec 7<>/dev/kfd\nsudo rmmod amdgpu\necho busy=$?\nexec 7>&-\n"
                              "sudo rmmod amdgpu\necho gone=$?\n");
  EXPECT_THAT(output.out, HasSubstr("busy=1\ngone=0\n")) << output.out << output.err;
  EXPECT_THAT(output.err, HasSubstr("rmmod: ERROR: Module amdgpu is in use"));
}

/// And not the environment of whoever asks from elsewhere.
TEST_F(Shell, WhatALoginSetsCountsForACheckFromOutside) {
  ASSERT_EQ(rocdrill("node start mi210 --fault visible-devices-empty").exit_code, 0);
  EXPECT_THAT(rocdrill("check --session mi210").out,
              HasSubstr("first failure: ROCr enumerates GPU agents"));
  EXPECT_EQ(rocdrill("node stop mi210").exit_code, 0);
}

TEST_F(Shell, NodesThatRunAreShared) {
  ASSERT_EQ(rocdrill("node start mi210").exit_code, 0);
  EXPECT_THAT(rocdrill("node start mi210").err, HasSubstr("is running"));
  EXPECT_THAT(rocdrill("run --session mi210 -- rocminfo").out, HasSubstr("gfx90a"));
  EXPECT_EQ(rocdrill("node inject firmware-missing").exit_code, 0);
  EXPECT_THAT(rocdrill("node status mi210").out, HasSubstr("1 GPUs in KFD's topology"));
  EXPECT_THAT(rocdrill("node log mi210").out, HasSubstr("fault.injected"));
  EXPECT_EQ(rocdrill("node stop mi210").exit_code, 0);
  EXPECT_THAT(rocdrill("node status").out, HasSubstr("no node is running"));
  EXPECT_EQ(rocdrill("node stop mi210").exit_code, 4);
}

}  // namespace
}  // namespace rocdrill::test
