// Faults of one firmware file.
#pragma once

#include <string>
#include <utility>

#include "sim/node.hpp"

namespace rocdrill::sim {

class FirmwareBlobFault : public Fault {
 public:
  explicit FirmwareBlobFault(FaultInfo info) : info_(std::move(info)) {}
  const FaultInfo& info() const override { return info_; }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string path = this->path(node, parameters);
    if (node.os.files.exists(path)) return {};
    return "there is no " + path + "; the node's GPUs do not use it";
  }

 protected:
  static ParameterInfo blob() {
    return {"blob", std::string(), "file name; empty: the RLC blob of the node's first GPU", {}};
  }
  static std::string path(const Node& node, const Parameters& parameters) {
    const std::string blob = parameters.text("blob");
    return node.spec().firmware.directory + "/" + (blob.empty() ? default_blob(node) : blob);
  }

 private:
  /// The run list controller's blob of the node's first GPU, else its first required one.
  static std::string default_blob(const Node& node) {
    std::string first;
    for (const FirmwareBlob& blob : node.board.gpus().front().product->firmware) {
      if (blob.need != FirmwareNeed::required) continue;
      if (first.empty()) first = blob.file;
      if (blob.file.find("_rlc.bin") != std::string_view::npos) return std::string(blob.file);
    }
    return first;
  }

  FaultInfo info_;
};

}  // namespace rocdrill::sim
