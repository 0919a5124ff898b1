// Writing: what the node's permissions let a program make, change and remove.
#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Writing : public Interpose {};

TEST_F(Writing, ShellRedirections) {
  EXPECT_EQ(out("echo manual > /sys/devices/free_knob; cat /sys/devices/free_knob"), "manual\n");
  EXPECT_THAT(err("echo manual > /sys/devices/knob"), HasSubstr("Permission denied"));
  EXPECT_EQ(out("echo manual > /sys/devices/knob; cat /sys/devices/knob", as_root), "manual\n");
  EXPECT_EQ(out("echo a > /var/lib/dkms/new; echo b >> /var/lib/dkms/new; cat /var/lib/dkms/new"),
            "a\nb\n");
}

TEST_F(Writing, TheKernelsOwnFilesStay) {
  EXPECT_THAT(err("touch /sys/new"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("touch /sys/new", as_root), HasSubstr("Permission denied"));
  EXPECT_THAT(err("mkdir /sys/new", as_root), HasSubstr("Operation not permitted"));
  EXPECT_THAT(err("rm -f /sys/devices/knob", as_root), HasSubstr("Operation not permitted"));
  EXPECT_THAT(err("echo x > /proc/version", as_root), HasSubstr("Permission denied"));
}

TEST_F(Writing, DirectoriesDecideWhoMayMakeAndRemove) {
  EXPECT_THAT(err("touch /etc/modprobe.d/new.conf"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("rm -f /etc/modprobe.d/mine.conf"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("mv /etc/modprobe.d/mine.conf /tmp/"), HasSubstr("Permission denied"));
  EXPECT_THAT(err("ln -s x /etc/modprobe.d/l"), HasSubstr("Permission denied"));
  EXPECT_EQ(
      out("cd /etc/modprobe.d; touch new.conf; mv new.conf newer.conf; ls; rm newer.conf", as_root),
      "amdgpu.conf\nmine.conf\nnewer.conf\nsecret.conf\n");
}

TEST_F(Writing, PrefixesStayWhereTheyAre) {
  for (const char* command : {"mv /var/lib/dkms /var/lib/rdmoved", "rm -f /etc/passwd",
                              "mv /var/lib/dkms/run.sh /etc/os-release",
                              "perl -e 'rename(\"/var/lib/dkms\", \"/tmp/rdmoved\") or die $!'"})
    EXPECT_THAT(err(command), HasSubstr("Permission denied")) << command;
  EXPECT_THAT(err("perl -e 'rename(\"/var/lib/dkms\", \"/tmp/rdmoved\") or die $!'", as_root),
              HasSubstr("cross-device"));
  EXPECT_EQ(
      out("echo ID=debian > /var/lib/dkms/o; mv /var/lib/dkms/o /etc/os-release; cat /etc/os-release",
          as_root),
      "ID=debian\n");
}

TEST_F(Writing, SedInPlace) {
  EXPECT_EQ(
      out("cd /var/lib/dkms; cp /etc/modprobe.d/mine.conf c; sed -i s/first/third/ c; cat c; ls"),
      "third\nsecond\nc\nclosed\nrun.sh\n");
  EXPECT_THAT(err("sed -i s/first/third/ /etc/modprobe.d/mine.conf"),
              HasSubstr("couldn't open temporary file /etc/modprobe.d/sed"));
  EXPECT_EQ(out("sed -i s/noretry=0/noretry=1/ /etc/modprobe.d/amdgpu.conf;"
                "cat /etc/modprobe.d/amdgpu.conf; stat -c %U /etc/modprobe.d/amdgpu.conf",
                as_root),
            "options amdgpu noretry=1\nroot\n");
}

TEST_F(Writing, TeeMovesAndLinks) {
  EXPECT_EQ(
      out("cd /var/lib/dkms; echo x | tee -a t; mv t u; cat u; mkdir d; mv u d/; cat d/u; rm -r d; ls"),
      "x\nx\nx\nclosed\nrun.sh\n");
  EXPECT_EQ(out("ln -s /etc/modprobe.d/mine.conf /var/lib/dkms/l; cat /var/lib/dkms/l; readlink -f "
                "/var/lib/dkms/l"),
            "first\nsecond\n/etc/modprobe.d/mine.conf\n");
  EXPECT_EQ(out("echo moved > /tmp/rdm.$$; mv /tmp/rdm.$$ /var/lib/dkms/m; cat /var/lib/dkms/m"),
            "moved\n");
}

TEST_F(Writing, AFileThatWasJustRemovedCanBeMadeAgain) {
  EXPECT_EQ(
      out("cd /var/lib/dkms; rm -f run.sh; set -o noclobber; echo again > run.sh; cat run.sh"),
      "again\n");
}

TEST_F(Writing, ModesAndOwnersGoToTheServer) {
  EXPECT_EQ(out("chmod 600 /etc/modprobe.d/mine.conf; stat -c %a /etc/modprobe.d/mine.conf"),
            "600\n");
  EXPECT_THAT(session.requests(),
              Contains(HasSubstr("\"path\":\"/etc/modprobe.d/mine.conf\",\"mode\":384")));
  EXPECT_THAT(err("chmod 777 /etc/passwd"), HasSubstr("Operation not permitted"));
  EXPECT_THAT(err("chown root /etc/modprobe.d/mine.conf"), HasSubstr("Operation not permitted"));
  EXPECT_EQ(out("chgrp video /etc/modprobe.d/mine.conf; stat -c %G /etc/modprobe.d/mine.conf"),
            "video\n");
  EXPECT_EQ(
      out("chown root:render /etc/modprobe.d/mine.conf; stat -c %U:%G /etc/modprobe.d/mine.conf",
          as_root),
      "root:render\n");
}

TEST_F(Writing, RootsNewFilesAreRoots) {
  EXPECT_EQ(
      out("touch /var/lib/dkms/r; mkdir /var/lib/dkms/d; stat -c %U /var/lib/dkms/r /var/lib/dkms/d",
          as_root),
      "root\nroot\n");
  EXPECT_EQ(out("touch /var/lib/dkms/o; stat -c %U /var/lib/dkms/o"), "op\n");
}

TEST_F(Writing, TemporaryFilesHaveTheNodesName) {
  EXPECT_THAT(out("mktemp /var/lib/dkms/XXXXXX"), testing::StartsWith("/var/lib/dkms/"));
  EXPECT_EQ(out("/usr/bin/python3 -c '\n"
                "import tempfile, os, shutil\n"
                "d = tempfile.mkdtemp(dir=\"/var/lib/dkms\")\n"
                "print(d.startswith(\"/var/lib/dkms/\"), os.path.isdir(d))\n"
                "shutil.rmtree(d)\n"
                "print(os.path.exists(d))\n'"),
            "True True\nFalse\n");
}

TEST_F(Writing, TimesAndLengths) {
  EXPECT_EQ(out("touch -d @86400 /etc/modprobe.d/mine.conf; stat -c %Y /etc/modprobe.d/mine.conf"),
            "86400\n");
  EXPECT_THAT(err("touch -d @86400 /etc/modprobe.d/amdgpu.conf"), HasSubstr("touch"));
  EXPECT_EQ(out("truncate -s 5 /etc/modprobe.d/mine.conf; cat /etc/modprobe.d/mine.conf"), "first");
  EXPECT_THAT(err("truncate -s 5 /etc/modprobe.d/amdgpu.conf"), HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace rocdrill::test
