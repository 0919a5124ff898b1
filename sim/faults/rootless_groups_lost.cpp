// A rootless container of a user who may use the GPUs, without the groups by which he may.
#include "sim/faults/job_container.hpp"

namespace rocdrill::sim {
namespace {

class RootlessGroupsLost final : public JobContainer {
 public:
  RootlessGroupsLost()
      : JobContainer(
            {.id = "rootless-groups-lost",
             .layer = Layer::access,
             .title = "the rootless container has lost its user's groups",
             .changes =
                 "the container of the job is made without --group-add keep-groups: its user "
                 "namespace has no render",
             .parameters = {},
             .sources = {"https://docs.podman.io/en/latest/markdown/podman-run.1.html",
                         "https://github.com/ollama/ollama/issues/6685"}},
            "rocm/dev-ubuntu-24.04:6.3.3", true) {}

  void inject(Node& node, const Parameters&, EventId cause) const override {
    containers::Options options = good(node);
    options.groups.clear();
    replace(node, "without --group-add keep-groups", image(), std::move(options), cause);
  }
};

const FaultRegistration registration{std::make_unique<RootlessGroupsLost>()};

}  // namespace
}  // namespace rocdrill::sim
