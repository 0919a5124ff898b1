// amdgpu was not rebuilt by dkms when the kernel was updated.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class StaleDkms final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "stale-dkms",
        .layer = Layer::kernel,
        .title = "amdgpu is not built for the new kernel",
        .changes = "what dkms needs to build amdgpu for the next kernel is missing",
        .parameters = {{"reason",
                        std::string("headers-missing"),
                        "why dkms does not build",
                        {"headers-missing", "autoinstall-off"}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/3701",
                    "https://github.com/ROCm/amdgpu/issues/192",
                    "https://github.com/ROCm/rocm-install-on-linux/issues/293"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.spec().driver.dkms_version.empty()) return "its driver does not come from dkms";
    if (node.spec().kernels.empty() || node.spec().kernels.back().installed) {
      return "no newer kernel is published for it";
    }
    return {};
  }

  void prepare(Node& node, const Parameters&) const override {
    node.schedule({"upgrade", Json::object()});
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    if (parameters.text("reason") == "headers-missing") {
      // Without the meta package an upgrade brings the image but not its headers.
      node.os.packages.remove(
          node.spec().distro == Distro::debian ? "linux-headers-amd64" : "linux-headers-generic",
          cause);
      return;
    }
    const std::string& version = node.spec().driver.dkms_version;
    node.os.write_file(
        "/usr/src/amdgpu-" + version + "/dkms.conf",
        "PACKAGE_NAME=\"amdgpu\"\nPACKAGE_VERSION=\"" + version + "\"\nAUTOINSTALL=\"no\"\n",
        cause);
  }
};

const FaultRegistration registration{std::make_unique<StaleDkms>()};

}  // namespace
}  // namespace rocdrill::sim
