// HIP and the framework above it, as a check or a drill's workload uses them.
#pragma once

#include <cstdint>
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

class Hip {
 public:
  virtual ~Hip() = default;
  /// "6.3.3": the ROCm release that this runtime came with.
  virtual std::string version() = 0;
  /// hipGetDeviceCount; the first call initialises the runtime.
  virtual HipResult<int> device_count() = 0;
  virtual HipResult<HipDeviceInfo> properties(int device) = 0;
  /// __hipRegisterFatBinary: the program or library `file` carries device code. What follows from
  /// a missing code object depends on the release: HIP 5 ends the process at its first HIP call,
  /// later ones refuse the launch.
  virtual void register_fat_binary(std::string file) = 0;
  /// hipLaunchKernel and hipDeviceSynchronize of a kernel in a registered file.
  virtual HipResult<void> launch(int device, std::string_view file, std::string_view kernel) = 0;
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
  /// torch.randn(4096, 4096, device="cuda"): a kernel of the wheel itself.
  virtual FrameworkResult randn() = 0;
  /// a @ a of two 4096 x 4096 bfloat16 matrices on device 0, and its mean.
  virtual FrameworkResult matmul() = 0;
};

}  // namespace rocdrill
