#include "cli/kernel_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/silicon/catalogue.hpp"

namespace rocdrill::cli {
namespace {

constexpr std::string_view class_names[isa::class_count] = {
    "salu",      "smem",       "valu",        "transcendental", "mfma",
    "vmem_load", "vmem_store", "vmem_atomic", "scratch",        "lds",
    "branch",    "barrier",    "waitcnt",     "message",        "other"};
constexpr std::string_view bounds[] = {"the launch itself", "issuing instructions", "LDS",
                                       "memory, if no cache hits"};

const GpuProduct* product_of(const workbench::Workbench& bench) {
  const GpuProduct* found = nullptr;
  for (const GpuProduct& one : silicon::all()) {
    if (one.gfx != bench.shape().processor) continue;
    if (found == nullptr || one.active_cus == bench.shape().compute_units) found = &one;
  }
  return found;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

}  // namespace

std::string occupancy_text(const workbench::Workbench& bench, const code_objects::Kernel& kernel,
                           std::uint64_t waves_of_a_workgroup) {
  if (!kernel.descriptor) return {};
  constexpr std::string_view limits[] = {"wave slots", "VGPRs", "LDS"};
  const isa::Occupancy is =
      isa::occupancy(bench.shape(), *kernel.descriptor, static_cast<unsigned>(waves_of_a_workgroup),
                     static_cast<std::uint32_t>(kernel.group_segment_fixed_size));
  return fmt::format("{} waves per SIMD (limited by {})", is.waves_per_simd,
                     limits[static_cast<std::size_t>(is.limit)]);
}

isa::Estimate estimate(const workbench::Workbench& bench, const isa::DispatchCounters& counters) {
  isa::Rates rates;
  if (const GpuProduct* product = product_of(bench)) {
    rates.engine_mhz = product->engine_clk_mhz;
    rates.memory_bytes_per_us = memory_bytes_per_us(*product);
  }
  return isa::estimate(bench.shape(), rates, counters);
}

std::string counters_text(const workbench::Workbench& bench,
                          const isa::DispatchCounters& counters) {
  std::string text;
  for (std::size_t n = 0; n < isa::class_count; ++n)
    if (counters.instructions[n] != 0)
      text += fmt::format("  {:<15} {}\n", class_names[n], counters.instructions[n]);
  const isa::Traffic& moved = counters.traffic;
  text +=
      fmt::format("  {:<15} {} read, {} written, {} read by scalar instructions\n", "memory",
                  bytes_text(moved.read), bytes_text(moved.written), bytes_text(moved.scalar_read));
  if (moved.lds_cycles != 0)
    text += fmt::format("  {:<15} {} read, {} written, {} cycles, {} of them bank conflicts\n",
                        "LDS", bytes_text(moved.lds_read), bytes_text(moved.lds_written),
                        moved.lds_cycles, moved.lds_conflict_cycles);
  const isa::Estimate time = estimate(bench, counters);
  const GpuProduct* product = product_of(bench);
  text += fmt::format(
      "  {:<15} {:.1f} us on {}, bound by {}\n", "estimate", static_cast<double>(time.ns) / 1000,
      product ? product->marketing_name : "this GPU", bounds[static_cast<std::size_t>(time.bound)]);
  return text;
}

Json counters_json(const workbench::Workbench& bench, const isa::DispatchCounters& counters) {
  Json classes = Json::object();
  for (std::size_t n = 0; n < isa::class_count; ++n)
    classes[std::string(class_names[n])] = counters.instructions[n];
  const isa::Traffic& moved = counters.traffic;
  return {{"instructions", std::move(classes)},
          {"memory_read_bytes", moved.read},
          {"memory_written_bytes", moved.written},
          {"scalar_read_bytes", moved.scalar_read},
          {"lds_read_bytes", moved.lds_read},
          {"lds_written_bytes", moved.lds_written},
          {"lds_cycles", moved.lds_cycles},
          {"lds_conflict_cycles", moved.lds_conflict_cycles},
          {"estimated_ns", estimate(bench, counters).ns}};
}

std::string stats_csv(const std::string& kernel, const std::vector<std::uint64_t>& ns) {
  if (ns.empty()) return {};
  const std::uint64_t total = std::accumulate(ns.begin(), ns.end(), std::uint64_t{0});
  const double average = static_cast<double>(total) / static_cast<double>(ns.size());
  double squares = 0;
  for (const std::uint64_t one : ns) {
    const double off = static_cast<double>(one) - average;
    squares += off * off;
  }
  const double deviation =
      ns.size() > 1 ? std::sqrt(squares / static_cast<double>(ns.size() - 1)) : 0;
  const auto [least, most] = std::ranges::minmax(ns);
  return fmt::format(
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
      "\"StdDev\"\n\"{}\",{},{},{:.6f},100.00,{},{},{:.6f}\n",
      kernel, ns.size(), total, average, least, most, deviation);
}

}  // namespace rocdrill::cli
