// Packages, boots, the environment, text; and the ways in which people mend a node.
#include <gmock/gmock.h>

#include "layers/tools/rig.hpp"

namespace rocdrill::sim::tools::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* no_lock =
    "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n"
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n";

TEST(HostTools, AptNeedsRootAndKnownNames) {
  Rig rig;
  const CommandResult user = rig.run("apt-get install -y rocminfo");
  EXPECT_EQ(user.exit_code, 100);
  EXPECT_EQ(user.err, no_lock);
  const CommandResult unknown = rig.as_root("apt install -y frobnicate");
  EXPECT_EQ(unknown.exit_code, 100);
  EXPECT_EQ(unknown.err, "E: Unable to locate package frobnicate\n");
  EXPECT_THAT(rig.as_root("apt-get install -y rocminfo").out,
              HasSubstr("rocminfo is already the newest version (6.3.3).\n"));
  EXPECT_EQ(rig.as_root("apt-get update").exit_code, 0);
  EXPECT_EQ(rig.as_root("apt-get autoremove").exit_code, 2);
}

TEST(HostTools, UpgradeKeepsBackWhatNeedsANewPackage) {
  Rig rig;
  EXPECT_EQ(
      rig.as_root("apt-get upgrade -y").out,
      "The following packages have been kept back:\n  linux-headers-generic linux-image-generic\n");
  EXPECT_EQ(rig.as_root("apt-get dist-upgrade -y").exit_code, 0);
  EXPECT_THAT(rig.run("dpkg -l linux-image-6.8.0-60-generic").out,
              HasSubstr("ii  linux-image-6.8.0-60-generic 6.8.0-60 "));
}

TEST(HostTools, SystemctlRebootsAndInventsNoUnits) {
  Rig rig;
  EXPECT_EQ(rig.run("systemctl reboot").exit_code, 1) << "it needs root";
  const int boots = rig.node.os.boots;
  EXPECT_EQ(rig.as_root("systemctl reboot").exit_code, 0);
  EXPECT_EQ(rig.node.os.boots, boots + 1);
  for (const char* asked :
       {"systemctl status ssh", "systemctl is-active ssh", "systemctl restart slurmd",
        "systemctl is-enabled dkms", "systemctl is-system-running", "systemctl poweroff",
        "systemctl status", "systemctl list-timers", "systemctl mask ssh", "systemctl cat ssh",
        "systemctl start multi-user.target", "systemctl list-units --type socket"}) {
    const CommandResult refused = rig.as_root(asked);
    EXPECT_EQ(refused.exit_code, 2) << asked;
    EXPECT_EQ(refused.out, "") << asked;
    EXPECT_THAT(refused.err, HasSubstr("is not modelled by rocdrill")) << asked;
  }
}

// The whole story of a kernel that dkms did not build for, mended by its headers.
TEST(HostTools, HeadersLetDkmsBuildForTheNewKernel) {
  Rig rig;
  rig.as_root("apt-get remove -y linux-headers-generic");
  rig.as_root("apt-get dist-upgrade -y");
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  EXPECT_EQ(rig.run("uname -r").out, "6.8.0-60-generic\n");
  EXPECT_EQ(rig.run("dkms status").out,
            "amdgpu/6.10.5-2125197.24.04, 6.8.0-55-generic, x86_64: installed\n");
  EXPECT_EQ(rig.run("rocminfo").exit_code, 1);
  EXPECT_EQ(
      rig.as_root("modprobe amdgpu").err,
      "modprobe: FATAL: Module amdgpu not found in directory /lib/modules/6.8.0-60-generic\n");

  const CommandResult install = rig.run("sudo apt-get install -y linux-headers-6.8.0-60-generic");
  EXPECT_EQ(install.exit_code, 0);
  EXPECT_THAT(install.out, HasSubstr("Installing to /lib/modules/6.8.0-60-generic/updates/dkms/"));
  EXPECT_THAT(rig.run("dkms status").out,
              HasSubstr("amdgpu/6.10.5-2125197.24.04, 6.8.0-60-generic, x86_64: installed\n"));
  EXPECT_EQ(rig.run("sudo modprobe amdgpu").exit_code, 0);
  EXPECT_EQ(rig.run("rocminfo | grep -E '^\\s+Name:\\s+gfx' | wc -l").out, "8\n");
  EXPECT_EQ(rig.unmodelled(), 0u);
}

