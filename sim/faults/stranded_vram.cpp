// A process that nobody waits for any more holds a GPU's memory.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::uint64_t left_free = 1u << 20;
constexpr std::uint64_t start_time = 20 * sec;  // a boot takes less

class StrandedVram final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "stranded-vram",
        .layer = Layer::kernel,
        .title = "a forgotten process holds the GPU's memory",
        .changes = "a process whose launcher was killed holds all VRAM of a GPU",
        .parameters = {{"gpu", std::int64_t{0}, "index of the KFD node", {}}},
        .sources = {"https://github.com/ROCm/rocm-systems/issues/8263",
                    "https://github.com/ROCm/mori/pull/473"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::int64_t gpu = parameters.integer("gpu");
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (gpu < 0 || gpu >= count) return "gpu must be 0 to " + std::to_string(count - 1);
    return {};
  }

  /// A job runs as soon as the node is up.
  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.schedule(node.os.clock.now() + start_time, {"job",
                                                     {{"command", "python3"},
                                                      {"gpu", parameters.integer("gpu")},
                                                      {"leaves", left_free},
                                                      {"cause", cause}}});
  }
};

const FaultRegistration registration{std::make_unique<StrandedVram>()};

}  // namespace
}  // namespace rocdrill::sim
