#include "sim/silicon/topology_text.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::silicon {
namespace {

constexpr std::uint32_t amd_vendor = 0x1002;
constexpr std::uint32_t max_slots_scratch_cu = 32;

std::uint32_t xccs(const GpuNode& node) {
  return node.xcc_count == 0 ? node.product->xcc_count : node.xcc_count;
}

std::uint32_t partitions(const GpuNode& node) { return node.product->xcc_count / xccs(node); }

std::uint64_t vram(const GpuNode& node) {
  return node.vram_bytes == 0 ? node.product->vram_bytes : node.vram_bytes;
}

std::uint32_t capability_word(const GpuNode& node) {
  const std::uint32_t word = capability(*node.product, node.fw_version);
  return node.per_queue_reset ? word | kfd::capability::per_queue_reset : word;
}

void append(std::string& out, std::string_view key, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out += key;
  out += ' ';
  out.append(digits.data(), end);
  out += '\n';
}

std::string page(std::string text) {
  if (text.size() > kfd::file_limit) text.resize(kfd::file_limit);
  return text;
}

void geometry(kfd::KfdNodeProperties& out, const GpuNode& node) {
  const GpuProduct& product = *node.product;
  const std::uint32_t parts = partitions(node);
  out.simd_count = simd_count(product) / parts;
  out.max_waves_per_simd = product.max_waves_per_simd;
  out.lds_size_in_kb = product.lds_kib;
  out.num_gws = product.num_gws;
  out.wave_front_size = product.wave_size;
  out.array_count = product.array_count / parts;
  out.simd_arrays_per_engine = product.simd_arrays_per_engine;
  out.cu_per_simd_array = product.cu_per_simd_array;
  out.simd_per_cu = product.simd_per_cu;
  out.max_slots_scratch_cu = max_slots_scratch_cu;
  out.num_xcc = xccs(node);
  out.has_num_xcc = node.has_num_xcc;
}

void identity(kfd::KfdNodeProperties& out, const GpuNode& node) {
  out.gfx_target_version = node.product->gfx_target_version;
  out.vendor_id = amd_vendor;
  out.device_id = node.product->device_id;
  out.location_id = node.location_id;
  out.domain = node.domain;
  out.drm_render_minor = node.drm_render_minor;
  out.hive_id = node.hive_id;
  out.unique_id = node.unique_id;
  out.simd_id_base = node.simd_id_base;
}

}  // namespace

kfd::KfdNodeProperties gpu_properties(const GpuNode& node) {
  const GpuProduct& product = *node.product;
  const SdmaEngines sdma = sdma_engines(product, partitions(node));
  kfd::KfdNodeProperties out;
  identity(out, node);
  geometry(out, node);
  out.mem_banks_count = mem_bank_count(node);
  out.caches_count = cache_count(node);
  out.io_links_count = node.io_links_count;
  out.p2p_links_count = node.p2p_links_count;
  out.num_sdma_engines = sdma.pcie;
  out.num_sdma_xgmi_engines = sdma.xgmi;
  out.num_sdma_queues_per_engine = product.sdma_queues_per_engine;
  out.num_cp_queues = product.num_cp_queues;
  out.max_engine_clk_fcompute = product.engine_clk_mhz;
  out.fw_version = node.fw_version;
  out.capability = capability_word(node);
  out.capability2 = node.per_queue_reset && product.gc >= IpVersion{9, 5, 0} ? 1 : 0;
  out.has_capability2 = node.has_capability2;
  out.debug_prop = product.debug_prop;
  out.sdma_fw_version = node.sdma_fw_version;
  out.max_engine_clk_ccompute = node.cpu_clk_mhz;
  return out;
}

std::uint32_t mem_bank_count(const GpuNode& node) {
  return node.visible_vram_bytes < vram(node) && node.visible_vram_bytes != 0 ? 2 : 1;
}

