// A udev rule gives /dev/kfd to root alone.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class KfdPermission final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "kfd-permission",
        .layer = Layer::access,
        .title = "a udev rule closes /dev/kfd",
        .changes = "a rule of /etc/udev/rules.d gives /dev/kfd another group and mode",
        .parameters = {{"file", std::string("/etc/udev/rules.d/70-amdgpu.rules"), "the rule", {}},
                       {"group", std::string("root"), "who gets the device", {}},
                       {"mode", std::string("0600"), "octal", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/1798",
                    "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/"
                    "prerequisites.html"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (!file.starts_with("/etc/udev/rules.d/") || !file.ends_with(".rules"))
      return "udev reads *.rules of /etc/udev/rules.d, not " + file;
    const std::string mode = parameters.text("mode");
    if (mode.size() != 4 || mode.find_first_not_of("01234567") != std::string::npos)
      return "'" + mode + "' is no octal mode of four digits";
    const auto group = find_group(node.os.files, parameters.text("group"));
    if (!group) return "it has no group " + parameters.text("group");
    const auto who = login(node.os.files, node.spec().user);
    if (who && who->in_group(group->gid) && (mode[2] == '6' || mode[2] == '7'))
      return node.spec().user + " would still be let in";
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(parameters.text("file"),
                       "# harden device nodes\nSUBSYSTEM==\"kfd\", KERNEL==\"kfd\", GROUP=\"" +
                           parameters.text("group") + "\", MODE=\"" + parameters.text("mode") +
                           "\"\n",
                       cause);
    if (node.powered()) node.access.devices().trigger();
  }
};

const FaultRegistration registration{std::make_unique<KfdPermission>()};

}  // namespace
}  // namespace rocdrill::sim
