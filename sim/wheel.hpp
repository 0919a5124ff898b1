// The builds of PyTorch that indexes have under one version, and unpacking one of them.
#pragma once

#include "sim/frameworks/torch.hpp"
#include "sim/node_spec.hpp"
#include "stack/event.hpp"

namespace rocdrill::sim {

class Node;

enum class WheelKind : std::uint8_t { rocm, cuda, cpu };

/// What its version.py says. The node's own is the one for ROCm; PyPI's default is for CUDA.
frameworks::TorchBuild wheel_build(const TorchSpec& torch, WheelKind kind);

/// The files of a build take the place of what is there. That for ROCm brings device code and
/// rocBLAS's data for the targets of the node's description, the others bring neither.
void unpack_wheel(Node& node, WheelKind kind, EventId event);

}  // namespace rocdrill::sim
