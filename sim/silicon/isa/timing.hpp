// How long a dispatch would take on the GPU, from what its waves did. An estimate, the same on
// every machine: for virtual time and for summaries, never for conclusions about real hardware.
#pragma once

#include <cstdint>

#include "sim/silicon/isa/launch.hpp"

namespace rocdrill::isa {

/// Peak rates of the GPU, or of the partition.
struct Rates {
  std::uint32_t engine_mhz = 0;
  std::uint64_t memory_bytes_per_us = 0;
};

/// What the dispatch waits for most.
enum class Bound : std::uint8_t { launch, issue, lds, memory };

struct Estimate {
  std::uint64_t ns = 0;
  Bound bound = Bound::launch;
};

/// Issue: cycles that the SIMDs need for the instructions, with all CUs that get a workgroup
/// equally busy. LDS and memory: only if the traffic was counted; memory as if no cache hit. On
/// top, the time that a launch takes by itself. All figures per instruction are assumed.
Estimate estimate(const Shape& shape, const Rates& rates, const DispatchCounters& counters);

}  // namespace rocdrill::isa
