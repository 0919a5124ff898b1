// The evidence of faults at each layer, against what real systems print, and what heals them:
// from the firmware's setup to PyTorch's build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/evidence.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Evidence, GpuOffTheBus) {
  const auto node = with("gpu-off-the-bus", "mi210");
  EXPECT_EQ(sh(*node, {"lspci", "-d", "1002:"}).out, "");
  EXPECT_THAT(sh(*node, {"lsmod"}).out, Not(HasSubstr("amdgpu"))) << "nothing asks for it";
  EXPECT_NE(sh(*node, {"ls", "/dev/kfd"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"lspci", "-d", "1002:"}).out, "") << "a reset does not reach it";
  EXPECT_EQ(sh(*node, {"ipmitool", "chassis", "power", "cycle"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"lspci", "-d", "1002:"}).out, HasSubstr("MI210"));
  expect_healed(*node);
}

TEST(Evidence, OneGpuOfEightIsOffTheBus) {
  const auto node = with("gpu-off-the-bus", "mi300x-8");
  const auto results = check(*node);
  ASSERT_NE(checks::first_failure(results), nullptr);
  EXPECT_EQ(checks::first_failure(results)->id, "silicon.pci");
  EXPECT_EQ(node->kernel.kfd.nodes().size(), 7u);
}

TEST(Evidence, Nomodeset) {
  const auto node = with("nomodeset", "mi210");
  EXPECT_THAT(sh(*node, {"cat", "/proc/cmdline"}).out, HasSubstr(" nomodeset"));
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out,
              HasSubstr("Booted with the nomodeset parameter. Only the system framebuffer will be "
                        "available"));
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).err,
            "modprobe: ERROR: could not insert 'amdgpu': Invalid argument\n");
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, Not(HasSubstr("amdgpu kernel modesetting")));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, HasSubstr("ROCk module is NOT loaded"));
  // The file is not what GRUB reads.
  EXPECT_EQ(sh(*node, {"rm", "/etc/default/grub.d/99-safe-graphics.cfg"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"cat", "/proc/cmdline"}).out, HasSubstr(" nomodeset"));
  EXPECT_EQ(sh(*node, {"update-grub"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"cat", "/proc/cmdline"}).out, HasSubstr(" nomodeset")) << "of this boot";
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"cat", "/proc/cmdline"}).out, Not(HasSubstr("nomodeset")));
  expect_healed(*node);
}

TEST(Evidence, SecureBootUnsigned) {
  const auto node = with("secure-boot-unsigned", "mi300x-8");
  EXPECT_EQ(sh(*node, {"mokutil", "--sb-state"}).out, "SecureBoot enabled\n");
  EXPECT_THAT(sh(*node, {"dkms", "status"}).out, HasSubstr(": installed"));
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).err,
            "modprobe: ERROR: could not insert 'amdgpu': Key was rejected by service\n");
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out,
              HasSubstr("Loading of module with unavailable key is rejected"));
  EXPECT_EQ(sh(*node, {"modinfo", "-F", "signer", "amdgpu"}).out,
            "gpu-node-07 Secure Boot Module Signature key\n");
  const std::string key = "/var/lib/shim-signed/mok/MOK.der";
  EXPECT_EQ(sh(*node, {"mokutil", "--test-key", key}).out, key + " is not enrolled\n");
  EXPECT_EQ(sh(*node, {"mokutil", "--import", key}, true).exit_code, 0);
  EXPECT_NE(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0) << "asked for, not enrolled";
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"mokutil", "--test-key", key}).out, key + " is already enrolled\n");
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, Not(HasSubstr("module verification failed")));
  expect_healed(*node);
}

TEST(Evidence, SecureBootTrustsTheKernelsOwnModules) {
  auto node = booted("mi210");
  node->os.uefi.secure_boot = true;
  node->boot();
  EXPECT_THAT(sh(*node, {"lsmod"}).out, HasSubstr("amdgpu"));
  const auto dkms = booted("mi300x-8");
  EXPECT_EQ(sh(*dkms, {"mokutil", "--sb-state"}).out, "SecureBoot disabled\n");
  const std::string dmesg = sh(*dkms, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("amdkcl: loading out-of-tree module taints kernel."));
  EXPECT_THAT(dmesg, HasSubstr("amdkcl: module verification failed: signature and/or required key "
                               "missing - tainting kernel"))
      << "harmless without Secure Boot";
}

