// Another memory mode was asked for, and nobody reloaded the driver.
#include <algorithm>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class NpsPending final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "nps-pending",
        .layer = Layer::kernel,
        .title = "a memory mode was requested and the driver not reloaded",
        .changes = "current_memory_partition was written on the running node, and the plan with it",
        .parameters = {{"mode", std::string("NPS4"), "the memory mode", {"NPS2", "NPS4"}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/4439",
                    "https://github.com/ROCm/amdgpu-docs/blob/develop/docs/gpu-partitioning/"
                    "mi300x/quick-start-guide.rst"},
        .latent = true};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string mode = parameters.text("mode");
    for (const silicon::Gpu& gpu : node.board.gpus()) {
      if (silicon::parse_memory_mode(gpu.product->memory_modes, mode)) return {};
    }
    return "no GPU of it offers " + mode;
  }

  /// It needs a running driver: on a node that is off it waits for one.
  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string mode = parameters.text("mode");
    auto& driver = node.kernel.amdgpu;
    if (!node.powered()) {
      Task again{"inject", {{"id", info().id}, {"parameters", {{"mode", mode}}}}};
      node.schedule(node.os.clock.now() + 30 * sec, std::move(again));
      return;
    }
    if (driver.devices().empty()) return;
    const auto automatic = [&] {
      const silicon::Gpu& gpu = node.board.gpus()[driver.devices().front().gpu];
      const auto memory = silicon::parse_memory_mode(gpu.product->memory_modes, mode);
      const auto compute = memory ? silicon::automatic_mode(*gpu.product, *memory) : std::nullopt;
      return std::string(name(compute.value_or(ComputeMode::spx)));
    }();
    node.os.write_file(partition_plan, "compute=" + automatic + "\nmemory=" + mode + "\n", cause);
    static_cast<void>(driver.set_memory_partition(0, mode, cause));
  }
};

const FaultRegistration registration{std::make_unique<NpsPending>()};

}  // namespace
}  // namespace rocdrill::sim
