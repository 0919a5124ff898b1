// PYTHONPATH leads to another copy of PyTorch, built for processors only.
#include "sim/faults/login_file.hpp"
#include "sim/frameworks/torch.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view folder = "/srv/eval/vendor";

class PythonpathShadow final : public LoginFile {
 public:
  PythonpathShadow()
      : LoginFile(
            {.id = "pythonpath-shadow",
             .layer = Layer::framework,
             .title = "another copy of PyTorch is found first",
             .changes =
                 "a file of the login puts a folder with a CPU build of PyTorch into PYTHONPATH",
             .parameters = {file("/etc/profile.d/python.sh")},
             .sources = {"https://docs.python.org/3/using/cmdline.html#envvar-PYTHONPATH",
                         "https://github.com/ROCm/ROCm/issues/2354"}}) {}

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    if (node.spec().torch.version.empty()) return "it has no PyTorch";
    return LoginFile::inapplicable(node, parameters);
  }

  /// The copy: nobody minds.
  void prepare(Node& node, const Parameters&) const override {
    const frameworks::TorchBuild build{"2.1.2+cpu", std::nullopt, std::nullopt};
    node.os.files.write(join(folder, "torch/version.py"), frameworks::version_file(build),
                        no_event);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    set(node, parameters, "the evaluation scripts", "PYTHONPATH", std::string(folder), cause);
  }
};

const FaultRegistration registration{std::make_unique<PythonpathShadow>()};

}  // namespace
}  // namespace rocdrill::sim
