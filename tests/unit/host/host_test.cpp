// The operating system: files and why they are as they are, packages, users, boot, PCI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "sim/host/os.hpp"

namespace rocdrill::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

EventId note(Os& os, std::string_view kind, EventId cause = no_event) {
  return os.journal.record(Layer::host, Severity::info, kind, "test", {}, cause);
}

TEST(Files, ResolveSymlinksAndReportErrno) {
  FileTree files;
  files.write("/a/b/file", "text", no_event);
  files.symlink("/a/link", "b", no_event);
  files.symlink("/absolute", "/a/b/file", no_event);
  files.symlink("/loop", "/loop", no_event);
  EXPECT_EQ(files.text("/a/link/file"), "text");
  EXPECT_EQ(files.text("/a/link/../b/./file"), "text");
  EXPECT_EQ(files.text("//absolute"), "text");
  EXPECT_EQ(files.read("/loop").error().error, ELOOP);
  EXPECT_EQ(files.read("/a/b").error().error, EISDIR);
  EXPECT_EQ(files.read("/a/b/file/x").error().error, ENOTDIR);
  EXPECT_EQ(files.read("/nowhere").error().error, ENOENT);
  EXPECT_EQ(files.readlink("/a/link").value(), "b");
  EXPECT_EQ(files.readlink("/a/b/file").error().error, EINVAL);
}

TEST(Files, ListIsSortedAndComplete) {
  FileTree files;
  for (const char* path : {"/d/x-y", "/d/x/1", "/d/x/2", "/d/x.z", "/d/a", "/dd"})
    files.write(path, "", no_event);
  EXPECT_THAT(files.list("/d").value(), ElementsAre("a", "x", "x-y", "x.z"));
  EXPECT_THAT(files.list("/d/x").value(), ElementsAre("1", "2"));
  EXPECT_EQ(files.list("/d/a").error().error, ENOTDIR);
}

TEST(Files, RememberWhy) {
  Os os;
  const EventId made = note(os, "made"), gone = note(os, "gone"), never = note(os, "never");
  os.files.write("/etc/x", "1", made);
  EXPECT_EQ(os.files.why("/etc/x"), made);
  os.files.remove("/etc/x", gone);
  EXPECT_EQ(os.files.read("/etc/x").error().event, gone);
  os.files.explain_absence("/lib/modules/k/amdgpu.ko", never);
  EXPECT_EQ(os.files.why("/lib/modules/k/amdgpu.ko"), never);
  os.files.write("/lib/modules/k/amdgpu.ko", "", made);
  EXPECT_EQ(os.files.why("/lib/modules/k/amdgpu.ko"), made) << "it is there now";
  EXPECT_EQ(os.files.why("/lib/modules/k/other.ko"), no_event);
}

TEST(Files, ARemovedFolderExplainsWhatWasInIt) {
  Os os;
  const EventId gone = note(os, "gone");
  os.files.write("/opt/rocm/lib/x", "", no_event);
  os.files.remove("/opt/rocm", gone);
  EXPECT_EQ(os.files.read("/opt/rocm/lib/x").error().event, gone);
}

Package package(const std::string& name, const std::string& version,
                std::vector<std::string> depends = {}) {
  return {.name = name,
          .version = version,
          .depends = std::move(depends),
          .files = {{"/usr/share/" + name, {version}, 0644, false}},
          .summary = ""};
}

TEST(Packages, InstallBringsDependencies) {
  Os os;
  os.packages.publish(package("base", "1"));
  os.packages.publish(package("tool", "2", {"base"}));
  const auto outcome = os.packages.install("tool", no_event);
  EXPECT_TRUE(outcome.ok);
  EXPECT_TRUE(os.packages.installed("base"));
  EXPECT_EQ(os.files.text("/usr/share/tool"), "2");
  EXPECT_THAT(os.packages.install("tool", no_event).output,
              HasSubstr("already the newest version"));
  EXPECT_THAT(os.packages.install("nothing", no_event).output,
              HasSubstr("E: Unable to locate package nothing"));
  EXPECT_EQ(os.packages.owner("/usr/share/tool")->name, "tool");
}

TEST(Packages, UpgradeFollowsMetaPackages) {
  Os os;
  os.packages.publish(package("image-1", "1"));
  os.packages.publish(package("meta", "1", {"image-1"}));
  os.packages.preinstall("image-1");
  os.packages.preinstall("meta");
  os.packages.publish(package("image-2", "2"));
  os.packages.publish(package("meta", "2", {"image-2"}));
  os.packages.upgrade(no_event);
  EXPECT_TRUE(os.packages.installed("image-2"));
}

TEST(Packages, ARemovedMetaPackageExplainsWhatNeverCame) {
  Os os;
  os.packages.publish(package("headers-2", "2"));
  os.packages.publish(package("meta", "2", {"headers-2"}));
  os.packages.preinstall("headers-2");
  os.packages.preinstall("meta");
  os.packages.remove("headers-2", no_event);
  Os other;
  other.packages.publish(package("headers-2", "2"));
  other.packages.publish(package("meta", "2", {"headers-2"}));
  other.packages.preinstall("meta");
  const auto removed = other.packages.remove("meta", no_event);
  EXPECT_EQ(other.packages.why_no_file("/usr/share/headers-2"), removed.event);
}

