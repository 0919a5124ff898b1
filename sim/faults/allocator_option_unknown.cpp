// PYTORCH_HIP_ALLOC_CONF has an option that PyTorch does not know.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class AllocatorOptionUnknown final : public LoginFile {
 public:
  AllocatorOptionUnknown()
      : LoginFile(
            {.id = "allocator-option-unknown",
             .layer = Layer::framework,
             .title = "PyTorch is given an option that it does not know",
             .changes =
                 "a file of the login sets PYTORCH_HIP_ALLOC_CONF to an option with a spelling mistake",
             .parameters = {file("/etc/profile.d/pytorch.sh")},
             .sources = {
                 "https://github.com/pytorch/pytorch/blob/v2.6.0/c10/cuda/CUDAAllocatorConfig.cpp",
                 "https://docs.pytorch.org/docs/stable/notes/cuda.html"}}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().torch.version.empty()) return "it has no PyTorch";
    return LoginFile::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "against fragmentation", "PYTORCH_HIP_ALLOC_CONF",
        "expandable_segment:True", cause);
  }
};

const FaultRegistration registration{std::make_unique<AllocatorOptionUnknown>()};

}  // namespace
}  // namespace rocdrill::sim
