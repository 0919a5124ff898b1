// A program was built without the target of the GPU that it runs on.
#include <algorithm>

#include "sim/device_code.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class CodeObjectMissingTarget final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "code-object-missing-target",
        .layer = Layer::code_objects,
        .title = "no code object for the GPU's target",
        .changes = "a fat binary holds no code object for a target of the node",
        .parameters =
            {{"target", std::string(), "processor; empty: that of the node's first GPU", {}},
             {"where", std::string("torch"), "whose fat binary", {"torch", "app"}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/4208",
                    "https://github.com/ROCm/ROCm/issues/1530",
                    "https://github.com/ROCm/MIVisionX/issues/1437"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string file = this->file(node, parameters);
    if (file.empty()) return "it has no " + parameters.text("where");
    if (doomed(node, parameters).empty()) {
      return file + " holds nothing for " + target(node, parameters) + " anyway";
    }
    return {};
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const std::string path = file(node, parameters);
    const std::string content = without_targets(node.os.files.text(path), doomed(node, parameters));
    const std::string missing = target(node, parameters);
    const EventId event = node.os.journal.record(
        Layer::code_objects, Severity::info, "fat_binary.rebuilt", path,
        {{"without", std::string_view(missing)}, {field::see, "roc-obj-ls"}}, cause);
    node.os.files.write(path, content, event, {.mode = 0755});
  }

 private:
  static std::string target(const Node& node, const Parameters& parameters) {
    const std::string named = parameters.text("target");
    return named.empty() ? std::string(node.board.gpus().front().product->gfx) : named;
  }
  static std::string file(const Node& node, const Parameters& parameters) {
    const NodeSpec& spec = node.spec();
    if (parameters.text("where") == "torch")
      return spec.torch.version.empty() ? "" : torch_fat_binary(spec);
    return spec.apps.empty() ? "" : spec.apps.front().path;
  }
  /// Entries of the processor, whatever their features.
  static std::vector<std::string> doomed(const Node& node, const Parameters& parameters) {
    auto targets = targets_in(node.os.files.text(file(node, parameters)));
    std::erase_if(targets, [&](const std::string& one) {
      return one.substr(0, one.find(':')) != target(node, parameters);
    });
    return targets;
  }
};

const FaultRegistration registration{std::make_unique<CodeObjectMissingTarget>()};

}  // namespace
}  // namespace rocdrill::sim
