// LD_LIBRARY_PATH leads to an older ROCm that was left on the node.
#include <algorithm>

#include "sim/faults/login_file.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view old_release = "5.2.3";

std::string old_folder() { return "/opt/rocm-" + std::string(old_release) + "/lib"; }

class LdLibraryPathShadow final : public LoginFile {
 public:
  LdLibraryPathShadow()
      : LoginFile({.id = "ld-library-path-shadow",
                   .layer = Layer::runtime,
                   .title = "an older ROCm is found first",
                   .changes = "a file of the login puts an old release's folder into "
                              "LD_LIBRARY_PATH, so that its ROCr is loaded",
                   .parameters = {file("/etc/profile.d/rocm.sh")},
                   .sources = {"https://github.com/ROCm/ROCm/issues/4414",
                               "https://man7.org/linux/man-pages/man8/ld.so.8.html"}}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.rocm().major() < 6) return "its own ROCm is no newer than " + std::string(old_release);
    constexpr std::string_view known = "gfx900 gfx906 gfx908 gfx90a gfx1030";
    const bool all_known = std::ranges::all_of(node.board.gpus(), [&](const silicon::Gpu& gpu) {
      return known.find(gpu.product->gfx) != std::string_view::npos;
    });
    if (all_known) return std::string(old_release) + " knows its GPUs, too";
    return LoginFile::inapplicable(node, parameters);
  }

  /// The old release beside the new one: nobody minds.
  void prepare(Node& node, const Parameters&) const override {
    for (const char* library : {"libhsa-runtime64.so.1", "libamdhip64.so"}) {
      node.os.files.write(join(old_folder(), library), std::string(old_release) + "\n", no_event);
    }
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "ROCm", "LD_LIBRARY_PATH", old_folder(), cause);
  }
};

const FaultRegistration registration{std::make_unique<LdLibraryPathShadow>()};

}  // namespace
}  // namespace rocdrill::sim
