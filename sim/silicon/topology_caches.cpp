// The cache list of a GPU node: an entry is computed from its index, no list is ever built.
#include <algorithm>
#include <stdexcept>

#include "sim/silicon/topology_text.hpp"

namespace rocdrill::silicon {
namespace {

/// The CU slots of one shader array. Fused-off slots are spread over an XCC's arrays.
struct ShaderArray {
  std::uint32_t slots = 0;
  std::uint32_t fused = 0;  ///< the first ones

  std::uint32_t active() const { return slots - fused; }
  /// Groups of `size` slots with at least one active CU.
  std::uint32_t groups(std::uint32_t size) const {
    return (slots + size - 1) / size - fused / size;
  }
};

/// How a kind of cache is distributed over the node.
enum class Per : std::uint8_t { cu, group, array, node };

struct Kind {
  Per per = Per::node;
  std::uint32_t level = 0;
  std::uint32_t kib = 0;
  std::uint32_t type = 0;
  std::uint32_t cus = 1;  ///< slots of a group
};

struct Place {
  Kind kind;
  std::uint32_t index = 0;  ///< among the entries of that kind
};

constexpr std::uint32_t bits_per_array = 32;  ///< four bytes of bitmap

std::uint32_t arrays(const GpuNode& node) {
  const GpuProduct& product = *node.product;
  const std::uint32_t xccs = node.xcc_count == 0 ? product.xcc_count : node.xcc_count;
  return product.array_count / product.xcc_count * xccs;
}

ShaderArray shader_array(const GpuProduct& product, std::uint32_t array) {
  const std::uint32_t per_xcc = product.array_count / product.xcc_count;
  const std::uint32_t slots = product.cu_per_simd_array;
  const std::uint32_t fused = slots * per_xcc - product.active_cus / product.xcc_count;
  return {.slots = slots, .fused = fused / per_xcc + (array % per_xcc < fused % per_xcc ? 1u : 0u)};
}

std::uint32_t entries(const ShaderArray& array, const Kind& kind) {
  return kind.per == Per::cu ? array.active() : kind.per == Per::group ? array.groups(kind.cus) : 1;
}

std::uint32_t entries(const GpuNode& node, const Kind& kind) {
  if (kind.kib == 0) return 0;
  if (kind.per == Per::node) return 1;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < arrays(node); ++i) {
    count += entries(shader_array(*node.product, i), kind);
  }
  return count;
}

std::array<Kind, 6> kinds(const GpuProduct& product) {
  using namespace kfd::cache_type;
  const GpuCaches& caches = product.caches;
  return {{{Per::cu, 1, caches.l1d_kib, data | hsacu, 1},
           {Per::group, 1, caches.l1i_kib, instruction | hsacu, caches.l1i_cus},
           {Per::group, 1, caches.scalar_kib, data | hsacu, caches.scalar_cus},
           {Per::array, 1, caches.gl1_kib, data | hsacu, product.cu_per_simd_array},
           {Per::node, 2, caches.l2_kib, data | hsacu, product.cu_per_simd_array},
           {Per::node, 3, caches.l3_kib, data | hsacu, product.cu_per_simd_array}}};
}

Place place(const GpuNode& node, std::uint32_t index) {
  for (const Kind& kind : kinds(*node.product)) {
    const std::uint32_t count = entries(node, kind);
    if (index < count) return {kind, index};
    index -= count;
  }
  throw std::out_of_range("GPU node has no such cache");
}

/// First slot, counted over the node, of the entry; and its CUs from there on.
struct Sharing {
  std::uint32_t first_slot = 0;
  std::vector<std::uint8_t> map;
};

Sharing shared_in_array(const ShaderArray& array, std::uint32_t array_index, const Kind& kind,
                        std::uint32_t entry) {
  const std::uint32_t size = kind.per == Per::array ? array.slots : kind.cus;
  const std::uint32_t begin =
      kind.per == Per::cu ? array.fused + entry : (array.fused / size + entry) * size;
  const std::uint32_t first = std::max(begin, array.fused);
  const std::uint32_t end = std::min(begin + size, array.slots);
  Sharing sharing{array_index * array.slots + first, std::vector<std::uint8_t>(bits_per_array)};
  std::fill_n(sharing.map.begin(), end - first, std::uint8_t{1});
  return sharing;
}

Sharing shared_in_node(const GpuNode& node) {
  Sharing sharing{shader_array(*node.product, 0).fused, {}};
  sharing.map.reserve(arrays(node) * bits_per_array);
  for (std::uint32_t i = 0; i < arrays(node); ++i) {
    const ShaderArray array = shader_array(*node.product, i);
    for (std::uint32_t slot = 0; slot < bits_per_array; ++slot) {
      sharing.map.push_back(slot >= array.fused && slot < array.slots ? 1 : 0);
    }
  }
  return sharing;
}

Sharing sharing_of(const GpuNode& node, const Place& place) {
  if (place.kind.per == Per::node) return shared_in_node(node);
  std::uint32_t entry = place.index;
  for (std::uint32_t i = 0;; ++i) {
    const ShaderArray array = shader_array(*node.product, i);
    const std::uint32_t count = entries(array, place.kind);
    if (entry < count) return shared_in_array(array, i, place.kind, entry);
    entry -= count;
  }
}

}  // namespace

std::uint32_t cache_count(const GpuNode& node) {
  std::uint32_t count = 0;
  for (const Kind& kind : kinds(*node.product)) count += entries(node, kind);
  return count;
}

kfd::Cache cache(const GpuNode& node, std::uint32_t index) {
  const Place found = place(node, index);
  Sharing sharing = sharing_of(node, found);
  return {.processor_id_low = node.simd_id_base + sharing.first_slot,
          .level = found.kind.level,
          .size = found.kind.kib,
          .cache_line_size = found.kind.level == 1 ? 64 : node.product->caches.line_bytes,
          .cache_lines_per_tag = 1,
          .association = 0,
          .latency = 0,
          .type = found.kind.type,
          .sibling_map = std::move(sharing.map)};
}

}  // namespace rocdrill::silicon
