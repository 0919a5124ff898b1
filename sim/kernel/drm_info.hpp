// What a render node says of its GPU: DRM_IOCTL_VERSION and the queries of DRM_AMDGPU_INFO.
#pragma once

#include <string>
#include <string_view>

#include "sim/kernel/amdgpu.hpp"
#include "stack/formats/drm_uapi.hpp"

namespace rocdrill::kernel {

/// What changes while the driver runs.
struct DrmUsage {
  std::uint64_t vram_bytes = 0;      ///< in use, what the driver keeps for itself included
  std::uint64_t gtt_bytes = 0;       ///< in use
  std::uint64_t gtt_size = 0;        ///< half of the host's memory
  std::uint64_t driver_time_ns = 0;  ///< virtual time
};

struct DrmDeviceInfo {
  const GpuProduct* product = nullptr;  ///< never null
  const GpuDevice* device = nullptr;    ///< never null; as long as the driver is loaded
  DrmUsage usage;
  drm::DeviceInfo info = {};
  drm::MemoryInfo memory = {};
  std::uint32_t gb_addr_config = 0;
  std::uint64_t ras_features = 0;
};

/// Numbers of the catalogue are its own; family, external revision and GB_ADDR_CONFIG are those of
/// soc15.c, nv.c, soc21.c and gfx_v9_0.c as far as they are known, else assumed.
DrmDeviceInfo drm_device_info(const silicon::Gpu& gpu, const GpuDevice& device,
                              const DrmUsage& usage);

/// Answers `request` (return_pointer is not looked at): puts at most return_size bytes into
/// `reply`. 0 or an errno: EINVAL for a query or a sub-query that the driver does not know,
/// EOPNOTSUPP for a sensor that the GPU has not. `modelled` becomes false if the driver knows the
/// query and rocdrill does not: the caller records that.
int answer_info(const DrmDeviceInfo& device, const drm::InfoRequest& request, std::string& reply,
                bool& modelled);

/// Whether the kernel has a DRM minor of this number, counted within its kind: 64 of each
/// before 6.12.
bool has_minor(const sim::Os& os, std::uint32_t number);

struct DrmVersion {
  std::uint32_t major = 3, minor = 0, patch = 0;
  std::string_view name = "amdgpu", date = "20150101", description = "AMD GPU";
};
/// `dkms` is the out-of-tree driver's version, "" for the kernel's own. 3.49 came with 6.1, 3.54
/// with 6.5, 3.57 with 6.8 (amdgpu_drv.c); 3.61 is that of the 6.10 dkms driver (seen).
DrmVersion drm_version(std::string_view kernel_release, std::string_view dkms);

}  // namespace rocdrill::kernel
