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

/// struct drm_version: a length and a buffer for each text; the kernel fills what fits and returns
/// the whole length.
struct Version {
  std::int32_t major, minor, patch;
  std::uint64_t name_bytes, name;
  std::uint64_t date_bytes, date;
  std::uint64_t description_bytes, description;
};
static_assert(sizeof(Version) == 64 && offsetof(Version, name_bytes) == 16);

constexpr std::uint32_t first_render_minor = 128;
constexpr std::uint32_t get_unique_command = 0x01;
constexpr std::uint32_t get_magic_command = 0x02;
constexpr std::uint32_t set_version_command = 0x07;
constexpr std::uint32_t get_cap_command = 0x0C;
constexpr std::uint32_t auth_magic_command = 0x11;

/// drm.h and amdgpu_drm.h: what programs are told when it is refused.
std::string_view command_name(std::uint32_t command) {
  switch (command) {
    case 0x05:
      return "GET_CLIENT";
    case 0x09:
      return "GEM_CLOSE";
    case 0x2D:
      return "PRIME_HANDLE_TO_FD";
    case 0x2E:
      return "PRIME_FD_TO_HANDLE";
    case 0x40:
      return "AMDGPU_GEM_CREATE";
    case 0x41:
      return "AMDGPU_GEM_MMAP";
    case 0x42:
      return "AMDGPU_CTX";
    case 0x43:
      return "AMDGPU_BO_LIST";
    case 0x44:
      return "AMDGPU_CS";
    case 0x46:
      return "AMDGPU_GEM_METADATA";
    case 0x47:
      return "AMDGPU_GEM_WAIT_IDLE";
    case 0x48:
      return "AMDGPU_GEM_VA";
    case 0x49:
      return "AMDGPU_WAIT_CS";
    case 0x50:
      return "AMDGPU_GEM_OP";
    case 0x51:
      return "AMDGPU_GEM_USERPTR";
    default:
      return {};
  }
}

bool give(const std::string& text, std::uint64_t& bytes, std::uint64_t buffer) {
  const std::size_t count = std::min<std::size_t>(bytes, text.size());
  bytes = text.size();
  return count == 0 || buffer == 0 || kernel::copy_to_user(buffer, text.data(), count);
}

}  // namespace

SysResult<int> DrmFile::ioctl(std::uint32_t minor, std::uint64_t request, void* argument) {
  const auto command = static_cast<std::uint32_t>(request & 0xFF);
  const auto user = reinterpret_cast<std::uintptr_t>(argument);
  const bool render = minor >= first_render_minor;
  switch (command) {
    case drm::version_command:
      return version(minor, user);
    case drm::info_command:
      return info(minor, user);
    case get_cap_command:
      return capability(user);
    case get_unique_command:
    case get_magic_command:
    case set_version_command:
    case auth_magic_command:
      // Not marked DRM_RENDER_ALLOW in the kernel's table.
      if (render) return fail(EACCES);
      return card_command(command, minor, user);
    default:
      break;
  }
  const std::string_view name = command_name(command);
  return fail(EINVAL, service_.unmodelled(Layer::kernel,
                                          name.empty() ? fmt::format("DRM ioctl {:#x}", command)
                                                       : "DRM_IOCTL_" + std::string(name),
                                          "EINVAL", service_.facts().event));
}

SysResult<int> DrmFile::capability(std::uint64_t user) {
  std::uint64_t value[2]{};  // struct drm_get_cap: capability, value
  if (!kernel::copy_from_user(value, user, sizeof value)) return fail(EFAULT);
  switch (value[0]) {
    case 0x1:   // DUMB_BUFFER
    case 0x6:   // TIMESTAMP_MONOTONIC
    case 0x13:  // SYNCOBJ
    case 0x14:  // SYNCOBJ_TIMELINE
      value[1] = 1;
      break;
    case 0x5:  // PRIME: import and export
      value[1] = 3;
      break;
    default:
      return fail(EINVAL, service_.unmodelled(Layer::kernel,
                                              fmt::format("DRM_IOCTL_GET_CAP {:#x}", value[0]),
                                              "EINVAL", service_.facts().event));
  }
  if (!kernel::copy_to_user(user, value, sizeof value)) return fail(EFAULT);
  return 0;
}

/// What libdrm asks a card node before it trusts it. Nobody else is its master here.
SysResult<int> DrmFile::card_command(std::uint32_t command, std::uint32_t minor,
                                     std::uint64_t user) {
  if (command == auth_magic_command) return 0;
  if (command == get_magic_command) {
    const std::uint32_t magic = 1;
    if (!kernel::copy_to_user(user, &magic, sizeof magic)) return fail(EFAULT);
    return 0;
  }
  const Json told = service_.ask({{"op", "drm_version"}, {"gpu_id", 0}, {"minor", minor}});
  if (const int error = told.value("errno", EIO)) return fail(error);
  if (command == set_version_command) {  // interface 1.4 of DRM, and the driver's own
    const std::int32_t versions[4] = {1, 4, told.value("major", 3), told.value("version_minor", 0)};
    if (!kernel::copy_to_user(user, versions, sizeof versions)) return fail(EFAULT);
    return 0;
  }
  std::uint64_t unique[2]{};  // struct drm_unique: length, buffer
  if (!kernel::copy_from_user(unique, user, sizeof unique)) return fail(EFAULT);
  const std::string bus_id = told.value("bus_id", std::string());
  const std::uint64_t room = unique[0];
  unique[0] = bus_id.size();
  if (room >= bus_id.size() && !bus_id.empty() &&
      !kernel::copy_to_user(unique[1], bus_id.data(), bus_id.size()))
    return fail(EFAULT);
  if (!kernel::copy_to_user(user, unique, sizeof unique)) return fail(EFAULT);
  return 0;
}

SysResult<int> DrmFile::version(std::uint32_t minor, std::uint64_t user) {
  Version version{};
  if (!kernel::copy_from_user(&version, user, sizeof version)) return fail(EFAULT);
  const Json told = service_.ask({{"op", "drm_version"}, {"gpu_id", 0}, {"minor", minor}});
  if (const int error = told.value("errno", EIO)) return fail(error);
  version.major = told.value("major", 3);
  version.minor = told.value("version_minor", 0);
  version.patch = 0;
  const bool given = give(told.value("name", std::string()), version.name_bytes, version.name) &&
                     give(told.value("date", std::string()), version.date_bytes, version.date) &&
                     give(told.value("description", std::string()), version.description_bytes,
                          version.description);
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
