#include "sim/interpose/engine/drm_file.hpp"

#include <cerrno>

namespace rocdrill::interpose {

SysResult<int> DrmFile::ioctl(std::uint32_t, std::uint64_t, void*) { return fail(EINVAL); }

}  // namespace rocdrill::interpose
