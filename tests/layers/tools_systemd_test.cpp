// systemctl and what is behind it: units that did something at boot, or when somebody started them.
// Formats: systemd 252; enablement as measured with its systemctl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/rig.hpp"

namespace rocdrill::sim::tools {
namespace {

using test::Rig;
using testing::HasSubstr;
using testing::Not;

class Systemd : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    rig.node.os.write_file(path, text, no_event);
  }
  std::string out(const std::string& line) { return rig.run(line).out; }
  int code(const std::string& line) { return rig.run(line).exit_code; }
  bool loaded(const std::string& module) {
    return out("lsmod").find("\n" + module + " ") != std::string::npos;
  }
  EventId last(std::string_view kind) const {
    const auto found = rig.node.os.timeline.find({.kind_prefix = kind});
    return found.empty() ? no_event : found.back();
  }
  std::vector<std::string> causes(EventId event) const {
    std::vector<std::string> kinds;
    for (; event != no_event; event = rig.node.os.timeline.at(event).cause)
      kinds.emplace_back(rig.node.os.timeline.at(event).kind);
    return kinds;
  }

  Rig rig{test::mi210_spec()};
};

TEST_F(Systemd, AHealthyBoot) {
  const CommandResult udevd = rig.run("systemctl status systemd-udevd --no-pager");
  EXPECT_EQ(udevd.exit_code, 0);
  EXPECT_THAT(udevd.out,
              HasSubstr("● systemd-udevd.service - Rule-based Manager for Device Events and Files\n"
                        "     Loaded: loaded (/lib/systemd/system/systemd-udevd.service; static)\n"
                        "     Active: active (running)\n"
                        "       Docs: man:systemd-udevd.service(8)\n"
                        "             man:udev(7)\n"
                        "   Main PID: 300 (systemd-udevd)\n"));
  const CommandResult modules = rig.run("systemctl status systemd-modules-load");
  EXPECT_EQ(modules.exit_code, 0);
  EXPECT_THAT(modules.out, HasSubstr("     Active: active (exited)\n"
                                     "       Docs: man:systemd-modules-load.service(8)\n"
                                     "             man:modules-load.d(5)\n"
                                     "    Process: 301 ExecStart=/lib/systemd/systemd-modules-load "
                                     "(code=exited, status=0/SUCCESS)\n"
                                     "   Main PID: 301 (code=exited, status=0/SUCCESS)\n\n["));
  EXPECT_THAT(modules.out,
              HasSubstr("lab-mi210 systemd[1]: Finished systemd-modules-load.service - "
                        "Load Kernel Modules.\n"));
  EXPECT_EQ(out("systemctl is-active systemd-udevd udev kmod"), "active\nactive\nactive\n");
  EXPECT_EQ(code("systemctl is-active -q systemd-udevd"), 0);
  EXPECT_EQ(out("systemctl is-failed kmod.service"), "active\n");
  EXPECT_EQ(code("systemctl is-failed kmod.service"), 1);
  EXPECT_THAT(
      out("systemctl list-units"),
      HasSubstr("  UNIT                         LOAD   ACTIVE SUB     DESCRIPTION\n"
                "  systemd-modules-load.service loaded active exited  Load Kernel Modules\n"
                "  systemd-udev-trigger.service loaded active exited  Coldplug All udev "
                "Devices\n"
                "  systemd-udevd.service        loaded active running Rule-based Manager for "
                "Device Events and Files\n"));
  EXPECT_EQ(out("systemctl --failed"),
            "  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n");
  EXPECT_EQ(rig.unmodelled(), 0u);
}

