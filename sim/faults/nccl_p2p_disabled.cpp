// NCCL_P2P_DISABLE was set to find something out, and stayed.
#include "sim/faults/login_file.hpp"
#include "sim/faults/no_kernels.hpp"

namespace rocdrill::sim {
namespace {

class NcclP2pDisabled final : public LoginFile {
 public:
  NcclP2pDisabled()
      : LoginFile({.id = "nccl-p2p-disabled",
                   .layer = Layer::libraries,
                   .title = "RCCL may not let GPUs reach each other",
                   .changes = "a file of the login sets NCCL_P2P_DISABLE, so that every transfer "
                              "between GPUs goes through the host's memory",
                   .parameters = {file("/etc/profile.d/rccl-debug.sh")},
                   .sources = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
                               "https://github.com/ROCm/rccl/issues/1129"},
                   .latent = true}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.board.gpus().size() < 2) return "it has one GPU";
    if (const std::string why = no_kernels(node); !why.empty()) return why;
    return LoginFile::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "while we look for the hang", "NCCL_P2P_DISABLE", "1", cause);
  }
};

const FaultRegistration registration{std::make_unique<NcclP2pDisabled>()};

}  // namespace
}  // namespace rocdrill::sim
