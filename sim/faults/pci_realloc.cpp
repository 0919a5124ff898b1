// The kernel places PCI memory anew, and the GPU's registers find no room.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class PciRealloc final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "pci-realloc",
        .layer = Layer::kernel,
        .title = "the GPU's registers have no address",
        .changes =
            "GRUB's configuration puts pci=realloc on the kernel's command line of a node "
            "whose firmware leaves room for virtual functions",
        .parameters =
            {{"file", std::string("/etc/default/grub.d/50-pci.cfg"), "the file that adds it", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/6281",
                    "https://github.com/ROCm/ROCm/issues/2927"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (!file.starts_with("/etc/default/grub.d/") || !file.ends_with(".cfg"))
      return "update-grub reads *.cfg of /etc/default/grub.d, not " + file;
    for (const silicon::Gpu& gpu : node.board.gpus()) {
      if (gpu.product->marketing_name.starts_with("AMD Instinct")) return {};
    }
    return "its GPUs have no virtual functions";
  }

  /// SR-IOV is on in the setup: the firmware itself placed all that is needed.
  void prepare(Node& node, const Parameters&) const override { node.os.uefi.sriov = true; }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.update_grub(node.os.write_file(
        parameters.text("file"),
        "# for the new network card\n"
        "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT pci=realloc\"\n",
        cause));
  }
};

const FaultRegistration registration{std::make_unique<PciRealloc>()};

}  // namespace
}  // namespace rocdrill::sim
