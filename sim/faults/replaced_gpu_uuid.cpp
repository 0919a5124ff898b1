// HIP_VISIBLE_DEVICES has the UUID of a board that went back to the vendor.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class ReplacedGpuUuid final : public LoginFile {
 public:
  ReplacedGpuUuid()
      : LoginFile(
            {.id = "replaced-gpu-uuid",
             .layer = Layer::hip,
             .title = "a GPU is selected that was replaced",
             .changes =
                 "a file of the login sets HIP_VISIBLE_DEVICES to the UUID of a board that is not in the node",
             .parameters = {file("/etc/profile.d/reserved-gpu.sh")},
             .sources = {"https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html"}}) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "reserved for evaluation", "HIP_VISIBLE_DEVICES", "GPU-3d8a6f20c1b94e57",
        cause);
  }
};

const FaultRegistration registration{std::make_unique<ReplacedGpuUuid>()};

}  // namespace
}  // namespace rocdrill::sim
