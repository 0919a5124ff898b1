// A GPU whose hardware is broken: what faults of one board have in common.
#pragma once

#include <string>
#include <utility>

#include "sim/faults/no_kernels.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {

class BrokenGpu : public Fault {
 public:
  /// `under_load`: it shows when waves run, and only then.
  explicit BrokenGpu(FaultInfo info, bool under_load = false)
      : info_(std::move(info)), under_load_(under_load) {}
  const FaultInfo& info() const override { return info_; }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::int64_t gpu = parameters.integer("gpu");
    const auto count = static_cast<std::int64_t>(node.board.gpus().size());
    if (gpu < 0 || gpu >= count) return "gpu must be 0 to " + std::to_string(count - 1);
    if (const std::string why = no_kernels(node); under_load_ && !why.empty()) return why;
    return why_not(node.board.gpus()[static_cast<std::size_t>(gpu)], parameters);
  }

 protected:
  static ParameterInfo which(std::int64_t fallback = 0) {
    return {"gpu", fallback, "index of the GPU on the board", {}};
  }
  virtual std::string why_not(const silicon::Gpu&, const Parameters&) const { return {}; }
  static std::size_t index(const Parameters& parameters) {
    return static_cast<std::size_t>(parameters.integer("gpu"));
  }
  /// The board's defects, with an event of the silicon that names the broken part.
  static silicon::Defects& defects(Node& node, const Parameters& parameters, std::string_view part,
                                   EventId cause) {
    silicon::Gpu& gpu = node.board.gpus()[index(parameters)];
    gpu.defects.event =
        node.os.journal.record(Layer::silicon, Severity::info, "gpu.defective",
                               gpu.bdf.text() + " " + std::string(part), {{"part", part}}, cause);
    node.kernel.kfd.changed();
    return gpu.defects;
  }

 private:
  FaultInfo info_;
  bool under_load_;
};

}  // namespace rocdrill::sim
