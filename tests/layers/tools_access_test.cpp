// Who may do what: ls, id, test, chmod, chown, sudo, usermod, gpasswd, su, newgrp.
#include <gmock/gmock.h>

#include "layers/tools/rig.hpp"

namespace rocdrill::sim::tools::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(AccessTools, LsShowsDeviceNodes) {
  Rig rig;
  EXPECT_THAT(rig.run("ls -l /dev/kfd").out,
              MatchesRegex("crw-rw---- 1 root render 235, 0 .* /dev/kfd\n"));
  const auto lines = lines_of(rig.run("ls -l /dev/kfd /dev/dri/renderD*").out);
  ASSERT_EQ(lines.size(), 65u) << "eight of each GPU, whatever its mode";
  EXPECT_THAT(lines[0], MatchesRegex("crw-rw---- 1 root render 226, 128 .* /dev/dri/renderD128"));
  EXPECT_THAT(lines[64], MatchesRegex("crw-rw---- 1 root render 235,   0 .* /dev/kfd"));
  EXPECT_THAT(rig.run("ls -l /dev/dri").out,
              StartsWith("total 0\ncrw-rw---- 1 root video  226,   0 "));
}

TEST(AccessTools, LsShowsFilesAndLinks) {
  Rig rig;
  EXPECT_EQ(rig.run("ls /srv/job").out, "data\nsaxpy\ntrain.py\n");
  EXPECT_THAT(
      rig.run("ls -l /lib/modules/6.8.0-55-generic/build").out,
      MatchesRegex(
          "lrwxrwxrwx 1 root root .* /lib/modules/6.8.0-55-generic/build -> /usr/src/linux-headers-6.8.0-55-generic\n"));
  EXPECT_THAT(rig.run("ls -ld /srv/job").out,
              MatchesRegex("drwxr-xr-x 2 root root 4096 .* /srv/job\n"));
  const CommandResult both = rig.run("ls /srv/job /nowhere");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.err, "ls: cannot access '/nowhere': No such file or directory\n");
  EXPECT_EQ(both.out, "/srv/job:\ndata\nsaxpy\ntrain.py\n");
}

TEST(AccessTools, ContainerViewHidesDevices) {
  Rig rig;
  ProcessSpec spec = rig.node.host().session();
  spec.restrict_devices = true;
  spec.devices = {"/dev/kfd", "/dev/dri/renderD136"};
  EXPECT_EQ(rig.node.host().run({"ls", "/dev/dri"}, spec).out, "renderD136\n");
  EXPECT_EQ(rig.node.host().run({"ls", "/dev/dri/renderD128"}, spec).exit_code, 2);
  EXPECT_THAT(rig.node.host().run({"rocminfo"}, spec).out, HasSubstr("Agent 3 "));
  EXPECT_THAT(rig.node.host().run({"rocminfo"}, spec).out, testing::Not(HasSubstr("Agent 4 ")));
}

TEST(AccessTools, IdShowsTheSessionAndTheDatabase) {
  Rig rig;
  EXPECT_EQ(rig.run("id").out,
            "uid=1000(ada) gid=1000(ada) groups=1000(ada),27(sudo),44(video),105(render)\n");
  EXPECT_EQ(rig.run("id -un").out, "ada\n");
  EXPECT_EQ(rig.run("id -G").out, "1000 27 44 105\n");
  EXPECT_EQ(rig.run("groups").out, "ada sudo video render\n");
  EXPECT_EQ(rig.run("id bob").out, "uid=1001(bob) gid=1001(bob) groups=1001(bob)\n");
  EXPECT_EQ(rig.run("id eve").err, "id: 'eve': no such user\n");
  EXPECT_EQ(rig.run("id eve").exit_code, 1);
  EXPECT_EQ(rig.as_root("id").out, "uid=0(root) gid=0(root) groups=0(root)\n");
}

TEST(AccessTools, AGroupTakesEffectWithTheNextLogin) {
  Rig rig;
  ASSERT_EQ(rig.run("sudo gpasswd -d ada render").out, "Removing user ada from group render\n");
  EXPECT_THAT(rig.run("id").out, HasSubstr("render"));  // of the login
  EXPECT_EQ(rig.run("su - ada").exit_code, 0);
  EXPECT_EQ(rig.run("id").out, "uid=1000(ada) gid=1000(ada) groups=1000(ada),27(sudo),44(video)\n");
  EXPECT_EQ(rig.run("test -r /dev/kfd -a -w /dev/kfd").exit_code, 1);
  EXPECT_EQ(rig.run("rocminfo").exit_code, 1);

  EXPECT_EQ(rig.run("sudo usermod -aG render ada").exit_code, 0);
  EXPECT_EQ(rig.run("rocminfo").exit_code, 1);
  EXPECT_THAT(rig.run("id ada").out, HasSubstr("105(render)"));
  EXPECT_EQ(rig.run("newgrp render").exit_code, 0);
  EXPECT_EQ(rig.run("test -r /dev/kfd -a -w /dev/kfd").exit_code, 0);
  EXPECT_EQ(rig.run("rocminfo").exit_code, 0);
}

