// RCCL is told to use a network interface that this host does not have.
#include <algorithm>

#include "sim/faults/no_kernels.hpp"
#include "sim/host/network.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class NcclSocketIfnameWrong final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "nccl-socket-ifname-wrong",
        .layer = Layer::libraries,
        .title = "NCCL_SOCKET_IFNAME names no interface",
        .changes = "the job sets NCCL_SOCKET_IFNAME to an interface of another cluster",
        .parameters = {{"interface", std::string("eth0"), "the name that it sets", {}}},
        .sources = {"https://github.com/NVIDIA/nccl/issues/1837",
                    "https://github.com/NVIDIA/nccl/issues/286",
                    "https://github.com/marin-community/marin/issues/7018"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.board.gpus().size() < 2) return "it has one GPU";
    if (const std::string why = no_kernels(node); !why.empty()) return why;
    const std::string name = parameters.text("interface");
    const auto all = interfaces(node.os.files);
    const bool there = std::ranges::any_of(
        all, [&](const Interface& each) { return each.name.starts_with(name); });
    return there || name.empty() ? "interface must be one that the host does not have" : "";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string value = parameters.text("interface");
    const EventId event =
        node.os.journal.record(Layer::host, Severity::info, "environment.set", "NCCL_SOCKET_IFNAME",
                               {{"value", std::string_view(value)}, {field::see, "env"}}, cause);
    node.os.set_environment("NCCL_SOCKET_IFNAME", value, event);
  }
};

const FaultRegistration registration{std::make_unique<NcclSocketIfnameWrong>()};

}  // namespace
}  // namespace rocdrill::sim
