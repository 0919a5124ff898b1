// The kernel was not told to let the IOMMU pass devices' addresses through.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr const char* grub = "/etc/default/grub";

class IommuNotPassthrough final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "iommu-not-passthrough",
        .layer = Layer::kernel,
        .title = "iommu=pt is missing",
        .changes =
            "GRUB's configuration has lost iommu=pt: the IOMMU translates, and GPUs do not "
            "reach each other over PCIe",
        .parameters = {},
        .sources = {"https://github.com/ROCm/rccl/issues/1129",
                    "https://github.com/ROCm/vllm/issues/390",
                    "https://github.com/ROCm/rccl/issues/1026"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.board.gpus().size() < 2) return "it has one GPU";
    if (node.board.link(0, 1)) return "its GPUs reach each other over xGMI";
    if (node.spec().cmdline.find("iommu=pt") == std::string::npos)
      return "it has no iommu=pt to lose";
    return {};
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    std::string text = node.os.files.text(grub);
    static_cast<void>(node.os.write_file(std::string(grub) + ".ucf-old", text, cause));
    if (const std::size_t at = text.find("iommu=pt"); at != std::string::npos) {
      const std::size_t begin = at > 0 && text[at - 1] == ' ' ? at - 1 : at;
      text.erase(begin, at + 8 - begin);
    }
    node.os.update_grub(node.os.write_file(grub, text, cause));
  }
};

const FaultRegistration registration{std::make_unique<IommuNotPassthrough>()};

}  // namespace
}  // namespace rocdrill::sim
