// Open devices: the server decides, the descriptor is a socket, the engine answers.
#include <cerrno>

#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Devices : public Interpose {};

TEST_F(Devices, AProgramUsesThem) {
  EXPECT_EQ(out("'" ROCDRILL_PROGRAMS "device_user'"),
            "fstat: 20660 235:0 gid 44\n"
            "link: /dev/kfd\n"
            "ioctl: 0 kfd as op:1000:1000:44,100\n"
            "dup: 0 kfd as op:1000:1000:44,100\n"
            "render: 0 renderD128 as op:1000:1000:44,100\n"
            "machine: 7\n"
            "unknown: -1 Inappropriate ioctl for device\n"
            "not ours: -1\n"
            "mmap refused: 1 Cannot allocate memory, kept k\n"
            "mmap: 1\n"
            "engine's fault: x\n"
            "program's fault: handled\n"
            "own handler: 1\n"
            "engine forked\n"
            "engine forked\n"
            "inherited: 0 kfd as op:1000:1000:44,100\n"
            "engine stopped\n"
            "engine stopped\n");
  EXPECT_THAT(
      session.requests(),
      Contains("{\"op\":\"open\",\"comm\":\"interpose_devic\","
               "\"identity\":\"op:1000:1000:44,100\",\"path\":\"/dev/kfd\",\"flags\":524290}"));
}

TEST_F(Devices, TheServersErrnoIsThePrograms) {
  session.answer_open("/dev/kfd", EBUSY);
  EXPECT_THAT(err(": < /dev/kfd"), HasSubstr("Device or resource busy"));
  session.answer_open("/dev/kfd", EACCES);
  EXPECT_EQ(session.run("'" ROCDRILL_PROGRAMS "device_user'").out, "open: Permission denied\n");
  EXPECT_THAT(err("cat /dev/dri/renderD129"), HasSubstr("No such file"));
}

TEST_F(Devices, TheServerIsGone) {
  session.stop_server();
  const Finished finished = session.run("exec 3<>/dev/kfd");
  EXPECT_THAT(finished.err,
              HasSubstr("rocdrill: the node of session " + session.folder().string() + " is gone"));
  EXPECT_THAT(finished.err, HasSubstr("No such device or address"));
}

TEST_F(Devices, ShellAndPythonDescriptors) {
  EXPECT_EQ(out("exec 3<>/dev/kfd; stat -L -c %F - <&3; readlink /proc/self/fd/3"),
            "character special file\n/dev/kfd\n");
  EXPECT_EQ(out("/usr/bin/python3 -c '\n"
                "import os, stat, ctypes\n"
                "fd = os.open(\"/dev/dri/renderD128\", os.O_RDWR)\n"
                "s = os.fstat(fd)\n"
                "print(stat.S_ISCHR(s.st_mode), os.major(s.st_rdev), os.minor(s.st_rdev))\n"
                "print(ctypes.CDLL(None).syscall(257, -100, b\"/dev/kfd\", 2) > 2)\n'"),
            "True 226 128\nTrue\n");
}

}  // namespace
}  // namespace rocdrill::test
