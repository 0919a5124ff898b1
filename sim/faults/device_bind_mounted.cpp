// /dev/kfd is mounted into the container like a file: it shows, and its device cgroup denies it.
#include "sim/faults/job_container.hpp"

namespace rocdrill::sim {
namespace {

class DeviceBindMounted final : public JobContainer {
 public:
  DeviceBindMounted()
      : JobContainer(
            {.id = "device-bind-mounted",
             .layer = Layer::access,
             .title = "/dev/kfd is a volume of the container, no device of it",
             .changes =
                 "the container of the job gets /dev/kfd with -v instead of --device, so its "
                 "device cgroup does not allow it",
             .parameters = {},
             .sources = {"https://docs.docker.com/reference/cli/docker/container/run/#device",
                         "https://docs.kernel.org/admin-guide/cgroup-v2.html#device-controller"}},
            "rocm/dev-ubuntu-24.04:6.3.3") {}

  void inject(Node& node, const Parameters&, EventId cause) const override {
    containers::Options options = good(node);
    options.devices = {{"/dev/dri", "/dev/dri"}};
    options.binds.push_back({"/dev/kfd", "/dev/kfd"});
    replace(node, "with -v /dev/kfd:/dev/kfd", image(), std::move(options), cause);
  }
};

const FaultRegistration registration{std::make_unique<DeviceBindMounted>()};

}  // namespace
}  // namespace rocdrill::sim