TEST(Evidence, SecureBootWithoutValidationInShim) {
  const auto node = with("secure-boot-unsigned", "mi300x-8");
  EXPECT_EQ(sh(*node, {"mokutil", "--disable-validation"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"mokutil", "--sb-state"}).out,
            "SecureBoot enabled\nSecureBoot validation is disabled in shim\n");
  expect_healed(*node);
}

TEST(Evidence, VfioBound) {
  const auto node = with("vfio-bound", "mi210");
  EXPECT_THAT(sh(*node, {"lspci", "-k", "-d", "1002:"}).out,
              HasSubstr("Kernel driver in use: vfio-pci"));
  EXPECT_THAT(sh(*node, {"lsmod"}).out, HasSubstr("amdgpu")) << "udev loads it all the same";
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("vfio_pci: add [1002:740f[ffffffff:ffffffff]] class "
                               "0x000000/00000000"));
  EXPECT_THAT(dmesg, Not(HasSubstr("initializing kernel modesetting")));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out,
              HasSubstr("Unable to open /dev/kfd read-write: Invalid argument"));
  // Through sysfs, for this boot.
  sim::FileTree& files = node->os.files;
  EXPECT_TRUE(files.store("/sys/bus/pci/drivers/vfio-pci/unbind", "0000:c3:00.0\n", no_event));
  EXPECT_TRUE(files.store("/sys/bus/pci/drivers/amdgpu/bind", "0000:c3:00.0\n", no_event));
  expect_healed(*node);
  node->boot();
  EXPECT_THAT(sh(*node, {"lspci", "-k", "-d", "1002:"}).out, HasSubstr("in use: vfio-pci"));
}

TEST(Evidence, KfdParameterInvalid) {
  const auto node = with("kfd-parameter-invalid", "mi300x-8");
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: sched_policy has invalid value"));
  EXPECT_THAT(dmesg, HasSubstr("[drm] Initialized amdgpu")) << "graphics goes on";
  EXPECT_THAT(dmesg, Not(HasSubstr("kfd kfd:")));
  EXPECT_EQ(sh(*node, {"cat", "/sys/module/amdgpu/parameters/sched_policy"}).out, "3\n");
  EXPECT_NE(sh(*node, {"ls", "/sys/class/kfd"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"ls", "/dev/dri"}).exit_code, 0);
  EXPECT_THAT(sh(*node, {"rocminfo"}).out,
              HasSubstr("Unable to open /dev/kfd read-write: No such file or directory"));
  EXPECT_EQ(sh(*node, {"rm", "/etc/modprobe.d/amdgpu.conf"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "-r", "amdgpu"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, StaleInitramfs) {
  const auto node = with("stale-initramfs", "mi210");
  EXPECT_THAT(sh(*node, {"dmesg"}, true).out, HasSubstr("amdgpu: sched_policy has invalid value"));
  EXPECT_NE(sh(*node, {"ls", "/etc/modprobe.d/amdgpu.conf"}).exit_code, 0) << "it was mended";
  const std::string image = "/boot/initrd.img-6.1.0-37-amd64";
  EXPECT_THAT(sh(*node, {"lsinitramfs", image}).out, HasSubstr("etc/modprobe.d/amdgpu.conf\n"));
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_NE(sh(*node, {"ls", "/dev/kfd"}).exit_code, 0);
  EXPECT_EQ(sh(*node, {"update-initramfs", "-u"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"lsinitramfs", image}).out, Not(HasSubstr("amdgpu.conf")));
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"lsmod"}).out, HasSubstr("amdgpu"));
  expect_healed(*node);
}

