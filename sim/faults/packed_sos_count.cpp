// The PSP's firmware file comes from a newer release than the driver.
#include <algorithm>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::uint32_t newer_version = 0x00360093, newer_images = 12;

class PackedSosCount final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "packed-sos-count",
        .layer = Layer::firmware,
        .title = "the PSP's firmware file is newer than the driver",
        .changes =
            "the SOS file of a newer firmware release, with more images in it, is where the "
            "driver looks",
        .parameters = {},
        .sources = {"https://github.com/ROCm/ROCm/issues/4021",
                    "https://git.kernel.org/pub/scm/linux/kernel/git/firmware/linux-firmware.git"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (!node.os.files.exists(path(node))) return "its GPUs have no SOS file";
    const std::string& dkms = node.spec().driver.dkms_version;
    return dkms.empty() || compare_versions(dkms, "6.12") < 0 ? "" : "its driver takes such files";
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    const std::string file = path(node);
    node.os.write_file(
        file, firmware::blob_text({file.substr(file.rfind('/') + 1), newer_version, newer_images}),
        cause);
  }

 private:
  static std::string path(const Node& node) {
    for (const FirmwareBlob& blob : node.board.gpus().front().product->firmware) {
      if (blob.file.ends_with("_sos.bin"))
        return node.spec().firmware.directory + "/" + std::string(blob.file);
    }
    return "/lib/firmware/amdgpu/none";
  }
};

const FaultRegistration registration{std::make_unique<PackedSosCount>()};

}  // namespace
}  // namespace rocdrill::sim
