// /dev/shm has no room for the segments of all ranks.
#include "sim/node.hpp"

namespace rocdrill::sim {
namespace {

constexpr const char* fstab = "/etc/fstab";
constexpr const char* root_line = "/dev/disk/by-label/root / ext4 errors=remount-ro 0 1\n";

class ShmTooSmall final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "shm-too-small",
        .layer = Layer::access,
        .title = "/dev/shm is too small",
        .changes = "/etc/fstab mounts /dev/shm with a size that RCCL's segments do not fit into",
        .parameters = {{"size", std::string("64M"), "as mount takes it", {"32M", "64M", "128M"}}},
        .sources = {"https://github.com/pytorch/ci-infra/pull/490",
                    "https://github.com/vllm-project/vllm/issues/1710",
                    "https://github.com/NVIDIA/nccl/issues/290"}};
    return info;
  }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (node.board.gpus().size() < 2) return "it has one GPU";
    if (!node.spec().driver.dkms_version.empty())
      return "its driver has IPC handles: RCCL needs no shared memory";
    return {};
  }

  void prepare(Node& node, const Parameters&) const override {
    node.os.files.write(fstab, root_line, no_event);
    node.os.files.write(std::string(fstab) + ".orig", root_line, no_event);
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    node.os.write_file(fstab,
                       std::string(root_line) + "tmpfs /dev/shm tmpfs nosuid,nodev,size=" +
                           parameters.text("size") + " 0 0\n",
                       cause);
  }
};

const FaultRegistration registration{std::make_unique<ShmTooSmall>()};

}  // namespace
}  // namespace rocdrill::sim
