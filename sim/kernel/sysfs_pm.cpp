// Clocks, load and power management of a device: amdgpu_pm.c.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "sim/kernel/gpu_metrics.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::kernel {
namespace {

using silicon::ClockDomain;

constexpr std::pair<const char*, ClockDomain> dpm_files[] = {
    {"pp_dpm_sclk", ClockDomain::sclk},
    {"pp_dpm_mclk", ClockDomain::mclk},
    {"pp_dpm_fclk", ClockDomain::fclk},
    {"pp_dpm_socclk", ClockDomain::socclk},
    {"pp_dpm_dcefclk", ClockDomain::dcefclk}};

constexpr std::string_view performance_levels[] = {"auto",
                                                   "low",
                                                   "high",
                                                   "manual",
                                                   "profile_exit",
                                                   "profile_standard",
                                                   "profile_min_sclk",
                                                   "profile_min_mclk",
                                                   "profile_peak"};

bool arcturus_or_later(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 1};
}
bool has_determinism(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 2};
}

/// Which level a clock is at: what root forced, else where it idles.
std::size_t current_level(const silicon::ClockLevels& levels, std::string_view forced) {
  if (forced == "low") return 0;
  if (forced == "high" || forced == "profile_peak") return levels.mhz.size() - 1;
  return levels.idle;
}

/// While the SMU throttles, no level of the engine clock is above its limit.
silicon::ClockLevels throttled_levels(const silicon::Gpu& gpu, ClockDomain domain) {
  silicon::ClockLevels levels = silicon::clock_levels(*gpu.product, domain);
  if (domain != ClockDomain::sclk || !gpu.defects.hot) return levels;
  for (std::uint32_t& mhz : levels.mhz) mhz = std::min(mhz, silicon::engine_limit_mhz(gpu));
  return levels;
}

std::string levels_text(const silicon::ClockLevels& levels, std::string_view forced) {
  std::string text;
  const std::size_t current = current_level(levels, forced);
  for (std::size_t i = 0; i < levels.mhz.size(); ++i) {
    text += fmt::format("{}: {}Mhz{}\n", i, levels.mhz[i], i == current ? " *" : "");
  }
  return text;
}

std::string pcie_text(const GpuProduct& product) {
  constexpr const char* speeds[] = {"", "2.5", "5.0", "8.0", "16.0", "32.0", "64.0"};
  const char* top = speeds[std::min<std::size_t>(product.pcie_generation, 6)];
  return fmt::format("0: 2.5GT/s, x1 310Mhz \n1: {}GT/s, x{} 619Mhz *\n", top, product.pcie_lanes);
}

/// The range that perf_determinism works in. Boards for games show a curve, but only with bit 14 of
/// amdgpu.ppfeaturemask, which is off by default and not modelled. The memory's lower bound is
/// assumed.
std::string overdrive_text(const GpuProduct& product) {
  return fmt::format("OD_SCLK:\n0: 500Mhz\n1: {}Mhz\nOD_MCLK:\n0: 400Mhz\n1: {}Mhz\n",
                     product.engine_clk_mhz, product.memory_clk_mhz);
}

std::string profiles_text() {
  constexpr const char* names[] = {"BOOTUP_DEFAULT", "POWER_SAVING", "VIDEO", "VR",
                                   "COMPUTE",        "CUSTOM"};
  std::string text = "PROFILE_INDEX(NAME) CLOCK_TYPE(NAME) FPS MinActiveFreqType MinActiveFreq\n";
  int index = 0;
  for (const char* name : names) {
    text += fmt::format("{:2} {:>14}{}:\n", index, name, index == 0 ? "*" : " ");
    text += "                    0(       GFXCLK)       0       5       1\n";
    ++index;
  }
  return text;
}

std::string word(std::string_view data) {
  while (data.ends_with('\n') || data.ends_with(' ')) data.remove_suffix(1);
  return std::string(data);
}

}  // namespace

/// The driver's last word on what holds the GPU back.
EventId SysFs::throttle_event(const GpuDevice& device) const {
  const std::string bdf = gpu_of(device).bdf.text();
  EventId last = no_event;
  for (const EventId id : os_.timeline.find({.kind_prefix = "gpu.throttled"})) {
    if (os_.timeline.at(id).subject == bdf) last = id;
  }
  return last;
}

void SysFs::power_management(Directory& into, std::size_t index) const {
  const GpuDevice& device = kernel_.amdgpu.devices()[index];
  const GpuProduct& product = *gpu_of(device).product;
  into.text("gpu_busy_percent", "0\n");
  if (!product.apu) into.text("mem_busy_percent", "0\n");
  into.text("power_dpm_state", "performance\n", 0644);
  into.writable(
      "power_dpm_force_performance_level", [&device] { return device.performance_level + "\n"; },
      [this, index, &product](std::string_view data, EventId cause) -> SysResult<void> {
        std::string level = word(data);
        const bool known =
            std::ranges::find(performance_levels, level) != std::end(performance_levels) ||
            (level == "perf_determinism" && has_determinism(product));
        if (!known) return fail(EINVAL, cause);
        GpuDevice& set = kernel_.amdgpu.device(index);
        if (level == "profile_exit") {
          if (!set.performance_level.starts_with("profile_")) return fail(EINVAL, cause);
          level = "auto";
        }
        os_.journal.record(
            Layer::kernel, Severity::info, "amdgpu.performance_level", gpu_of(set).bdf.text(),
            {{field::did, std::string_view(level)}, {field::see, "rocm-smi --showperflevel"}},
            cause);
        set.performance_level = level;
        return {};
      });
  if (into.wants_only("pp_dpm_sclk") && gpu_of(device).defects.hot)
    into.explain(throttle_event(device));
  for (const auto& [name, domain] : dpm_files) {
    if (!into.wants(name)) continue;
    const silicon::ClockLevels levels = throttled_levels(gpu_of(device), domain);
    if (levels.mhz.empty()) continue;
    const bool forced = domain == ClockDomain::sclk || domain == ClockDomain::mclk;
    into.text(name, levels_text(levels, forced ? device.performance_level : std::string("auto")),
              domain == ClockDomain::socclk && arcturus_or_later(product) ? 0444 : 0644);
  }
  if (!product.apu) into.text("pp_dpm_pcie", pcie_text(product), 0644);
  if (has_determinism(product)) into.text("pp_od_clk_voltage", overdrive_text(product), 0644);
  if (!has_determinism(product)) into.text("pp_power_profile_mode", profiles_text(), 0644);
  into.text("pp_num_states", "states: 1\n0 default\n");
  into.text("pp_cur_state", "0\n");
  into.text("pp_force_state", "\n", 0644);
  into.file("pp_table", [] { return std::string(); }, 0644);
  if (!product.apu) {
    into.text("pp_sclk_od", "0\n", 0644);
    into.text("pp_mclk_od", "0\n", 0644);
    into.file("gpu_metrics", [this, &device] {
      const auto levels = throttled_levels(gpu_of(device), ClockDomain::sclk);
      return gpu_metrics(gpu_of(device), os_.clock.now() - os_.booted_at_ns,
                         levels.mhz.at(current_level(levels, device.performance_level)));
    });
  }
  into.text("thermal_throttling_logging",
            fmt::format("{}: thermal throttling logging enabled, with interval 60 seconds\n",
                        gpu_of(device).bdf.text()),
            0644);
}

}  // namespace rocdrill::kernel
