// The boards' IFWI is older than the memory mode that the site plans.
#include <algorithm>

#include "sim/node.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::sim {
namespace {

constexpr const char* old_ifwi = "022.040.003.041.000001";

class VbiosTooOldForNps final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "vbios-too-old-for-nps",
        .layer = Layer::firmware,
        .title = "the IFWI is too old for NPS4",
        .changes = "the GPUs have an IFWI from before memory modes could be switched",
        .parameters = {},
        .sources = {"https://instinct.docs.amd.com/projects/gpu-operator/en/latest/"
                    "troubleshooting.html",
                    "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/"
                    "gpu-partitioning/mi300x/overview.html"},
        .latent = true};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    const auto known = [](const silicon::Gpu& gpu) { return gpu.product->product == "MI300X"; };
    return std::ranges::all_of(node.board.gpus(), known)
               ? ""
               : "which IFWI its GPUs need is known of MI300X only";
  }

  /// The site planned NPS4, asked for it and loaded the driver anew, as the guide says.
  void inject(Node& node, const Parameters&, EventId cause) const override {
    auto& driver = node.kernel.amdgpu;
    if (!node.powered() || driver.devices().empty()) {
      if (!node.powered()) {
        Task again{"inject", {{"id", info().id}, {"parameters", Json::object()}}};
        node.schedule(node.os.clock.now() + 30 * sec, std::move(again));
      }
      return;
    }
    for (silicon::Gpu& gpu : node.board.gpus()) {
      gpu.ifwi = old_ifwi;
      gpu.ifwi_event =
          node.os.journal.record(Layer::firmware, Severity::info, "ifwi.installed", gpu.bdf.text(),
                                 {{"version", old_ifwi}, {field::see, "amd-smi static"}}, cause);
    }
    node.os.write_file(partition_plan, "compute=CPX\nmemory=NPS4\n", cause);
    static_cast<void>(driver.set_memory_partition(0, "NPS4", cause));
    node.kernel.remove_module("amdgpu", cause);
    node.kernel.load_module("amdgpu", {}, cause);
  }
};

const FaultRegistration registration{std::make_unique<VbiosTooOldForNps>()};

}  // namespace
}  // namespace rocdrill::sim
