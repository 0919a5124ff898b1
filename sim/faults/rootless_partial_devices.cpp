// One GPU of several is passed into a rootless container. Its user may not load a device cgroup, so
// KFD goes on to list them all.
#include "sim/faults/job_container.hpp"

namespace rocdrill::sim {
namespace {

class RootlessPartialDevices final : public JobContainer {
 public:
  RootlessPartialDevices()
      : JobContainer(
            {.id = "rootless-partial-devices",
             .layer = Layer::access,
             .title = "a rootless container has one render node of several",
             .changes =
                 "the container of the job gets one render node. Without a device cgroup KFD "
                 "lists the other GPUs all the same",
             .parameters = {},
             .sources = {"https://github.com/ROCm/ROCm/issues/3144",
                         "https://github.com/ROCm/ROCm/issues/2860"}},
            "rocm/dev-ubuntu-22.04:6.1", true) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().gpus.size() < 2) return "it has one GPU";
    return JobContainer::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    containers::Options options = good(node);
    options.devices = {{"/dev/kfd", "/dev/kfd"}, {"/dev/dri/renderD128", "/dev/dri/renderD128"}};
    replace(node, "with --device /dev/dri/renderD128 alone", image(), std::move(options), cause);
  }
};

const FaultRegistration registration{std::make_unique<RootlessPartialDevices>()};

}  // namespace
}  // namespace rocdrill::sim
