// AMD's device plugin for Kubernetes and its node labeller: what they find in /sys, and say of it.
// After ROCm/k8s-device-plugin (internal/pkg/amdgpu, cmd/k8s-node-labeller).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/host/os.hpp"

namespace rocdrill::cluster {

/// A GPU or a partition of one, as the plugin offers it to the kubelet.
struct OfferedGpu {
  std::string id;      ///< "0000:1b:00.0", "amdgpu_xcp_3"
  std::string card;    ///< "/dev/dri/card1"
  std::string render;  ///< "/dev/dri/renderD128"
  int numa_node = 0;
};

struct PluginRun {
  /// Without /sys/class/kfd it never offers a resource, and does not say why.
  bool registered = false;
  std::vector<OfferedGpu> gpus;
  std::string log;
  EventId event = no_event;  ///< behind what is missing
};

PluginRun run_device_plugin(const sim::Os& os);
/// "amd.com/gpu.product-name" and the like; empty without GPUs.
std::map<std::string, std::string> node_labels(const sim::Os& os);

}  // namespace rocdrill::cluster
