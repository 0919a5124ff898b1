// The user is not in the group that owns /dev/kfd.
#include <algorithm>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class RenderGroupMissing final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "render-group-missing",
        .layer = Layer::access,
        .title = "the user is not in group render",
        .changes = "the user is no member of group render",
        .parameters = {{"user", std::string(), "who; empty: the user of the node", {}}},
        .sources = {"https://github.com/ROCm/rocminfo/issues/34",
                    "https://github.com/ROCm/ROCm-docker/issues/116"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const auto group = find_group(node.os.files, "render");
    if (!group) return "it has no group render";
    if (std::ranges::find(group->members, user(node, parameters)) == group->members.end()) {
      return user(node, parameters) + " is not in group render anyway";
    }
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string who = user(node, parameters);
    const EventId event = node.os.journal.record(
        Layer::host, Severity::info, "group.member_removed", "render",
        {{"user", std::string_view(who)}, {field::see, "getent group render"}}, cause);
    remove_from_group(node.os.files, who, "render", event);
  }

 private:
  static std::string user(const Node& node, const Parameters& parameters) {
    return parameters.text("user").empty() ? node.spec().user : parameters.text("user");
  }
};

const FaultRegistration registration{std::make_unique<RenderGroupMissing>()};

}  // namespace
}  // namespace rocdrill::sim
