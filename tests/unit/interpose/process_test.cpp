// New programs: they stay on the node, or are refused by name.
#include <filesystem>
#include <fstream>

#include "unit/interpose/interpose_test.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Process : public Interpose {
 protected:
  std::string program(const std::string& name) { return ROCDRILL_PROGRAMS + name; }
};

TEST_F(Process, AClearedEnvironmentDoesNotLeaveTheNode) {
  EXPECT_EQ(out("env -i hostname; env -i /bin/bash -c 'hostname; exec env -u LD_PRELOAD hostname'"),
            "lab-mi210\nlab-mi210\nlab-mi210\n");
  EXPECT_EQ(out("LD_PRELOAD= hostname; unset LD_PRELOAD ROCDRILL_SESSION; hostname"),
            "lab-mi210\nlab-mi210\n");
  EXPECT_EQ(out("env -i id -u", as_root), "0\n");
}

TEST_F(Process, OtherPreloadsAreKeptBehindThisOne) {
  EXPECT_EQ(out("LD_PRELOAD=libm.so.6 bash -c 'echo $LD_PRELOAD'"),
            (session.folder() / "lib/librocdrill_preload.so").string() + ":libm.so.6\n");
}

TEST_F(Process, EveryWayToStartAProgram) {
  EXPECT_EQ(out("perl -e 'system(\"hostname\"); print `hostname`; exec \"hostname\"'"),
            "lab-mi210\nlab-mi210\nlab-mi210\n");
  EXPECT_EQ(
      out("/usr/bin/python3 -c '\n"
          "import os, subprocess, sys\n"
          "print(subprocess.run([\"hostname\"], env={}, capture_output=True).stdout)\n"
          "print(os.popen(\"hostname\").read().strip())\n"
          "os.waitpid(os.posix_spawn(\"/bin/hostname\", [\"hostname\"], {}), 0)\n"
          "os.waitpid(os.posix_spawnp(\"hostname\", [\"hostname\"], {}), 0)\n"
          "sys.stdout.flush()\n"
          "os.environ.clear(); os.system(\"/bin/hostname\")\n"
          "os.execve(os.open(\"/bin/hostname\", 0), [\"hostname\"], {})' | sort | uniq -c | sed 's/^ *//'"),
      "1 b'lab-mi210\\n'\n5 lab-mi210\n");
}

TEST_F(Process, ScriptsOfTheNodeRunUnderTheirName) {
  EXPECT_EQ(out("/var/lib/dkms/run.sh; cd /var/lib/dkms; ./run.sh"),
            "ran as /var/lib/dkms/run.sh\nran as ./run.sh\n");
  EXPECT_THAT(err("/etc/modprobe.d/mine.conf"), HasSubstr("Permission denied"));
}

TEST_F(Process, SpawnActionsAreJudgedAsOpensAre) {
  const auto spawn = [](const std::string& path, const std::string& flags) {
    return "/usr/bin/python3 -c 'import os; os.waitpid(os.posix_spawn(\"/bin/cat\", [\"cat\"], os.environ, "
           "file_actions=[(os.POSIX_SPAWN_OPEN, 0, \"" +
           path + "\", " + flags + ", 0)]), 0)'";
  };
  EXPECT_EQ(out(spawn("/etc/modprobe.d/mine.conf", "os.O_RDONLY")), "first\nsecond\n");
  EXPECT_THAT(err(spawn("/etc/modprobe.d/secret.conf", "os.O_RDONLY")),
              HasSubstr("Permission denied"));
  EXPECT_THAT(err(spawn("/dev/kfd", "os.O_RDWR")),
              HasSubstr("posix_spawn cannot open the node's device"));
  EXPECT_EQ(
      out("/usr/bin/python3 -c 'import os; os.waitpid(os.posix_spawn(\"/var/lib/dkms/run.sh\", "
          "[\"x\"], os.environ), 0)'"),
      "ran as /var/lib/dkms/run.sh\n");
}

TEST_F(Process, StaticProgramsAreRefused) {
  const std::string refusal = err("'" + program("static") + "'");
  EXPECT_THAT(refusal, HasSubstr("rocdrill: " + program("static") +
                                 " is statically linked: it would see this machine, not the node "
                                 "lab-mi210. Refused; ROCDRILL_ALLOW=interpose_static"));
  EXPECT_THAT(refusal, HasSubstr("Permission denied"));
  EXPECT_EQ(out("ROCDRILL_ALLOW=other:interpose_static '" + program("static") + "'; echo $?"),
            "0\n");
  EXPECT_EQ(out("ROCDRILL_ALLOW=all '" + program("static") + "'; echo $?"), "0\n");
}

TEST_F(Process, ProgramsWithRightsOfTheirOwnAreRefused) {
  const auto copy = session.folder() / "setuid";
  std::filesystem::copy_file("/bin/true", copy);
  std::filesystem::permissions(copy, std::filesystem::perms::set_uid,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(err(copy.string()), HasSubstr("runs with rights of its own"));
}

TEST_F(Process, AGoNoteIsRecognised) {
  // .note.go.buildid in a dynamically linked file, as cgo makes it.
  std::ofstream(session.folder() / "go.s")
      << ".section .note.go.buildid,\"a\",@note\n.long 4,4,4\n.ascii \"Go\\0\\0abcd\"\n"
         ".text\n.globl main\nmain: xor %eax,%eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n";
  const std::string folder = session.folder().string();
  ASSERT_EQ(std::system(("gcc -o " + folder + "/go " + folder + "/go.s").c_str()), 0);
  EXPECT_THAT(err(folder + "/go"), HasSubstr("is a Go program"));
}

TEST_F(Process, ToolsThatActOnTheMachineAreRefused) {
  for (const char* command : {"modprobe amdgpu", "dmesg", "kmod insmod x", "/sbin/rmmod amdgpu",
                              "mount", "exec -a ls /bin/su", "umount /x", "unshare true"}) {
    const std::string refusal = err(command);
    EXPECT_THAT(refusal, HasSubstr("would act on this machine, not the node lab-mi210")) << command;
    EXPECT_EQ(refusal.find("rocdrill:"), refusal.rfind("rocdrill:")) << "said once: " << refusal;
  }
  EXPECT_THAT(err("/usr/bin/python3 -c 'import subprocess; subprocess.check_call([\"dmesg\"])'"),
              HasSubstr("would act on this machine"));
}

TEST_F(Process, TheNodesOwnCommandComesFirst) {
  std::ofstream(session.folder() / "bin/modprobe") << "#!/bin/sh\necho the node loads $1\n";
  std::filesystem::permissions(session.folder() / "bin/modprobe", std::filesystem::perms::all);
  EXPECT_EQ(out("modprobe amdgpu; env -i PATH=$PATH modprobe x; xargs modprobe <<< y"),
            "the node loads amdgpu\nthe node loads x\nthe node loads y\n");
}

TEST_F(Process, ReadersRun) {
  const Finished lsmod = session.run("lsmod");
  EXPECT_EQ(lsmod.status, 0);
  EXPECT_THAT(lsmod.out, HasSubstr("amdgpu"));
  EXPECT_EQ(out("ldd /bin/true > /dev/null; echo $?"), "0\n");
}

}  // namespace
}  // namespace rocdrill::test
