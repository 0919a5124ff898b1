// HSA_OVERRIDE_GFX_VERSION was meant for another card and is still set.
#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

class OverrideLeftSet final : public LoginFile {
 public:
  OverrideLeftSet()
      : LoginFile({.id = "override-left-set",
                   .layer = Layer::runtime,
                   .title = "HSA_OVERRIDE_GFX_VERSION of another card",
                   .changes = "a file of the login presents the GPU as one of another generation",
                   .parameters = {file("/etc/profile.d/rocm-override.sh"),
                                  {"version", std::string("10.3.0"), "major.minor.stepping", {}}},
                   .sources = {"https://github.com/ROCm/ROCm/issues/5238",
                               "https://github.com/ollama/ollama/issues/8772"}}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    unsigned major = 0, minor = 0, step = 0;
    char rest = 0;
    const std::string version = parameters.text("version");
    if (std::sscanf(version.c_str(), "%u.%u.%u%c", &major, &minor, &step, &rest) != 3)
      return "'" + version + "' is no MAJOR.MINOR.STEPPING";
    const std::uint32_t is = node.board.gpus().front().product->gfx_target_version;
    if (is / 100 == major * 100 + minor) return "its GPU is of that generation";
    return LoginFile::inapplicable(node, parameters);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "for the RX 6700 XT", "HSA_OVERRIDE_GFX_VERSION",
        parameters.text("version"), cause);
  }
};

const FaultRegistration registration{std::make_unique<OverrideLeftSet>()};

}  // namespace
}  // namespace rocdrill::sim
