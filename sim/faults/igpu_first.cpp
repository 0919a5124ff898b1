// HIP_VISIBLE_DEVICES selects the processor's own GPU instead of the card.
#include <algorithm>
#include <string>

#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

/// HIP's index of the integrated GPU: its place in the order of the bus. Nothing without one or
/// without a card beside it (four MI300A are processors all).
std::optional<std::size_t> integrated(const Node& node) {
  std::vector<const silicon::Gpu*> gpus;
  for (const silicon::Gpu& gpu : node.board.gpus()) gpus.push_back(&gpu);
  std::ranges::sort(gpus, {}, &silicon::Gpu::bdf);
  const auto apu = std::ranges::find_if(gpus, [](const auto* gpu) { return gpu->product->apu; });
  const bool card = std::ranges::any_of(gpus, [](const auto* gpu) { return !gpu->product->apu; });
  if (apu == gpus.end() || !card) return std::nullopt;
  return static_cast<std::size_t>(apu - gpus.begin());
}

class IgpuFirst final : public LoginFile {
 public:
  IgpuFirst()
      : LoginFile({.id = "igpu-first",
                   .layer = Layer::hip,
                   .title = "the processor's own GPU is selected",
                   .changes = "a file of the login sets HIP_VISIBLE_DEVICES to the integrated GPU",
                   .parameters = {file("/etc/profile.d/gpu-select.sh")},
                   .sources = {"https://github.com/ROCm/TheRock/issues/3392",
                               "https://github.com/oobabooga/textgen/issues/7319",
                               "https://github.com/pytorch/pytorch/issues/131901"}}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (!integrated(node)) return "it has no integrated GPU beside a card";
    return LoginFile::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "the monitor is GPU 0, compute is the other one", "HIP_VISIBLE_DEVICES",
        std::to_string(*integrated(node)), cause);
  }
};

const FaultRegistration registration{std::make_unique<IgpuFirst>()};

}  // namespace
}  // namespace rocdrill::sim