kfd::MemBank mem_bank(const GpuNode& node, std::uint32_t index) {
  if (index >= mem_bank_count(node)) throw std::out_of_range("GPU node has no such memory bank");
  const std::uint64_t total = vram(node);
  const std::uint64_t visible = std::min(node.visible_vram_bytes, total);
  const bool is_public = index == 0 && visible != 0;
  return {.heap_type = is_public ? kfd::HeapType::fb_public : kfd::HeapType::fb_private,
          .size_in_bytes = is_public ? visible : total - visible,
          .flags = 0,
          .width = node.product->memory_width,
          .mem_clk_max = node.product->memory_clk_mhz};
}

kfd::KfdNodeProperties cpu_properties(const CpuNode& node) {
  kfd::KfdNodeProperties out;
  out.cpu_cores_count = node.cores;
  out.mem_banks_count = 1;
  out.caches_count = node.caches_count;
  out.io_links_count = node.io_links_count;
  out.cpu_core_id_base = node.core_id_base;
  out.max_engine_clk_ccompute = node.cpu_clk_mhz;
  return out;
}

kfd::MemBank cpu_mem_bank(const CpuNode& node) {
  return {.heap_type = kfd::HeapType::system,
          .size_in_bytes = node.memory_bytes,
          .flags = 0,
          .width = node.memory_width,
          .mem_clk_max = node.memory_clk_mhz};
}

std::string text(const kfd::KfdNodeProperties& node) {
  const bool gpu = node.simd_count != 0;
  std::string out;
  out.reserve(1024);
  for (const kfd::NodeKey& key : kfd::node_keys()) {
    if (key.gpu_only && !gpu) continue;
    if (key.has != nullptr && !(node.*key.has)) continue;
    append(out, key.name, node.*key.value);
  }
  return page(std::move(out));
}

std::string text(const kfd::MemBank& bank) {
  std::string out;
  append(out, "heap_type", static_cast<std::uint64_t>(bank.heap_type));
  append(out, "size_in_bytes", bank.size_in_bytes);
  append(out, "flags", bank.flags);
  append(out, "width", bank.width);
  append(out, "mem_clk_max", bank.mem_clk_max);
  return out;
}

std::string text(const kfd::Cache& cache) {
  std::string out;
  out.reserve(192 + cache.sibling_map.size() * 2);
  append(out, "processor_id_low", cache.processor_id_low);
  append(out, "level", cache.level);
  append(out, "size", cache.size);
  append(out, "cache_line_size", cache.cache_line_size);
  append(out, "cache_lines_per_tag", cache.cache_lines_per_tag);
  append(out, "association", cache.association);
  append(out, "latency", cache.latency);
  append(out, "type", cache.type);
  out += "sibling_map ";
  for (const std::uint8_t sibling : cache.sibling_map) out += sibling != 0 ? "1," : "0,";
  out.back() = '\n';  // in place of the last comma
  return page(std::move(out));
}

std::string text(const kfd::IoLink& link) {
  std::string out;
  append(out, "type", static_cast<std::uint64_t>(link.type));
  append(out, "version_major", link.version_major);
  append(out, "version_minor", link.version_minor);
  append(out, "node_from", link.node_from);
  append(out, "node_to", link.node_to);
  append(out, "weight", link.weight);
  append(out, "min_latency", link.min_latency);
  append(out, "max_latency", link.max_latency);
  append(out, "min_bandwidth", link.min_bandwidth);
  append(out, "max_bandwidth", link.max_bandwidth);
  append(out, "recommended_transfer_size", link.recommended_transfer_size);
  if (link.has_sdma_engine_id_mask) {
    append(out, "recommended_sdma_engine_id_mask", link.recommended_sdma_engine_id_mask);
  }
  append(out, "flags", link.flags);
  return out;
}

std::string system_properties_text(std::uint64_t platform_oem, std::uint64_t platform_id,
                                   std::uint64_t platform_rev) {
  std::string out;
  append(out, "platform_oem", platform_oem);
  append(out, "platform_id", platform_id);
  append(out, "platform_rev", platform_rev);
  return out;
}

}  // namespace rocdrill::silicon
