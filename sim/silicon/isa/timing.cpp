#include "sim/silicon/isa/timing.hpp"

#include <algorithm>
#include <array>

namespace rocdrill::isa {
namespace {

/// Cycles of a SIMD with 16 lanes for one instruction of a wave, by Class; assumed.
constexpr std::array<std::uint32_t, class_count> issue_cycles{
    1,   // salu
    1,   // smem
    4,   // valu
    16,  // transcendental
    32,  // mfma: 4 to 64 by shape
    4,   // vmem_load
    4,   // vmem_store
    8,   // vmem_atomic
    4,   // scratch
    2,   // lds
    4,   // branch
    1,   // barrier
    1,   // waitcnt
    1,   // message
    1,   // other
};
constexpr std::uint64_t launch_ns = 2000;

}  // namespace

Estimate estimate(const Shape& shape, const Rates& rates, const DispatchCounters& counters) {
  const std::uint64_t units =
      std::clamp<std::uint64_t>(counters.workgroups, 1, std::max(shape.compute_units, 1u));
  std::uint64_t cycles = 0;
  for (std::size_t n = 0; n < class_count; ++n)
    cycles += counters.instructions[n] * issue_cycles[n];
  const std::uint64_t mhz = std::max(rates.engine_mhz, 1u);
  const std::uint64_t issue = cycles * 1000 / (units * shape.simds_per_cu() * mhz);
  const std::uint64_t lds = counters.traffic.lds_cycles * 1000 / (units * mhz);
  const std::uint64_t bytes = counters.traffic.read + counters.traffic.written;
  const std::uint64_t memory = bytes * 1000 / std::max<std::uint64_t>(rates.memory_bytes_per_us, 1);
  const std::uint64_t busy = std::max({issue, lds, memory});
  const Bound bound = busy < launch_ns ? Bound::launch
                      : busy == issue  ? Bound::issue
                      : busy == lds    ? Bound::lds
                                       : Bound::memory;
  return {launch_ns + busy, bound};
}

}  // namespace rocdrill::isa