/// Format as systemctl --root= prints it on such a system.
TEST_F(Systemd, UnitFiles) {
  write("/etc/systemd/system/mine.service",
        "[Service]\nExecStart=/opt/mine\n[Install]\n"
        "WantedBy=multi-user.target\n");
  EXPECT_EQ(out("systemctl list-unit-files --no-pager"),
            "UNIT FILE                    STATE    PRESET\n"
            "kmod.service                 alias    -\n"
            "mine.service                 disabled enabled\n"
            "systemd-modules-load.service static   -\n"
            "systemd-udev-trigger.service static   -\n"
            "systemd-udevd.service        static   -\n"
            "udev.service                 alias    -\n"
            "\n6 unit files listed.\n");
  EXPECT_EQ(out("systemctl list-unit-files --no-legend 'k*' mine"),
            "kmod.service alias    -\nmine.service disabled enabled\n");
  EXPECT_EQ(out("systemctl list-unit-files --state=enabled"),
            "UNIT FILE STATE PRESET\n\n0 unit files listed.\n");
  rig.as_root("systemctl enable mine");
  EXPECT_EQ(out("systemctl list-unit-files -q --state enabled"), "mine.service enabled enabled\n");
  EXPECT_EQ(out("systemctl list-units --no-legend 'systemd-udev*'"),
            "  systemd-udev-trigger.service loaded active exited  Coldplug All udev Devices\n"
            "  systemd-udevd.service        loaded active running Rule-based Manager for Device "
            "Events and Files\n");
  EXPECT_EQ(out("systemctl list-units --no-legend --state=running").find("trigger"),
            std::string::npos);
}

/// Not written anywhere: the module that a file names is not there.
TEST_F(Systemd, AModuleThatCannotBeFound) {
  write("/etc/modules", "# comment\n\n  nosuchmodule \namdgpu\n");
  const EventId written = last("file.written");
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  const CommandResult status = rig.run("systemctl status systemd-modules-load");
  EXPECT_EQ(status.exit_code, 3);
  EXPECT_THAT(status.out, HasSubstr("× systemd-modules-load.service - Load Kernel Modules\n"));
  EXPECT_THAT(status.out, HasSubstr("     Active: failed (Result: exit-code)\n"));
  EXPECT_THAT(status.out, HasSubstr("(code=exited, status=1/FAILURE)\n"));
  EXPECT_THAT(status.out, HasSubstr("systemd-modules-load[301]: Failed to find module "
                                    "'nosuchmodule'\n"));
  EXPECT_THAT(status.out, HasSubstr("systemd-modules-load[301]: Inserted module 'amdgpu'\n"))
      << "it goes on with the next";
  EXPECT_THAT(status.out,
              HasSubstr("systemd[1]: systemd-modules-load.service: Main process exited, "
                        "code=exited, status=1/FAILURE\n"));
  EXPECT_THAT(out("systemctl list-units --failed"),
              HasSubstr("  UNIT                         LOAD   ACTIVE SUB    DESCRIPTION\n"
                        "● systemd-modules-load.service loaded failed failed Load Kernel "
                        "Modules\n\nLOAD   = "));
  EXPECT_THAT(out("systemctl --failed"), HasSubstr("\n1 loaded units listed.\n"));
  EXPECT_EQ(out("systemctl is-active systemd-modules-load"), "failed\n");
  EXPECT_EQ(code("systemctl is-active systemd-modules-load"), 3);
  EXPECT_EQ(code("systemctl is-failed systemd-modules-load"), 0);
  EXPECT_THAT(rig.as_root("journalctl -u systemd-modules-load -p err").out,
              HasSubstr("systemd-modules-load[301]: Failed to find module 'nosuchmodule'\n"));
  EXPECT_THAT(rig.as_root("journalctl -u systemd-modules-load -p err").out,
              Not(HasSubstr("Inserted")));
  EXPECT_EQ(causes(last("unit.failed")),
            (std::vector<std::string>{"unit.failed", "modules_load.not_found", "file.written"}));
  EXPECT_EQ(rig.node.os.timeline.at(last("modules_load.not_found")).cause, written);
  // Mended: the next start says so.
  write("/etc/modules", "amdgpu\n");
  EXPECT_EQ(rig.as_root("systemctl restart systemd-modules-load").exit_code, 0);
  EXPECT_EQ(code("systemctl status systemd-modules-load"), 0);
  EXPECT_THAT(out("systemctl --failed"), HasSubstr("0 loaded units listed."));
}

