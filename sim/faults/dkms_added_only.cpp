// amdgpu is known to dkms and built for no kernel.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class DkmsAddedOnly final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{.id = "dkms-added-only",
                                .layer = Layer::kernel,
                                .title = "dkms has the source and no module",
                                .changes = "what dkms built is gone; the source is still added",
                                .parameters = {},
                                .sources = {"https://github.com/ROCm/ROCm/issues/1583",
                                            "https://github.com/ROCm/ROCm/issues/1423"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.spec().driver.dkms_version.empty()) return "its driver does not come from dkms";
    for (const KernelSpec& kernel : node.spec().kernels) {
      if (kernel.in_tree_amdgpu && kernel.installed)
        return "its kernel has an amdgpu of its own, which takes over";
    }
    return {};
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    node.kernel.dkms.unbuild(node.spec().driver.dkms_version, cause);
  }
};

const FaultRegistration registration{std::make_unique<DkmsAddedOnly>()};

}  // namespace
}  // namespace rocdrill::sim
