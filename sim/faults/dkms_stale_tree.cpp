// The tree of a driver that was removed by hand stops every dkms command.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class DkmsStaleTree final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "dkms-stale-tree",
        .layer = Layer::kernel,
        .title = "a leftover tree stops dkms",
        .changes = "/var/lib/dkms/amdgpu holds a version whose source is gone",
        .parameters =
            {{"version", std::string("6.7.0-1756574.22.04"), "the one that was left behind", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/3608",
                    "https://github.com/ROCm/ROCm/issues/4197"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string& installed = node.spec().driver.dkms_version;
    if (installed.empty()) return "its driver does not come from dkms";
    if (parameters.text("version") == installed) return "version " + installed + " is in use";
    if (node.spec().kernels.back().installed) return "no newer kernel is published for it";
    return {};
  }

  void prepare(Node& node, const Parameters&) const override {
    node.schedule({"upgrade", Json::object()});
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string tree = "/var/lib/dkms/amdgpu/" + parameters.text("version");
    const EventId event = node.os.journal.record(
        Layer::host, Severity::info, "directory.left_behind", tree, {{field::see, "ls"}}, cause);
    node.os.files.symlink(tree + "/source", "/usr/src/amdgpu-" + parameters.text("version"), event);
  }
};

const FaultRegistration registration{std::make_unique<DkmsStaleTree>()};

}  // namespace
}  // namespace rocdrill::sim
