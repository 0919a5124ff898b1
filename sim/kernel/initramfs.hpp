// The initramfs: what the kernel has before it has its root file system. It is a copy, as old as
// the last update-initramfs: modules that load early, and modprobe's configuration at that time.
#pragma once

#include <string>
#include <vector>

#include "sim/host/os.hpp"

namespace rocdrill::kernel {

struct Initramfs {
  std::vector<std::string> modules;  ///< of /etc/initramfs-tools/modules, in order
  sim::FileTree files;               ///< /etc/modprobe.d and /lib/modprobe.d as they were
  EventId event = no_event;          ///< that made the image
};

std::string initramfs_path(const std::string& release);
/// update-initramfs -u -k RELEASE. Returns the event of the image.
EventId update_initramfs(sim::Os& os, const std::string& release, EventId cause);
/// The image of a kernel; empty if there is none.
Initramfs read_initramfs(const sim::Os& os, const std::string& release);
/// Names in it, as lsinitramfs prints them; nothing for a text that is no image.
std::vector<std::string> list_initramfs(const std::string& image);

}  // namespace rocdrill::kernel
