// What a process sees of the node's tree: everything, or a container's own files with what is
// mounted into them.
#pragma once

#include <string>
#include <string_view>

#include "sim/host/files.hpp"
#include "stack/process.hpp"

namespace rocdrill::access {

class View {
 public:
  /// Both must outlive it.
  View(const sim::FileTree& files, const ProcessSpec& spec) : files_(files), spec_(spec) {}

  bool is_whole_node() const { return spec_.root.empty() && spec_.mounts.empty(); }
  /// Where on the node lies what the process calls `path`. Symlinks are followed as the process
  /// sees them: an absolute one starts at its own root. `follow_last`: as stat() does, not lstat().
  SysResult<std::string> locate(std::string_view path, bool follow_last = true) const;

  /// A device node that is not in the process's /dev.
  bool hides(std::string_view path) const;
  /// The device cgroup denies this device.
  bool denies(std::string_view path) const;
  /// Of a file of KFD's topology that describes a GPU whose render node the device cgroup denies
  /// (kfd_devcgroup_check_permission): reading it fails with EPERM.
  bool denies_topology(std::string_view path) const;

 private:
  std::string outside(const std::string& path) const;
  bool has_device(std::string_view path) const;

  const sim::FileTree& files_;
  const ProcessSpec& spec_;
};

}  // namespace rocdrill::access