TEST(AccessTools, UsermodWithoutAppendReplacesTheGroups) {
  Rig rig;
  EXPECT_EQ(rig.as_root("usermod -G render ada").exit_code, 0);
  EXPECT_EQ(rig.run("id ada").out, "uid=1000(ada) gid=1000(ada) groups=1000(ada),105(render)\n");
  rig.run("su - ada");
  EXPECT_EQ(rig.run("sudo id").err, "ada is not in the sudoers file.\n");
}

TEST(AccessTools, UserCommandsNeedRootAndKnownNames) {
  Rig rig;
  EXPECT_EQ(rig.run("usermod -aG render bob").err,
            "usermod: Permission denied.\nusermod: cannot lock /etc/passwd; try again later.\n");
  EXPECT_EQ(rig.as_root("usermod -aG gpu bob").err, "usermod: group 'gpu' does not exist\n");
  EXPECT_EQ(rig.as_root("usermod -aG gpu bob").exit_code, 6);
  EXPECT_EQ(rig.as_root("usermod -aG render eve").err, "usermod: user 'eve' does not exist\n");
  EXPECT_EQ(rig.run("gpasswd -a bob render").err, "gpasswd: Permission denied.\n");
  EXPECT_EQ(rig.as_root("gpasswd -d bob render").exit_code, 3);
  EXPECT_EQ(rig.as_root("gpasswd -a bob render").out, "Adding user bob to group render\n");
  EXPECT_THAT(rig.run("id bob").out, HasSubstr("105(render)"));
  EXPECT_EQ(rig.run("su - bob").exit_code, 2);  // another person's session is not modelled
  EXPECT_EQ(rig.run("su - eve").exit_code, 1);
}

TEST(AccessTools, SudoRunsAsRootForItsGroupOnly) {
  Rig rig;
  EXPECT_EQ(rig.run("sudo id -un").out, "root\n");
  EXPECT_EQ(rig.run("sudo -u bob id -un").out, "bob\n");
  EXPECT_EQ(rig.run("sudo frobnicate").err, "sudo: frobnicate: command not found\n");
  EXPECT_EQ(rig.run("sudo frobnicate").exit_code, 1);
  const CommandResult bob = rig.as({"bob", 1001, 1001, {}}, "sudo modprobe amdgpu");
  EXPECT_EQ(bob.exit_code, 1);
  EXPECT_EQ(bob.err, "bob is not in the sudoers file.\n");
}

TEST(AccessTools, SudoResetsTheEnvironment) {
  Rig rig;
  rig.run("export HIP_VISIBLE_DEVICES=0");
  EXPECT_EQ(rig.run("printenv HIP_VISIBLE_DEVICES").out, "0\n");
  EXPECT_EQ(rig.run("sudo printenv HIP_VISIBLE_DEVICES").exit_code, 1);
  EXPECT_EQ(rig.run("sudo -E printenv HIP_VISIBLE_DEVICES").out, "0\n");
  EXPECT_EQ(rig.run("sudo HIP_VISIBLE_DEVICES=2 printenv HIP_VISIBLE_DEVICES").out, "2\n");
}

TEST(AccessTools, ChmodOfADeviceNodeLastsUntilTheNextBoot) {
  Rig rig;
  EXPECT_EQ(rig.run("chmod 666 /dev/kfd").err,
            "chmod: changing permissions of '/dev/kfd': Operation not permitted\n");
  EXPECT_EQ(rig.as_root("chmod o+rw /dev/kfd").exit_code, 0);
  EXPECT_EQ(rig.as_root("chgrp video /dev/kfd").exit_code, 0);
  EXPECT_THAT(rig.run("ls -l /dev/kfd").out, StartsWith("crw-rw-rw- 1 root video 235, 0 "));
  rig.as_root("reboot");
  EXPECT_THAT(rig.run("ls -l /dev/kfd").out, StartsWith("crw-rw---- 1 root render 235, 0 "));
  rig.as_root("chmod 600 /dev/kfd");
  rig.as_root("rmmod amdgpu");
  rig.as_root("modprobe amdgpu");
  EXPECT_THAT(rig.run("ls -l /dev/kfd").out, StartsWith("crw-rw---- "));
}

