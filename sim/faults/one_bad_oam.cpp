// One module of a hive does not boot, and with it none.
#include "sim/faults/hardware.hpp"

namespace rocdrill::sim {
namespace {

class OneBadOam final : public BrokenGpu {
 public:
  OneBadOam()
      : BrokenGpu({.id = "one-bad-oam",
                   .layer = Layer::silicon,
                   .title = "one of the modules does not boot",
                   .changes =
                       "the PSP of one GPU does not load its firmware, so the hive's firmware "
                       "publishes no discovery table",
                   .parameters = {which(3)},
                   .sources = {"https://github.com/ROCm/ROCm/issues/4454",
                               "https://github.com/ROCm/ROCm/issues/3856"}}) {}

  std::string why_not(const silicon::Gpu& gpu, const Parameters&) const override {
    if (gpu.product->xgmi_links != 0) return {};
    return "it has no hive";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    defects(node, parameters, "PSP", cause).boot = true;
  }
};

const FaultRegistration registration{std::make_unique<OneBadOam>()};

}  // namespace
}  // namespace rocdrill::sim
