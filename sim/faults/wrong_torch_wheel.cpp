// PyTorch is a build for other hardware.
#include "sim/node.hpp"
#include "sim/wheel.hpp"

namespace rocdrill::sim {
namespace {

class WrongTorchWheel final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "wrong-torch-wheel",
        .layer = Layer::framework,
        .title = "PyTorch is no build for ROCm",
        .changes = "the wheel is the one for CUDA or for the processor alone",
        .parameters = {{"build", std::string("cuda"), "which one it is", {"cuda", "cpu"}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/2354",
                    "https://github.com/NVIDIA/k8s-device-plugin/issues/812",
                    "https://github.com/lllyasviel/Fooocus/issues/113"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    return node.spec().torch.version.empty() ? "it has no PyTorch" : "";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const WheelKind kind = parameters.text("build") == "cuda" ? WheelKind::cuda : WheelKind::cpu;
    const std::string wheel = "torch==" + wheel_build(node.spec().torch, kind).version;
    const EventId event = node.os.journal.record(Layer::framework, Severity::info, "pip.installed",
                                                 wheel, {{field::see, "pip show torch"}}, cause);
    unpack_wheel(node, kind, event);
  }
};

const FaultRegistration registration{std::make_unique<WrongTorchWheel>()};

}  // namespace
}  // namespace rocdrill::sim