TEST(AccessTools, ModesAndOwnersOfFiles) {
  Rig rig;
  rig.as_root("echo hello > /etc/motd");
  EXPECT_EQ(rig.as_root("chmod u=rw,go= /etc/motd").exit_code, 0);
  EXPECT_EQ(rig.run("cat /etc/motd").err, "cat: /etc/motd: Permission denied\n");
  EXPECT_EQ(rig.as_root("chown ada:render /etc/motd").exit_code, 0);
  EXPECT_THAT(rig.run("ls -l /etc/motd").out, StartsWith("-rw------- 1 ada render 6 "));
  EXPECT_EQ(rig.run("cat /etc/motd").out, "hello\n");
  EXPECT_EQ(rig.run("chmod 644 /etc/motd").exit_code, 0);    // her own
  EXPECT_EQ(rig.run("chgrp video /etc/motd").exit_code, 0);  // a group of hers
  EXPECT_EQ(rig.run("chown bob /etc/motd").err,
            "chown: changing ownership of '/etc/motd': Operation not permitted\n");
  EXPECT_EQ(rig.as_root("chown eve /etc/motd").err, "chown: invalid user: 'eve'\n");
  EXPECT_EQ(rig.as_root("chgrp gpu /etc/motd").err, "chgrp: invalid group: 'gpu'\n");
  EXPECT_EQ(rig.as_root("chmod rwx /etc/motd").err, "chmod: invalid mode: 'rwx'\n");
  EXPECT_EQ(rig.as_root("chmod 644 /sys/module").exit_code, 2);
}

TEST(AccessTools, CpCopiesOneFile) {
  Rig rig;
  const std::string job = "/srv/job/saxpy";
  EXPECT_EQ(rig.run("cp /etc/hostname /etc/hostname.new").err,
            "cp: cannot create regular file '/etc/hostname.new': Permission denied\n");
  EXPECT_EQ(rig.run("cp /etc/nothing /tmp/x").err,
            "cp: cannot stat '/etc/nothing': No such file or directory\n");
  EXPECT_EQ(rig.run("cp /etc /tmp/x").err, "cp: -r not specified; omitting directory '/etc'\n");
  EXPECT_EQ(rig.as_root("cp " + job + " " + job).err,
            "cp: '" + job + "' and '" + job + "' are the same file\n");
  EXPECT_EQ(rig.as_root("cp " + job + " /srv/job/copy").exit_code, 0);
  EXPECT_THAT(rig.run("ls -l /srv/job/copy").out, MatchesRegex("-rwxr-xr-x 1 root root .*"));
  // Over a file that is there, content alone; -p brings mode and owner.
  EXPECT_EQ(rig.as_root("cp /etc/hostname /srv/job/copy").exit_code, 0);
  EXPECT_THAT(rig.run("ls -l /srv/job/copy").out, MatchesRegex("-rwxr-xr-x 1 root root .*"));
  EXPECT_EQ(rig.as_root("cp -p /etc/hostname /srv/job/copy").exit_code, 0);
  EXPECT_THAT(rig.run("ls -l /srv/job/copy").out, MatchesRegex("-rw-r--r-- 1 root root .*"));
}

TEST(AccessTools, RmAsksTheDirectory) {
  Rig rig;
  EXPECT_EQ(rig.run("rm /etc/hostname").err,
            "rm: cannot remove '/etc/hostname': Permission denied\n");
  EXPECT_EQ(rig.run("rm /etc/nothing").err,
            "rm: cannot remove '/etc/nothing': No such file or directory\n");
  EXPECT_EQ(rig.run("rm -f /etc/nothing").exit_code, 0);
  EXPECT_EQ(rig.as_root("rm /etc/modprobe.d").err,
            "rm: cannot remove '/etc/modprobe.d': Is a directory\n");
  EXPECT_EQ(rig.as_root("rm -rf /etc/modprobe.d").exit_code, 0);
  EXPECT_EQ(rig.run("ls /etc/modprobe.d").exit_code, 2);
  EXPECT_EQ(rig.as_root("rm /dev/kfd").exit_code, 2);
}

}  // namespace
}  // namespace rocdrill::sim::tools::test
