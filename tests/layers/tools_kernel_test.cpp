// lsmod, modprobe, rmmod, insmod, modinfo, dkms, dmesg, lspci: on a healthy node and on changed
// ones.
#include <gmock/gmock.h>

#include "layers/tools/rig.hpp"

namespace rocdrill::sim::tools::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view modules = "/lib/modules/6.8.0-55-generic";
constexpr const char* healthy_dkms =
    "amdgpu/6.10.5-2125197.24.04, 6.8.0-55-generic, x86_64: installed\n";

std::size_t lines_with(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (const std::string& line : lines_of(text))
    count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

TEST(KernelTools, LsmodListsTheDkmsModules) {
  Rig rig;
  EXPECT_EQ(rig.run("lsmod").out,
            "Module                  Size  Used by\n"
            "amdgpu              19718144  0\n"
            "amddrm_ttm_helper      65536  1 amdgpu\n"
            "amdttm                 65536  1 amdgpu\n"
            "amddrm_buddy           65536  1 amdgpu\n"
            "amdxcp                 65536  1 amdgpu\n"
            "amd_sched              65536  1 amdgpu\n"
            "amdkcl                 65536  1 amdgpu\n");
}

TEST(KernelTools, ModprobeNeedsRoot) {
  Rig rig;
  EXPECT_EQ(rig.run("modprobe amdgpu").exit_code, 0);  // it is loaded: nothing to insert
  const CommandResult removed = rig.run("modprobe -r amdgpu");
  EXPECT_EQ(removed.exit_code, 1);
  EXPECT_EQ(removed.err, "modprobe: ERROR: could not remove 'amdgpu': Operation not permitted\n");
  EXPECT_EQ(rig.run("sudo modprobe -r amdgpu").exit_code, 0);
  EXPECT_EQ(rig.run("lsmod").out, "Module                  Size  Used by\n");
  const CommandResult inserted = rig.run("modprobe amdgpu");
  EXPECT_EQ(inserted.exit_code, 1);
  EXPECT_EQ(inserted.err, "modprobe: ERROR: could not insert 'amdgpu': Operation not permitted\n");
  EXPECT_EQ(rig.run("ls -l /dev/kfd").err,
            "ls: cannot access '/dev/kfd': No such file or directory\n");
}

TEST(KernelTools, ModprobeTakesParametersAndIsTheCauseOfTheLoad) {
  Rig rig;
  ASSERT_EQ(rig.as_root("modprobe -r amdgpu").exit_code, 0);
  ASSERT_EQ(rig.as_root("modprobe amdgpu noretry=0").exit_code, 0);
  EXPECT_EQ(rig.run("cat /sys/module/amdgpu/parameters/noretry").out, "0\n");
  const auto chain =
      rig.node.os.timeline.cause_chain(rig.node.kernel.modules.find("amdgpu")->event);
  const EventView command = rig.node.os.timeline.at(chain.back());
  EXPECT_EQ(command.kind, "command");
  EXPECT_EQ(command.subject, "modprobe amdgpu noretry=0");
}

TEST(KernelTools, ModprobeDryRunShowsWhatItWouldInsert) {
  Rig rig;
  rig.as_root("modprobe -r amdgpu");
  const CommandResult result = rig.run("modprobe -n -v amdgpu");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(lines_with(result.out, "insmod "), 7u);
  EXPECT_THAT(result.out,
              HasSubstr("insmod /lib/modules/6.8.0-55-generic/updates/dkms/amdgpu.ko \n"));
  EXPECT_EQ(rig.node.kernel.modules.find("amdgpu"), nullptr);
}

TEST(KernelTools, AMissingModuleIsNotFound) {
  Rig rig;
  const EventId fault = rig.node.os.remove_file(std::string(modules) + "/updates/dkms", no_event);
  kernel::depmod(rig.node.os.files, "6.8.0-55-generic", fault);
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  EXPECT_EQ(rig.run("lsmod").out, "Module                  Size  Used by\n");
  const CommandResult load = rig.as_root("modprobe amdgpu");
  EXPECT_EQ(load.exit_code, 1);
  EXPECT_EQ(
      load.err,
      "modprobe: FATAL: Module amdgpu not found in directory /lib/modules/6.8.0-55-generic\n");
  EXPECT_EQ(rig.run("modinfo amdgpu").err, "modinfo: ERROR: Module amdgpu not found.\n");
  EXPECT_EQ(rig.run("dkms status").out,
            "amdgpu/6.10.5-2125197.24.04, 6.8.0-55-generic, x86_64: built\n");
  EXPECT_EQ(rig.as_root("dkms install amdgpu/6.10.5-2125197.24.04").exit_code, 0);
  EXPECT_EQ(rig.as_root("modprobe amdgpu").exit_code, 0);
  EXPECT_EQ(lines_with(rig.run("lspci -k -d 1002:").out, "Kernel driver in use: amdgpu"), 8u);
}

TEST(KernelTools, ABlacklistStopsTheBootAndNotModprobe) {
  Rig rig;
  rig.as_root("echo blacklist amdgpu > /etc/modprobe.d/gpu.conf");
  rig.as_root("reboot");
  EXPECT_EQ(rig.run("lsmod").out, "Module                  Size  Used by\n");
  EXPECT_EQ(rig.run("dkms status").out, healthy_dkms);
  EXPECT_EQ(rig.run("modprobe -c").out, "blacklist amdgpu\n");
  const CommandResult lspci = rig.run("lspci -k -s 1b:00.0");
  EXPECT_THAT(lspci.out, Not(HasSubstr("Kernel driver in use")));
  EXPECT_THAT(lspci.out, HasSubstr("\tKernel modules: amdgpu\n"));
  EXPECT_EQ(rig.as_root("modprobe amdgpu").exit_code, 0);
  EXPECT_EQ(rig.run("ls /dev/kfd").exit_code, 0);
  EXPECT_EQ(rig.as_root("rm /etc/modprobe.d/gpu.conf").exit_code, 0);
  rig.as_root("reboot");
  EXPECT_THAT(rig.run("lsmod").out, HasSubstr("amdgpu"));
}

TEST(KernelTools, RmmodKeepsModulesThatOthersUse) {
  Rig rig;
  EXPECT_EQ(rig.as_root("rmmod amdkcl").err, "rmmod: ERROR: Module amdkcl is in use by: amdgpu\n");
  EXPECT_EQ(rig.as_root("rmmod amdgpu").exit_code, 0);
  EXPECT_EQ(rig.as_root("rmmod amdgpu").err,
            "rmmod: ERROR: Module amdgpu is not currently loaded\n");
  EXPECT_EQ(lines_with(rig.run("lsmod").out, "amd"), 6u);  // unlike modprobe -r
}

TEST(KernelTools, RmmodIsRefusedWhileAProcessHoldsAGpu) {
  Rig rig;
  const auto process = rig.node.access.spawn(rig.node.host().session());
  const auto runtime = rig.node.open_runtime(*process);
  ASSERT_TRUE(runtime.has_value());
  EXPECT_EQ(rig.as_root("rmmod amdgpu").err, "rmmod: ERROR: Module amdgpu is in use\n");
  EXPECT_EQ(rig.as_root("modprobe -r amdgpu").err, "modprobe: FATAL: Module amdgpu is in use.\n");
}

TEST(KernelTools, InsmodSpeaksItsOwnWords) {
  Rig rig;
  rig.as_root("rmmod amdgpu");
  const std::string ko = std::string(modules) + "/updates/dkms/amdgpu.ko";
  EXPECT_EQ(rig.run("insmod " + ko).err,
            "insmod: ERROR: could not insert module " + ko + ": Operation not permitted\n");
  EXPECT_EQ(rig.as_root("insmod /nowhere.ko").err,
            "insmod: ERROR: could not load module /nowhere.ko: No such file or directory\n");
  EXPECT_EQ(rig.as_root("insmod /etc/group").err,
            "insmod: ERROR: could not insert module /etc/group: Invalid module format\n");
  EXPECT_EQ(rig.as_root("insmod " + ko).exit_code, 0);
  EXPECT_EQ(rig.as_root("insmod " + ko).err,
            "insmod: ERROR: could not insert module " + ko + ": File exists\n");
}

TEST(KernelTools, ModinfoPrintsFieldsInTheirOrder) {
  Rig rig;
  const CommandResult result = rig.run("modinfo amdgpu");
  EXPECT_THAT(result.out,
              StartsWith("filename:       /lib/modules/6.8.0-55-generic/updates/dkms/amdgpu.ko\n"
                         "version:        6.10.5\n"
                         "license:        GPL and additional rights\n"
                         "description:    AMD GPU\n"
                         "author:         AMD linux driver team\n"
                         "alias:          pci:v00001002d*"));
  EXPECT_EQ(rig.run("modinfo -F version amdgpu").out, "6.10.5\n");
  EXPECT_EQ(rig.run("modinfo -F vermagic amdgpu").out,
            "6.8.0-55-generic SMP preempt mod_unload modversions\n");
  EXPECT_EQ(rig.run("modinfo -F firmware amdgpu").exit_code, 2);
  EXPECT_EQ(rig.run("modinfo -k 6.8.0-60-generic amdgpu").exit_code, 1);
}

TEST(KernelTools, DkmsFollowsItsStates) {
  Rig rig;
  EXPECT_EQ(rig.run("dkms status").out, healthy_dkms);
  EXPECT_EQ(rig.run("dkms status -k 6.8.0-60-generic").out, "");
  EXPECT_EQ(rig.run("dkms uninstall amdgpu/6.10.5-2125197.24.04").err,
            "Error! You must be root to use this command.\n");
  EXPECT_EQ(rig.as_root("dkms uninstall amdgpu/6.10.5-2125197.24.04 -k 6.8.0-55-generic").exit_code,
            0);
  EXPECT_EQ(rig.run("dkms status").out,
            "amdgpu/6.10.5-2125197.24.04, 6.8.0-55-generic, x86_64: built\n");
  EXPECT_EQ(
      rig.as_root("dkms install -m amdgpu -v 6.10.5-2125197.24.04 -k 6.8.0-55-generic").exit_code,
      0);
  EXPECT_EQ(rig.run("dkms status amdgpu/6.10.5-2125197.24.04").out, healthy_dkms);
  EXPECT_EQ(rig.as_root("dkms remove amdgpu/6.10.5-2125197.24.04").exit_code, 2);
  EXPECT_EQ(rig.as_root("dkms remove amdgpu/6.10.5-2125197.24.04 --all").exit_code, 0);
  EXPECT_EQ(rig.run("dkms status").out, "");
  const CommandResult gone = rig.as_root("dkms install amdgpu/6.10.5-2125197.24.04");
  EXPECT_NE(gone.exit_code, 0);
  EXPECT_THAT(gone.err, StartsWith("Error! "));
  EXPECT_EQ(rig.as_root("dkms add amdgpu/6.10.5-2125197.24.04").exit_code, 0);
  EXPECT_EQ(rig.run("dkms status").out, "amdgpu/6.10.5-2125197.24.04: added\n");
  EXPECT_EQ(rig.as_root("dkms install nvidia/1.0").exit_code, 3);
}

TEST(KernelTools, DkmsSaysThatHeadersAreMissingOnStandardError) {
  Rig rig;
  rig.as_root("apt-get remove -y linux-headers-6.8.0-55-generic");
  rig.as_root("dkms remove amdgpu/6.10.5-2125197.24.04 --all");
  rig.as_root("dkms add amdgpu/6.10.5-2125197.24.04");
  const CommandResult result = rig.as_root("dkms install amdgpu/6.10.5-2125197.24.04");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(
      result.err,
      StartsWith("Error! Your kernel headers for kernel 6.8.0-55-generic cannot be found at "
                 "/lib/modules/6.8.0-55-generic/build or /lib/modules/6.8.0-55-generic/source.\n"));
  EXPECT_NE(result.event, no_event);
}

TEST(KernelTools, ANodeWithoutADkmsDriverHasNoDkms) {
  Rig rig(mi210_spec());
  const CommandResult result = rig.run("dkms status");
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_FALSE(result.found);
  EXPECT_THAT(rig.run("lsmod").out, HasSubstr("amdgpu"));
}

TEST(KernelTools, DmesgShowsTheProbeAndItsFailure) {
  Rig rig;
  EXPECT_THAT(rig.run("dmesg").out, HasSubstr("[drm] amdgpu version: 6.10.5\n"));
  EXPECT_EQ(lines_with(rig.run("dmesg").out, "kfd kfd: amdgpu: added device 1002:74a1"), 8u);
  EXPECT_EQ(rig.run("dmesg -t --level err,warn").out,
            "amdkcl: loading out-of-tree module taints kernel.\n");
  rig.as_root("rm /lib/firmware/updates/amdgpu/gc_9_4_3_rlc.bin");
  rig.as_root("reboot");
  const CommandResult errors = rig.run("dmesg --level err,warn");
  EXPECT_EQ(lines_with(errors.out,
                       "Direct firmware load for amdgpu/gc_9_4_3_rlc.bin failed with error -2"),
            8u);
  EXPECT_EQ(lines_with(errors.out, "failed with error -19"), 8u);
  EXPECT_THAT(rig.run("dmesg -t").out,
              HasSubstr("\namdgpu: probe of 0000:1b:00.0 failed with error -19\n"));
  EXPECT_THAT(rig.as_root("journalctl -k --no-pager").out,
              HasSubstr("gpu-node-07 kernel: amdgpu: probe of "));
  EXPECT_EQ(rig.run("dmesg --level loud").exit_code, 1);
  EXPECT_THAT(rig.run("lspci -k -d 1002:").out, Not(HasSubstr("in use")));
}

TEST(KernelTools, JournalctlIsForTheAdmGroup) {
  Rig rig;
  EXPECT_EQ(rig.run("sudo journalctl -k").exit_code, 0);
  EXPECT_EQ(rig.as({"bob", 1001, 1001, {}}, "journalctl -k").exit_code, 1);
  EXPECT_EQ(rig.run("journalctl").exit_code, 2);
}

TEST(KernelTools, LspciFilters) {
  Rig rig;
  EXPECT_EQ(lines_of(rig.run("lspci").out).size(), 16u);  // with a root port above each GPU
  EXPECT_EQ(lines_with(rig.run("lspci").out, "PCI bridge: Advanced Micro Devices"), 8u);
  EXPECT_EQ(lines_of(rig.run("lspci -d 1002:").out).size(), 8u);
  EXPECT_EQ(rig.run("lspci -d 10de:").out, "");
  const std::string one = rig.run("lspci -nn -s 3d:00.0").out;
  EXPECT_THAT(one, StartsWith("3d:00.0 Processing accelerators [1200]: "));
  EXPECT_THAT(one, HasSubstr("Aqua Vanjaram [Instinct MI300X] [1002:74a1]\n"));
  EXPECT_EQ(rig.run("lspci -n -s 3d:00.0").out, "3d:00.0 1200: 1002:74a1\n");
  EXPECT_THAT(rig.run("lspci -D -s 3d:00.0").out, StartsWith("0000:3d:00.0 "));
  EXPECT_THAT(rig.run("lspci -k -s 3d:00.0").out,
              HasSubstr("\tKernel driver in use: amdgpu\n\tKernel modules: amdgpu\n"));
}

}  // namespace
}  // namespace rocdrill::sim::tools::test