TEST(HostTools, GrubChoosesTheKernel) {
  Rig rig;
  rig.as_root("apt-get dist-upgrade -y");
  EXPECT_EQ(rig.run("grub-set-default 6.8.0-55-generic").exit_code, 1);
  EXPECT_EQ(rig.as_root("grub-set-default 6.8.0-55-generic").exit_code, 0);
  EXPECT_EQ(rig.run("grep saved /boot/grub/grubenv").out, "saved_entry=6.8.0-55-generic\n");
  rig.as_root("reboot");
  EXPECT_EQ(rig.run("uname -r").out, "6.8.0-55-generic\n");
  EXPECT_EQ(rig.as_root("grub-set-default ''").exit_code, 0);
  rig.as_root("reboot");
  EXPECT_EQ(rig.run("uname -r").out, "6.8.0-60-generic\n");
}

TEST(HostTools, RebootNeedsRootAndWaits) {
  Rig rig;
  EXPECT_EQ(rig.run("reboot").err, "Call to Reboot failed: Interactive authentication required.\n");
  const int boots = rig.node.os.boots;
  EXPECT_EQ(rig.run("sudo reboot").exit_code, 0);
  EXPECT_EQ(rig.node.os.boots, boots + 1);
  EXPECT_EQ(rig.run("rocminfo").exit_code, 0);
  EXPECT_TRUE(rig.node.os.scheduler.empty());
}

TEST(HostTools, ANodeWithoutAKernelDoesNotComeUp) {
  Rig rig;
  rig.as_root("rm /boot/vmlinuz-6.8.0-55-generic");
  EXPECT_EQ(rig.as_root("reboot").exit_code, 255);
  EXPECT_EQ(rig.run("id").exit_code, 255);
}

TEST(HostTools, InitramfsIsACopy) {
  Rig rig;
  const std::string image = "/boot/initrd.img-6.8.0-55-generic";
  EXPECT_EQ(rig.run("update-initramfs -u").exit_code, 1);
  rig.node.os.files.write("/etc/modprobe.d/new.conf", "options amdgpu noretry=0\n", no_event);
  EXPECT_THAT(rig.run("lsinitramfs " + image).out, Not(HasSubstr("etc/modprobe.d/new.conf")));
  const CommandResult result = rig.as_root("update-initramfs -u");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "update-initramfs: Generating " + image + "\n");
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(rig.run("lsinitramfs " + image).out, HasSubstr("etc/modprobe.d/new.conf\n"));
  EXPECT_EQ(rig.run("lsinitramfs /boot/none").exit_code, 1);
}

TEST(HostTools, FirmwareComesBackWithItsPackage) {
  Rig rig;
  const std::string blob = "/lib/firmware/updates/amdgpu/gc_9_4_3_rlc.bin";
  rig.as_root("rm " + blob);
  EXPECT_EQ(rig.run("dpkg -V amdgpu-dkms-firmware").out, "missing     " + blob + "\n");
  EXPECT_EQ(rig.run("dpkg -S " + blob).out, "amdgpu-dkms-firmware: " + blob + "\n");
  rig.as_root("reboot");
  EXPECT_EQ(rig.run("rocminfo | grep -c gfx942:").out, "0\n");
  EXPECT_EQ(rig.as_root("apt-get install --reinstall -y amdgpu-dkms-firmware").exit_code, 0);
  rig.as_root("reboot");
  EXPECT_EQ(rig.run("rocminfo | grep -c gfx942:").out, "8\n");
}

