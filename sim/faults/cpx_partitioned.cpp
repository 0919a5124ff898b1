// Somebody left the driver configured for CPX.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr int cpx = 4;  // amdgpu.user_partt_mode

class CpxPartitioned final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "cpx-partitioned",
        .layer = Layer::kernel,
        .title = "every GPU is divided into single XCDs",
        .changes = "a file of /etc/modprobe.d sets amdgpu's user_partt_mode to CPX",
        .parameters = {{"file",
                        std::string("/etc/modprobe.d/amdgpu-partition.conf"),
                        "the file that does it",
                        {}},
                       {"weights_gib",
                        std::int64_t{131},
                        "size of the model that the user's job loads onto one device",
                        {}}},
        .sources = {"https://github.com/ROCm/ROCm/issues/4750",
                    "https://github.com/ROCm/amdgpu-docs/blob/develop/docs/gpu-partitioning/"
                    "mi300x/overview.rst"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters& parameters) const override {
    const std::string file = parameters.text("file");
    if (!file.starts_with("/etc/modprobe.d/") || !file.ends_with(".conf"))
      return "modprobe reads *.conf of /etc/modprobe.d, not " + file;
    for (const silicon::Gpu& gpu : node.board.gpus()) {
      if (silicon::find_partition(*gpu.product, ComputeMode::cpx)) return {};
    }
    return "no GPU of it can be divided";
  }

  /// The job is as big as it was yesterday.
  void prepare(Node& node, const Parameters& parameters) const override {
    node.os.files.write(job_model, model_text(parameters.integer("weights_gib")), no_event);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(
        parameters.text("file"),
        "# small models: one per XCD\noptions amdgpu user_partt_mode=" + std::to_string(cpx) + "\n",
        cause);
  }

 private:
  static std::string model_text(std::int64_t gib) {
    return "{\"weights_gib\": " + std::to_string(gib) + "}\n";
  }
};

const FaultRegistration registration{std::make_unique<CpxPartitioned>()};

}  // namespace
}  // namespace rocdrill::sim
