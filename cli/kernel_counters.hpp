// What `rocdrill kernel run --counters` and `--stats` show of dispatches.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sim/silicon/isa/timing.hpp"
#include "sim/workbench/workbench.hpp"

namespace rocdrill::cli {

/// Occupancy by the target's rules: "8 waves per SIMD (limited by VGPRs)"; "" without a descriptor.
std::string occupancy_text(const workbench::Workbench& bench, const code_objects::Kernel& kernel,
                           std::uint64_t waves_of_a_workgroup);

/// On the GPU of the catalogue whose shape the bench has.
isa::Estimate estimate(const workbench::Workbench& bench, const isa::DispatchCounters& counters);

std::string counters_text(const workbench::Workbench& bench, const isa::DispatchCounters& counters);
Json counters_json(const workbench::Workbench& bench, const isa::DispatchCounters& counters);

/// The table that rocprofv3 --kernel-trace --stats writes, of the dispatches of one kernel; `ns`:
/// their estimated durations.
std::string stats_csv(const std::string& kernel, const std::vector<std::uint64_t>& ns);

}  // namespace rocdrill::cli
