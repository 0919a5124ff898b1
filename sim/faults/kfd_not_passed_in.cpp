// The container has the render nodes, and no /dev/kfd.
#include "sim/faults/job_container.hpp"

namespace rocdrill::sim {
namespace {

class KfdNotPassedIn final : public JobContainer {
 public:
  KfdNotPassedIn()
      : JobContainer({.id = "kfd-not-passed-in",
                      .layer = Layer::access,
                      .title = "the job's container has no /dev/kfd",
                      .changes = "the container of the job is made with --device /dev/dri alone",
                      .parameters = {},
                      .sources = {"https://github.com/ROCm/ROCm/issues/1798",
                                  "https://github.com/apptainer/singularity/issues/5696"}},
                     "rocm/pytorch:latest") {}

  void inject(Node& node, const Parameters&, EventId cause) const override {
    containers::Options options = good(node);
    options.devices = {{"/dev/dri", "/dev/dri"}};
    replace(node, "without --device /dev/kfd", image(), std::move(options), cause);
  }
};

const FaultRegistration registration{std::make_unique<KfdNotPassedIn>()};

}  // namespace
}  // namespace rocdrill::sim