TEST(Evidence, DkmsAddedOnly) {
  const auto node = with("dkms-added-only", "mi300x-8");
  EXPECT_EQ(sh(*node, {"dkms", "status"}).out, "amdgpu/6.10.5-2125197.24.04: added\n");
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).err,
            "modprobe: FATAL: Module amdgpu not found in directory "
            "/lib/modules/6.8.0-55-generic\n");
  EXPECT_EQ(sh(*node, {"dkms", "install", "amdgpu/6.10.5-2125197.24.04"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, DkmsBuildFailed) {
  const auto node = with("dkms-build-failed", "mi300x-8");
  EXPECT_EQ(sh(*node, {"uname", "-r"}).out, "6.8.0-60-generic\n");
  EXPECT_EQ(sh(*node, {"ls", "-d", "/lib/modules/6.8.0-60-generic/build"}).exit_code, 0)
      << "the headers are there";
  const auto again = sh(*node, {"dkms", "autoinstall"}, true);
  EXPECT_NE(again.exit_code, 0);
  EXPECT_THAT(again.err,
              HasSubstr("Error! Bad return status for module build on kernel: 6.8.0-60-generic "
                        "(x86_64)\nConsult "
                        "/var/lib/dkms/amdgpu/6.10.5-2125197.24.04/build/make.log for more "
                        "information.\n"));
  EXPECT_THAT(sh(*node, {"cat", "/var/lib/dkms/amdgpu/6.10.5-2125197.24.04/build/make.log"}).out,
              HasSubstr("ERROR: modpost: \"drm_sched_job_init\""));
  EXPECT_EQ(sh(*node, {"grub-set-default", "6.8.0-55-generic"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, DkmsStaleTree) {
  const auto node = with("dkms-stale-tree", "mi300x-8");
  const std::string error =
      "Error! Could not locate dkms.conf file.\n"
      "File: /var/lib/dkms/amdgpu/6.7.0-1756574.22.04/source/dkms.conf does not exist.\n";
  EXPECT_EQ(sh(*node, {"dkms", "status"}).err, error);
  EXPECT_EQ(sh(*node, {"dkms", "autoinstall"}, true).err, error);
  EXPECT_EQ(sh(*node, {"dkms", "remove", "amdgpu/6.7.0-1756574.22.04", "--all"}, true).err, error);
  EXPECT_EQ(sh(*node, {"rm", "-r", "/var/lib/dkms/amdgpu/6.7.0-1756574.22.04"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"dkms", "autoinstall"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"modprobe", "amdgpu"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, PciRealloc) {
  const auto node = with("pci-realloc", "mi210");
  const std::string dmesg = sh(*node, {"dmesg"}, true).out;
  EXPECT_THAT(dmesg, HasSubstr("pci 0000:c3:00.0: BAR 5: no space for [mem size 0x00080000]"));
  EXPECT_THAT(dmesg, HasSubstr("amdgpu: probe of 0000:c3:00.0 failed with error -12"));
  EXPECT_THAT(dmesg, Not(HasSubstr("Fatal error during GPU init"))) << "it ends before";
  // Either of the two alone is harmless.
  auto setup_only = sim::FaultRegistry::instance().find("pci-realloc");
  auto healthy = test::node("mi210");
  setup_only->prepare(*healthy, sim::FaultRegistry::check(setup_only->info(), {}).value());
  healthy->boot();
  expect_healed(*healthy);
  EXPECT_EQ(sh(*node, {"rm", "/etc/default/grub.d/50-pci.cfg"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"update-grub"}, true).exit_code, 0);
  EXPECT_EQ(sh(*node, {"reboot"}, true).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, StrandedVram) {
  const auto node = with("stranded-vram", "mi300x-8");
  const auto python =
      sh(*node, {"python3", "-c", "import torch; a = torch.randn(2, device='cuda')"});
  EXPECT_EQ(python.exit_code, 1);
  EXPECT_THAT(python.err, HasSubstr("torch.OutOfMemoryError: HIP out of memory. Tried to allocate "
                                    "2.00 MiB. GPU 0 has a total capacity of 191.98 GiB of which "
                                    "1024.00 KiB is free. Of the allocated memory 0 bytes is "
                                    "allocated by PyTorch"));
  EXPECT_THAT(sh(*node, {"rocm-smi"}).out, HasSubstr("100%"));
  const auto held = node->kernel.kfd.holders();
  ASSERT_EQ(held.size(), 1u);
  const std::string pid = std::to_string(*held.begin());
  EXPECT_THAT(sh(*node, {"rocm-smi", "--showpids"}).out, HasSubstr(pid + "\tpython3\t1\t"));
  EXPECT_THAT(sh(*node, {"ps"}).out, HasSubstr(pid + " python3\n"));
  EXPECT_EQ(sh(*node, {"kill", "-9", "99"}).err, "bash: kill: (99) - No such process\n");
  EXPECT_NE(sh(*node, {"kill", "-s", "STOP", pid}).exit_code, 0) << "not modelled";
  EXPECT_EQ(node->kernel.kfd.holders().size(), 1u);
  EXPECT_EQ(sh(*node, {"kill", "-s", "KILL", pid}).exit_code, 0);
  expect_healed(*node);
}

TEST(Evidence, KfdPermission) {
  const auto node = with("kfd-permission", "mi210");
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw------- 1 root root"));
  EXPECT_THAT(sh(*node, {"id"}).out, HasSubstr("render"));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out,
              HasSubstr("Unable to open /dev/kfd read-write: Permission denied"));
  EXPECT_EQ(sh(*node, {"rm", "/etc/udev/rules.d/70-amdgpu.rules"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-------"))
      << "a node keeps what it got until its event comes again";
  EXPECT_EQ(sh(*node, {"udevadm", "control", "--reload"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-------"));
  EXPECT_EQ(sh(*node, {"udevadm", "trigger", "--subsystem-match=usb"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-------")) << "another's";
  EXPECT_EQ(sh(*node, {"udevadm", "trigger", "--subsystem-match=kfd"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-rw---- 1 root render"));
  expect_healed(*node);
}

TEST(Udev, PassesOverAModeThatIsNone) {
  const auto node = booted("mi210");
  node->os.write_file("/etc/udev/rules.d/70-amdgpu.rules", "KERNEL==\"kfd\", MODE=\"rw-rw----\"\n",
                      no_event);
  EXPECT_EQ(sh(*node, {"udevadm", "trigger"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ls", "-l", "/dev/kfd"}).out, HasSubstr("crw-rw---- 1 root render"));
}

TEST(Evidence, VisibleDevicesEmpty) {
  const auto node = with("visible-devices-empty", "mi300x-8");
  EXPECT_THAT(sh(*node, {"env"}).out, HasSubstr("ROCR_VISIBLE_DEVICES=\n"));
  const auto rocminfo = sh(*node, {"rocminfo"});
  EXPECT_EQ(rocminfo.exit_code, 0);
  EXPECT_THAT(rocminfo.out, Not(HasSubstr("gfx942")));
  EXPECT_EQ(sh(*node, {"rm", "/etc/environment"}, true).exit_code, 0);
  EXPECT_THAT(sh(*node, {"env"}).out, HasSubstr("ROCR_VISIBLE_DEVICES=\n")) << "of this login";
  node->log_in(no_event);
  EXPECT_THAT(sh(*node, {"env"}).out, Not(HasSubstr("ROCR_VISIBLE_DEVICES")));
  expect_healed(*node);
}

TEST(Evidence, OverrideLeftSet) {
  const auto node = with("override-left-set", "mi210");
  const std::string rocminfo = sh(*node, {"rocminfo"}).out;
  EXPECT_THAT(rocminfo, HasSubstr("gfx1030"));
  EXPECT_THAT(rocminfo, HasSubstr("29711(0x740f)")) << "the chip id is still the MI210's";
  EXPECT_THAT(sh(*node, {"/srv/job/saxpy"}).err, HasSubstr("hipErrorNoBinaryForGpu"));
  EXPECT_EQ(sh(*node, {"unset", "HSA_OVERRIDE_GFX_VERSION"}).exit_code, 0);
  expect_healed(*node);
  node->log_in(no_event);
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, HasSubstr("gfx1030")) << "the file sets it again";
}

TEST(Evidence, LdLibraryPathShadow) {
  const auto node = with("ld-library-path-shadow", "mi300x-8");
  EXPECT_THAT(sh(*node, {"ldd", "/srv/job/saxpy"}).out,
              HasSubstr("libhsa-runtime64.so.1 => /opt/rocm-5.2.3/lib/libhsa-runtime64.so.1 ("));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, Not(HasSubstr("gfx942")));
  EXPECT_NE(sh(*node, {"/srv/job/saxpy"}).exit_code, 0);
  EXPECT_EQ(
      sh(*node, {"python3", "-c", "import torch; assert torch.cuda.is_available()"}).exit_code, 0)
      << "the wheel brings libraries of its own";
  EXPECT_EQ(sh(*node, {"unset", "LD_LIBRARY_PATH"}).exit_code, 0);
  EXPECT_THAT(sh(*node, {"ldd", "/srv/job/saxpy"}).out,
              HasSubstr("=> /opt/rocm-6.3.3/lib/libhsa-runtime64.so.1 ("));
  expect_healed(*node);
}

TEST(Evidence, IgpuFirst) {
  const auto node = with("igpu-first", "rx7900xtx-igpu");
  EXPECT_THAT(sh(*node, {"env"}).out, HasSubstr("HIP_VISIBLE_DEVICES=1\n"));
  EXPECT_THAT(sh(*node, {"rocminfo"}).out, HasSubstr("gfx1100")) << "ROCr has both";
  EXPECT_EQ(sh(*node, {"python3", "-c",
                       "import torch; print(torch.cuda.get_device_properties(0).gcnArchName)"})
                .out,
            "gfx1036\n");
  EXPECT_THAT(
      sh(*node, {"python3", "-c", "import torch; a = torch.randn(2, 2, device='cuda')"}).err,
      HasSubstr("RuntimeError: HIP error: invalid device function"));
  EXPECT_EQ(sh(*node, {"rm", "/etc/profile.d/gpu-select.sh"}, true).exit_code, 0);
  node->log_in(no_event);
  EXPECT_THAT(sh(*node, {"env"}).out, HasSubstr("HIP_VISIBLE_DEVICES=0\n")) << "the job's own";
  expect_healed(*node);
}

TEST(Evidence, RocblasDataMissing) {
  const auto node = with("rocblas-data-missing", "mi300x-8");
  const std::string script = "import torch; a = torch.randn(2, 2, device='cuda'); a @ a";
  const auto python = sh(*node, {"python3", "-c", script});
  EXPECT_NE(python.exit_code, 0);
  EXPECT_THAT(python.err, HasSubstr("/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU "
                                    "arch : gfx942\n"));
  EXPECT_THAT(python.err, HasSubstr("TensileLibrary_lazy_gfx90a.dat\"\n"));
  EXPECT_THAT(python.err, Not(HasSubstr("lazy_gfx942")));
  EXPECT_EQ(sh(*node, {"/srv/job/saxpy"}).exit_code, 0) << "what needs no rocBLAS works";
  EXPECT_EQ(
      sh(*node, {"pip", "install", "--force-reinstall", "torch==2.6.0+rocm6.3"}, true).exit_code,
      0);
  expect_healed(*node);
}

TEST(Evidence, WrongTorchWheel) {
  const auto node = with("wrong-torch-wheel", "mi300x-8");
  const auto python = [&](const std::string& script) {
    return sh(*node, {"python3", "-c", "import torch; " + script});
  };
  EXPECT_EQ(python("print(torch.__version__, torch.version.hip, torch.version.cuda)").out,
            "2.6.0+cu124 None 12.4\n");
  EXPECT_EQ(python("print(torch.cuda.is_available())").out, "False\n");
  EXPECT_THAT(python("a = torch.randn(2, 2, device='cuda')").err,
              HasSubstr("RuntimeError: Found no NVIDIA driver on your system."));
  EXPECT_EQ(sh(*node, {"/srv/job/saxpy"}).exit_code, 0) << "everything below is well";
  EXPECT_THAT(sh(*node, {"pip", "show", "torch"}).out, HasSubstr("Version: 2.6.0+cu124\n"));
  EXPECT_THAT(sh(*node, {"pip", "install", "torch"}, true).out,
              HasSubstr("Requirement already satisfied"));
  const std::vector<std::string> plain{"pip", "install", "--force-reinstall", "torch"};
  EXPECT_EQ(sh(*node, plain, true).exit_code, 0);
  EXPECT_EQ(python("print(torch.version.hip)").out, "None\n") << "PyPI has the same again";
  EXPECT_EQ(sh(*node,
               {"pip", "install", "--force-reinstall", "torch", "--index-url",
                "https://download.pytorch.org/whl/rocm6.3"},
               true)
                .exit_code,
            0);
  expect_healed(*node);
}

TEST(Evidence, ACpuWheelSaysSo) {
  const auto node = broken("mi300x-8", {"wrong-torch-wheel", {{"build", std::string("cpu")}}});
  EXPECT_THAT(
      sh(*node, {"python3", "-c", "import torch; a = torch.randn(2, 2, device='cuda')"}).err,
      HasSubstr("AssertionError: Torch not compiled with CUDA enabled"));
}

}  // namespace
}  // namespace rocdrill::test
