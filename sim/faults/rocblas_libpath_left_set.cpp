// ROCBLAS_TENSILE_LIBPATH names the folder of a release that was removed.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class RocblasLibpathLeftSet final : public LoginFile {
 public:
  RocblasLibpathLeftSet()
      : LoginFile(
            {.id = "rocblas-libpath-left-set",
             .layer = Layer::libraries,
             .title = "rocBLAS is sent to a folder that has gone",
             .changes =
                 "a file of the login sets ROCBLAS_TENSILE_LIBPATH to a release that was removed",
             .parameters = {file("/etc/profile.d/rocblas.sh")},
             .sources =
                 {"https://github.com/ROCm/rocBLAS/issues/1339",
                  "https://rocm.docs.amd.com/projects/rocBLAS/en/latest/reference/env-variables.html"}}) {
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().torch.version.empty()) return "it has no PyTorch";
    return LoginFile::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "kernels of our own tuning", "ROCBLAS_TENSILE_LIBPATH",
        "/opt/rocm-6.0.2/lib/rocblas/library", cause);
  }
};

const FaultRegistration registration{std::make_unique<RocblasLibpathLeftSet>()};

}  // namespace
}  // namespace rocdrill::sim
