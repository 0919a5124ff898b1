// A file of /etc/modprobe.d was mended; the initramfs still has it as it was.
#include "sim/kernel/initramfs.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view options_file = "/etc/modprobe.d/amdgpu.conf";

class StaleInitramfs final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "stale-initramfs",
        .layer = Layer::kernel,
        .title = "the initramfs is older than the configuration",
        .changes = "the initramfs holds options of amdgpu that the root file system has no more",
        .parameters = {},
        .sources = {"https://manpages.debian.org/bookworm/initramfs-tools-core/"
                    "initramfs-tools.7.en.html",
                    "https://github.com/CachyOS/linux-cachyos/issues/643"}};
    return info;
  }

  /// amdgpu loads early, for a picture from the first second: right by itself.
  void prepare(Node& node, const Parameters&) const override {
    node.os.files.write("/etc/initramfs-tools/modules", "# for the boot screen\namdgpu\n",
                        no_event);
    node.os.journal.mute(true);
    generate(node, no_event);
    node.os.journal.mute(false);
  }

  void inject(Node& node, const Parameters&, EventId cause) const override {
    node.os.files.write(options_file, "options amdgpu sched_policy=3\n", no_event);
    generate(node, cause);
    node.os.files.remove(options_file, no_event);
  }

 private:
  static void generate(Node& node, EventId cause) {
    for (const std::string& release : node.os.installed_kernels())
      kernel::update_initramfs(node.os, release, cause);
  }
};

const FaultRegistration registration{std::make_unique<StaleInitramfs>()};

}  // namespace
}  // namespace rocdrill::sim