TEST_F(Systemd, ARestartLoadsWhatIsListedNow) {
  ASSERT_EQ(rig.as_root("rmmod amdgpu").exit_code, 0);
  write("/etc/modules-load.d/gpu.conf", "amdgpu\n");
  EXPECT_FALSE(loaded("amdgpu"));
  EXPECT_EQ(rig.as_root("systemctl start systemd-modules-load").exit_code, 0);
  EXPECT_FALSE(loaded("amdgpu")) << "it is active: start does nothing";
  EXPECT_EQ(rig.as_root("systemctl restart systemd-modules-load").exit_code, 0);
  EXPECT_TRUE(loaded("amdgpu"));
  EXPECT_EQ(code("rocminfo"), 0);
  EXPECT_EQ(causes(last("module.loaded")), (std::vector<std::string>{"module.loaded", "command"}));
}

TEST_F(Systemd, AFileOfEtcReplacesItsNamesake) {
  write("/usr/lib/modules-load.d/a.conf", "nosuchmodule\n");
  EXPECT_EQ(rig.as_root("systemctl restart kmod").exit_code, 1);
  write("/etc/modules-load.d/a.conf", "# nothing\n");
  EXPECT_EQ(rig.as_root("systemctl restart kmod").exit_code, 0);
}

TEST_F(Systemd, TheBlacklistHolds) {
  write("/etc/modprobe.d/no.conf", "blacklist amdgpu\n");
  write("/etc/modules", "amdgpu\n");
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  EXPECT_FALSE(loaded("amdgpu"));
  EXPECT_THAT(out("systemctl status systemd-modules-load"),
              HasSubstr("Module 'amdgpu' is deny-listed\n"));
  EXPECT_EQ(code("systemctl status systemd-modules-load"), 0) << "that is no failure";
}

TEST_F(Systemd, AModuleThatTheKernelRefuses) {
  write("/etc/default/grub",
        "GRUB_CMDLINE_LINUX=\"module_blacklist=amdgpu modules_load=amdgpu\"\n");
  ASSERT_EQ(rig.as_root("update-grub").exit_code, 0);
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  EXPECT_THAT(out("systemctl status systemd-modules-load"),
              HasSubstr("Failed to insert module 'amdgpu': Operation not permitted\n"));
  const CommandResult again = rig.as_root("systemctl restart systemd-modules-load.service");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(
      again.err,
      "Job for systemd-modules-load.service failed because the control process exited with "
      "error code.\nSee \"systemctl status systemd-modules-load.service\" and \"journalctl -xeu "
      "systemd-modules-load.service\" for details.\n");
}

TEST_F(Systemd, UdevAsksForDriversAgain) {
  ASSERT_EQ(rig.as_root("rmmod amdgpu").exit_code, 0);
  EXPECT_EQ(rig.as_root("systemctl restart systemd-udev-trigger").exit_code, 0);
  EXPECT_TRUE(loaded("amdgpu"));
  EXPECT_EQ(rig.as_root("systemctl restart systemd-udevd").exit_code, 0);
  EXPECT_EQ(out("systemctl is-active udev"), "active\n");
  EXPECT_EQ(rig.as_root("systemctl stop systemd-udevd").exit_code, 2) << "refused by name";
  EXPECT_EQ(rig.as_root("systemctl stop systemd-modules-load").exit_code, 0);
  EXPECT_EQ(code("systemctl status systemd-modules-load"), 3);
  EXPECT_THAT(out("systemctl status systemd-modules-load"),
              HasSubstr("○ systemd-modules-load.service - Load Kernel Modules\n"));
  EXPECT_THAT(out("systemctl status systemd-modules-load"),
              HasSubstr("     Active: inactive (dead)\n"));
}

