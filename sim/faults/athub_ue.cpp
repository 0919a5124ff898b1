// A GPU raises a fatal error as soon as waves run on it; its hive is reset.
#include "sim/faults/hardware.hpp"

namespace rocdrill::sim {
namespace {

class AthubUe final : public BrokenGpu {
 public:
  AthubUe()
      : BrokenGpu({.id = "athub-ue",
                   .layer = Layer::silicon,
                   .title = "a GPU raises fatal hardware errors under load",
                   .changes = "an uncorrectable error occurs in a block of one GPU whenever waves "
                              "run on it",
                   .parameters = {which(),
                                  {"block",
                                   std::string("gfx"),
                                   "the block that counts the error",
                                   {"gfx", "sdma", "mmhub", "xgmi_wafl"}}},
                   .sources = {"https://github.com/ROCm/ROCm/issues/4021"}},
                  true) {}

  std::string why_not(const silicon::Gpu& gpu, const Parameters& parameters) const override {
    const auto block = silicon::parse_ras_block(parameters.text("block"));
    if (block && (silicon::ras_blocks(*gpu.product) & bit(*block)) != 0) return {};
    return "it does not count errors of " + parameters.text("block");
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string block = parameters.text("block");
    silicon::Defects& broken = defects(node, parameters, block, cause);
    broken.under_load = true;
    broken.block = silicon::parse_ras_block(block).value_or(silicon::RasBlock::gfx);
  }
};

const FaultRegistration registration{std::make_unique<AthubUe>()};

}  // namespace
}  // namespace rocdrill::sim
