// What lies between a command line and the tools: words, operators, refusals.
#include <gmock/gmock.h>

#include <set>

#include "layers/tools/rig.hpp"

namespace rocdrill::sim::tools::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Tools, TableNamesEachCommandOnce) {
  std::set<std::string_view> names;
  for (const ToolInfo& tool : all()) {
    EXPECT_TRUE(names.insert(tool.name).second) << tool.name;
    EXPECT_FALSE(tool.usage.empty()) << tool.name;
    EXPECT_THAT(std::string(tool.does), EndsWith(".")) << tool.name;
    EXPECT_TRUE(!tool.needs_root || tool.changes_state) << tool.name;
  }
  for (const char* name :
       {"lsmod", "modprobe", "dkms", "dmesg", "rocminfo", "apt-get", "su", "reboot", "python3"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Tools, EveryCommandRefusesAnUnknownLongOption) {
  Rig rig;
  for (const ToolInfo& tool : all()) {
    const std::string name(tool.name);
    // Their arguments are no options: text, a test, an assignment.
    if (name == "echo" || name == "true" || name == "false" || name == "test" || name == "[")
      continue;
    const std::size_t before = rig.unmodelled();
    const CommandResult result = rig.as_root(name + " --no-such-option x");
    EXPECT_EQ(result.exit_code, 2) << name << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("not modelled by rocdrill")) << name;
    EXPECT_EQ(rig.unmodelled(), before + 1) << name;
  }
}

TEST(Tools, UnknownCommandIsNotFoundAndNoGapOfTheSimulator) {
  Rig rig;
  const CommandResult result = rig.run("frobnicate -x");
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.err, "frobnicate: command not found\n");
  EXPECT_EQ(rig.unmodelled(), 0u);
}

TEST(Tools, UnmodelledOptionIsRefusedByName) {
  Rig rig;
  const CommandResult result = rig.run("dmesg -T");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "dmesg: option '-T' is not modelled by rocdrill\n");
  ASSERT_NE(result.event, no_event);
  EXPECT_EQ(rig.node.os.timeline.at(result.event).severity, Severity::unmodelled);
}

TEST(Tools, CommandsOfARealNodeThatAreMissingHereAreRefused) {
  Rig rig;
  for (const char* line : {"systemctl restart gdm", "docker build .", "sed -i x y"}) {
    const CommandResult result = rig.run(line);
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_TRUE(result.found) << line;
  }
  EXPECT_EQ(rig.unmodelled(), 3u);
}

TEST(Tools, ShellOperatorsThatNeedAShellAreRefused) {
  Rig rig;
  for (const char* line :
       {"lsmod && id", "lsmod ; id", "lsmod || id", "cat < /etc/group", "echo $(id)"}) {
    EXPECT_EQ(rig.run(line).exit_code, 2) << line;
  }
  EXPECT_EQ(rig.unmodelled(), 5u);
}

TEST(Tools, PipesPassTextOn) {
  Rig rig;
  EXPECT_EQ(rig.run("lsmod | grep -q ^amdgpu").exit_code, 0);
  EXPECT_EQ(rig.run("lsmod | grep -c amdgpu").out, "7\n");
  EXPECT_EQ(rig.run("echo one | grep two").exit_code, 1);
  EXPECT_EQ(rig.run("lsmod | frobnicate").exit_code, 127);
  EXPECT_EQ(rig.run("lsmod | head -n 1").out, "Module                  Size  Used by\n");
  EXPECT_EQ(rig.run("lsmod |").exit_code, 2);
}

TEST(Tools, StarExpandsToWhatTheProcessSees) {
  Rig rig;
  EXPECT_EQ(rig.run("echo /dev/dri/renderD1[2]*").out, "/dev/dri/renderD1[2]*\n");
  EXPECT_EQ(rig.run("echo /dev/dri/renderD12*").out, "/dev/dri/renderD128 /dev/dri/renderD129\n");
  ProcessSpec spec = rig.node.host().session();
  spec.restrict_devices = true;
  spec.devices = {"/dev/kfd", "/dev/dri/renderD136"};
  EXPECT_EQ(rig.node.host().run({"echo", "/dev/dri/renderD*"}, spec).out, "/dev/dri/renderD136\n");
}

TEST(Tools, RedirectionWritesAsTheUser) {
  Rig rig;
  const CommandResult denied = rig.run("echo blacklist amdgpu > /etc/modprobe.d/gpu.conf");
  EXPECT_EQ(denied.exit_code, 1);
  EXPECT_EQ(denied.err, "bash: /etc/modprobe.d/gpu.conf: Permission denied\n");
  EXPECT_FALSE(rig.node.os.files.exists("/etc/modprobe.d/gpu.conf"));

  EXPECT_EQ(rig.as_root("echo blacklist amdgpu > /etc/modprobe.d/gpu.conf").exit_code, 0);
  EXPECT_EQ(rig.as_root("echo '# end' >> /etc/modprobe.d/gpu.conf").out, "");
  EXPECT_EQ(rig.run("cat /etc/modprobe.d/gpu.conf").out, "blacklist amdgpu\n# end\n");
  const EventId why = rig.node.os.files.why("/etc/modprobe.d/gpu.conf");
  ASSERT_NE(why, no_event);
  EXPECT_EQ(rig.node.os.timeline.at(why).kind, "command");
  EXPECT_EQ(rig.run("echo 1 > /nowhere/x").err, "bash: /nowhere/x: No such file or directory\n");
  EXPECT_EQ(rig.run("frobnicate 2>/dev/null").err, "");
  EXPECT_EQ(rig.run("lsmod > /dev/null").out, "");
}

TEST(Tools, SudoDoesNotCoverARedirection) {
  Rig rig;
  EXPECT_EQ(rig.run("sudo echo x > /etc/modprobe.d/gpu.conf").exit_code, 1);
  EXPECT_EQ(rig.run("echo 'blacklist amdgpu' | sudo tee /etc/modprobe.d/gpu.conf").exit_code, 0);
  EXPECT_EQ(rig.node.os.files.text("/etc/modprobe.d/gpu.conf"), "blacklist amdgpu\n");
}

TEST(Tools, UnameIsSubstituted) {
  Rig rig;
  EXPECT_EQ(
      rig.node.host().run({"echo", "linux-headers-$(uname -r)"}, rig.node.host().session()).out,
      "linux-headers-6.8.0-55-generic\n");
}

TEST(Tools, ANodeThatIsOffDoesNotAnswer) {
  Rig rig(mi300x_spec(), false);
  const CommandResult result = rig.as_root("lsmod");
  EXPECT_EQ(result.exit_code, 255);
  EXPECT_THAT(result.err, StartsWith("ssh: connect to host gpu-node-07"));
}

TEST(Tools, ReadersLeaveNoTraceInAHealthyNode) {
  Rig rig;
  const std::size_t before = rig.node.os.timeline.size();
  for (const char* line : {"lsmod", "dkms status", "ls -l /dev/kfd", "id", "dmesg", "lspci -k",
                           "uname -a", "env", "dpkg -l", "modinfo amdgpu", "cat /proc/cmdline",
                           "amd-smi list", "rocm-smi", "modprobe -n -v amdgpu"}) {
    EXPECT_EQ(rig.run(line).exit_code, 0) << line;
  }
  EXPECT_EQ(rig.node.os.timeline.size(), before);
}

}  // namespace
}  // namespace rocdrill::sim::tools::test
