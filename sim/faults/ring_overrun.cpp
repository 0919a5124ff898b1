// The read index in memory stands still: producers that look see a full ring, those that do not
// write over it.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

class RingOverrun final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "ring-overrun",
        .layer = Layer::silicon,
        .title = "a queue's read index stands still",
        .changes = "the packet processor goes on, and the read index in memory stays as it is",
        .parameters = {surgical::from_nth_parameter("each AQL queue's taken packets")},
        .sources = {"https://hsafoundation.com/wp-content/uploads/2021/02/HSA-SysArch-1.2.pdf",
                    "https://github.com/ROCm/ROCR-Runtime/blob/rocm-5.2.3/src/inc/amd_hsa_queue.h"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    surgical::change(node, [&](kernel::Injections& all) {
      all.queues.push_back({.what = cp::Injected::read_index_stuck,
                            .nth = surgical::nth(parameters),
                            .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_queues(node, {cp::Injected::read_index_stuck});
  }
};

const FaultRegistration registration{std::make_unique<RingOverrun>()};

}  // namespace
}  // namespace rocdrill::sim
