// Somebody blacklisted amdgpu.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class ModuleBlacklisted final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{.id = "module-blacklisted",
                                .layer = Layer::kernel,
                                .title = "amdgpu is blacklisted",
                                .changes = "a file of /etc/modprobe.d blacklists amdgpu",
                                .parameters = {{"file",
                                                std::string("/etc/modprobe.d/blacklist-gpu.conf"),
                                                "the file that does it",
                                                {}}},
                                .sources = {"https://github.com/ROCm/ROCm/issues/1888",
                                            "https://github.com/ROCm/ROCm/pull/4426"}};
    return info;
  }

  std::string inapplicable(const Node&, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (file.starts_with("/etc/modprobe.d/") && file.ends_with(".conf")) return {};
    return "modprobe reads *.conf of /etc/modprobe.d, not " + file;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(parameters.text("file"),
                       "# the console flickers with it\nblacklist amdgpu\n", cause);
  }
};

const FaultRegistration registration{std::make_unique<ModuleBlacklisted>()};

}  // namespace
}  // namespace rocdrill::sim
