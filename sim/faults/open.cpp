// An open() of a GPU device fails, as it does when descriptors run out.
#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

class OpenFault final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "open",
        .layer = Layer::kernel,
        .title = "an open of /dev/kfd or /dev/dri fails",
        .changes = "the kernel refuses one open of a GPU device",
        .parameters = {surgical::nth_parameter("all programs' opens of /dev/kfd and /dev/dri/*"),
                       surgical::errno_parameter("EMFILE", false)},
        .sources = {"https://man7.org/linux/man-pages/man2/open.2.html",
                    "https://github.com/ROCm/ROCT-Thunk-Interface/blob/rocm-5.2.3/src/openclose.c"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    surgical::change(node, [&](kernel::Injections& all) {
      all.opens.push_back({.nth = surgical::nth(parameters),
                           .error = surgical::error_number(parameters),
                           .event = cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_list(node, &kernel::Injections::opens);
  }
};

const FaultRegistration registration{std::make_unique<OpenFault>()};

}  // namespace
}  // namespace rocdrill::sim
