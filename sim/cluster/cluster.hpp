// A Kubernetes cluster of one node: its kubelet, what the GPU operator deploys, and the pods that
// ask for GPUs. Everything but the pods' specifications and the labels is derived from the node
// below.
#pragma once

#include <optional>

#include "sim/cluster/device_plugin.hpp"
#include "sim/containers/engine.hpp"

namespace rocdrill::cluster {

/// What the cluster's store has of the node: {"labels": {...}, "pods": [...]}. Absent: no cluster.
inline constexpr const char* store = "/var/lib/kubernetes/cluster.json";
/// The operator puts its pods on nodes with this label.
inline constexpr const char* gpu_label = "feature.node.kubernetes.io/amd-gpu";
inline constexpr const char* operator_namespace = "kube-amd-gpu";
inline constexpr const char* resource = "amd.com/gpu";

struct PodSpec {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::uint32_t gpus = 0;  ///< resources.limits
};

struct Pod {
  PodSpec spec;
  std::string space = "default";  ///< its namespace
  bool running = false;
  std::vector<OfferedGpu> gpus;  ///< allocated
  std::string message;           ///< of the scheduler, while it is pending
  EventId event = no_event;      ///< behind that
};

class Cluster {
 public:
  /// Reads the store and looks at the node. nullopt where there is no cluster.
  static std::optional<Cluster> of(sim::Os& os);

  const std::map<std::string, std::string>& labels() const { return labels_; }
  /// The operator's DaemonSets have a pod here.
  bool has_plugin() const { return has_plugin_; }
  const PluginRun& plugin() const { return plugin_; }
  /// amd.com/gpu; nullopt while no plugin has offered it.
  std::optional<std::size_t> capacity() const;
  std::size_t requested() const;
  const std::vector<Pod>& pods() const { return pods_; }
  const Pod* find(const std::string& name) const;

  /// kubectl label: an empty value removes. Returns the event of the change.
  static EventId set_label(sim::Os& os, const std::string& key, const std::string& value,
                           EventId cause);
  static void write(sim::Os& os, const std::map<std::string, std::string>& labels,
                    const std::vector<PodSpec>& pods, EventId event);

  /// The options of a pod's container: /dev/kfd and the nodes of its GPUs, as Allocate() answers.
  static containers::Options options_of(const Pod& pod);

 private:
  void schedule(sim::Os& os, const std::vector<PodSpec>& specs);

  std::map<std::string, std::string> labels_;
  bool has_plugin_ = false;
  PluginRun plugin_;
  std::vector<Pod> pods_;
};

}  // namespace rocdrill::cluster
