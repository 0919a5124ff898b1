// Listings: the node's directories, and this machine's that lie above a prefix.
#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Directories : public Interpose {};

TEST_F(Directories, ListingsAboveAPrefixAreMerged) {
  EXPECT_THAT(out("ls -1 /dev"), HasSubstr("\nkfd\n"));
  EXPECT_THAT(out("ls -1 /dev"), HasSubstr("null\n"));
  EXPECT_THAT(out("cd /var/lib; ls"), HasSubstr("dkms\n"));
  EXPECT_THAT(out("ls -1 /lib"), HasSubstr("modules\n"));
  EXPECT_THAT(out("ls -1 /usr/lib"), HasSubstr("modules\n"));
  EXPECT_EQ(out("ls -1 / | grep -cx -e sys -e usr -e etc"), "3\n");
  EXPECT_EQ(out("ls /opt/rocm-lab; cat /opt/rocm-lab/share/version"), "share\n6.4\n");
  EXPECT_THAT(out("ls -l /opt"), HasSubstr("rocm-lab"));
}

TEST_F(Directories, WhatThePrefixOwnsAndTheNodeLacksIsHidden) {
  session.prefix("/etc/hostname");
  session.prefix("/dev/null");
  session.publish();
  EXPECT_THAT(out("ls -1 /etc"), Not(HasSubstr("hostname\n")));
  EXPECT_EQ(out("ls -1 /dev | grep -x null; [ -e /dev/null ] || echo gone"), "gone\n");
}

TEST_F(Directories, ShellGlobs) {
  EXPECT_EQ(out("echo /sys/class/kfd/kfd/topology/nodes/*/gpu_id"),
            "/sys/class/kfd/kfd/topology/nodes/0/gpu_id "
            "/sys/class/kfd/kfd/topology/nodes/1/gpu_id\n");
  EXPECT_EQ(out("cd /; echo sys/cl*/k*"), "sys/class/kfd\n");
  EXPECT_EQ(session.run("echo /dev/dri/ren*", {}, "/bin/sh").out, "/dev/dri/renderD128\n");
}

TEST_F(Directories, FindAndGrepWalkTheNode) {
  EXPECT_EQ(out("find /sys -name gpu_id | sort"),
            "/sys/devices/virtual/kfd/kfd/topology/nodes/0/gpu_id\n"
            "/sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id\n");
  EXPECT_EQ(out("find /dev/dri -type c | sort"), "/dev/dri/card0\n/dev/dri/renderD128\n");
  EXPECT_EQ(out("find /dev -maxdepth 1 -name kfd -printf '%p %y %m %u %g'"),
            "/dev/kfd c 660 root video");
  EXPECT_EQ(out("grep -r noretry /etc/modprobe.d", as_root),
            "/etc/modprobe.d/amdgpu.conf:options amdgpu noretry=0\n");
  EXPECT_EQ(out("cd /sys/class; grep -rl . ../devices/virtual | sort"),
            "../devices/virtual/kfd/kfd/topology/nodes/0/gpu_id\n"
            "../devices/virtual/kfd/kfd/topology/nodes/1/gpu_id\n"
            "../devices/virtual/kfd/kfd/topology/nodes/1/name\n");
  EXPECT_EQ(out("ls -lR /sys/class/ | tail -1 | sed 's/.* kfd/kfd/'"),
            "kfd -> ../../devices/virtual/kfd/kfd\n");
}

TEST_F(Directories, Python) {
  EXPECT_EQ(
      out("/usr/bin/python3 -c '\n"
          "import os, glob\n"
          "print(sorted(os.listdir(\"/dev/dri\")))\n"
          "print([(e.name, e.is_file()) for e in os.scandir(\"/dev/dri\") if e.name == \"card0\"])\n"
          "print(\"kfd\" in os.listdir(\"/dev\"), \"kfd\" in os.listdir(os.open(\"/dev\", 0)))\n"
          "print(list(os.walk(\"/sys/class\")))\n"
          "print(sorted(glob.glob(\"/sys/class/kfd/kfd/topology/nodes/*\"))[1])\n"
          "root = os.open(\"/\", os.O_RDONLY)\n"
          "print(os.readlink(\"sys/class/kfd/kfd\", dir_fd=root))\n"
          "d = os.open(\"/sys/class/kfd\", os.O_RDONLY)\n"
          "print(os.stat(\"../kfd/kfd/topology\", dir_fd=d).st_uid, os.fstat(d).st_uid)\n'"),
      "['card0', 'renderD128']\n[('card0', False)]\nTrue True\n"
      "[('/sys/class', ['kfd'], []), ('/sys/class/kfd', ['kfd'], [])]\n"
      "/sys/class/kfd/kfd/topology/nodes/1\n../../devices/virtual/kfd/kfd\n0 0\n");
}

TEST_F(Directories, LibcsOwnWalks) {
  EXPECT_EQ(out("'" ROCDRILL_PROGRAMS "walks'"),
            "scandir: . .. card0 renderD128\n"
            "scandir /: sys\n"
            "glob: /sys/class/kfd/kfd/topology/nodes/0/gpu_id "
            "/sys/class/kfd/kfd/topology/nodes/1/gpu_id\n"
            "nftw: /sys/class/kfd /sys/class/kfd/kfd@\n"
            "rewind: 4 4\nseek: kfd\n");
}

}  // namespace
}  // namespace rocdrill::test
