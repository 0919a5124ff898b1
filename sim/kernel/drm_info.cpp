#include "sim/kernel/drm_info.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "sim/host/packages.hpp"
#include "sim/silicon/telemetry.hpp"
#include "stack/formats/kfd_topology.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::ClockDomain;

constexpr std::uint32_t counter_khz = 100'000;
constexpr std::uint64_t page = 4096;

struct Generation {
  IpVersion from;  ///< of the graphics core; the last row that is not newer counts
  std::uint32_t family;
  std::uint32_t external_rev;
  std::uint32_t gb_addr_config;
};
constexpr Generation generations[] = {
    {{9, 4, 0}, 141, 0x28, 0x22014042},  {{9, 4, 1}, 141, 0x34, 0x22014042},
    {{9, 4, 2}, 141, 0x3D, 0x22014042},  {{9, 4, 3}, 141, 0x47, 0x2A114042},
    {{9, 5, 0}, 141, 0x50, 0x2A114042},  {{10, 3, 0}, 143, 0x28, 0x00000444},
    {{10, 3, 6}, 149, 0x01, 0x00000042}, {{11, 0, 0}, 145, 0x01, 0x00000545},
    {{11, 0, 3}, 145, 0x20, 0x00000444}, {{11, 5, 1}, 150, 0xC1, 0x00000242},
    {{12, 0, 1}, 152, 0x50, 0x00000444}};

const Generation& generation(const GpuProduct& product) {
  const Generation* found = &generations[0];
  for (const Generation& each : generations) {
    if (each.from <= product.gc) found = &each;
  }
  return *found;
}

std::uint32_t vram_type(std::string_view type) {
  if (type.starts_with("HBM")) return drm::vram_hbm;
  if (type == "GDDR6") return drm::vram_gddr6;
  if (type == "DDR5") return drm::vram_ddr5;
  return type.starts_with("LPDDR5") ? drm::vram_lpddr5 : drm::vram_unknown;
}

/// Active CUs by engine and array; an engine beyond the fourth shares the rows of the first four
/// (gfx_v9_0_get_cu_info: bitmap[i % 4][j + i / 4]). Products with more engines show those that
/// fit.
void fill_cus(drm::DeviceInfo& out, const GpuProduct& product) {
  const std::uint32_t arrays = product.simd_arrays_per_engine;
  for (std::uint32_t i = 0; i < product.array_count; ++i) {
    const std::uint32_t engine = i / arrays, array = i % arrays;
    const std::uint32_t column = arrays == 1 ? engine / 4 : array + (engine / 4) * arrays;
    if (column >= 4) break;
    const std::uint32_t active = product.active_cus / product.array_count +
                                 (i < product.active_cus % product.array_count ? 1 : 0);
    out.cu_bitmap[engine % 4][column] = (1u << active) - 1;
  }
}

void fill_addresses(drm::DeviceInfo& out) {
  out.virtual_address_offset = 2u << 20;
  out.virtual_address_max = 1ull << 47;  // AMDGPU_GMC_HOLE_START
  out.virtual_address_alignment = page;
  out.high_va_offset = 0xFFFF'8000'0000'0000;
  out.high_va_max = 0xFFFF'FFFF'FFE0'0000;
  out.pte_fragment_size = 2u << 20;
  out.gart_page_size = page;
}

void fill_caches(drm::DeviceInfo& out, const GpuProduct& product) {
  const GpuCaches& caches = product.caches;
  out.tcp_cache_size = caches.l1d_kib;
  out.num_sqc_per_wgp = 1;
  out.sqc_data_cache_size = caches.scalar_kib;
  out.sqc_inst_cache_size = caches.l1i_kib;
  out.gl1c_cache_size = caches.gl1_kib;
  out.gl2c_cache_size = caches.l2_kib;
  out.mall_size = static_cast<std::uint64_t>(caches.l3_kib) << 10;
}

drm::DeviceInfo device_info(const GpuProduct& product) {
  drm::DeviceInfo out = {};
  const Generation& of = generation(product);
  out.device_id = product.device_id;
  out.chip_rev = kfd::capability::asic_revision(product.capability);
  out.external_rev = of.external_rev;
  out.pci_rev = product.pci_rev;
  out.family = of.family;
  out.num_shader_engines = product.array_count / product.simd_arrays_per_engine;
  out.num_shader_arrays_per_engine = product.simd_arrays_per_engine;
  out.gpu_counter_freq = counter_khz;
  out.max_engine_clock = product.engine_clk_mhz * 1000ull;
  out.max_memory_clock = product.memory_clk_mhz * 1000ull;
  out.min_engine_clock = silicon::clock_levels(product, ClockDomain::sclk).mhz.front() * 1000ull;
  out.min_memory_clock = silicon::clock_levels(product, ClockDomain::mclk).mhz.front() * 1000ull;
  out.cu_active_number = product.active_cus;
  out.num_hw_gfx_contexts = 8;
  out.pcie_gen = product.pcie_generation;
  out.pcie_num_lanes = product.pcie_lanes;
  out.ids_flags = product.apu ? drm::ids_flag_fusion : 0;
  out.vram_type = vram_type(product.memory_type);
  out.vram_bit_width = product.memory_width;
  out.gc_double_offchip_lds_buf = 1;
  out.wave_front_size = product.wave_size;
  const bool unified = product.gc.major == 9 && product.gc >= IpVersion{9, 4, 2};
  out.num_shader_visible_vgprs = product.gc.major >= 10 ? 1024 : unified ? 512 : 256;
  out.num_cu_per_sh = product.cu_per_simd_array;
  out.num_tcc_blocks = 16;
  fill_cus(out, product);
  fill_addresses(out);
  fill_caches(out, product);
  return out;
}

