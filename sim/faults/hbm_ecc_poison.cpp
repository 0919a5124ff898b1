// A weak page of HBM: the job that gets it reads poison.
#include "sim/faults/hardware.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::int64_t first_of_a_job = 16 << 20;  // Kfd::place

class HbmEccPoison final : public BrokenGpu {
 public:
  HbmEccPoison()
      : BrokenGpu({.id = "hbm-ecc-poison",
                   .layer = Layer::silicon,
                   .title = "a page of HBM reads as poison",
                   .changes = "the cells of one page of VRAM do not keep what is written",
                   .parameters = {which(), {"address", first_of_a_job, "of the page, in VRAM", {}}},
                   .sources = {"https://docs.kernel.org/gpu/amdgpu/driver-misc.html",
                               "https://github.com/ROCm/ROCm/issues/4021"}},
                  true) {}

  std::string why_not(const silicon::Gpu& gpu, const Parameters& parameters) const override {
    const std::int64_t address = parameters.integer("address");
    if (address < 0 || static_cast<std::uint64_t>(address) >= gpu.product->vram_bytes)
      return "it has no VRAM at that address";
    const IpVersion gc = gpu.product->gc;
    if (gc.major == 9 && gc >= IpVersion{9, 4, 2}) return {};
    return "its errors reset it at once: it knows no poison";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const auto address = static_cast<std::uint64_t>(parameters.integer("address"));
    defects(node, parameters, "HBM", cause)
        .weak.insert(address / silicon::vram_page * silicon::vram_page);
  }
};

const FaultRegistration registration{std::make_unique<HbmEccPoison>()};

}  // namespace
}  // namespace rocdrill::sim
