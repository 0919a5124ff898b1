// The next kernel no longer exports what amdgpu's source takes from it.
#include <algorithm>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class DkmsBuildFailed final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "dkms-build-failed",
        .layer = Layer::kernel,
        .title = "amdgpu does not build for the new kernel",
        .changes = "the next kernel's Module.symvers lacks a symbol that the driver imports",
        .parameters = {{"symbol", std::string("drm_sched_job_init"), "the one that is gone", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/3701",
                    "https://github.com/ROCm/amdgpu/issues/192",
                    "https://github.com/ROCm/rocm-install-on-linux/issues/293"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().driver.dkms_version.empty()) return "its driver does not come from dkms";
    if (node.spec().kernels.back().installed) return "no newer kernel is published for it";
    const std::string symbol = parameters.text("symbol");
    if (kernel::imports_text().find(symbol + "\n") == std::string::npos || symbol.empty())
      return "the driver does not import '" + symbol + "'";
    return {};
  }

  void prepare(Node& node, const Parameters&) const override {
    node.schedule({"upgrade", Json::object()});
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string name = "linux-headers-" + node.spec().kernels.back().release;
    Package headers = *node.os.packages.available(name);
    const EventId event =
        node.os.journal.record(Layer::host, Severity::info, "package.published", name, {}, cause);
    for (PackageFile& file : headers.files) {
      if (file.path.ends_with("/Module.symvers"))
        file.content.bytes = kernel::symvers_text({parameters.text("symbol")});
    }
    headers.event = event;
    node.os.packages.publish(std::move(headers));
  }
};

const FaultRegistration registration{std::make_unique<DkmsBuildFailed>()};

}  // namespace
}  // namespace rocdrill::sim
