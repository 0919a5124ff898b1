// Layout: rocminfo.cc; values: ROCr's amd_gpu_agent.cpp and amd_cpu_agent.cpp, which take them from
// the KFD topology or have them as constants. CPU caches are not in the simulated topology, so
// the CPU agents list none.
#include "sim/tools/rocminfo_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/tools/topology_view.hpp"
#include "stack/formats/target_id.hpp"

namespace rocdrill::sim::tools {
namespace {

namespace caps = kfd::capability;

/// "128(0x80) "; the blank is rocminfo's.
std::string both(std::uint32_t value) { return fmt::format("{0}(0x{0:x}) ", value); }
std::string kib(std::uint64_t bytes) {
  return both(static_cast<std::uint32_t>(bytes / 1024)) + "KB";
}

struct Release {
  int major = 0;
  bool at_least(std::string_view version) const { return compare_versions(text, version) >= 0; }
  std::string text;
  std::string_view runtime() const {
    return at_least("7.0")   ? "1.18"
           : at_least("6.4") ? "1.15"
           : at_least("6.2") ? "1.14"
           : major >= 6      ? "1.13"
                             : "1.1";
  }
  std::string_view extension() const {
    return at_least("7.0") ? "1.11" : at_least("6.4") ? "1.7" : "1.6";
  }
};

/// One memory pool.
struct Pool {
  std::string segment;
  std::uint64_t bytes = 0;
  bool allocatable = true;
  unsigned granule_kib = 4, recommended_kib = 4;
  bool by_all = true;
};

class Writer {
 public:
  Writer(const Node& node, Process& process, const Runtime& runtime)
      : node_(node),
        process_(process),
        runtime_(runtime),
        release_{node.rocm(process).major(), node.rocm(process).version},
        nodes_(read_topology(process).value_or(std::vector<TopologyNode>{})) {}

  std::string write() {
    header();
    heading("==========", "HSA Agents", "==========");
    std::size_t number = 0;
    for (const AgentInfo& info : runtime_.agents()) {
      heading("*******", fmt::format("Agent {}", ++number), "*******");
      agent(info);
    }
    label("*** Done ***");
    return std::move(text_);
  }

 private:
  void label(std::string_view name, unsigned level = 0) {
    text_ += fmt::format("{:{}}{:<25}\n", "", 2 * level, name);
  }
  void line(std::string_view name, std::string_view value, unsigned level) {
    text_ += fmt::format("{:{}}{:<25}{:<35}\n", "", 2 * level, name, value);
  }
  void number(std::string_view name, std::uint64_t value, unsigned level = 1) {
    line(name, std::to_string(value), level);
  }
  void bare(std::string_view name, std::string_view value) {
    text_ += fmt::format("{:<25}{}\n", name, value);
  }
  void heading(std::string_view above, std::string_view title, std::string_view below) {
    label(above);
    label(title);
    label(below);
  }

  void header();
  void agent(const AgentInfo& info);
  void identity(const AgentInfo& info);
  void caches(const AgentInfo& info, const TopologyNode* node);
  void geometry(const AgentInfo& info, const kfd::KfdNodeProperties& is);
  void dispatch(const AgentInfo& info, const kfd::KfdNodeProperties& is);
  void grid(unsigned level);
  void pools(const AgentInfo& info, const kfd::KfdNodeProperties& is);
  void pool(std::size_t number, const Pool& pool);
  void isas(const AgentInfo& info);
  void isa(std::size_t number, const std::string& name);
  const TopologyNode* topology_of(const AgentInfo& info) const;
  std::string marketing_name(const AgentInfo& info) const;
  bool is_apu(const AgentInfo& info) const;

