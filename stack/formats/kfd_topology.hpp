// The files of /sys/class/kfd/kfd/topology: what they hold, their keys, and how libhsakmt reads
// them.
//
// Sources: kfd_topology.c (print order), linux/kfd_sysfs.h (bits), libhsakmt/src/topology.c
// (parsing). Writing is the kernel's part: sim/silicon/topology_text.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rocdrill::kfd {

/// nodes/<N>/properties. Members have the keys' names, in the kernel's print order.
struct KfdNodeProperties {
  std::uint64_t cpu_cores_count = 0;  ///< > 0: a CPU node (or an old APU node)
  std::uint64_t simd_count = 0;       ///< > 0: a GPU node
  std::uint64_t mem_banks_count = 0;
  std::uint64_t caches_count = 0;
  std::uint64_t io_links_count = 0;
  std::uint64_t p2p_links_count = 0;
  std::uint64_t cpu_core_id_base = 0;
  std::uint64_t simd_id_base = 0;
  std::uint64_t max_waves_per_simd = 0;
  std::uint64_t lds_size_in_kb = 0;
  std::uint64_t gds_size_in_kb = 0;
  std::uint64_t num_gws = 0;
  std::uint64_t wave_front_size = 0;
  std::uint64_t array_count = 0;
  std::uint64_t simd_arrays_per_engine = 0;
  std::uint64_t cu_per_simd_array = 0;
  std::uint64_t simd_per_cu = 0;
  std::uint64_t max_slots_scratch_cu = 0;
  std::uint64_t gfx_target_version = 0;
  std::uint64_t vendor_id = 0;
  std::uint64_t device_id = 0;
  std::uint64_t location_id = 0;  ///< bus << 8 | device << 3 | function
  std::uint64_t domain = 0;
  std::uint64_t drm_render_minor = 0;
  std::uint64_t hive_id = 0;
  std::uint64_t num_sdma_engines = 0;
  std::uint64_t num_sdma_xgmi_engines = 0;
  std::uint64_t num_sdma_queues_per_engine = 0;
  std::uint64_t num_cp_queues = 0;
  // GPU nodes only:
  std::uint64_t max_engine_clk_fcompute = 0;  ///< MHz
  std::uint64_t local_mem_size = 0;           ///< always 0: the memory bank has the size
  std::uint64_t fw_version = 0;               ///< MEC
  std::uint64_t capability = 0;
  std::uint64_t capability2 = 0;
  std::uint64_t debug_prop = 0;
  std::uint64_t sdma_fw_version = 0;
  std::uint64_t unique_id = 0;
  std::uint64_t num_xcc = 1;
  // all nodes:
  std::uint64_t max_engine_clk_ccompute = 0;  ///< CPU, MHz

  /// Keys that not every kernel has. Read: whether they were there. Written: whether they will be.
  bool has_capability2 = false;
  bool has_num_xcc = false;

  friend bool operator==(const KfdNodeProperties&, const KfdNodeProperties&) = default;
};

/// A key of nodes/<N>/properties.
struct NodeKey {
  std::string_view name;
  std::uint64_t KfdNodeProperties::* value;
  bool gpu_only = false;                    ///< CPU nodes do not print it
  bool KfdNodeProperties::* has = nullptr;  ///< for keys that not every kernel has
};

/// Every key, in the order in which the kernel prints them.
std::span<const NodeKey> node_keys();

/// Bits of `capability`.
namespace capability {
inline constexpr std::uint32_t hot_pluggable = 1u << 0;
inline constexpr std::uint32_t ats = 1u << 1;
inline constexpr std::uint32_t shared_with_graphics = 1u << 2;
inline constexpr std::uint32_t queue_size_pow2 = 1u << 3;
inline constexpr std::uint32_t queue_size_32bit = 1u << 4;
inline constexpr std::uint32_t queue_idle_event = 1u << 5;
inline constexpr std::uint32_t va_limit = 1u << 6;
inline constexpr std::uint32_t watch_points = 1u << 7;
inline constexpr std::uint32_t aql_queue_double_map = 1u << 14;
inline constexpr std::uint32_t trap_debug = 1u << 15;
inline constexpr std::uint32_t wave_launch_trap_override = 1u << 16;
inline constexpr std::uint32_t wave_launch_mode = 1u << 17;
inline constexpr std::uint32_t precise_memory = 1u << 18;
inline constexpr std::uint32_t mem_edc = 1u << 20;
inline constexpr std::uint32_t ras_event_notify = 1u << 21;
inline constexpr std::uint32_t sram_edc = 1u << 26;  ///< sramecc+ in the target id
inline constexpr std::uint32_t svm_api = 1u << 27;
inline constexpr std::uint32_t coherent_host_access = 1u << 28;
inline constexpr std::uint32_t debugger_firmware = 1u << 29;  ///< gates RUNTIME_ENABLE
inline constexpr std::uint32_t precise_alu = 1u << 30;
inline constexpr std::uint32_t per_queue_reset = 1u << 31;

constexpr std::uint32_t log2_watch_points(std::uint64_t word) { return word >> 8 & 0xFu; }
/// 0 before 1.0, 1 1.0, 2 2.0 (64 bits). ROCr refuses everything but 2.
constexpr std::uint32_t doorbell_type(std::uint64_t word) { return word >> 12 & 3u; }
constexpr std::uint32_t asic_revision(std::uint64_t word) { return word >> 22 & 0xFu; }
}  // namespace capability

