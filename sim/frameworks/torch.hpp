// PyTorch: what a training script sees of the stack.
#pragma once

#include <memory>
#include <string>

#include "sim/hip/hip.hpp"
#include "stack/hip.hpp"

namespace rocdrill::frameworks {

/// Where the wheel lies: site-packages/torch.
struct TorchInstallation {
  std::string directory;
};

/// A job that puts the weights of its model onto the first device: torch.empty() of that size.
FrameworkResult load_weights(sim::Journal& journal, Hip& hip, std::uint64_t bytes);

/// A Python process. `hip` is the HIP runtime of the process; torch sees nothing below it but
/// its own files.
std::unique_ptr<Framework> start_python(Process& process, sim::Journal& journal,
                                        std::unique_ptr<Hip> hip, TorchInstallation torch);

/// The wheel's fat binary, below its directory.
inline constexpr std::string_view torch_device_code = "lib/libtorch_hip.so";
inline constexpr std::string_view torch_rocblas = "lib/rocblas/library";

}  // namespace rocdrill::frameworks