/// The kernel's estimate: all but what it keeps free, three quarters in one piece.
drm::Heap heap(std::uint64_t total, std::uint64_t used) {
  return {total, total, used, total / 4 * 3};
}

std::string_view firmware_part(drm::Firmware type) {
  using enum drm::Firmware;
  switch (type) {
    case gfx_me:
      return "_me.bin";
    case gfx_pfp:
      return "_pfp.bin";
    case gfx_ce:
      return "_ce.bin";
    case gfx_rlc:
      return "_rlc.bin";
    case gfx_mec:
      return "_mec.bin";
    case smc:
      return "smu_";
    case sdma:
      return "sdma";
    case sos:
      return "_sos.bin";
    case asd:
      return "_asd.bin";
    case vcn:
      return "vcn";
    case ta:
      return "_ta.bin";
    case dmcub:
      return "dmcub";
    case toc:
      return "_toc.bin";
    case vce:
      return "_vce.bin";
    case uvd:
      return "_uvd.bin";
    case gmc:
    case dmcu:
      return "(none)";
  }
  return {};
}

std::optional<std::uint32_t> sensor(const DrmDeviceInfo& of, drm::Sensor type) {
  const GpuProduct& product = *of.product;
  const auto clock = [&](ClockDomain domain, bool highest) {
    const silicon::ClockLevels levels = silicon::clock_levels(product, domain);
    const std::string& forced = of.device->performance_level;
    if (highest || forced == "high" || forced == "profile_peak") return levels.mhz.back();
    return forced == "low" ? levels.mhz.front() : levels.mhz.at(levels.idle);
  };
  const silicon::Temperatures is = silicon::idle_temperatures(product);
  switch (type) {
    case drm::Sensor::gfx_sclk:
      return clock(ClockDomain::sclk, false);
    case drm::Sensor::gfx_mclk:
      return clock(ClockDomain::mclk, false);
    case drm::Sensor::gpu_temp:
      return (is.edge != 0 ? is.edge : is.junction) * 1000;
    case drm::Sensor::gpu_load:
      return 0;
    case drm::Sensor::gpu_avg_power:
      return silicon::idle_watts(product);
    case drm::Sensor::vddgfx: {
      const std::uint32_t millivolts = silicon::idle_millivolts(product);
      return millivolts == 0 ? std::nullopt : std::optional(millivolts);
    }
    case drm::Sensor::stable_pstate_gfx_sclk:
      return clock(ClockDomain::sclk, true);
    case drm::Sensor::stable_pstate_gfx_mclk:
      return clock(ClockDomain::mclk, true);
  }
  return std::nullopt;
}

drm::HwIpInfo hw_ip(const GpuProduct& product, drm::HwIp type) {
  drm::HwIpInfo out = {};
  out.version_major = product.gc.major;
  out.version_minor = product.gc.minor;
  out.ib_start_alignment = out.ib_size_alignment = 32;
  const bool graphics = product.gc.major >= 10 || product.gc == IpVersion{9, 4, 0};
  switch (type) {
    case drm::HwIp::gfx:
      out.available_rings = graphics ? 1 : 0;
      break;
    case drm::HwIp::compute:
      out.available_rings = 0xFF;
      break;
    case drm::HwIp::dma:
      out.available_rings = (1u << (product.sdma_engines + product.sdma_xgmi_engines)) - 1;
      break;
    default:
      break;
  }
  return out;
}

class Reply {
 public:
  Reply(std::string& out, std::uint32_t limit) : out_(out), limit_(limit) {}
  template <class Value>
  int put(const Value& value) {
    out_.assign(reinterpret_cast<const char*>(&value), std::min<std::size_t>(sizeof value, limit_));
    return 0;
  }

 private:
  std::string& out_;
  std::uint32_t limit_;
};