TEST_F(Systemd, UnitsThatDoNotExist) {
  const CommandResult status = rig.run("systemctl status foo");
  EXPECT_EQ(status.exit_code, 4);
  EXPECT_EQ(status.err, "Unit foo.service could not be found.\n");
  EXPECT_EQ(out("systemctl is-active amdgpu"), "inactive\n");
  EXPECT_EQ(code("systemctl is-active amdgpu"), 3);
  EXPECT_EQ(rig.run("systemctl is-enabled foo").err,
            "Failed to get unit file state for foo.service: No such file or directory\n");
  EXPECT_EQ(rig.run("systemctl cat foo").err, "No files found for foo.service.\n");
  const CommandResult start = rig.as_root("systemctl restart amdgpu");
  EXPECT_EQ(start.exit_code, 5);
  EXPECT_EQ(start.err, "Failed to restart amdgpu.service: Unit amdgpu.service not found.\n");
  EXPECT_EQ(rig.as_root("systemctl enable foo").err,
            "Failed to enable unit: Unit file foo.service does not exist.\n");
  EXPECT_EQ(rig.unmodelled(), 0u);
}

TEST_F(Systemd, ChangesNeedRoot) {
  const CommandResult restart = rig.run("systemctl restart systemd-modules-load");
  EXPECT_EQ(restart.exit_code, 1);
  EXPECT_THAT(restart.err, HasSubstr("Failed to restart systemd-modules-load.service: Interactive "
                                     "authentication required.\n"));
  EXPECT_EQ(code("systemctl daemon-reload"), 1);
  EXPECT_EQ(rig.as_root("systemctl daemon-reload").exit_code, 0);
  EXPECT_EQ(rig.run("sudo systemctl restart systemd-modules-load").exit_code, 0);
}

/// A unit that somebody wrote is known, enabled and disabled; its program is not modelled.
TEST_F(Systemd, AUnitOfOnesOwn) {
  write("/etc/systemd/system/mine.service",
        "[Unit]\nDescription=Mine\n[Service]\nExecStart=/opt/mine\n[Install]\n"
        "WantedBy=multi-user.target\n");
  EXPECT_EQ(out("systemctl is-enabled mine"), "disabled\n");
  EXPECT_EQ(code("systemctl is-enabled mine"), 1);
  EXPECT_EQ(rig.as_root("systemctl enable mine").err,
            "Created symlink /etc/systemd/system/multi-user.target.wants/mine.service → "
            "/etc/systemd/system/mine.service.\n");
  EXPECT_EQ(out("systemctl is-enabled mine"), "enabled\n");
  EXPECT_THAT(out("systemctl cat mine"),
              HasSubstr("# /etc/systemd/system/mine.service\n[Unit]\nDescription=Mine\n"));
  EXPECT_THAT(out("systemctl status mine"),
              HasSubstr("Loaded: loaded (/etc/systemd/system/mine.service; enabled; preset: "
                        "enabled)\n     Active: inactive (dead)\n"));
  EXPECT_EQ(rig.unmodelled(), 0u);
  EXPECT_EQ(rig.as_root("systemctl start mine").exit_code, 2);
  EXPECT_EQ(rig.unmodelled(), 1u);
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  EXPECT_EQ(rig.unmodelled(), 2u) << "a boot that should have run it says that it did not";
  EXPECT_EQ(rig.as_root("systemctl disable mine").err,
            "Removed \"/etc/systemd/system/multi-user.target.wants/mine.service\".\n");
  EXPECT_EQ(out("systemctl is-enabled mine systemd-udevd udev"), "disabled\nstatic\nalias\n");
  EXPECT_THAT(rig.as_root("systemctl enable systemd-udevd").err,
              HasSubstr("The unit files have no installation config"));
}

TEST_F(Systemd, TheirStateIsTheNodes) {
  write("/etc/modules", "nosuchmodule\n");
  ASSERT_EQ(rig.as_root("reboot").exit_code, 0);
  const std::string before = out("systemctl status systemd-modules-load");
  const std::string saved = rig.node.save();
  Rig other(test::mi210_spec(), false);
  other.node.restore(saved);
  EXPECT_EQ(other.run("systemctl status systemd-modules-load").out, before);
}

TEST(SystemdOfUbuntu, HasItsFilesBelowUsr) {
  Rig rig;
  EXPECT_THAT(rig.run("systemctl status systemd-udevd").out,
              HasSubstr("loaded (/usr/lib/systemd/system/systemd-udevd.service; static)"));
}

}  // namespace
}  // namespace rocdrill::sim::tools
