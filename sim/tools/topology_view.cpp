#include "sim/tools/topology_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view root = "/sys/class/kfd/kfd/topology/nodes/";

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string TopologyNode::bdf() const {
  const auto location = static_cast<std::uint32_t>(properties.location_id);
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", properties.domain, location >> 8 & 0xFF,
                     location >> 3 & 0x1F, location & 7);
}

SysResult<std::vector<TopologyNode>> read_topology(Process& process) {
  const auto names = process.list(root.substr(0, root.size() - 1));
  if (!names) return std::unexpected(names.error());
  std::vector<TopologyNode> nodes;
  for (const std::string& name : *names) {
    const std::string directory = std::string(root) + name;
    const auto gpu_id = process.read_file(directory + "/gpu_id");
    const auto text = process.read_file(directory + "/properties");
    if (!gpu_id || !text) continue;
    const auto properties = kfd::parse_node_properties(*text);
    if (properties) nodes.push_back({number(name), number(*gpu_id), *properties});
  }
  std::ranges::sort(nodes, {}, &TopologyNode::id);
  return nodes;
}

CacheSizes read_caches(Process& process, std::uint32_t node) {
  CacheSizes sizes;
  const std::string directory = fmt::format("{}{}/caches", root, node);
  for (const std::string& name : process.list(directory).value_or(std::vector<std::string>{})) {
    const auto text = process.read_file(directory + "/" + name + "/properties");
    const auto cache = text ? kfd::parse_cache(*text) : std::nullopt;
    if (!cache || cache->level < 1 || cache->level > 3) continue;
    if ((cache->type & kfd::cache_type::data) == 0) continue;
    sizes.kib[cache->level - 1] = std::max(sizes.kib[cache->level - 1], cache->size);
    if (cache->level == 2) sizes.l2_line = cache->cache_line_size;
  }
  return sizes;
}

std::string gfx_name(std::uint64_t version) {
  if (version == 0) return "gfx000";
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace rocdrill::sim::tools
