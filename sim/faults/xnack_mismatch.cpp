// A program was built for one xnack mode only, and the process runs in the other.
#include "sim/device_code.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

class XnackMismatch final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "xnack-mismatch",
        .layer = Layer::code_objects,
        .title = "built for the other xnack mode",
        .changes = "the program's code object is for one xnack mode instead of any",
        .parameters = {{"mode",
                        std::string("xnack+"),
                        "the mode that it was built for",
                        {"xnack+", "xnack-"}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/2358",
                    "https://github.com/ROCm/ROCm/issues/2686"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const NodeSpec& spec = node.spec();
    if (spec.apps.empty()) return "it has no program of its own to rebuild";
    if (node.board.gpus().front().product->xnack == XnackSupport::none)
      return "its GPUs have no xnack";
    const auto known = spec.code_objects.find(spec.apps.front().source);
    if (known != spec.code_objects.end() && known->second.contains(target(node, parameters)))
      return {};
    return "no code object for " + target(node, parameters) + " was built";
  }

  /// With xnack- built in, the job would have to ask for xnack+ for a mismatch.
  void prepare(Node& node, const Parameters& parameters) const override {
    if (parameters.text("mode") == "xnack-") node.os.set_environment("HSA_XNACK", "1", no_event);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    const AppSpec& app = node.spec().apps.front();
    const std::string built = target(node, parameters);
    const EventId event = node.os.journal.record(
        Layer::code_objects, Severity::info, "fat_binary.pinned", app.path,
        {{"target", std::string_view(built)}, {field::see, "roc-obj-ls"}}, cause);
    node.os.files.write(app.path, make_fat_binary(node.spec(), app.source, {built}), event,
                        {.mode = 0755});
  }

 private:
  static std::string target(const Node& node, const Parameters& parameters) {
    return std::string(node.board.gpus().front().product->gfx) + ":" + parameters.text("mode");
  }
};

const FaultRegistration registration{std::make_unique<XnackMismatch>()};

}  // namespace
}  // namespace rocdrill::sim
