// What DRM_IOCTL_VERSION and DRM_AMDGPU_INFO of a render node take and give. Layouts and numbers:
// drm.h and amdgpu_drm.h of Linux 6.x; a program that asks for less gets the first bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocdrill::drm {

/// DRM_AMDGPU_INFO is command 0x45; an ioctl number holds it in its low byte.
inline constexpr std::uint32_t info_command = 0x45;
inline constexpr std::uint32_t version_command = 0x00;

/// InfoRequest::query.
enum class Info : std::uint32_t {
  accel_working = 0x00,
  hw_ip_info = 0x02,
  hw_ip_count = 0x03,
  timestamp = 0x05,
  fw_version = 0x0E,
  num_bytes_moved = 0x0F,
  vram_usage = 0x10,
  gtt_usage = 0x11,
  gds_config = 0x13,
  vram_gtt = 0x14,
  read_mmr_reg = 0x15,
  dev_info = 0x16,
  vis_vram_usage = 0x17,
  num_evictions = 0x18,
  memory = 0x19,
  sensor = 0x1D,
  num_vram_cpu_page_faults = 0x1E,
  vram_lost_counter = 0x1F,
  ras_enabled_features = 0x20,
};

enum class Sensor : std::uint32_t {
  gfx_sclk = 1,       ///< MHz
  gfx_mclk = 2,       ///< MHz
  gpu_temp = 3,       ///< millidegrees Celsius
  gpu_load = 4,       ///< percent
  gpu_avg_power = 5,  ///< watts
  vddgfx = 7,         ///< millivolts
  stable_pstate_gfx_sclk = 8,
  stable_pstate_gfx_mclk = 9,
};

/// fw_type of Info::fw_version.
enum class Firmware : std::uint32_t {
  vce = 1,
  uvd = 2,
  gmc = 3,
  gfx_me = 4,
  gfx_pfp = 5,
  gfx_ce = 6,
  gfx_rlc = 7,
  gfx_mec = 8,
  smc = 10,
  sdma = 11,
  sos = 12,
  asd = 13,
  vcn = 14,
  dmcu = 18,
  ta = 19,
  dmcub = 20,
  toc = 21,
};

enum class HwIp : std::uint32_t { gfx = 0, compute = 1, dma = 2, vcn_dec = 6, vcn_enc = 7 };

inline constexpr std::uint32_t gb_addr_config_register = 0x263E;
inline constexpr std::uint32_t grbm_status_register = 0x2004;

/// The argument of DRM_AMDGPU_INFO. `argument` is a union: fw_version has {type, instance, index},
/// hw_ip {type, instance}, read_mmr_reg {offset, count, instance, flags}, sensor {type}.
struct InfoRequest {
  std::uint64_t return_pointer;
  std::uint32_t return_size;
  std::uint32_t query;
  std::uint32_t argument[4];
};
static_assert(sizeof(InfoRequest) == 32);

struct FirmwareVersion {
  std::uint32_t version, feature;
};

struct HwIpInfo {
  std::uint32_t version_major, version_minor;
  std::uint64_t capabilities;
  std::uint32_t ib_start_alignment, ib_size_alignment;
  std::uint32_t available_rings, pad;
};
static_assert(sizeof(HwIpInfo) == 32);

struct VramGtt {
  std::uint64_t vram, visible_vram, gtt;
};

struct Heap {
  std::uint64_t total, usable, usage, max_allocation;
};
struct MemoryInfo {
  Heap vram, visible_vram, gtt;
};
static_assert(sizeof(MemoryInfo) == 96);

/// Clocks in kHz, addresses in bytes.
struct DeviceInfo {
  std::uint32_t device_id, chip_rev, external_rev, pci_rev, family;
  std::uint32_t num_shader_engines, num_shader_arrays_per_engine, gpu_counter_freq;
  std::uint64_t max_engine_clock, max_memory_clock;
  std::uint32_t cu_active_number, cu_ao_mask, cu_bitmap[4][4];
  std::uint32_t enabled_rb_pipes_mask, num_rb_pipes, num_hw_gfx_contexts, pcie_gen;
  std::uint64_t ids_flags;
  std::uint64_t virtual_address_offset, virtual_address_max;
  std::uint32_t virtual_address_alignment, pte_fragment_size, gart_page_size, ce_ram_size;
  std::uint32_t vram_type, vram_bit_width, vce_harvest_config, gc_double_offchip_lds_buf;
  std::uint64_t prim_buf_gpu_addr, pos_buf_gpu_addr, cntl_sb_buf_gpu_addr, param_buf_gpu_addr;
  std::uint32_t prim_buf_size, pos_buf_size, cntl_sb_buf_size, param_buf_size;
  std::uint32_t wave_front_size, num_shader_visible_vgprs, num_cu_per_sh, num_tcc_blocks;
  std::uint32_t gs_vgt_table_depth, gs_prim_buffer_depth, max_gs_waves_per_vgt, pcie_num_lanes;
  std::uint32_t cu_ao_bitmap[4][4];
  std::uint64_t high_va_offset, high_va_max;
  std::uint32_t pa_sc_tile_steering_override, pad;
  std::uint64_t tcc_disabled_mask;
  // Newer than libdrm 2.4.114:
  std::uint64_t min_engine_clock, min_memory_clock;
  std::uint32_t tcp_cache_size, num_sqc_per_wgp, sqc_data_cache_size, sqc_inst_cache_size;
  std::uint32_t gl1c_cache_size, gl2c_cache_size;
  std::uint64_t mall_size;
  std::uint32_t enabled_rb_pipes_mask_hi, pad2;
};
static_assert(offsetof(DeviceInfo, max_engine_clock) == 32);
static_assert(offsetof(DeviceInfo, ids_flags) == 136);
static_assert(offsetof(DeviceInfo, virtual_address_offset) == 144);
static_assert(offsetof(DeviceInfo, vram_type) == 176);
static_assert(offsetof(DeviceInfo, wave_front_size) == 240);
static_assert(offsetof(DeviceInfo, high_va_offset) == 336);
static_assert(offsetof(DeviceInfo, tcc_disabled_mask) == 360);
static_assert(offsetof(DeviceInfo, min_engine_clock) == 368);

inline constexpr std::uint64_t ids_flag_fusion = 1;  ///< integrated

// vram_type
inline constexpr std::uint32_t vram_unknown = 0, vram_hbm = 6, vram_gddr6 = 9, vram_ddr5 = 10,
                               vram_lpddr5 = 12;

}  // namespace rocdrill::drm
