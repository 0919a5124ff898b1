// A firmware blob that the driver needs is not there.
#include <algorithm>

#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

/// The run list controller's blob of the node's first GPU, else its first required one.
std::string default_blob(const Node& node) {
  std::string first;
  for (const FirmwareBlob& blob : node.board.gpus().front().product->firmware) {
    if (blob.need != FirmwareNeed::required) continue;
    if (first.empty()) first = blob.file;
    if (blob.file.find("_rlc.bin") != std::string_view::npos) return std::string(blob.file);
  }
  return first;
}

class FirmwareMissing final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "firmware-missing",
        .layer = Layer::firmware,
        .title = "a firmware blob is missing",
        .changes = "a blob that the driver requires is not in /lib/firmware",
        .parameters =
            {{"blob", std::string(), "file name; empty: the RLC blob of the node's first GPU", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/912"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string path = this->path(node, parameters);
    if (node.os.files.exists(path)) return {};
    return "there is no " + path + "; the node's GPUs do not use it";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.remove_file(path(node, parameters), cause);
  }

 private:
  static std::string path(const Node& node, const Parameters& parameters) {
    const std::string blob = parameters.text("blob");
    return node.spec().firmware.directory + "/" + (blob.empty() ? default_blob(node) : blob);
  }
};

const FaultRegistration registration{std::make_unique<FirmwareMissing>()};

}  // namespace
}  // namespace rocdrill::sim
