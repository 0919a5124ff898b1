// For faults that show in a kernel, or in what runs kernels.
#pragma once

#include <string>

#include "sim/node.hpp"
#include "sim/silicon/isa/decode.hpp"

namespace rocdrill::sim {

/// Why no kernel of PyTorch runs on the node, or "".
inline std::string no_kernels(const Node& node) {
  if (node.spec().torch.version.empty()) return "it has no PyTorch";
  for (const silicon::Gpu& gpu : node.board.gpus()) {
    if (!isa::executes(gpu.product->gfx))
      return "kernels of " + std::string(gpu.product->gfx) + " are not executed";
  }
  return {};
}

}  // namespace rocdrill::sim
