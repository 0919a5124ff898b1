// The few ways in which a firmware version decides anything. Every other skew is a combination
// that nobody supports and that works.
#pragma once

#include <cstdint>

#include "sim/firmware/loader.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::firmware {

/// MEC version from which a GPU can do without PCIe atomics of its platform; 0 if it never needs
/// them. kfd_device_info_init() in kfd_device.c.
std::uint32_t mec_without_pcie_atomics(const GpuProduct& product);

/// SMU interface that the driver was built for; another one in the blob is a warning and no more.
/// The number itself is assumed, the same for all products.
inline constexpr std::uint32_t smu_driver_interface = 0x08042024;

/// Version of the compute microengine among what was loaded; 0 if none was.
std::uint32_t mec_version(const std::vector<BlobResult>& blobs);

}  // namespace rocdrill::firmware
