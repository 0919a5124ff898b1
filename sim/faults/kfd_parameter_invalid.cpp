// amdgpu gets a parameter that amdkfd does not accept.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class KfdParameterInvalid final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "kfd-parameter-invalid",
        .layer = Layer::kernel,
        .title = "amdkfd refuses its parameters",
        .changes = "a file of /etc/modprobe.d gives amdgpu a sched_policy that does not exist",
        .parameters = {{"file", std::string("/etc/modprobe.d/amdgpu.conf"), "the file", {}},
                       {"value", std::int64_t{3}, "of sched_policy, whose values are 0 to 2", {}}},
        .sources = {"https://github.com/CachyOS/linux-cachyos/issues/643",
                    "https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_module.c"}};
    return info;
  }

  std::string inapplicable(const Node&, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (!file.starts_with("/etc/modprobe.d/") || !file.ends_with(".conf"))
      return "modprobe reads *.conf of /etc/modprobe.d, not " + file;
    const std::int64_t value = parameters.integer("value");
    return value >= 0 && value <= 2 ? "sched_policy=" + std::to_string(value) + " is valid" : "";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(
        parameters.text("file"),
        "options amdgpu sched_policy=" + std::to_string(parameters.integer("value")) + "\n", cause);
  }
};

const FaultRegistration registration{std::make_unique<KfdParameterInvalid>()};

}  // namespace
}  // namespace rocdrill::sim
