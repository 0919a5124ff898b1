// One rank of the training has no data and does not take part.
#include "sim/distributed.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class RankMissing final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "rank-missing",
        .layer = Layer::framework,
        .title = "a rank leaves the training early",
        .changes =
            "the shard of one rank is empty, so that it has no batch and calls no all-reduce",
        .parameters = {{"rank", std::int64_t{3}, "the rank", {}}},
        .sources = {
            "https://github.com/pytorch/pytorch/issues/38174",
            "https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html",
            "https://github.com/ROCm/rccl/issues/1129"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (!node.os.files.exists(training_script)) return "nobody trains on several of its GPUs";
    const std::int64_t rank = parameters.integer("rank");
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (rank < 0 || rank >= count) return "rank must be 0 to " + std::to_string(count - 1);
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(data_shard(static_cast<std::size_t>(parameters.integer("rank"))), "", cause);
  }
};

const FaultRegistration registration{std::make_unique<RankMissing>()};

}  // namespace
}  // namespace rocdrill::sim
