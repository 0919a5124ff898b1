// A GPU has retired more pages than the driver accepts.
#include "sim/faults/hardware.hpp"
#include "sim/kernel/initramfs.hpp"

namespace rocdrill::sim {
namespace {

constexpr const char* options_file = "/etc/modprobe.d/amdgpu-ras.conf";
constexpr std::int64_t site_threshold = 256;

class BadPageThreshold final : public BrokenGpu {
 public:
  BadPageThreshold()
      : BrokenGpu({.id = "bad-page-threshold",
                   .layer = Layer::silicon,
                   .title = "more bad pages than the threshold",
                   .changes =
                       "the EEPROM of a GPU has more retired pages than the site allows, and "
                       "says BAD",
                   .parameters = {which(), {"pages", std::int64_t{700}, "retired pages", {}}},
                   .sources = {"https://docs.kernel.org/gpu/amdgpu/module-parameters.html",
                               "https://github.com/ROCm/ROCm/issues/5345",
                               "https://github.com/ROCm/ROCm/issues/5719"}}) {}

  std::string why_not(const silicon::Gpu& gpu, const Parameters& parameters) const override {
    if (silicon::ras_blocks(*gpu.product) == 0) return "it has no RAS";
    const std::int64_t pages = parameters.integer("pages");
    if (pages >= 1 && pages <= static_cast<std::int64_t>(silicon::eeprom_records)) return {};
    return "its EEPROM takes 1 to " + std::to_string(silicon::eeprom_records) + " records";
  }

  /// The site wants such GPUs out of service: by default the driver takes them.
  void prepare(Node& node, const Parameters&) const override {
    node.os.files.write(options_file,
                        "# A GPU with that many bad pages goes back to the vendor.\noptions amdgpu "
                        "bad_page_threshold=" +
                            std::to_string(site_threshold) + "\n",
                        no_event);
    node.os.journal.mute(true);
    for (const std::string& release : node.os.installed_kernels())
      kernel::update_initramfs(node.os, release, no_event);
    node.os.journal.mute(false);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    silicon::Gpu& gpu = node.board.gpus()[index(parameters)];
    const EventId event = defects(node, parameters, "EEPROM", cause).event;
    const auto pages = static_cast<std::uint64_t>(parameters.integer("pages"));
    constexpr std::uint64_t row_stride = 1ull << 18;
    for (std::uint64_t row = 0; gpu.ras.eeprom.size() < pages; ++row) {
      for (const std::uint64_t page : silicon::row_of((64ull << 20) + row * row_stride * 5)) {
        if (gpu.ras.eeprom.size() < pages) gpu.ras.eeprom.push_back(page);
      }
    }
    gpu.ras.bad = true;
    gpu.ras.event = event;
  }
};

const FaultRegistration registration{std::make_unique<BadPageThreshold>()};

}  // namespace
}  // namespace rocdrill::sim
