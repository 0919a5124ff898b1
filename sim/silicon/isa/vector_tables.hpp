// The tables of the files in lanes/, which exist once per level.
#pragma once

#include <array>
#include <span>

#include "sim/silicon/isa/semantics.hpp"

namespace rocdrill::isa {

/// One function per file of lanes/.
#define ROCDRILL_LANE_TABLES(X) \
  X(float_entries)              \
  X(integer_entries)            \
  X(integer_wide_entries)       \
  X(integer16_entries)          \
  X(bytes_entries)              \
  X(compare32_entries)          \
  X(compare16_entries)          \
  X(compare64_entries)          \
  X(cross_lane_entries)         \
  X(packed_integer_entries)     \
  X(dot_entries)                \
  X(flat_entries)               \
  X(atomic_entries)             \
  X(buffer_entries)             \
  X(lds_entries)                \
  X(lds_atomic_entries)         \
  X(float_compare_entries)      \
  X(double_entries)             \
  X(mfma_entries)               \
  X(convert_entries)            \
  X(division_entries)           \
  X(transcendental_entries)     \
  X(half_entries)               \
  X(packed_float_entries)

#define ROCDRILL_DECLARE(function) std::span<const Entry> function();
namespace baseline {
ROCDRILL_LANE_TABLES(ROCDRILL_DECLARE)
extern const Wrappers lane_wrappers;
}  // namespace baseline
namespace avx2 {
ROCDRILL_LANE_TABLES(ROCDRILL_DECLARE)
extern const Wrappers lane_wrappers;
}  // namespace avx2
namespace avx512 {
ROCDRILL_LANE_TABLES(ROCDRILL_DECLARE)
extern const Wrappers lane_wrappers;
}  // namespace avx512
#undef ROCDRILL_DECLARE

std::vector<std::span<const Entry>> vector_entries(Level level);

}  // namespace rocdrill::isa
