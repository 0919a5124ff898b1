// gpu_metrics: the table that the driver hands out as bytes. Layouts: kgd_pp_interface.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/silicon/board.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::kernel {

struct MetricsHeader {
  std::uint16_t structure_size;
  std::uint8_t format_revision;
  std::uint8_t content_revision;
};

/// Temperatures in degrees, power in watts, clocks in MHz, link speed in 0.1 GT/s; 0xFFFF where
/// there is no such sensor.
struct MetricsV1_3 {
  MetricsHeader header;
  std::uint16_t temperature_edge, temperature_hotspot, temperature_mem;
  std::uint16_t temperature_vrgfx, temperature_vrsoc, temperature_vrmem;
  std::uint16_t average_gfx_activity, average_umc_activity, average_mm_activity;
  std::uint16_t average_socket_power;
  std::uint64_t energy_accumulator, system_clock_counter;
  std::uint16_t average_gfxclk, average_socclk, average_uclk;
  std::uint16_t average_vclk0, average_dclk0, average_vclk1, average_dclk1;
  std::uint16_t current_gfxclk, current_socclk, current_uclk;
  std::uint16_t current_vclk0, current_dclk0, current_vclk1, current_dclk1;
  std::uint32_t throttle_status;
  std::uint16_t current_fan_speed, pcie_link_width, pcie_link_speed, padding;
  std::uint32_t gfx_activity_acc, mem_activity_acc;
  std::uint16_t temperature_hbm[4];
  std::uint64_t firmware_timestamp;
  std::uint16_t voltage_soc, voltage_gfx, voltage_mem, padding1;
  std::uint64_t indep_throttle_status;
};
static_assert(sizeof(MetricsV1_3) == 120);
static_assert(offsetof(MetricsV1_3, energy_accumulator) == 24);
static_assert(offsetof(MetricsV1_3, current_fan_speed) == 72);
static_assert(offsetof(MetricsV1_3, firmware_timestamp) == 96);

struct MetricsV1_4 {
  MetricsHeader header;
  std::uint16_t temperature_hotspot, temperature_mem, temperature_vrsoc;
  std::uint16_t curr_socket_power;
  std::uint16_t average_gfx_activity, average_umc_activity, vcn_activity[4];
  std::uint64_t energy_accumulator, system_clock_counter;
  std::uint32_t throttle_status, gfxclk_lock_status;
  std::uint16_t pcie_link_width, pcie_link_speed, xgmi_link_width, xgmi_link_speed;
  std::uint32_t gfx_activity_acc, mem_activity_acc;
  std::uint64_t pcie_bandwidth_acc, pcie_bandwidth_inst, pcie_l0_to_recov_count_acc;
  std::uint64_t pcie_replay_count_acc, pcie_replay_rover_count_acc;
  std::uint64_t xgmi_read_data_acc[8], xgmi_write_data_acc[8];
  std::uint64_t firmware_timestamp;
  std::uint16_t current_gfxclk[8], current_socclk[4], current_vclk0[4], current_dclk0[4];
  std::uint16_t current_uclk, padding;
};
static_assert(sizeof(MetricsV1_4) == 288);
static_assert(offsetof(MetricsV1_4, energy_accumulator) == 24);
static_assert(offsetof(MetricsV1_4, firmware_timestamp) == 232);
static_assert(offsetof(MetricsV1_4, current_uclk) == 280);

/// Of an idle GPU: v1.4 from GC 9.4.3 on, else v1.3. "" for integrated GPUs, whose tables (v2.x)
/// are not modelled. `now_ns` is the driver's time, `sclk_mhz` the current engine clock.
/// Sensors and throttle status are the board's.
std::string gpu_metrics(const silicon::Gpu& gpu, std::uint64_t now_ns, std::uint32_t sclk_mhz);

}  // namespace rocdrill::kernel
