// A doorbell is lost on its way, comes twice, or comes late.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

using cp::Injected;

class DoorbellFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "doorbell",
        .layer = Layer::silicon,
        .title = "a doorbell is lost, comes twice or comes late",
        .changes = "a write to a queue's doorbell does not arrive as it was made",
        .parameters =
            {{"what", std::string("lost"), "what happens to it", {"lost", "duplicated", "delayed"}},
             surgical::nth_parameter("each queue's rings"),
             surgical::delay_parameter("how late a delayed one is, in microseconds", 1000),
             {"queue", std::string("any"), "the kind of queue", {"any", "aql", "sdma"}}},
        .sources = {"https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_doorbell.c",
                    "https://hsafoundation.com/wp-content/uploads/2021/02/HSA-SysArch-1.2.pdf"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string what = parameters.text("what");
    const std::string queue = parameters.text("queue");
    const auto kind = what == "lost"         ? Injected::doorbell_lost
                      : what == "duplicated" ? Injected::doorbell_duplicated
                                             : Injected::doorbell_delayed;
    const auto on = queue == "aql"    ? kernel::QueueKind::aql
                    : queue == "sdma" ? kernel::QueueKind::sdma
                                      : kernel::QueueKind::any;
    surgical::change(node, [&](kernel::Injections& all) {
      all.queues.push_back({.what = kind,
                            .nth = surgical::nth(parameters),
                            .delay_ns = surgical::delay_ns(parameters),
                            .on = on,
                            .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_queues(
        node, {Injected::doorbell_lost, Injected::doorbell_duplicated, Injected::doorbell_delayed});
  }
};

const FaultRegistration registration{std::make_unique<DoorbellFault>()};

}  // namespace
}  // namespace rocdrill::sim