TEST(Packages, VersionsCompareAsNumbers) {
  EXPECT_LT(compare_versions("6.8.0-9", "6.8.0-60"), 0);
  EXPECT_GT(compare_versions("6.10.5", "6.9.12"), 0);
  EXPECT_EQ(compare_versions("1.0", "1.0"), 0);
  EXPECT_LT(compare_versions("6.1", "6.1.1"), 0);
}

TEST(Users, LoginTakesTheGroupsOfThatMoment) {
  Os os;
  os.files.write("/etc/passwd", "ada:x:1000:1000::/home/ada:/bin/bash\nbroken line\n", no_event);
  os.files.write("/etc/group", "render:x:105:ada\nvideo:x:44:\nada:x:1000:\n", no_event);
  const auto before = login(os.files, "ada");
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->in_group(105));
  EXPECT_TRUE(remove_from_group(os.files, "ada", "render", no_event));
  EXPECT_FALSE(remove_from_group(os.files, "ada", "render", no_event));
  EXPECT_FALSE(login(os.files, "ada")->in_group(105));
  EXPECT_TRUE(add_to_group(os.files, "ada", "video", no_event));
  EXPECT_TRUE(login(os.files, "ada")->in_group(44));
  EXPECT_FALSE(add_to_group(os.files, "ada", "nogroup", no_event));
  EXPECT_FALSE(login(os.files, "nobody"));
}

TEST(Boot, TakesTheNewestKernelOrTheSavedOne) {
  Os os;
  EXPECT_FALSE(os.boot(no_event)) << "no kernel";
  for (const char* release : {"6.8.0-9-generic", "6.8.0-60-generic", "6.8.0-55-generic"}) {
    os.files.write(std::string("/boot/vmlinuz-") + release, "", no_event);
  }
  os.files.write("/etc/default/grub", "GRUB_CMDLINE_LINUX=\"iommu=pt quiet\"\n", no_event);
  os.update_grub(no_event);
  EXPECT_TRUE(os.boot(no_event));
  EXPECT_EQ(os.kernel_release, "6.8.0-60-generic");
  EXPECT_EQ(cmdline_value(os.cmdline, "iommu"), "pt");
  EXPECT_EQ(cmdline_value(os.cmdline, "quiet"), "");
  EXPECT_EQ(cmdline_value(os.cmdline, "nomodeset"), std::nullopt);
  os.files.write("/boot/grub/grubenv", "saved_entry=6.8.0-55-generic\n", no_event);
  os.boot(no_event);
  EXPECT_EQ(os.kernel_release, "6.8.0-55-generic");
  os.files.write("/boot/grub/grubenv", "saved_entry=5.15.0-1-generic\n", no_event);
  os.boot(no_event);
  EXPECT_EQ(os.kernel_release, "6.8.0-60-generic") << "a kernel that is not there is not taken";
}

TEST(Pci, ShowsDevicesAndDrivers) {
  Os os;
  const Bdf bdf{0, 0x1b, 0, 0};
  os.pci.add({.bdf = bdf,
              .device = 0x74A1,
              .subsystem_device = 0x74A1,
              .class_code = 0x120000,
              .bars = {},
              .description = "x",
              .driver = {}});
  EXPECT_EQ(os.files.text("/sys/bus/pci/devices/0000:1b:00.0/vendor"), "0x1002\n");
  EXPECT_EQ(os.files.text("/sys/bus/pci/devices/0000:1b:00.0/class"), "0x120000\n");
  EXPECT_FALSE(os.files.exists("/sys/bus/pci/drivers/amdgpu"));
  os.pci.bind(bdf, "amdgpu", no_event);
  EXPECT_THAT(os.files.list("/sys/bus/pci/drivers/amdgpu").value(),
              ElementsAre("0000:1b:00.0", "bind", "new_id", "remove_id", "uevent", "unbind"));
  EXPECT_EQ(os.files.text("/sys/bus/pci/drivers/amdgpu/0000:1b:00.0/device"), "0x74a1\n");
  EXPECT_EQ(modalias(*os.pci.find(bdf)), "pci:v00001002d000074A1sv00001002sd000074A1bc12sc00i00");
  EXPECT_THAT(os.files.list("/sys/bus/pci/devices/0000:99:00.0").error().error, ENOENT);
}

TEST(Saving, RestoresTheSameBytes) {
  Os os;
  os.files.write("/boot/vmlinuz-6.1.0-37-amd64", std::string("\0\xff binary", 9), note(os, "made"));
  os.files.symlink("/link", "boot", no_event);
  os.packages.publish(package("tool", "2"));
  os.packages.install("tool", no_event);
  os.boot(no_event);
  os.set_environment("HSA_XNACK", "1", note(os, "set"));
  os.scheduler.schedule(5, {"power_on", Json::object()});
  const std::string state = save_bytes(os);
  Os copy;
  load_bytes(state, copy);
  EXPECT_EQ(save_bytes(copy), state);
  EXPECT_EQ(copy.files.text("/link/vmlinuz-6.1.0-37-amd64").size(), 9u);
  EXPECT_THROW(load_bytes(state.substr(1), copy), std::runtime_error);
}

}  // namespace
}  // namespace rocdrill::sim
