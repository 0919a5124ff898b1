// The GPU operator puts its pods on nodes with a label, and this node has lost it.
#include "sim/cluster/cluster.hpp"
#include "sim/container_images.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class GpuLabelMissing final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "gpu-label-missing",
        .layer = Layer::access,
        .title = "the cluster's node has lost the label of its GPUs",
        .changes =
            "the node has no label feature.node.kubernetes.io/amd-gpu=true, so the GPU "
            "operator has no device plugin there",
        .parameters = {},
        .sources = {"https://instinct.docs.amd.com/projects/gpu-operator/en/latest/installation/"
                    "kubernetes-helm.html",
                    "https://github.com/ROCm/k8s-device-plugin/issues/42"}};
    return info;
  }

  /// The node in a cluster, and the job as a pod that asks for all of its GPUs.
  void prepare(Node& node, const Parameters&) const override {
    const EventId event =
        node.os.journal.record(Layer::host, Severity::info, "job.deployed", "train",
                               {{field::see, "kubectl get pods"}}, no_event);
    node.os.files.write(job_place,
                        R"({"engine": "kubernetes", "name": "train"})"
                        "\n",
                        event);
    const auto gpus = static_cast<std::uint32_t>(node.spec().gpus.size());
    cluster::Cluster::write(node.os, {{cluster::gpu_label, "true"}},
                            {{"train", "rocm/pytorch:latest", {"sleep", "infinity"}, gpus}}, event);
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    cluster::Cluster::set_label(node.os, cluster::gpu_label, "", cause);
  }
};

const FaultRegistration registration{std::make_unique<GpuLabelMissing>()};

}  // namespace
}  // namespace rocdrill::sim
