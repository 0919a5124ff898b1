// A firmware blob that the driver needs is not there.
#include "sim/faults/firmware_blob.hpp"

namespace rocdrill::sim {
namespace {

class FirmwareMissing final : public FirmwareBlobFault {
 public:
  FirmwareMissing()
      : FirmwareBlobFault({.id = "firmware-missing",
                           .layer = Layer::firmware,
                           .title = "a firmware blob is missing",
                           .changes = "a blob that the driver requires is not in /lib/firmware",
                           .parameters = {blob()},
                           .sources = {"https://github.com/ROCm/ROCm/issues/912"}}) {}

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.remove_file(path(node, parameters), cause);
  }
};

const FaultRegistration registration{std::make_unique<FirmwareMissing>()};

}  // namespace
}  // namespace rocdrill::sim
