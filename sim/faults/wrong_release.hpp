// A release of the node's own program with a bug in its kernel. What comes of it is up to the waves
// that run it.
#pragma once

#include <string>
#include <utility>

#include "sim/device_code.hpp"
#include "sim/node.hpp"
#include "sim/silicon/isa/decode.hpp"

namespace rocdrill::sim {

class WrongRelease : public Fault {
 public:
  /// `source`: what is built instead; a folder of the device code (sim/CMakeLists.txt).
  WrongRelease(FaultInfo info, std::string source)
      : info_(std::move(info)), source_(std::move(source)) {}

  const FaultInfo& info() const override { return info_; }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    const NodeSpec& spec = node.spec();
    if (spec.apps.empty()) return "it has no program of its own";
    for (const silicon::Gpu& gpu : node.board.gpus()) {
      if (!isa::executes(gpu.product->gfx))
        return "kernels of " + std::string(gpu.product->gfx) + " are not executed";
    }
    const auto known = spec.code_objects.find(source_);
    for (const std::string& target : spec.apps.front().targets) {
      if (known == spec.code_objects.end() || !known->second.contains(target))
        return "no code object of " + source_ + " for " + target + " was built";
    }
    return {};
  }

  /// The first release stays beside the program.
  void prepare(Node& node, const Parameters&) const override {
    const std::string& path = node.spec().apps.front().path;
    if (node.os.files.exists(path + ".old")) return;
    node.os.files.write(path + ".old", node.os.files.text(path), no_event, {.mode = 0755});
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    release(node, node.spec().apps.front(), source_, cause);
  }

 private:
  FaultInfo info_;
  std::string source_;
};

}  // namespace rocdrill::sim
