// <pci device>/hwmon/hwmonN: the sensors (amdgpu_pm.c, hwmon_attributes).
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "sim/kernel/kernel.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t microwatts = 1'000'000;

bool cdna3(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3};
}

void temperature(sim::VirtualDirectory& into, int channel, const char* label, std::uint32_t value,
                 std::uint32_t critical) {
  if (value == 0) return;
  const auto name = [channel](const char* what) { return fmt::format("temp{}_{}", channel, what); };
  into.text(name("input"), fmt::format("{}000\n", value));
  into.text(name("label"), std::string(label) + "\n");
  if (critical == 0) return;
  into.text(name("crit"), fmt::format("{}000\n", critical));
  into.text(name("crit_hyst"), "-273150\n");
  into.text(name("emergency"), fmt::format("{}000\n", critical + 5));
}

void frequency(sim::VirtualDirectory& into, int channel, const char* label, std::uint64_t mhz) {
  into.text(fmt::format("freq{}_input", channel), fmt::format("{}\n", mhz * 1'000'000));
  into.text(fmt::format("freq{}_label", channel), std::string(label) + "\n");
}

std::uint32_t current_mhz(const GpuProduct& product, silicon::ClockDomain domain,
                          std::string_view forced) {
  const silicon::ClockLevels levels = silicon::clock_levels(product, domain);
  if (forced == "low") return levels.mhz.front();
  if (forced == "high" || forced == "profile_peak") return levels.mhz.back();
  return levels.mhz.at(levels.idle);
}

void fan(sim::VirtualDirectory& into) {  // assumed: it stands still while the board is cool
  into.text("fan1_input", "0\n");
  into.text("fan1_min", "0\n");
  into.text("fan1_max", "3300\n");
  into.text("fan1_target", "0\n", 0644);
  into.text("fan1_enable", "0\n", 0644);
  into.text("pwm1", "0\n", 0644);
  into.text("pwm1_min", "0\n");
  into.text("pwm1_max", "255\n");
  into.text("pwm1_enable", "2\n", 0644);
}

}  // namespace

void SysFs::hwmon(Directory& into, std::size_t index) const {
  const auto& devices = kernel_.amdgpu.devices();
  const auto bound_before =
      std::count_if(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(index),
                    [](const GpuDevice& each) { return each.state == GpuDevice::State::bound; });
  const GpuDevice& device = devices[index];
  const std::string name = fmt::format("hwmon{}", bound_before);
  into.directory(name, [this, &device, index, name](Directory& inside) {
    const GpuProduct& product = *gpu_of(device).product;
    inside.text("name", "amdgpu\n");
    inside.text("uevent", "", 0644);
    inside.link("device", "../../../" + gpu_of(device).bdf.text());
    inside.link("subsystem",
                sim::relative_link(path_of(device) + "/hwmon/" + name, "/sys/class/hwmon"));
    const silicon::Temperatures is = silicon::temperatures(gpu_of(device));
    temperature(inside, 1, "edge", is.edge, is.edge_critical);
    temperature(inside, 2, "junction", is.junction, is.junction_critical);
    temperature(inside, 3, "mem", is.memory, is.memory_critical);
    const std::uint32_t millivolts = silicon::idle_millivolts(product);
    if (millivolts != 0) {
      inside.text("in0_input", fmt::format("{}\n", millivolts));
      inside.text("in0_label", "vddgfx\n");
    }
    frequency(inside, 1, "sclk",
              current_mhz(product, silicon::ClockDomain::sclk, device.performance_level));
    if (!product.apu) {
      frequency(inside, 2, "mclk",
                current_mhz(product, silicon::ClockDomain::mclk, device.performance_level));
    }
    if (silicon::has_fan(product)) fan(inside);
    const std::uint64_t watts = silicon::watts(gpu_of(device));
    inside.text(cdna3(product) ? "power1_input" : "power1_average",
                fmt::format("{}\n", watts * microwatts));
    inside.text("power1_label", "PPT\n");
    const silicon::PowerLimits limits = silicon::power_limits(product);
    if (limits.standard == 0) return;
    inside.text("power1_cap_min", fmt::format("{}\n", limits.minimum * microwatts));
    inside.text("power1_cap_max", fmt::format("{}\n", limits.maximum * microwatts));
    inside.text("power1_cap_default", fmt::format("{}\n", limits.standard * microwatts));
    inside.writable(
        "power1_cap",
        [&device, limits] {
          const std::uint64_t cap =
              device.power_cap_uw != 0 ? device.power_cap_uw : limits.standard * microwatts;
          return fmt::format("{}\n", cap);
        },
        [this, index, limits](std::string_view data, EventId cause) -> SysResult<void> {
          while (data.ends_with('\n')) data.remove_suffix(1);
          std::uint64_t value = 0;
          const char* last = data.data() + data.size();
          const auto [end, error] = std::from_chars(data.data(), last, value);
          if (error != std::errc{} || end != last) return fail(EINVAL, cause);
          value = value / microwatts * microwatts;  // the SMU takes watts
          if (value < limits.minimum * microwatts || value > limits.maximum * microwatts ||
              value == 0) {
            return fail(EINVAL, cause);
          }
          GpuDevice& set = kernel_.amdgpu.device(index);
          os_.journal.record(Layer::kernel, Severity::info, "amdgpu.power_cap",
                             gpu_of(set).bdf.text(),
                             {{"microwatts", static_cast<std::int64_t>(value)},
                              {field::see, "rocm-smi --showmaxpower"}},
                             cause);
          set.power_cap_uw = value;
          return {};
        });
  });
}

}  // namespace rocdrill::kernel
