// /sys of the node as a real file system (FUSE): reads are live, a write answers with the driver's
// own errno. Where FUSE is not to be had the tree is exported as files (docs/attach.md says what
// differs).
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "sim/node.hpp"

namespace rocdrill::interpose {

class SysMount {
 public:
  /// Mounts the node's /sys at `folder`, which is made. nullptr where that is not possible.
  static std::unique_ptr<SysMount> open(sim::Node& node, std::recursive_mutex& mutex,
                                        const std::filesystem::path& folder);
  virtual ~SysMount() = default;
};

}  // namespace rocdrill::interpose
