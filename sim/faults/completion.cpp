// The completion signal of a packet is not decremented, is decremented late, or twice.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

using cp::Injected;

class CompletionFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "completion",
        .layer = Layer::silicon,
        .title = "a completion signal is lost, late or decremented twice",
        .changes = "the packet processor does not decrement a completion signal once, in time",
        .parameters =
            {{"what", std::string("lost"), "what happens to it", {"lost", "late", "twice"}},
             surgical::nth_parameter("each AQL queue's completions that have a signal"),
             surgical::delay_parameter("how late a late one is, in microseconds", 1000)},
        .sources =
            {"https://hsafoundation.com/wp-content/uploads/2021/02/HSA-SysArch-1.2.pdf",
             "https://github.com/ROCm/ROCR-Runtime/blob/rocm-5.2.3/src/inc/amd_hsa_signal.h"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string what = parameters.text("what");
    const auto kind = what == "lost"   ? Injected::completion_lost
                      : what == "late" ? Injected::completion_late
                                       : Injected::completion_twice;
    surgical::change(node, [&](kernel::Injections& all) {
      all.queues.push_back({.what = kind,
                            .nth = surgical::nth(parameters),
                            .delay_ns = surgical::delay_ns(parameters),
                            .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_queues(
        node, {Injected::completion_lost, Injected::completion_late, Injected::completion_twice});
  }
};

const FaultRegistration registration{std::make_unique<CompletionFault>()};

}  // namespace
}  // namespace rocdrill::sim
