// HIP and the framework above it, as a check or a drill's workload uses them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/result.hpp"

namespace rocdrill {

/// hipDeviceProp_t, as far as people read it.
struct HipDeviceInfo {
  std::string name;
  std::string gcn_arch_name;  ///< "gfx942:sramecc+:xnack-"
  std::uint32_t multiprocessor_count = 0;
  std::uint64_t total_global_mem = 0;  ///< bytes
  std::uint32_t warp_size = 0;
};

/// What a launch takes besides the kernel.
struct HipLaunch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};     ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};    ///< work-items
  std::uint32_t dynamic_lds = 0;                  ///< bytes
  std::vector<std::vector<std::byte>> arguments;  ///< explicit ones, in order

  /// Appends a scalar or a device pointer.
  template <class T>
  HipLaunch& with(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    arguments.emplace_back(bytes.begin(), bytes.end());
    return *this;
  }
};

/// hipMemGetInfo, in bytes.
struct HipMemory {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

class Hip {
 public:
  virtual ~Hip() = default;
  /// "6.3.3": the ROCm release that this runtime came with.
  virtual std::string version() = 0;
  /// hipGetDeviceCount; the first call initialises the runtime.
  virtual HipResult<int> device_count() = 0;
  virtual HipResult<HipDeviceInfo> properties(int device) = 0;
  virtual HipResult<HipMemory> memory(int device) = 0;
  /// __hipRegisterFatBinary: the program or library `file` carries device code. What follows from
  /// a missing code object depends on the release: HIP 5 ends the process at its first HIP call,
  /// later ones refuse the launch.
  virtual void register_fat_binary(std::string file) = 0;
  /// hipLaunchKernel and hipDeviceSynchronize of a kernel in a registered file.
  virtual HipResult<void> launch(int device, std::string_view file, std::string_view kernel,
                                 const HipLaunch& how) = 0;
  /// hipMalloc; a device address. Freed with the process.
  virtual HipResult<std::uint64_t> allocate(int device, std::size_t bytes) = 0;
  /// hipMemcpy.
  virtual HipResult<void> copy_to_device(std::uint64_t to, std::span<const std::byte> from) = 0;
  virtual HipResult<void> copy_to_host(std::span<std::byte> to, std::uint64_t from) = 0;
  /// hipModuleLoad of the code object in `file` that suits the device.
  virtual HipResult<void> load_module(int device, std::string_view file) = 0;
};

/// What one line of a program did: `text` is what it printed, or the last line of its traceback.
struct FrameworkResult {
  bool ok = false;
  std::string text;
  EventId event = no_event;
  /// The request ended at something that the simulator does not model.
  bool unmodelled = false;
  bool waits_for_ever = false;  ///< the line does not return
};

/// A Python process with PyTorch.
class Framework {
 public:
  virtual ~Framework() = default;
  /// import torch; torch.version.hip
  virtual FrameworkResult import() = 0;
  /// torch.cuda.is_available(): ok means True.
  virtual FrameworkResult is_available() = 0;
  /// torch.cuda.device_count()
  virtual int device_count() = 0;
  /// torch.randn(n, n, device="cuda"): a kernel of the wheel itself.
  virtual FrameworkResult randn() = 0;
  /// torch.empty(bytes, dtype=torch.uint8, device="cuda"): memory and nothing else.
  virtual FrameworkResult empty(std::uint64_t bytes) = 0;
  /// a @ a of two matrices on device 0, and whether its mean is finite. Bring-up scripts take 4096
  /// x 4096; a backend may take fewer.
  virtual FrameworkResult matmul() = 0;
};

}  // namespace rocdrill
