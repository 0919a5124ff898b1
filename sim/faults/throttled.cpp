// A GPU that cannot get rid of its heat, or not get its power: everything works, slowly.
#include "sim/faults/hardware.hpp"

namespace rocdrill::sim {
namespace {

class Throttled final : public BrokenGpu {
 public:
  Throttled()
      : BrokenGpu({.id = "throttled",
                   .layer = Layer::silicon,
                   .title = "a GPU is throttled",
                   .changes = "a limit of one GPU is reached even when it idles",
                   .parameters = {which(),
                                  {"limit",
                                   std::string("SOC"),
                                   "as the driver names it",
                                   {"SOC", "HBM", "VR", "PPT"}}},
                   .sources = {"https://github.com/ROCm/ROCm/issues/5908",
                               "https://github.com/ROCm/ROCm/issues/6078"},
                   .latent = true}) {}

  std::string why_not(const silicon::Gpu& gpu, const Parameters&) const override {
    const IpVersion gc = gpu.product->gc;
    return gc.major == 9 && gc >= IpVersion{9, 4, 2} ? "" : "its driver does not tell of limits";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    using silicon::Throttler;
    const std::string limit = parameters.text("limit");
    silicon::Defects& broken = defects(node, parameters, "cooling", cause);
    for (const Throttler each : {Throttler::ppt, Throttler::soc, Throttler::vr, Throttler::hbm}) {
      if (name(each) == limit) broken.hot = each;
    }
    node.kernel.amdgpu.throttled(static_cast<std::uint32_t>(index(parameters)), broken.event);
  }
};

const FaultRegistration registration{std::make_unique<Throttled>()};

}  // namespace
}  // namespace rocdrill::sim
