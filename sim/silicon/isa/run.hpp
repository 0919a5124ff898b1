// Runs waves.
#pragma once

#include "sim/silicon/isa/wave.hpp"

namespace rocdrill::isa {

/// Branches backwards and calls after which a wave makes room for others.
inline constexpr std::int32_t slice_branches = 20'000;

/// From Wave::next until it stops: Wave::stop says why and Wave::next where.
void run(Wave& wave);
/// The same for one instruction.
void step(Wave& wave);

}  // namespace rocdrill::isa
