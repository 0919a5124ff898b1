// An xGMI link between two GPUs carries nothing any more.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class XgmiLinkDown final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "xgmi-link-down",
        .layer = Layer::silicon,
        .title = "an xGMI link is dead",
        .changes = "one link of the hive carries nothing, until main power has been off",
        .parameters =
            {{"from", std::int64_t{0}, "index of one GPU", {}},
             {"to", std::int64_t{1}, "index of the other", {}},
             {"training",
              std::string("passes"),
              "passes: it dies under load, and transfers hang; fails: the firmware finds it "
              "at power-on, and rings go around it",
              {"passes", "fails"}}},
        .sources = {
            "https://github.com/ROCm/ROCm/issues/4411",
            "https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdgpu/amdgpu_xgmi.c",
            "https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::int64_t from = parameters.integer("from"), to = parameters.integer("to");
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (from < 0 || to < 0 || from >= count || to >= count || from == to)
      return "from and to must be two different GPUs of 0 to " + std::to_string(count - 1);
    if (!node.board.link(static_cast<std::size_t>(from), static_cast<std::size_t>(to)))
      return "these GPUs have no xGMI link";
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.board.set_link(static_cast<std::size_t>(parameters.integer("from")),
                        static_cast<std::size_t>(parameters.integer("to")),
                        silicon::LinkState::dead, cause, parameters.text("training") == "passes");
  }
};

const FaultRegistration registration{std::make_unique<XgmiLinkDown>()};

}  // namespace
}  // namespace rocdrill::sim
