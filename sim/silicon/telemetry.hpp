// What the sensors of an idle GPU show, and the levels of its clocks: the values behind hwmon,
// pp_dpm_* and gpu_metrics until a workload moves them.
//
// Highest engine and memory clocks and the power limits are the catalogue's. MI300X idles at 48 C,
// 135 W, 124..132 MHz, and its memory clock has the levels 900/1100/1200/1300 (measured,
// documented). Everything else is assumed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/silicon/board.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::silicon {

/// The levels of one clock, in the order of pp_dpm_*, and which one is current.
struct ClockLevels {
  std::vector<std::uint32_t> mhz;
  std::size_t idle = 0;
};

enum class ClockDomain : std::uint8_t { sclk, mclk, fclk, socclk, dcefclk };

/// Empty levels: the product has no such file.
ClockLevels clock_levels(const GpuProduct& product, ClockDomain domain);

/// Degrees Celsius; 0 = no such sensor.
struct Temperatures {
  std::uint32_t edge = 0, junction = 0, memory = 0;
  std::uint32_t edge_critical = 0, junction_critical = 0, memory_critical = 0;
};
Temperatures idle_temperatures(const GpuProduct& product);

std::uint32_t idle_watts(const GpuProduct& product);

/// What the sensors of this board show: idle, or at the limit that holds it back.
Temperatures temperatures(const Gpu& gpu);
std::uint32_t watts(const Gpu& gpu);
/// The highest engine clock that the SMU allows; a quarter of the peak while it throttles
/// (assumed).
std::uint32_t engine_limit_mhz(const Gpu& gpu);
/// throttle_status of gpu_metrics: bit = Throttler.
std::uint32_t throttle_status(const Gpu& gpu);
/// Lowest and highest value that power1_cap takes. Boards for games go above their default.
struct PowerLimits {
  std::uint32_t minimum = 0, standard = 0, maximum = 0;
};
PowerLimits power_limits(const GpuProduct& product);

/// Millivolts of the graphics core when idle; 0 = no such sensor.
std::uint32_t idle_millivolts(const GpuProduct& product);
bool has_fan(const GpuProduct& product);

/// Bytes of VRAM that the driver and the firmware keep for themselves.
std::uint64_t reserved_vram(const GpuProduct& product);
std::string_view vram_vendor(const GpuProduct& product);
/// "113-D67301-063": MI300X documented, the others assumed.
std::string_view vbios_version(const GpuProduct& product);
/// "022.040.003.043.000001", the IFWI that a board comes with; "" where none is known. Documented
/// for MI300X.
std::string_view ifwi_version(const GpuProduct& product);
/// The memory modes that the board's IFWI lists.
std::vector<MemoryMode> offered_memory_modes(const Gpu& gpu);
/// Whether its PSP does what the driver asks for: that of an MI300X before IFWI .043 refuses.
bool switches_memory_mode(const Gpu& gpu);

}  // namespace rocdrill::silicon
