#include "sim/silicon/telemetry.hpp"

#include <algorithm>

namespace rocdrill::silicon {
namespace {

bool instinct(const GpuProduct& product) {
  return product.marketing_name.starts_with("AMD Instinct");
}
bool cdna3(const GpuProduct& product) {
  return product.gc.major == 9 && product.gc >= IpVersion{9, 4, 3};
}
bool rdna(const GpuProduct& product) { return product.gc.major >= 10; }

ClockLevels engine(const GpuProduct& product) {
  const std::uint32_t top = product.engine_clk_mhz;
  if (cdna3(product)) return {{500, 132, top}, 1};
  if (product.gc == IpVersion{9, 4, 2}) return {{500, 800, top}, 1};
  if (product.gc == IpVersion{9, 4, 1}) return {{300, 701, 991, 1176, 1305, 1401, top}, 0};
  if (!rdna(product)) return {{701, 809, 1085, 1287, 1434, 1550, 1634, 1740, top}, 0};
  return {{500, top}, 0};
}

ClockLevels memory(const GpuProduct& product) {
  const std::uint32_t top = product.memory_clk_mhz;
  if (product.product == "MI300X" || product.product == "MI300A")
    return {{900, 1100, 1200, top}, 0};
  if (cdna3(product)) return {{900, top}, 0};
  if (product.gc == IpVersion{9, 4, 2}) return {{400, 700, 1200, top}, 3};
  if (product.gc == IpVersion{9, 4, 1}) return {{top}, 0};
  if (!rdna(product)) return {{351, 801, top}, 0};
  if (product.apu) return {{top / 2, top}, 0};
  return {{96, 456, 673, top}, 0};
}

}  // namespace

ClockLevels clock_levels(const GpuProduct& product, ClockDomain domain) {
  switch (domain) {
    case ClockDomain::sclk:
      return engine(product);
    case ClockDomain::mclk:
      return memory(product);
    case ClockDomain::fclk:
      if (cdna3(product)) return {{1200, 2000}, 0};
      if (product.gc == IpVersion{9, 4, 2}) return {{400, 1600}, 1};
      if (product.gc.major == 9) return {{550, 1085, 1402}, 0};
      return {{550, 1200, 1940}, 0};
    case ClockDomain::socclk:
      if (cdna3(product)) return {{28, 1000}, 0};
      if (product.gc == IpVersion{9, 4, 2}) return {{666, 857, 1000, 1090, 1333}, 3};
      return {{480, 960, 1200}, 0};
    case ClockDomain::dcefclk:
      if (instinct(product)) return {};
      return {{417, 1200}, 0};
  }
  return {};
}

Temperatures idle_temperatures(const GpuProduct& product) {
  if (cdna3(product)) {
    return {.edge = 0,
            .junction = 48,
            .memory = 45,
            .edge_critical = 0,
            .junction_critical = 100,
            .memory_critical = 105};
  }
  if (product.apu) {
    return {.edge = 40,
            .junction = 0,
            .memory = 0,
            .edge_critical = 0,
            .junction_critical = 0,
            .memory_critical = 0};
  }
  if (instinct(product)) {
    return {.edge = 36,
            .junction = 38,
            .memory = 42,
            .edge_critical = 100,
            .junction_critical = 110,
            .memory_critical = 105};
  }
  return {.edge = 41,
          .junction = 45,
          .memory = 48,
          .edge_critical = 100,
          .junction_critical = 110,
          .memory_critical = 100};
}

Temperatures temperatures(const Gpu& gpu) {
  Temperatures is = idle_temperatures(*gpu.product);
  if (gpu.defects.hot == Throttler::soc) is.junction = is.junction_critical;
  if (gpu.defects.hot == Throttler::hbm) is.memory = is.memory_critical;
  return is;
}

std::uint32_t watts(const Gpu& gpu) {
  return gpu.defects.hot == Throttler::ppt ? gpu.product->tdp_watts : idle_watts(*gpu.product);
}

std::uint32_t engine_limit_mhz(const Gpu& gpu) {
  return gpu.defects.hot ? gpu.product->engine_clk_mhz / 4 : gpu.product->engine_clk_mhz;
}

std::uint32_t throttle_status(const Gpu& gpu) {
  return gpu.defects.hot ? 1u << static_cast<unsigned>(*gpu.defects.hot) : 0;
}

std::uint32_t idle_watts(const GpuProduct& product) {
  if (cdna3(product)) return 135;
  if (product.gc == IpVersion{9, 4, 2}) return product.product == "MI250X" ? 90 : 41;
  if (instinct(product)) return 34;
  return product.apu ? 6 : 12;
}

PowerLimits power_limits(const GpuProduct& product) {
  const std::uint32_t standard = product.tdp_watts;
  if (instinct(product)) return {0, standard, standard};
  return {0, standard, standard + standard * 15 / 100};
}

std::uint32_t idle_millivolts(const GpuProduct& product) {
  if (cdna3(product)) return 0;
  return instinct(product) ? 793 : 731;
}

bool has_fan(const GpuProduct& product) { return !instinct(product) && !product.apu; }

std::uint64_t reserved_vram(const GpuProduct& product) {
  if (cdna3(product)) return 283ull << 20;
  return instinct(product) ? 10'850'304ull : 18'874'368ull;
}

std::string_view vram_vendor(const GpuProduct& product) {
  return product.memory_type.starts_with("HBM") ? "hynix" : "samsung";
}

std::string_view vbios_version(const GpuProduct& product) {
  struct Row {
    std::string_view product, version;
  };
  constexpr Row rows[] = {{"MI100", "113-D3431401-100"},       {"MI210", "113-D67301-063"},
                          {"MI250X", "113-D65209-073"},        {"MI300A", "113-MI300A-001"},
                          {"MI300X", "113-M3000100-102"},      {"RX 6900 XT", "113-D41201-XL"},
                          {"RX 7900 XTX", "113-D70401XT-000"}, {"Radeon VII", "113-D3600200-106"}};
  const auto row = std::ranges::find(rows, product.product, &Row::product);
  return row == std::end(rows) ? "113-0000000-000" : row->version;
}

std::string_view ifwi_version(const GpuProduct& product) {
  return product.product == "MI300X" ? "022.040.003.043.000001" : "";
}

/// Of MI300X the catalogue has NPS1 and NPS4 alone, which every IFWI lists.
std::vector<MemoryMode> offered_memory_modes(const Gpu& gpu) {
  return {gpu.product->memory_modes.begin(), gpu.product->memory_modes.end()};
}

bool switches_memory_mode(const Gpu& gpu) {  // versions of one length compare as text
  return gpu.ifwi.empty() || gpu.product->product != "MI300X" || gpu.ifwi >= "022.040.003.043";
}

}  // namespace rocdrill::silicon
