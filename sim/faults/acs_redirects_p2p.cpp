// Ports send requests between GPUs up to the root complex instead of directly.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class AcsRedirectsP2p final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "acs-redirects-p2p",
        .layer = Layer::silicon,
        .title = "PCIe Access Control Services are on",
        .changes =
            "the firmware's setup turns ACS on for every port, which redirects what GPUs send "
            "each other",
        .parameters = {},
        .sources =
            {"https://github.com/NVIDIA/nccl/issues/2079",
             "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
             "https://rocm.docs.amd.com/en/latest/how-to/gpu-cluster-networking/index.html"},
        .latent = true};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.board.gpus().size() < 2) return "it has one GPU";
    for (const silicon::Gpu& gpu : node.board.gpus())
      if (gpu.product->apu) return "an integrated GPU is behind no port";
    if (node.board.link(0, 1)) return "its GPUs reach each other over xGMI";
    return {};
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    node.os.uefi.acs = true;
    node.os.uefi.event =
        node.os.journal.record(Layer::silicon, Severity::info, "uefi.setup", "ACS",
                               {{"value", "Enabled"}, {field::see, "lspci -vvv"}}, cause);
  }
};

const FaultRegistration registration{std::make_unique<AcsRedirectsP2p>()};

}  // namespace
}  // namespace rocdrill::sim