  const Node& node_;
  Process& process_;
  const Runtime& runtime_;
  Release release_;
  std::vector<TopologyNode> nodes_;
  std::string text_;
};

void Writer::header() {
  heading("=====================", "HSA System Attributes", "=====================");
  bare("Runtime Version:", release_.runtime());
  if (release_.major >= 6) bare("Runtime Ext Version:", release_.extension());
  bare("System Timestamp Freq.:", "1000.000000MHz");
  bare("Sig. Max Wait Duration:", "18446744073709551615 (0xFFFFFFFFFFFFFFFF) (timestamp count)");
  line("Machine Model:", "LARGE", 0);
  line("System Endianness:", "LITTLE", 0);
  if (release_.at_least("5.3")) bare("Mwaitx:", "DISABLED");
  if (release_.at_least("6.3")) bare("XNACK enabled:", runtime_.xnack_enabled() ? "YES" : "NO");
  if (release_.at_least("5.5")) bare("DMAbuf Support:", "YES");
  if (release_.at_least("6.1")) bare("VMM Support:", "YES");
  text_ += '\n';
}

/// CPU agents come in the order of their nodes; a GPU is known by its address.
const TopologyNode* Writer::topology_of(const AgentInfo& info) const {
  if (info.type == DeviceType::gpu) {
    const auto at = std::ranges::find_if(nodes_, [&](const TopologyNode& node) {
      return node.is_gpu() && node.properties.location_id == info.bdf &&
             node.properties.device_id == info.chip_id;
    });
    return at == nodes_.end() ? nullptr : &*at;
  }
  std::size_t index = 0;
  for (const AgentInfo& other : runtime_.agents()) {
    if (&other == &info) break;
    if (other.type == DeviceType::cpu) ++index;
  }
  for (const TopologyNode& node : nodes_) {
    if (!node.is_gpu() && index-- == 0) return &node;
  }
  return nullptr;
}

/// libdrm's amdgpu.ids, which ROCr asks by PCI device and revision.
std::string Writer::marketing_name(const AgentInfo& info) const {
  if (!info.marketing_name.empty()) return info.marketing_name;
  if (info.type == DeviceType::cpu) return info.name;
  for (const silicon::Gpu& gpu : node_.board.gpus()) {
    if (gpu.product->device_id == info.chip_id) return std::string(gpu.product->marketing_name);
  }
  return {};
}

bool Writer::is_apu(const AgentInfo& info) const {
  return std::ranges::any_of(node_.board.gpus(), [&](const silicon::Gpu& gpu) {
    return gpu.product->device_id == info.chip_id && gpu.product->apu;
  });
}

void Writer::agent(const AgentInfo& info) {
  static const TopologyNode unknown;
  const TopologyNode* found = topology_of(info);
  const TopologyNode& node = found ? *found : unknown;
  identity(info);
  caches(info, found);
  geometry(info, node.properties);
  if (info.type == DeviceType::gpu) dispatch(info, node.properties);
  pools(info, node.properties);
  isas(info);
}

void Writer::identity(const AgentInfo& info) {
  const bool gpu = info.type == DeviceType::gpu;
  line("Name:", info.name, 1);
  line("Uuid:", info.uuid, 1);
  line("Marketing Name:", marketing_name(info), 1);
  line("Vendor Name:", gpu ? "AMD" : "CPU", 1);
  line("Feature:", gpu ? "KERNEL_DISPATCH" : "None specified", 1);
  line("Profile:", gpu ? "BASE_PROFILE" : "FULL_PROFILE", 1);
  line("Float Round Mode:", "NEAR", 1);
  line("Max Queue Number:", both(gpu ? 128 : 0), 1);
  line("Queue Min Size:", both(gpu ? 64 : 0), 1);
  line("Queue Max Size:", both(gpu ? 131072 : 0), 1);
  line("Queue Type:", "MULTI", 1);
  number("Node:", info.node);
  line("Device Type:", gpu ? "GPU" : "CPU", 1);
}

void Writer::caches(const AgentInfo& info, const TopologyNode* node) {
  label("Cache Info:", 1);
  const CacheSizes sizes = node ? read_caches(process_, node->id) : CacheSizes{};
  for (unsigned level = 0; level < 3; ++level) {
    if (sizes.kib[level] != 0)
      line(fmt::format("L{}:", level + 1), both(sizes.kib[level]) + "KB", 2);
  }
  const std::uint64_t capability = node ? node->properties.capability : 0;
  line("Chip ID:", both(info.chip_id), 1);
  line("ASIC Revision:", both(caps::asic_revision(capability)), 1);
  // Releases before 6 had a constant here.
  const bool known = info.type == DeviceType::gpu && release_.major >= 6 && sizes.l2_line != 0;
  line("Cacheline Size:", both(known ? sizes.l2_line : 64), 1);
}

void Writer::geometry(const AgentInfo& info, const kfd::KfdNodeProperties& is) {
  const bool gpu = info.type == DeviceType::gpu;
  number("Max Clock Freq. (MHz):", gpu ? is.max_engine_clk_fcompute : is.max_engine_clk_ccompute);
  number("BDFID:", info.bdf);
  number("Internal Node ID:", info.node);
  number("Compute Unit:", info.compute_units);
  number("SIMDs per CU:", is.simd_per_cu);
  number("Shader Engines:",
         gpu ? is.array_count / std::max<std::uint64_t>(is.simd_arrays_per_engine, 1) : 0);
  number("Shader Arrs. per Eng.:", is.simd_arrays_per_engine);
  number("WatchPts on Addr. Ranges:", 1ull << caps::log2_watch_points(is.capability));
  if (release_.major >= 6) {
    if (gpu)
      line("Coherent Host Access:",
           (is.capability & caps::coherent_host_access) != 0 ? "TRUE" : "FALSE", 1);
    text_ += fmt::format("  {:<25}{}\n", "Memory Properties:", gpu && is_apu(info) ? "APU" : "");
  }
  text_ += fmt::format("  {:<25}{}\n", "Features:", gpu ? "KERNEL_DISPATCH " : "None");
}

void Writer::grid(unsigned level) {
  line("Grid Max Size:", both(UINT32_MAX), level);
  label("Grid Max Size per Dimension:", level);
  for (const char* axis : {"x", "y", "z"}) line(axis, both(UINT32_MAX), level + 1);
}

void Writer::dispatch(const AgentInfo& info, const kfd::KfdNodeProperties& is) {
  const auto waves = static_cast<std::uint32_t>(is.max_waves_per_simd * is.simd_per_cu);
  line("Fast F16 Operation:", "TRUE", 1);
  line("Wavefront Size:", both(info.wavefront_size), 1);
  line("Workgroup Max Size:", both(1024), 1);
  label("Workgroup Max Size per Dimension:", 1);
  for (const char* axis : {"x", "y", "z"}) line(axis, both(1024), 2);
  line("Max Waves Per CU:", both(waves), 1);
  line("Max Work-item Per CU:", both(info.wavefront_size * waves), 1);
  grid(1);
  number("Max fbarriers/Workgrp:", 32);
  if (release_.major < 6) return;
  number("Packet Processor uCode::", is.fw_version & 0x3FF);
  number("SDMA engine uCode::", is.sdma_fw_version & 0x3FF);
  line("IOMMU Support::", "None", 1);
}

void Writer::pool(std::size_t number, const Pool& pool) {
  label(fmt::format("Pool {}", number), 2);
  line("Segment:", pool.segment, 3);
  line("Size:", kib(pool.bytes), 3);
  line("Allocatable:", pool.allocatable ? "TRUE" : "FALSE", 3);
  line("Alloc Granule:", fmt::format("{}KB", pool.granule_kib), 3);
  if (release_.major >= 6)
    line("Alloc Recommended Granule:", fmt::format("{}KB", pool.recommended_kib), 3);
  line("Alloc Alignment:", fmt::format("{}KB", pool.granule_kib), 3);
  line("Accessible by all:", pool.by_all ? "TRUE" : "FALSE", 3);
}

void Writer::pools(const AgentInfo& info, const kfd::KfdNodeProperties& is) {
  label("Pool Info:", 1);
  std::vector<std::string> kinds;
  const bool gpu = info.type == DeviceType::gpu, six = release_.major >= 6;
  if (!gpu) {
    kinds = {"FINE GRAINED", "KERNARG, FINE GRAINED", "COARSE GRAINED"};
    if (release_.at_least("7.0")) kinds.insert(kinds.begin() + 1, "EXTENDED FINE GRAINED");
  } else {
    kinds = {"COARSE GRAINED"};
    if (six) kinds.emplace_back("EXTENDED FINE GRAINED");
    if (is.gfx_target_version >= 90008 && is.gfx_target_version < 100000)
      kinds.emplace_back("FINE GRAINED");
  }
  std::size_t number = 0;
  for (const std::string& kind : kinds) {
    pool(++number, {.segment = "GLOBAL; FLAGS: " + kind,
                    .bytes = info.memory_bytes,
                    .recommended_kib = gpu ? 2048u : 4u,
                    .by_all = !gpu});
  }
  if (!gpu) return;
  pool(++number, {.segment = "GROUP",
                  .bytes = is.lds_size_in_kb * 1024,
                  .allocatable = false,
                  .granule_kib = 0,
                  .recommended_kib = 0,
                  .by_all = false});
}

void Writer::isas(const AgentInfo& info) {
  label("ISA Info:", 1);
  if (info.isa.empty()) {
    if (release_.major < 6) label("N/A", 2);
    return;
  }
  isa(1, info.isa);
  if (!release_.at_least("7.0")) return;
  const auto target = TargetId::parse(info.isa);
  const Processor* processor = target ? find_processor(target->processor) : nullptr;
  if (!processor || processor->generic.empty()) return;
  std::string generic = info.isa;
  generic.replace(generic.find(processor->name), processor->name.size(), processor->generic);
  isa(2, generic);
}

void Writer::isa(std::size_t number_of_isa, const std::string& name) {
  label(fmt::format("ISA {}", number_of_isa), 2);
  line("Name:", name, 3);
  line("Machine Models:", "HSA_MACHINE_MODEL_LARGE", 3);
  line("Profiles:", "HSA_PROFILE_BASE", 3);
  line("Default Rounding Mode:", "NEAR", 3);
  line("Default Rounding Mode:", "NEAR", 3);
  line("Fast f16:", "TRUE", 3);
  line("Workgroup Max Size:", both(1024), 3);
  label("Workgroup Max Size per Dimension:", 3);
  for (const char* axis : {"x", "y", "z"}) line(axis, both(1024), 4);
  grid(3);
  number("FBarrier Max Size:", 32, 3);
}

}  // namespace

std::string rocminfo_text(const Node& node, Process& process, const Runtime& runtime) {
  return Writer(node, process, runtime).write();
}

}  // namespace rocdrill::sim::tools
