#include "sim/interpose/server/sys_mount.hpp"

namespace rocdrill::interpose {

std::unique_ptr<SysMount> SysMount::open(sim::Node&, std::recursive_mutex&,
                                         const std::filesystem::path&) {
  return nullptr;
}

}  // namespace rocdrill::interpose
