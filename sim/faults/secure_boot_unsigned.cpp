// Secure Boot is on, and nobody enrolled the key that dkms signs with.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class SecureBootUnsigned final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "secure-boot-unsigned",
        .layer = Layer::kernel,
        .title = "Secure Boot does not trust the driver",
        .changes = "Secure Boot is switched on; the key of the dkms modules is not enrolled",
        .parameters = {},
        .sources = {"https://github.com/ROCm/ROCm/issues/4328",
                    "https://github.com/dkms-project/dkms/issues/347",
                    "https://github.com/torvalds/linux/blob/v6.8/kernel/module/signing.c"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.spec().driver.dkms_version.empty())
      return "its driver comes with the kernel, whose key is trusted";
    return {};
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    node.os.uefi.secure_boot = true;
    node.os.uefi.event =
        node.os.journal.record(Layer::host, Severity::info, "uefi.setup_changed", "Secure Boot",
                               {{"value", "enabled"}, {field::see, "mokutil --sb-state"}}, cause);
  }
};

const FaultRegistration registration{std::make_unique<SecureBootUnsigned>()};

}  // namespace
}  // namespace rocdrill::sim