TEST(HostTools, DpkgLists) {
  Rig rig;
  EXPECT_THAT(
      rig.run("dpkg -l rocminfo").out,
      StartsWith("Desired=Unknown/Install/Remove/Purge/Hold\n"
                 "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n"
                 "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
                 "||/ Name           Version      Architecture Description\n"
                 "+++-==============-============-============-=================================\n"
                 "ii  rocminfo       6.3.3        amd64        "));
  EXPECT_EQ(rig.run("dpkg -l 'frob*'").err, "dpkg-query: no packages found matching frob*\n");
  EXPECT_EQ(rig.run("dpkg -S /etc/hostname").exit_code, 1);
  EXPECT_EQ(rig.run("dpkg -L rocminfo").out,
            "/.\n/opt\n/opt/rocm-6.3.3\n/opt/rocm-6.3.3/bin\n/opt/rocm-6.3.3/bin/rocminfo\n");
  EXPECT_EQ(
      rig.run("apt-cache policy linux-headers-generic").out,
      "linux-headers-generic:\n  Installed: 6.8.0-55\n  Candidate: 6.8.0-60\n  Version table:\n"
      "     6.8.0-60 500\n *** 6.8.0-55 100\n        100 /var/lib/dpkg/status\n");
}

TEST(HostTools, TheEnvironmentIsTheSessions) {
  Rig rig;
  EXPECT_EQ(rig.run("export ROCR_VISIBLE_DEVICES=3 HIP_VISIBLE_DEVICES=3").exit_code, 0);
  EXPECT_EQ(rig.run("env").out, "HIP_VISIBLE_DEVICES=3\nROCR_VISIBLE_DEVICES=3\n");
  EXPECT_EQ(rig.node.os.timeline.at(rig.node.os.why_environment("HIP_VISIBLE_DEVICES")).kind,
            "command");
  EXPECT_EQ(rig.run("env -u HIP_VISIBLE_DEVICES printenv").out, "ROCR_VISIBLE_DEVICES=3\n");
  EXPECT_EQ(rig.run("HIP_VISIBLE_DEVICES=0 printenv HIP_VISIBLE_DEVICES").out, "0\n");
  EXPECT_EQ(rig.run("unset HIP_VISIBLE_DEVICES").exit_code, 0);
  EXPECT_EQ(rig.run("printenv HIP_VISIBLE_DEVICES").exit_code, 1);
  EXPECT_EQ(rig.run("export 1=2").err, "bash: export: `1=2': not a valid identifier\n");
}

TEST(HostTools, UnameInItsForms) {
  Rig rig;
  EXPECT_EQ(rig.run("uname").out, "Linux\n");
  EXPECT_EQ(rig.run("uname -n").out, "gpu-node-07\n");
  EXPECT_EQ(
      rig.run("uname -a").out,
      "Linux gpu-node-07 6.8.0-55-generic #1 SMP PREEMPT_DYNAMIC x86_64 x86_64 x86_64 GNU/Linux\n");
  EXPECT_EQ(rig.run("hostname").out, "gpu-node-07\n");
}

TEST(HostTools, GrepSpeaksBothSyntaxes) {
  Rig rig;
  rig.as_root("echo 'a.b|c (x)' > /etc/sample");
  EXPECT_EQ(rig.run("grep 'b|c' /etc/sample").exit_code, 0);
  EXPECT_EQ(rig.run("grep -E '(zz|a)\\.b' /etc/sample").exit_code, 0);
  EXPECT_EQ(rig.run("grep 'zz\\|a' /etc/sample").exit_code, 0);
  EXPECT_EQ(rig.run("grep -F 'a.b|c (x)' /etc/sample").exit_code, 0);
  EXPECT_EQ(rig.run("grep -c 'A' /etc/sample").out, "0\n");
  EXPECT_EQ(rig.run("grep -ci A /etc/sample").out, "1\n");
  EXPECT_EQ(rig.run("grep -Hn a /etc/sample").out, "/etc/sample:1:a.b|c (x)\n");
  EXPECT_EQ(rig.run("grep -v a /etc/sample").exit_code, 1);
  EXPECT_EQ(rig.run("grep x /nowhere").err, "grep: /nowhere: No such file or directory\n");
  EXPECT_EQ(rig.run("grep x /nowhere").exit_code, 2);
  EXPECT_EQ(rig.run("grep -E '(' /etc/sample").exit_code, 2);
  EXPECT_EQ(rig.run("grep x /etc").err, "grep: /etc: Is a directory\n");
}

}  // namespace
}  // namespace rocdrill::sim::tools::test
