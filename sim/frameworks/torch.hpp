// PyTorch: what a training script sees of the stack.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/hip/hip.hpp"
#include "stack/hip.hpp"

namespace rocdrill::frameworks {

/// Where the package lies: site-packages/torch.
struct TorchInstallation {
  std::string directory;
  EventId event = no_event;  ///< why it is found there and not where it was installed
};
/// What `import torch` finds: a folder of PYTHONPATH comes before site-packages.
TorchInstallation find_torch(Process& process, std::string installed);

/// A build of PyTorch: what version.py says of it.
struct TorchBuild {
  std::string version;              ///< "2.6.0+rocm6.3"
  std::optional<std::string> cuda;  ///< "12.4" of a build for NVIDIA's GPUs
  std::optional<std::string> hip;   ///< "6.3.42134-a9a80e791" of one for ROCm
};
/// Text of the wheel's version.py, and what it says; nullopt for any other text.
std::string version_file(const TorchBuild& build);
std::optional<TorchBuild> read_version_file(const std::string& text);

/// A Python process. `hip` is the HIP runtime of the process; torch sees nothing below it but
/// its own files.
std::unique_ptr<Framework> start_python(Process& process, sim::Journal& journal,
                                        std::unique_ptr<Hip> hip, TorchInstallation torch);

/// The wheel's fat binary, below its directory.
inline constexpr std::string_view torch_device_code = "lib/libtorch_hip.so";
inline constexpr std::string_view torch_rocblas = "lib/rocblas/library";

}  // namespace rocdrill::frameworks