int answer_registers(const DrmDeviceInfo& device, const drm::InfoRequest& request,
                     std::string& reply) {
  const std::uint32_t offset = request.argument[0], count = request.argument[1];
  if (count == 0 || count > 128) return EINVAL;
  // GRBM_STATUS of a GPU that does nothing (radeontop asks for it); no busy bit, the rest is
  // assumed.
  if (offset == drm::grbm_status_register && count == 1)
    return Reply(reply, request.return_size).put(std::uint32_t{0});
  // The only other one that libdrm asks of these families (amdgpu_gpu_info.c).
  if (offset != drm::gb_addr_config_register || count != 1) return EFAULT;
  return Reply(reply, request.return_size).put(device.gb_addr_config);
}

int answer_firmware(const DrmDeviceInfo& device, const drm::InfoRequest& request,
                    std::string& reply) {
  const std::string_view part = firmware_part(static_cast<drm::Firmware>(request.argument[0]));
  if (part.empty()) return EINVAL;
  drm::FirmwareVersion out = {};
  for (const auto& [file, version] : device.device->firmware) {
    if (file.find(part) != std::string::npos) out.version = version;
  }
  return Reply(reply, request.return_size).put(out);
}

}  // namespace

DrmDeviceInfo drm_device_info(const silicon::Gpu& gpu, const GpuDevice& device,
                              const DrmUsage& usage) {
  const GpuProduct& product = *gpu.product;
  DrmDeviceInfo out{.product = &product, .device = &device, .usage = usage};
  out.info = device_info(product);
  out.gb_addr_config = generation(product).gb_addr_config;
  out.memory = {heap(product.vram_bytes, usage.vram_bytes),
                heap(product.vram_bytes, usage.vram_bytes), heap(usage.gtt_size, usage.gtt_bytes)};
  if ((product.capability & kfd::capability::ras_event_notify) != 0) {
    out.ras_features = product.xgmi_links > 0 ? 0xEF : 0x6F;  // as sysfs' ras/features
  }
  return out;
}

int answer_info(const DrmDeviceInfo& device, const drm::InfoRequest& request, std::string& reply,
                bool& modelled) {
  modelled = true;
  reply.clear();
  if (request.return_size == 0) return EINVAL;
  Reply out(reply, request.return_size);
  switch (static_cast<drm::Info>(request.query)) {
    using enum drm::Info;
    case accel_working:
      return out.put(std::uint32_t{1});
    case hw_ip_info:
      return out.put(hw_ip(*device.product, static_cast<drm::HwIp>(request.argument[0])));
    case hw_ip_count: {
      const auto ip = hw_ip(*device.product, static_cast<drm::HwIp>(request.argument[0]));
      return out.put(std::uint32_t{ip.available_rings != 0});
    }
    case timestamp:
      return out.put(device.usage.driver_time_ns / (1'000'000 / counter_khz));
    case fw_version:
      return answer_firmware(device, request, reply);
    case vram_usage:
      return out.put(device.memory.vram.usage);
    case vis_vram_usage:
      return out.put(device.memory.visible_vram.usage);
    case gtt_usage:
      return out.put(device.memory.gtt.usage);
    case vram_gtt:
      return out.put(drm::VramGtt{device.memory.vram.total, device.memory.visible_vram.total,
                                  device.memory.gtt.total});
    case read_mmr_reg:
      return answer_registers(device, request, reply);
    case dev_info:
      return out.put(device.info);
    case memory:
      return out.put(device.memory);
    case sensor: {
      const std::uint32_t type = request.argument[0];
      if (type == 0 || type > 9) return EINVAL;
      const auto value = kernel::sensor(device, static_cast<drm::Sensor>(type));
      return value ? out.put(*value) : EOPNOTSUPP;
    }
    case num_bytes_moved:
    case num_evictions:
    case num_vram_cpu_page_faults:
      return out.put(std::uint64_t{0});
    case vram_lost_counter:
      return out.put(std::uint32_t{0});
    case ras_enabled_features:
      return out.put(device.ras_features);
    case gds_config:
      break;
  }
  modelled = request.query > 0x22;  // 0x22 is the newest that the driver of this era knows
  return EINVAL;
}

bool has_minor(const sim::Os& os, std::uint32_t number) {
  constexpr std::uint32_t classic = 64;
  return number < classic || sim::compare_versions(os.kernel_release, "6.12") >= 0;
}

DrmVersion drm_version(std::string_view kernel_release, std::string_view dkms) {
  DrmVersion version;
  const std::string release(kernel_release), driver(dkms);
  if (!driver.empty()) {
    version.minor = sim::compare_versions(driver, "6.10") >= 0 ? 61 : 57;
  } else {
    version.minor = sim::compare_versions(release, "6.8") >= 0   ? 57
                    : sim::compare_versions(release, "6.5") >= 0 ? 54
                                                                 : 49;
  }
  return version;
}

}  // namespace rocdrill::kernel
