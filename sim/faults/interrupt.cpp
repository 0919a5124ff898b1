// The interrupt of a completion signal does not reach the driver: memory is right, nobody wakes up.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

class InterruptFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "interrupt",
        .layer = Layer::silicon,
        .title = "an interrupt is lost",
        .changes = "the signal and its mailbox are written, and the driver is not told",
        .parameters = {{"what", std::string("lost"), "what happens to it", {"lost"}},
                       surgical::nth_parameter("each AQL queue's interrupts")},
        .sources = {"https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_interrupt.c",
                    "https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_events.c"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    surgical::change(node, [&](kernel::Injections& all) {
      all.queues.push_back(
          {.what = cp::Injected::interrupt_lost, .nth = surgical::nth(parameters), .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_queues(node, {cp::Injected::interrupt_lost});
  }
};

const FaultRegistration registration{std::make_unique<InterruptFault>()};

}  // namespace
}  // namespace rocdrill::sim
