// The group render is asked for by name, and the image's render has another number than the node's.
#include "sim/faults/job_container.hpp"

namespace rocdrill::sim {
namespace {

class ContainerWrongGid final : public JobContainer {
 public:
  ContainerWrongGid()
      : JobContainer(
            {.id = "container-wrong-gid",
             .layer = Layer::access,
             .title = "the container's group render is not the node's",
             .changes = "the container of the job gets its groups by name, which are looked up in "
                        "its image",
             .parameters = {},
             .sources = {"https://github.com/ROCm/ROCm-docker/issues/116",
                         "https://github.com/ROCm/ROCm-docker/blob/master/dev/"
                         "Dockerfile-ubuntu-24.04"}},
            "rocm/pytorch:latest") {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const auto render = find_group(node.os.files, "render");
    if (render && render->gid == 109) return "its render has the number of the image's";
    return JobContainer::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    containers::Options options = good(node);
    options.groups = {"video", "render"};
    replace(node, "with --group-add render", image(), std::move(options), cause);
  }
};

const FaultRegistration registration{std::make_unique<ContainerWrongGid>()};

}  // namespace
}  // namespace rocdrill::sim
