// Two device filters, the second of which counts within what the first has left.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class DoubleFilter final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "double-filter",
        .layer = Layer::hip,
        .title = "a GPU is selected twice",
        .changes =
            "the job sets HIP_VISIBLE_DEVICES to an index that ROCR_VISIBLE_DEVICES has used up",
        .parameters = {{"gpu", std::int64_t{1}, "index of the GPU that the job wants, from 1", {}}},
        .sources = {"https://github.com/vllm-project/vllm/issues/12572",
                    "https://github.com/mcmonkeyprojects/SwarmUI/issues/565",
                    "https://github.com/verl-project/verl/issues/1575"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (count < 2) return "it has one GPU, and index 0 means the same to both filters";
    const std::int64_t gpu = parameters.integer("gpu");
    if (gpu < 1 || gpu >= count) return "gpu must be 1 to " + std::to_string(count - 1);
    return {};
  }

  /// The job template selects the GPU at the ROCr level: right by itself.
  void prepare(Node& node, const Parameters& parameters) const override {
    node.os.set_environment("ROCR_VISIBLE_DEVICES", std::to_string(parameters.integer("gpu")),
                            no_event);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string value = std::to_string(parameters.integer("gpu"));
    const EventId event = node.os.journal.record(
        Layer::host, Severity::info, "environment.set", "HIP_VISIBLE_DEVICES",
        {{"value", std::string_view(value)}, {field::see, "env"}}, cause);
    node.os.set_environment("HIP_VISIBLE_DEVICES", value, event);
  }
};

const FaultRegistration registration{std::make_unique<DoubleFilter>()};

}  // namespace
}  // namespace rocdrill::sim
