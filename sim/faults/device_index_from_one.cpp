// HIP_VISIBLE_DEVICES means the last GPU, counted from one.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class DeviceIndexFromOne final : public LoginFile {
 public:
  DeviceIndexFromOne()
      : LoginFile(
            {.id = "device-index-from-one",
             .layer = Layer::hip,
             .title = "devices are counted from one",
             .changes =
                 "a file of the login sets HIP_VISIBLE_DEVICES to the number of GPUs, which is no index",
             .parameters = {file("/etc/profile.d/last-gpu.sh")},
             .sources = {"https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html"}}) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "leave the last one for us", "HIP_VISIBLE_DEVICES",
        std::to_string(node.board.gpus().size()), cause);
  }
};

const FaultRegistration registration{std::make_unique<DeviceIndexFromOne>()};

}  // namespace
}  // namespace rocdrill::sim
