// A command processor does not take queues off the GPU any more.
#include "sim/faults/hardware.hpp"

namespace rocdrill::sim {
namespace {

class QueuePreemptionFails final : public BrokenGpu {
 public:
  QueuePreemptionFails()
      : BrokenGpu({.id = "queue-preemption-fails",
                   .layer = Layer::silicon,
                   .title = "queues cannot be preempted",
                   .changes = "the MEC of a GPU does not answer UNMAP_QUEUES until its power is "
                              "switched off",
                   .parameters = {which()},
                   .sources = {"https://github.com/ROCm/ROCm/issues/1584",
                               "https://github.com/ROCm/ROCm/issues/2804",
                               "https://github.com/ROCm/ROCm/issues/4444"}},
                  true) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    defects(node, parameters, "MEC", cause).preemption = true;
  }
};

const FaultRegistration registration{std::make_unique<QueuePreemptionFails>()};

}  // namespace
}  // namespace rocdrill::sim
