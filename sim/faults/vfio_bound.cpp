// vfio-pci holds the GPU for a virtual machine.
#include <fmt/format.h>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class VfioBound final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "vfio-bound",
        .layer = Layer::kernel,
        .title = "vfio-pci holds the GPU",
        .changes = "vfio-pci is loaded early, with the ids of the node's first GPU",
        .parameters =
            {{"file", std::string("/etc/modprobe.d/vfio.conf"), "the file with the ids", {}}},
        .sources = {"https://www.kernel.org/doc/html/v6.8/driver-api/vfio.html",
                    "https://github.com/ROCm/ROCm/issues/5379"}};
    return info;
  }

  std::string inapplicable(const Node&, const Parameters& parameters) const override {
    const std::string& file = parameters.text("file");
    if (file.starts_with("/etc/modprobe.d/") && file.ends_with(".conf")) return {};
    return "modprobe reads *.conf of /etc/modprobe.d, not " + file;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const EventId event =
        node.os.write_file(parameters.text("file"),
                           fmt::format("options vfio-pci ids=1002:{:04x}\n",
                                       node.board.gpus().front().product->device_id),
                           cause);
    node.os.write_file("/etc/modules-load.d/vfio-pci.conf", "vfio-pci\n", event);
  }
};

const FaultRegistration registration{std::make_unique<VfioBound>()};

}  // namespace
}  // namespace rocdrill::sim
