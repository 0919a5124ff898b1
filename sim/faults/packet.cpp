// The packet processor reads a packet whose body is not there yet, or does not honour its barrier
// bit.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

using cp::Injected;

class PacketFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "packet",
        .layer = Layer::silicon,
        .title = "a packet is read before its body is written, or without its barrier bit",
        .changes = "the packet processor takes one packet otherwise than its producer meant it",
        .parameters =
            {{"what",
              std::string("header-before-body"),
              "header-before-body: what a producer without release order causes, the body "
              "reads as zeros; barrier-bit-ignored: it overtakes packets in flight",
              {"header-before-body", "barrier-bit-ignored"}},
             surgical::nth_parameter("each AQL queue's packets")},
        .sources = {"https://hsafoundation.com/wp-content/uploads/2021/02/HSA-SysArch-1.2.pdf"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const bool body = parameters.text("what") == "header-before-body";
    surgical::change(node, [&](kernel::Injections& all) {
      all.queues.push_back(
          {.what = body ? Injected::header_before_body : Injected::barrier_bit_ignored,
           .nth = surgical::nth(parameters),
           .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_queues(node,
                                  {Injected::header_before_body, Injected::barrier_bit_ignored});
  }
};

const FaultRegistration registration{std::make_unique<PacketFault>()};

}  // namespace
}  // namespace rocdrill::sim
