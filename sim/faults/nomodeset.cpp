// The kernel is told to leave the display to the firmware.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class Nomodeset final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "nomodeset",
        .layer = Layer::kernel,
        .title = "the kernel was booted with nomodeset",
        .changes = "GRUB's configuration puts nomodeset on the kernel's command line",
        .parameters = {{"file",
                        std::string("/etc/default/grub.d/99-safe-graphics.cfg"),
                        "the file that adds it",
                        {}}},
        .sources = {"https://github.com/torvalds/linux/blob/v6.8/drivers/video/nomodeset.c",
                    "https://www.kernel.org/doc/html/v6.8/admin-guide/kernel-parameters.html"}};
    return info;
  }

  std::string inapplicable(const Node&, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (file.starts_with("/etc/default/grub.d/") && file.ends_with(".cfg")) return {};
    return "update-grub reads *.cfg of /etc/default/grub.d, not " + file;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.update_grub(
        node.os.write_file(parameters.text("file"),
                           "# the installer's safe graphics mode\n"
                           "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT nomodeset\"\n",
                           cause));
  }
};

const FaultRegistration registration{std::make_unique<Nomodeset>()};

}  // namespace
}  // namespace rocdrill::sim
