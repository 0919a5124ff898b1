#include "sim/kernel/gpu_metrics.hpp"

#include <algorithm>
#include <cstring>

#include "sim/silicon/telemetry.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::ClockDomain;

constexpr std::uint16_t absent = 0xFFFF;

std::uint16_t current(const GpuProduct& product, ClockDomain domain) {
  const silicon::ClockLevels levels = silicon::clock_levels(product, domain);
  return levels.mhz.empty() ? absent : static_cast<std::uint16_t>(levels.mhz.at(levels.idle));
}

std::uint16_t link_speed(const GpuProduct& product) {
  constexpr std::uint16_t speeds[] = {0, 25, 50, 80, 160, 320, 640};
  return speeds[std::min<std::size_t>(product.pcie_generation, 6)];
}

/// In units of 2^-16 J, as if it had been idle since the driver's start.
std::uint64_t energy(const GpuProduct& product, std::uint64_t now_ns) {
  return silicon::idle_watts(product) * (now_ns / 1'000'000) * 65536 / 1000;
}

template <class Metrics>
std::string bytes(const Metrics& metrics) {
  std::string out(sizeof metrics, '\0');
  std::memcpy(out.data(), &metrics, sizeof metrics);
  return out;
}

template <class Metrics>
Metrics start(std::uint8_t content) {
  Metrics metrics;
  std::memset(&metrics, 0xFF, sizeof metrics);  // smu_cmn_init_soft_gpu_metrics()
  metrics.header = {sizeof metrics, 1, content};
  return metrics;
}

std::string version_1_3(const silicon::Gpu& gpu, std::uint64_t now_ns, std::uint16_t sclk) {
  const GpuProduct& product = *gpu.product;
  auto out = start<MetricsV1_3>(3);
  const auto temperature = silicon::temperatures(gpu);
  out.temperature_edge = static_cast<std::uint16_t>(temperature.edge);
  out.temperature_hotspot = static_cast<std::uint16_t>(temperature.junction);
  out.temperature_mem = static_cast<std::uint16_t>(temperature.memory);
  out.average_gfx_activity = out.average_umc_activity = out.average_mm_activity = 0;
  out.average_socket_power = static_cast<std::uint16_t>(silicon::watts(gpu));
  out.energy_accumulator = energy(product, now_ns);
  out.system_clock_counter = now_ns;
  out.average_gfxclk = out.current_gfxclk = sclk;
  out.average_uclk = out.current_uclk = current(product, ClockDomain::mclk);
  out.average_socclk = out.current_socclk = current(product, ClockDomain::socclk);
  out.throttle_status = silicon::throttle_status(gpu);
  out.indep_throttle_status = 0;
  out.current_fan_speed = 0;
  out.pcie_link_width = product.pcie_lanes;
  out.pcie_link_speed = link_speed(product);
  out.gfx_activity_acc = out.mem_activity_acc = 0;
  if (product.memory_type.starts_with("HBM")) {
    std::ranges::fill(out.temperature_hbm, out.temperature_mem);
  }
  out.firmware_timestamp = now_ns / 10;
  out.voltage_gfx = static_cast<std::uint16_t>(silicon::idle_millivolts(product));
  return bytes(out);
}

std::string version_1_4(const silicon::Gpu& gpu, std::uint64_t now_ns, std::uint16_t sclk) {
  const GpuProduct& product = *gpu.product;
  auto out = start<MetricsV1_4>(4);
  const auto temperature = silicon::temperatures(gpu);
  out.temperature_hotspot = static_cast<std::uint16_t>(temperature.junction);
  out.temperature_mem = static_cast<std::uint16_t>(temperature.memory);
  out.curr_socket_power = static_cast<std::uint16_t>(silicon::watts(gpu));
  out.average_gfx_activity = out.average_umc_activity = 0;
  std::ranges::fill(out.vcn_activity, std::uint16_t{0});
  out.energy_accumulator = energy(product, now_ns);
  out.system_clock_counter = now_ns;
  out.throttle_status = silicon::throttle_status(gpu);
  out.gfxclk_lock_status = 0;
  out.pcie_link_width = product.pcie_lanes;
  out.pcie_link_speed = link_speed(product);
  out.xgmi_link_width = product.xgmi_links > 0 ? 16 : 0;
  out.xgmi_link_speed = product.xgmi_links > 0 ? 32 : 0;
  out.gfx_activity_acc = out.mem_activity_acc = 0;
  out.pcie_bandwidth_acc = out.pcie_bandwidth_inst = out.pcie_l0_to_recov_count_acc = 0;
  out.pcie_replay_count_acc = out.pcie_replay_rover_count_acc = 0;
  std::ranges::fill(out.xgmi_read_data_acc, 0ull);
  std::ranges::fill(out.xgmi_write_data_acc, 0ull);
  out.firmware_timestamp = now_ns / 10;
  std::fill_n(out.current_gfxclk, std::min(product.xcc_count, 8u), sclk);
  std::ranges::fill(out.current_socclk, current(product, ClockDomain::socclk));
  out.current_uclk = current(product, ClockDomain::mclk);
  return bytes(out);
}

}  // namespace

std::string gpu_metrics(const silicon::Gpu& gpu, std::uint64_t now_ns, std::uint32_t sclk_mhz) {
  const GpuProduct& product = *gpu.product;
  const auto sclk = static_cast<std::uint16_t>(sclk_mhz);
  if (product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3}) {
    return version_1_4(gpu, now_ns, sclk);
  }
  return product.apu ? std::string() : version_1_3(gpu, now_ns, sclk);
}

}  // namespace rocdrill::kernel
