// ioctls of a DRM node: what libdrm and libdrm_amdgpu ask before and beside KFD.
#pragma once

#include <cstdint>

#include "sim/interpose/engine/remote_service.hpp"

namespace rocdrill::interpose {

class DrmFile {
 public:
  explicit DrmFile(RemoteService& service) : service_(service) {}
  /// `minor`: 128 and up for a render node, 0 and up for a card.
  SysResult<int> ioctl(std::uint32_t minor, std::uint64_t request, void* argument);

 private:
  SysResult<int> version(std::uint32_t minor, std::uint64_t user);
  SysResult<int> capability(std::uint64_t user);
  SysResult<int> card_command(std::uint32_t command, std::uint32_t minor, std::uint64_t user);
  SysResult<int> info(std::uint32_t minor, std::uint64_t user);

  RemoteService& service_;
};

}  // namespace rocdrill::interpose