enum class HeapType : std::uint32_t {
  system = 0,
  fb_public = 1,   ///< VRAM that the host can reach
  fb_private = 2,  ///< VRAM that it cannot: a small BAR
  gds = 3,
  lds = 4,
  scratch = 5,
};

/// nodes/<N>/mem_banks/<i>/properties.
struct MemBank {
  HeapType heap_type = HeapType::system;
  std::uint64_t size_in_bytes = 0;
  std::uint32_t flags = 0;        ///< 1 hot pluggable, 2 non volatile
  std::uint32_t width = 0;        ///< bits
  std::uint32_t mem_clk_max = 0;  ///< MHz

  friend bool operator==(const MemBank&, const MemBank&) = default;
};

/// Bits of Cache::type.
namespace cache_type {
inline constexpr std::uint32_t data = 1, instruction = 2, cpu = 4, hsacu = 8;
}  // namespace cache_type

/// nodes/<N>/caches/<i>/properties.
struct Cache {
  std::uint32_t processor_id_low = 0;
  std::uint32_t level = 0;
  std::uint32_t size = 0;  ///< KiB
  std::uint32_t cache_line_size = 0;
  std::uint32_t cache_lines_per_tag = 0;
  std::uint32_t association = 0;
  std::uint32_t latency = 0;
  std::uint32_t type = 0;
  std::vector<std::uint8_t> sibling_map;  ///< one entry per processor of the group

  friend bool operator==(const Cache&, const Cache&) = default;
};

/// libhsakmt reads no more entries of sibling_map than that.
inline constexpr std::size_t max_siblings = 256;

enum class LinkType : std::uint32_t { hyper_transport = 1, pcie = 2, qpi = 5, xgmi = 11 };

/// Bits of IoLink::flags.
namespace link_flag {
inline constexpr std::uint32_t enabled = 1, non_coherent = 2, no_atomics_32 = 4, no_atomics_64 = 8,
                               no_peer_to_peer = 16;
}  // namespace link_flag

/// nodes/<N>/io_links/<i>/properties and p2p_links/<i>/properties.
struct IoLink {
  LinkType type = LinkType::pcie;
  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  std::uint32_t node_from = 0;
  std::uint32_t node_to = 0;
  std::uint32_t weight = 0;
  std::uint32_t min_latency = 0;
  std::uint32_t max_latency = 0;
  std::uint32_t min_bandwidth = 0;  ///< MB/s
  std::uint32_t max_bandwidth = 0;
  std::uint32_t recommended_transfer_size = 0;
  std::uint32_t recommended_sdma_engine_id_mask = 0;
  std::uint32_t flags = 0;
  bool has_sdma_engine_id_mask = false;  ///< newer kernels only

  friend bool operator==(const IoLink&, const IoLink&) = default;
};

/// libhsakmt reads a file once, into a page whose last byte is the terminator.
inline constexpr std::size_t file_limit = 4095;

struct Property {
  std::string_view key;
  std::uint64_t value = 0;
};

/// The "key value" pairs of a file as sscanf("%s %llu\n") yields them: the first `file_limit` bytes
/// up to a NUL, until a pair does not match. A number may have a sign and wraps; too large a one is
/// UINT64_MAX. Keys of any length. Views into `text`.
std::vector<Property> parse_properties(std::string_view text);

/// nullopt for an empty file, which fails libhsakmt's snapshot. Unknown keys are ignored, a later
/// value replaces an earlier one; what was not reached keeps its default.
std::optional<KfdNodeProperties> parse_node_properties(std::string_view text);
std::optional<MemBank> parse_mem_bank(std::string_view text);
/// Ends at sibling_map, whose values are parsed with "%u%*[,\n]".
std::optional<Cache> parse_cache(std::string_view text);
std::optional<IoLink> parse_io_link(std::string_view text);

}  // namespace rocdrill::kfd
