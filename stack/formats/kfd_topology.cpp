#include "stack/formats/kfd_topology.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace rocdrill::kfd {
namespace {

using Node = KfdNodeProperties;

constexpr bool for_gpus = true;

constexpr std::array keys{
    NodeKey{"cpu_cores_count", &Node::cpu_cores_count},
    NodeKey{"simd_count", &Node::simd_count},
    NodeKey{"mem_banks_count", &Node::mem_banks_count},
    NodeKey{"caches_count", &Node::caches_count},
    NodeKey{"io_links_count", &Node::io_links_count},
    NodeKey{"p2p_links_count", &Node::p2p_links_count},
    NodeKey{"cpu_core_id_base", &Node::cpu_core_id_base},
    NodeKey{"simd_id_base", &Node::simd_id_base},
    NodeKey{"max_waves_per_simd", &Node::max_waves_per_simd},
    NodeKey{"lds_size_in_kb", &Node::lds_size_in_kb},
    NodeKey{"gds_size_in_kb", &Node::gds_size_in_kb},
    NodeKey{"num_gws", &Node::num_gws},
    NodeKey{"wave_front_size", &Node::wave_front_size},
    NodeKey{"array_count", &Node::array_count},
    NodeKey{"simd_arrays_per_engine", &Node::simd_arrays_per_engine},
    NodeKey{"cu_per_simd_array", &Node::cu_per_simd_array},
    NodeKey{"simd_per_cu", &Node::simd_per_cu},
    NodeKey{"max_slots_scratch_cu", &Node::max_slots_scratch_cu},
    NodeKey{"gfx_target_version", &Node::gfx_target_version},
    NodeKey{"vendor_id", &Node::vendor_id},
    NodeKey{"device_id", &Node::device_id},
    NodeKey{"location_id", &Node::location_id},
    NodeKey{"domain", &Node::domain},
    NodeKey{"drm_render_minor", &Node::drm_render_minor},
    NodeKey{"hive_id", &Node::hive_id},
    NodeKey{"num_sdma_engines", &Node::num_sdma_engines},
    NodeKey{"num_sdma_xgmi_engines", &Node::num_sdma_xgmi_engines},
    NodeKey{"num_sdma_queues_per_engine", &Node::num_sdma_queues_per_engine},
    NodeKey{"num_cp_queues", &Node::num_cp_queues},
    NodeKey{"max_engine_clk_fcompute", &Node::max_engine_clk_fcompute, for_gpus},
    NodeKey{"local_mem_size", &Node::local_mem_size, for_gpus},
    NodeKey{"fw_version", &Node::fw_version, for_gpus},
    NodeKey{"capability", &Node::capability, for_gpus},
    NodeKey{"capability2", &Node::capability2, for_gpus, &Node::has_capability2},
    NodeKey{"debug_prop", &Node::debug_prop, for_gpus},
    NodeKey{"sdma_fw_version", &Node::sdma_fw_version, for_gpus},
    NodeKey{"unique_id", &Node::unique_id, for_gpus},
    NodeKey{"num_xcc", &Node::num_xcc, for_gpus, &Node::has_num_xcc},
    NodeKey{"max_engine_clk_ccompute", &Node::max_engine_clk_ccompute},
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void skip_spaces(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_space);
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
}

/// scanf's "%s": spaces are skipped, then everything up to the next one.
std::string_view take_word(std::string_view& text) {
  skip_spaces(text);
  const auto end = std::ranges::find_if(text, is_space);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// scanf's "%llu", which is strtoull.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  skip_spaces(text);
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;

  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const bool overflow = error == std::errc::result_out_of_range;
  if (overflow) value = std::numeric_limits<std::uint64_t>::max();
  text = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return negative && !overflow ? 0 - value : value;
}

/// What one read leaves in libhsakmt's buffer, as a C string.
std::string_view readable(std::string_view text) {
  text = text.substr(0, file_limit);
  return text.substr(0, text.find('\0'));
}

std::optional<Property> take_property(std::string_view& text) {
  const std::string_view key = take_word(text);
  if (key.empty()) return std::nullopt;
  const auto value = take_number(text);
  if (!value) return std::nullopt;
  return Property{key, *value};
}

std::vector<std::uint8_t> parse_siblings(std::string_view text) {
  std::vector<std::uint8_t> siblings;
  while (siblings.size() < max_siblings) {
    const auto value = take_number(text);
    if (!value) break;
    siblings.push_back(static_cast<std::uint8_t>(*value));
    const auto end = std::ranges::find_if_not(text, [](char c) { return c == ',' || c == '\n'; });
    if (end == text.begin()) break;  // "%*[,\n]" needs one character
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return siblings;
}

template <class Record>
struct Key {
  std::string_view name;
  std::uint32_t Record::* value;
};

/// Stores `property` in the member of that name, if the record has one.
template <class Record, std::size_t size>
void store(Record& record, const Property& property, const std::array<Key<Record>, size>& table) {
  const auto found = std::ranges::find(table, property.key, &Key<Record>::name);
  if (found != table.end()) record.*found->value = static_cast<std::uint32_t>(property.value);
}

constexpr std::array<Key<MemBank>, 3> bank_keys{{{"flags", &MemBank::flags},
                                                 {"width", &MemBank::width},
                                                 {"mem_clk_max", &MemBank::mem_clk_max}}};

constexpr std::array<Key<Cache>, 8> cache_keys{
    {{"processor_id_low", &Cache::processor_id_low},
     {"level", &Cache::level},
     {"size", &Cache::size},
     {"cache_line_size", &Cache::cache_line_size},
     {"cache_lines_per_tag", &Cache::cache_lines_per_tag},
     {"association", &Cache::association},
     {"latency", &Cache::latency},
     {"type", &Cache::type}}};

constexpr std::array<Key<IoLink>, 11> link_keys{
    {{"version_major", &IoLink::version_major},
     {"version_minor", &IoLink::version_minor},
     {"node_from", &IoLink::node_from},
     {"node_to", &IoLink::node_to},
     {"weight", &IoLink::weight},
     {"min_latency", &IoLink::min_latency},
     {"max_latency", &IoLink::max_latency},
     {"min_bandwidth", &IoLink::min_bandwidth},
     {"max_bandwidth", &IoLink::max_bandwidth},
     {"recommended_transfer_size", &IoLink::recommended_transfer_size},
     {"flags", &IoLink::flags}}};

}  // namespace

std::span<const NodeKey> node_keys() { return keys; }

std::vector<Property> parse_properties(std::string_view text) {
  text = readable(text);
  std::vector<Property> properties;
  while (const auto property = take_property(text)) properties.push_back(*property);
  return properties;
}

std::optional<KfdNodeProperties> parse_node_properties(std::string_view text) {
  if (text.empty()) return std::nullopt;
  KfdNodeProperties node;
  for (const auto& [name, value] : parse_properties(text)) {
    const auto found = std::ranges::find(keys, name, &NodeKey::name);
    if (found == keys.end()) continue;
    node.*found->value = value;
    if (found->has != nullptr) node.*found->has = true;
  }
  return node;
}

std::optional<MemBank> parse_mem_bank(std::string_view text) {
  if (text.empty()) return std::nullopt;
  MemBank bank;
  for (const Property& property : parse_properties(text)) {
    if (property.key == "heap_type") bank.heap_type = static_cast<HeapType>(property.value);
    if (property.key == "size_in_bytes") bank.size_in_bytes = property.value;
    store(bank, property, bank_keys);
  }
  return bank;
}

std::optional<Cache> parse_cache(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Cache cache;
  std::string_view rest = readable(text);
  while (true) {
    const std::string_view before = rest;
    const auto property = take_property(rest);
    if (!property) break;
    if (property->key == "sibling_map") {
      rest = before;
      take_word(rest);
      cache.sibling_map = parse_siblings(rest);
      break;
    }
    store(cache, *property, cache_keys);
  }
  return cache;
}

std::optional<IoLink> parse_io_link(std::string_view text) {
  if (text.empty()) return std::nullopt;
  IoLink link;
  for (const Property& property : parse_properties(text)) {
    if (property.key == "type") link.type = static_cast<LinkType>(property.value);
    if (property.key == "recommended_sdma_engine_id_mask") {
      link.recommended_sdma_engine_id_mask = static_cast<std::uint32_t>(property.value);
      link.has_sdma_engine_id_mask = true;
    }
    store(link, property, link_keys);
  }
  return link;
}

}  // namespace rocdrill::kfd
