// The operating system of the node: everything that is there before a GPU driver is. It knows
// no GPU; the layers above put their files, devices and hooks into it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/dmesg.hpp"
#include "sim/host/files.hpp"
#include "sim/host/journal.hpp"
#include "sim/host/packages.hpp"
#include "sim/host/pci.hpp"
#include "sim/host/shared_memory.hpp"
#include "sim/host/uefi.hpp"
#include "sim/host/users.hpp"
#include "sim/host/virtual_tree.hpp"

namespace rocdrill::sim {

/// A process as ps sees it.
struct ProcessEntry {
  std::string command;
  std::uint32_t uid = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("command", command);
    archive("uid", uid);
  }
};

class Os {
 public:
  Os();
  Os(const Os&) = delete;
  Os& operator=(const Os&) = delete;

  Timeline timeline;
  Clock clock;
  Journal journal{timeline, clock};
  Scheduler scheduler;
  FileTree files;
  VirtualTree sysfs{"/sys", journal};
  VirtualTree procfs{"/proc", journal};
  Packages packages{files, journal};
  PciBus pci;
  Uefi uefi;
  SharedMemory shm;
  Dmesg dmesg;
  std::map<int, ProcessEntry> processes;

  std::string hostname = "node";
  std::string kernel_release;  ///< of the running kernel; "" while off
  std::string cmdline;         ///< /proc/cmdline of this boot
  std::uint64_t booted_at_ns = 0;
  int boots = 0;
  EventId boot_event = no_event;
  EventId cmdline_event = no_event;  ///< what made grub.cfg what it was at this boot
  Identity session;                  ///< who is logged in, with the groups of that login
  Environment session_environment;   ///< what the job's shell exports
  /// Event that last changed a variable of session_environment (or removed it).
  std::map<std::string, EventId, std::less<>> environment_events;
  /// Variables that the last login took from files, each with what the job had before.
  std::map<std::string, std::optional<std::string>> login_environment;

  /// Kernels that can be booted, oldest first (from /boot/vmlinuz-*).
  std::vector<std::string> installed_kernels() const;
  /// GRUB's choice: the saved entry of /boot/grub/grubenv if it exists, else the newest.
  std::string default_kernel() const;
  /// GRUB_CMDLINE_LINUX and GRUB_CMDLINE_LINUX_DEFAULT of /etc/default/grub and what
  /// /etc/default/grub.d/*.cfg make of them.
  struct Configured {
    std::string text;
    EventId event = no_event;  ///< of the file that says so
  };
  Configured configured_cmdline() const;
  /// grub-mkconfig: an entry for every kernel with that command line, in /boot/grub/grub.cfg, which
  /// alone counts at boot. Returns the event of the write.
  EventId update_grub(EventId cause);

  /// Power on or reboot: stops all processes, clears the ring buffer, picks the kernel.
  /// False (and an event) if there is no kernel to boot.
  bool boot(EventId cause);

  /// printk: `level` 3 error, 4 warning, 6 info.
  void log(int level, std::string text, EventId event);

  /// A change of a file that shows in the history, and is its own explanation afterwards.
  EventId write_file(const std::string& path, std::string content, EventId cause,
                     Attributes attributes = {});
  EventId remove_file(const std::string& path, EventId cause);

  int new_pid() { return next_pid_++; }
  void set_environment(std::string name, std::string value, EventId event);
  void unset_environment(std::string_view name, EventId event);
  EventId why_environment(std::string_view name) const;
  /// A login of `home`'s owner: sets what login_variables() finds, and takes back what an earlier
  /// login took from a file that says so no longer.
  void read_login_environment(const std::string& home);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("clock", clock);
    archive("scheduler", scheduler);
    archive("files", files);
    archive("packages", packages);
    archive("pci", pci);
    archive("uefi", uefi);
    archive("shm", shm);
    archive("dmesg", dmesg);
    archive("processes", processes);
    archive("hostname", hostname);
    archive("kernel_release", kernel_release);
    archive("cmdline", cmdline);
    archive("booted_at_ns", booted_at_ns);
    archive("boots", boots);
    archive("boot_event", boot_event);
    archive("cmdline_event", cmdline_event);
    archive("user", session.user);
    archive("uid", session.uid);
    archive("gid", session.gid);
    archive("groups", session.groups);
    archive("environment", session_environment);
    archive("environment_events", environment_events);
    archive("login_environment", login_environment);
    archive("next_pid", next_pid_);
  }

 private:
  void manage_keys(EventId cause);

  int next_pid_ = 1000;
};

/// The value of `name` in a kernel command line: "" for a bare word, nullopt if absent. The
/// last one wins.
std::optional<std::string> cmdline_value(std::string_view cmdline, std::string_view name);

}  // namespace rocdrill::sim
