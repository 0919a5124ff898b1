// Open device files of a process of the simulator itself: process parts that call the device part
// directly and live in virtual time.
#pragma once

#include <memory>

#include "sim/kernel/kfd.hpp"
#include "sim/kernel/process/device_file.hpp"

namespace rocdrill::kernel {

std::unique_ptr<DeviceFile> open_local_kfd(sim::Os& os, Kfd& kfd, const Opener& opener);
std::unique_ptr<DeviceFile> open_local_render(Kfd& kfd, std::uint32_t minor, EventId event);

}  // namespace rocdrill::kernel
