// rocBLAS's data files for the node's GPU are gone.
#include "sim/frameworks/torch.hpp"
#include "sim/libraries/rocblas.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class RocblasDataMissing final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "rocblas-data-missing",
        .layer = Layer::libraries,
        .title = "rocBLAS has no data for the GPU",
        .changes = "the wheel's rocblas/library lacks the files of the node's target",
        .parameters = {{"target", std::string(), "processor; empty: that of the first GPU", {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/2719",
                    "https://github.com/ROCm/rocBLAS/issues/1339"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().torch.version.empty()) return "it has no PyTorch, whose rocBLAS it would be";
    if (node.os.files.exists(index(node, parameters))) return {};
    return "there is no " + index(node, parameters) + " anyway";
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.remove_file(index(node, parameters), cause);
    const std::string kernels =
        folder(node) + "/" + libraries::tensile_kernels(target(node, parameters));
    if (node.os.files.exists(kernels)) node.os.remove_file(kernels, cause);
  }

 private:
  static std::string target(const Node& node, const Parameters& parameters) {
    const std::string named = parameters.text("target");
    return named.empty() ? std::string(node.board.gpus().front().product->gfx) : named;
  }
  static std::string folder(const Node& node) {
    return node.spec().torch.directory + "/" + std::string(frameworks::torch_rocblas);
  }
  static std::string index(const Node& node, const Parameters& parameters) {
    return folder(node) + "/" + libraries::tensile_index(target(node, parameters));
  }
};

const FaultRegistration registration{std::make_unique<RocblasDataMissing>()};

}  // namespace
}  // namespace rocdrill::sim
