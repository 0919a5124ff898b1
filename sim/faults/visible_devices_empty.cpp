// ROCR_VISIBLE_DEVICES is set, to nothing.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class VisibleDevicesEmpty final : public LoginFile {
 public:
  VisibleDevicesEmpty()
      : LoginFile({.id = "visible-devices-empty",
                   .layer = Layer::runtime,
                   .title = "the device filter is set to nothing",
                   .changes = "a file of the login sets ROCR_VISIBLE_DEVICES to an empty value, "
                              "which hides every GPU",
                   .parameters = {file("/etc/environment")},
                   .sources = {"https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html",
                               "https://github.com/vllm-project/vllm/issues/12572"}}) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "filled in by the batch system", "ROCR_VISIBLE_DEVICES", "", cause);
  }
};

const FaultRegistration registration{std::make_unique<VisibleDevicesEmpty>()};

}  // namespace
}  // namespace rocdrill::sim
