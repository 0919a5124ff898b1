#include "sim/interpose/engine/drm_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sim/kernel/process/user_memory.hpp"
#include "stack/formats/drm_uapi.hpp"

namespace rocdrill::interpose {
namespace {

/// struct drm_version: a length and a buffer for each text; the kernel fills what fits and returns the
/// whole length.
struct Version {
  std::int32_t major, minor, patch;
  std::uint64_t name_bytes, name;
  std::uint64_t date_bytes, date;
  std::uint64_t description_bytes, description;
};
static_assert(sizeof(Version) == 64 && offsetof(Version, name_bytes) == 16);

bool give(const std::string& text, std::uint64_t& bytes, std::uint64_t buffer) {
  const std::size_t count = std::min<std::size_t>(bytes, text.size());
  bytes = text.size();
  return count == 0 || buffer == 0 || kernel::copy_to_user(buffer, text.data(), count);
}

}  // namespace

SysResult<int> DrmFile::ioctl(std::uint32_t minor, std::uint64_t request, void* argument) {
  const auto command = static_cast<std::uint32_t>(request & 0xFF);
  const auto user = reinterpret_cast<std::uintptr_t>(argument);
  if (command == drm::version_command) return version(minor, user);
  if (command == drm::info_command) return info(minor, user);
  return fail(EINVAL, service_.unmodelled(Layer::kernel, fmt::format("DRM ioctl {:#x}", command),
                                          "EINVAL", service_.facts().event));
}

SysResult<int> DrmFile::version(std::uint32_t minor, std::uint64_t user) {
  Version version{};
  if (!kernel::copy_from_user(&version, user, sizeof version)) return fail(EFAULT);
  const Json told = service_.ask({{"op", "drm_version"}, {"gpu_id", 0}, {"minor", minor}});
  if (const int error = told.value("errno", EIO)) return fail(error);
  version.major = told.value("major", 3);
  version.minor = told.value("version_minor", 0);
  version.patch = 0;
  const bool given =
      give(told.value("name", std::string()), version.name_bytes, version.name) &&
      give(told.value("date", std::string()), version.date_bytes, version.date) &&
      give(told.value("description", std::string()), version.description_bytes, version.description);
  if (!given || !kernel::copy_to_user(user, &version, sizeof version)) return fail(EFAULT);
  return 0;
}

SysResult<int> DrmFile::info(std::uint32_t minor, std::uint64_t user) {
  drm::InfoRequest request{};
  if (!kernel::copy_from_user(&request, user, sizeof request)) return fail(EFAULT);
  const Json told = service_.ask({{"op", "drm_info"},
                                  {"gpu_id", 0},
                                  {"minor", minor},
                                  {"query", request.query},
                                  {"size", request.return_size},
                                  {"argument", std::to_array(request.argument)}});
  if (const int error = told.value("errno", EIO)) return fail(error);
  const auto bytes = told.value("bytes", std::vector<std::uint8_t>());
  const std::size_t count = std::min<std::size_t>(bytes.size(), request.return_size);
  if (count > 0 && !kernel::copy_to_user(request.return_pointer, bytes.data(), count))
    return fail(EFAULT);
  return 0;
}

}  // namespace rocdrill::interpose
