// A firmware blob is there, and its content is not: the disk was full while it was written.
#include "sim/faults/firmware_blob.hpp"

namespace rocdrill::sim {
namespace {

class FirmwareTruncated final : public FirmwareBlobFault {
 public:
  FirmwareTruncated()
      : FirmwareBlobFault(
            {.id = "firmware-truncated",
             .layer = Layer::firmware,
             .title = "a firmware blob is empty",
             .changes = "a blob that the driver requires has no content",
             .parameters = {blob()},
             .sources = {"https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdgpu/"
                         "amdgpu_ucode.c",
                         "https://docs.kernel.org/driver-api/firmware/index.html"}}) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(path(node, parameters), "", cause);
  }
};

const FaultRegistration registration{std::make_unique<FirmwareTruncated>()};

}  // namespace
}  // namespace rocdrill::sim
