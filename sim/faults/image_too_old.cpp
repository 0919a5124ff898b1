// The image's ROCm is older than the GPU.
#include "sim/faults/job_container.hpp"
#include "sim/silicon/catalogue.hpp"

namespace rocdrill::sim {
namespace {

class ImageTooOld final : public JobContainer {
 public:
  ImageTooOld()
      : JobContainer(
            {.id = "image-too-old",
             .layer = Layer::runtime,
             .title = "the image's ROCm does not know the GPU",
             .changes = "the container of the job is made from an image with ROCm 5.2.3",
             .parameters = {},
             .sources = {"https://rocm.docs.amd.com/projects/install-on-linux/en/latest/reference/"
                         "user-kernel-space-compat-matrix.html",
                         "https://github.com/ROCm/ROCm/issues/2719"}},
            "rocm/dev-ubuntu-24.04:6.3.3") {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.board.gpus().front().product->gfx != "gfx942")
      return "ROCm 5.2.3 may know its GPUs: it needs gfx942";
    return JobContainer::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    replace(node, "from rocm/dev-ubuntu-22.04:5.2.3", "rocm/dev-ubuntu-22.04:5.2.3", good(node),
            cause);
  }
};

const FaultRegistration registration{std::make_unique<ImageTooOld>()};

}  // namespace
}  // namespace rocdrill::sim
