#include "sim/rocr/topology.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace rocdrill::rocr {
namespace {

constexpr std::string_view root = "/sys/class/kfd/kfd/topology";

/// One node; an empty result means that it is left out.
SysResult<std::vector<TopologyNode>> read_node(Process& process, std::size_t sysfs_id,
                                               bool needs_render_nodes) {
  const std::string directory = std::string(root) + "/nodes/" + std::to_string(sysfs_id);
  auto gpu_id = process.read_file(directory + "/gpu_id");
  if (!gpu_id && gpu_id.error().error == EPERM) return {};
  if (!gpu_id) return std::unexpected(gpu_id.error());
  auto text = process.read_file(directory + "/properties");
  if (!text) return std::unexpected(text.error());
  const auto properties = kfd::parse_node_properties(*text);
  if (!properties) return fail(EINVAL, no_event);

  TopologyNode node;
  node.gpu_id = static_cast<std::uint32_t>(std::strtoul(gpu_id->c_str(), nullptr, 10));
  node.properties = *properties;
  if (properties->mem_banks_count > 0) {
    auto bank = process.read_file(directory + "/mem_banks/0/properties");
    if (!bank) return std::unexpected(bank.error());
    if (const auto parsed = kfd::parse_mem_bank(*bank)) node.memory_bytes = parsed->size_in_bytes;
  }
  if (node.is_gpu()) {
    const std::uint64_t minor = properties->drm_render_minor;
    if (minor < 128 || minor > 255) return fail(EINVAL, no_event);
    auto fd = process.open("/dev/dri/renderD" + std::to_string(minor), O_RDWR | O_CLOEXEC);
    const bool absent = !fd && fd.error().error == ENOENT && !needs_render_nodes;
    if (absent || (!fd && fd.error().error == EPERM)) return {};
    if (!fd) return std::unexpected(fd.error());
    node.render_fd = *fd;
  }
  return std::vector<TopologyNode>{std::move(node)};
}

}  // namespace

SysResult<std::vector<TopologyNode>> snapshot(Process& process, bool needs_render_nodes) {
  if (auto generation = process.read_file(std::string(root) + "/generation_id"); !generation) {
    return std::unexpected(generation.error());
  }
  auto names = process.list(std::string(root) + "/nodes");
  if (!names) return std::unexpected(names.error());
  std::vector<TopologyNode> nodes;
  for (std::size_t id = 0; id < names->size(); ++id) {
    auto node = read_node(process, id, needs_render_nodes);
    if (!node) return std::unexpected(node.error());
    for (TopologyNode& one : *node) {
      one.user_id = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(std::move(one));
    }
  }
  return nodes;
}

}  // namespace rocdrill::rocr
