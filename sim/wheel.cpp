#include "sim/wheel.hpp"

#include "sim/device_code.hpp"
#include "sim/libraries/rocblas.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

/// Of the CUDA build that PyPI has under the versions that nodes use.
std::string_view cuda_of(std::string_view version) {
  return compare_versions(version, "2.6") >= 0 ? "12.4" : "11.7";
}

void unpack_libraries(Node& node, EventId event) {
  const NodeSpec& spec = node.spec();
  FileTree& files = node.os.files;
  files.write(torch_fat_binary(spec), make_fat_binary(spec, "saxpy", spec.torch.targets), event);
  std::vector<std::string> rccl_targets;
  const auto rccl = spec.code_objects.find("rccl");
  for (const std::string& target : spec.torch.targets)
    if (rccl != spec.code_objects.end() && rccl->second.contains(target))
      rccl_targets.push_back(target);
  files.write(torch_rccl_library(spec), make_fat_binary(spec, "rccl", rccl_targets), event);
  const std::string blas = spec.torch.directory + "/" + std::string(frameworks::torch_rocblas);
  const auto known = spec.code_objects.find("matmul");
  if (known == spec.code_objects.end()) return;
  for (const std::string& target : spec.torch.targets) {
    const std::string gfx = target.substr(0, target.find(':'));
    const auto kernels = known->second.find(gfx);
    if (kernels == known->second.end()) continue;
    files.write(blas + "/" + libraries::tensile_index(gfx), "tensile index " + gfx + "\n", event);
    files.write(blas + "/" + libraries::tensile_kernels(gfx), kernels->second, event);
  }
}

}  // namespace

frameworks::TorchBuild wheel_build(const TorchSpec& torch, WheelKind kind) {
  const std::string plain = torch.version.substr(0, torch.version.find('+'));
  const std::string cuda(cuda_of(plain));
  switch (kind) {
    case WheelKind::rocm:
      return {torch.version, std::nullopt, torch.hip_version};
    case WheelKind::cuda:
      return {plain + "+cu" + cuda.substr(0, 2) + cuda.substr(3), cuda, std::nullopt};
    case WheelKind::cpu:
      break;
  }
  return {plain + "+cpu", std::nullopt, std::nullopt};
}

void unpack_wheel(Node& node, WheelKind kind, EventId event) {
  const TorchSpec& torch = node.spec().torch;
  FileTree& files = node.os.files;
  if (files.exists(torch.directory)) files.remove(torch.directory, event);
  files.write(torch.directory + "/version.py", frameworks::version_file(wheel_build(torch, kind)),
              event);
  if (kind == WheelKind::rocm) unpack_libraries(node, event);
}

}  // namespace rocdrill::sim
