// Reading: files, attributes, links and the working directory of the node.
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Files : public Interpose {};

TEST_F(Files, WithoutASessionProgramsSeeTheMachine) {
  for (const char* session_folder : {"", "/nowhere"}) {
    const std::string left =
        out("env ROCDRILL_SESSION=" + std::string(session_folder) +
            " bash -c 'cat /proc/version; hostname; id; [ -e /opt/rocm-lab ] || echo none'");
    EXPECT_THAT(left, Not(HasSubstr("lab-mi210")));
    EXPECT_THAT(left, Not(HasSubstr("6.8.0-60-generic")));
    EXPECT_THAT(left, Not(HasSubstr("1000(op)")));
    EXPECT_THAT(left, HasSubstr("none"));
  }
}

TEST_F(Files, CatReadsThroughTheNodesLinks) {
  EXPECT_EQ(out("cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id"), "51719\n");
  EXPECT_EQ(out("cat /etc/../etc//./os-release | head -1"), "ID=ubuntu\n");
}

TEST_F(Files, FlagsOfOpenHoldForTheLastComponentOnly) {
  const std::string dd = "dd status=none if=/sys/class/kfd/kfd";
  EXPECT_EQ(out(dd + "/topology/nodes/1/gpu_id iflag=nofollow"), "51719\n");
  EXPECT_THAT(err(dd + " iflag=nofollow"), HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(err(dd + "/topology/nodes/1/gpu_id iflag=directory"), HasSubstr("Not a directory"));
  EXPECT_THAT(err(dd), HasSubstr("Is a directory"));
}

TEST_F(Files, NothingOfTheMachineShowsBelowAPrefix) {
  struct stat machine{};
  ASSERT_EQ(stat("/sys/kernel", &machine), 0);
  EXPECT_THAT(err("cat /sys/kernel/uevent_seqnum"), HasSubstr("No such file"));
  EXPECT_THAT(err("ls /sys/kernel"), HasSubstr("No such file"));
}

TEST_F(Files, StatShowsTheNodesModesAndOwners) {
  EXPECT_EQ(out("stat -c '%F %a %u %g %t:%T %s' /dev/kfd"),
            "character special file 660 0 44 eb:0 0\n");
  EXPECT_EQ(out("stat -c '%F %a %U %G' /etc/modprobe.d/mine.conf"), "regular file 644 op op\n");
  EXPECT_EQ(out("stat -c %a /etc/modprobe.d/secret.conf"), "600\n");
  EXPECT_EQ(out("stat -c '%F %N' /sys/class/kfd/kfd"),
            "symbolic link '/sys/class/kfd/kfd' -> '../../devices/virtual/kfd/kfd'\n");
  EXPECT_EQ(out("stat -L -c %F /sys/class/kfd/kfd"), "directory\n");
  EXPECT_EQ(out("perl -e 'open F, \"</etc/modprobe.d/mine.conf\"; print ((stat F)[4])'"), "1000");
}

TEST_F(Files, LsShowsDevicesAsDevices) {
  const std::string listing = out("ls -l /dev/dri");
  EXPECT_THAT(listing, HasSubstr("crw-rw---- 1 root render 226, 128"));
  EXPECT_THAT(listing, HasSubstr("crw-rw---- 1 root video  226,   0"));
  EXPECT_EQ(out("ls -F --color=always /dev/dri | grep -c renderD128"), "1\n");
}

TEST_F(Files, RelativePathsAreFollowedFromEveryDirectory) {
  EXPECT_EQ(out("cd /etc; head -1 group"), "root:x:0:\n");
  EXPECT_EQ(out("cd /; ls sys/class"), "kfd\n");
  EXPECT_EQ(out("cd /sys/class; ls ../../etc/modprobe.d | head -1"), "amdgpu.conf\n");
  EXPECT_EQ(out("cd /sys; ls ../usr/bin/env"), "../usr/bin/env\n");
  EXPECT_EQ(out("cd /tmp; cat ../sys/class/kfd/kfd/topology/nodes/0/gpu_id"), "0\n");
  EXPECT_EQ(out("cd /usr/lib; cat modules/*/modules.dep firmware/amdgpu/*"), "amdgpu.ko:\nblob");
}

TEST_F(Files, DotDotAfterALinkLeavesItsTarget) {
  EXPECT_EQ(out("ls /sys/class/kfd/kfd/.."), "kfd\n");
  EXPECT_EQ(out("ls /sys/class/kfd/kfd/../.."), "kfd\n");
  EXPECT_EQ(out("cat /sys/class/kfd/kfd/../../../knob"), "auto\n");
}

TEST_F(Files, TheWorkingDirectoryHasTheNodesName) {
  EXPECT_EQ(out("cd /sys/class/kfd/kfd; pwd; pwd -P; /bin/pwd; readlink /proc/self/cwd"),
            "/sys/class/kfd/kfd\n/sys/devices/virtual/kfd/kfd\n/sys/devices/virtual/kfd/kfd\n"
            "/sys/devices/virtual/kfd/kfd\n");
  EXPECT_EQ(out("realpath /sys/class/kfd/kfd/topology"), "/sys/devices/virtual/kfd/kfd/topology\n");
  EXPECT_EQ(out("readlink -f /usr/lib/modules/6.8.0-60-generic"),
            "/usr/lib/modules/6.8.0-60-generic\n");
  EXPECT_EQ(out("perl -MCwd -e 'chdir \"/sys/class/kfd/kfd\"; print getcwd, \" \", "
                "Cwd::realpath(\"topology\")'"),
            "/sys/devices/virtual/kfd/kfd /sys/devices/virtual/kfd/kfd/topology");
}

TEST_F(Files, TheIndexIsReadAnewWhenTheEpochMoves) {
  session.directory("/sys/class", 0755, true);
  // The shell is one process throughout; the server publishes when it answers chmod.
  EXPECT_EQ(out("[ -w /etc/modprobe.d/mine.conf ] && echo may; chmod 444 /etc/modprobe.d/mine.conf;"
                "[ -w /etc/modprobe.d/mine.conf ] || echo 'may not'"),
            "may\nmay not\n");
}

TEST_F(Files, ManyThreadsReadWhileTheIndexMoves) {
  std::atomic<bool> finished{false};
  std::thread publisher([&] {
    while (!finished) session.publish();
  });
  const std::string said = out("'" ROCDRILL_PROGRAMS "threads'");
  finished = true;
  publisher.join();
  EXPECT_EQ(said, "0 wrong of 40000\n");
}

TEST_F(Files, PermissionsAreTheNodes) {
  EXPECT_THAT(err("cat /etc/modprobe.d/secret.conf"), HasSubstr("Permission denied"));
  EXPECT_EQ(out("cat /etc/modprobe.d/secret.conf", as_root), "hidden\n");
  EXPECT_THAT(err("cat /var/lib/dkms/closed/inside"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("ls /var/lib/dkms/closed"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("cd /var/lib/dkms/closed"), HasSubstr("Permission denied"));
  EXPECT_EQ(
      out("test -r /etc/modprobe.d/secret.conf; echo $?; [ -e /dev/kfd -a -c /dev/kfd ]; echo $?;"
          "test -w /dev/kfd; echo $?; test -w /dev/dri/renderD128; echo $?"),
      "1\n0\n0\n1\n");
}

TEST_F(Files, TheFolderBehindThemGivesNoMoreRights) {
  EXPECT_THAT(err("cat " + (session.root() / "etc/modprobe.d/secret.conf").string()),
              HasSubstr("Permission denied"));
  EXPECT_EQ(out("exec 3> /var/lib/dkms/gone; rm /var/lib/dkms/gone; stat -L -c %U - <&3"), "op\n");
}

TEST_F(Files, ExtendedAttributesAndCopiesDoNotTrip) {
  EXPECT_EQ(out("cp -a /sys/devices/virtual/kfd /tmp/rdcopy.$$ && cat "
                "/tmp/rdcopy.$$/kfd/topology/nodes/1/name; rm -r /tmp/rdcopy.$$"),
            "aldebaran\n");
  EXPECT_THAT(out("tar cf - /sys/class 2>/dev/null | tar tvf -"),
              HasSubstr("sys/class/kfd/kfd -> ../../devices/virtual/kfd/kfd"));
}

}  // namespace
}  // namespace rocdrill::test
