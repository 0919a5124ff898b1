// A GPU hangs so deep that it does not answer on the bus.
#include <fmt/format.h>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class GpuOffTheBus final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "gpu-off-the-bus",
        .layer = Layer::silicon,
        .title = "a GPU does not answer on the bus",
        .changes = "a GPU hangs until its power is switched off; a reset does not reach it",
        .parameters = {{"gpu", std::int64_t{0}, "index of the GPU on the board", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/4454",
                    "https://github.com/ROCm/ROCm/issues/4021"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::int64_t gpu = parameters.integer("gpu");
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (gpu >= 0 && gpu < count) return {};
    return "gpu must be 0 to " + std::to_string(count - 1);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    silicon::Gpu& gpu = node.board.gpus()[static_cast<std::size_t>(parameters.integer("gpu"))];
    gpu.needs_power_cycle = true;
    const std::string unique_id = fmt::format("{:016x}", gpu.unique_id);
    gpu.event = node.os.journal.record(
        Layer::silicon, Severity::info, "gpu.hung", gpu.bdf.text(),
        {{"unique_id", std::string_view(unique_id)}, {field::see, "lspci -d 1002:"}}, cause);
  }
};

const FaultRegistration registration{std::make_unique<GpuOffTheBus>()};

}  // namespace
}  // namespace rocdrill::sim
