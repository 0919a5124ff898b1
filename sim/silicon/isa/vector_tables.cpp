#include "sim/silicon/isa/vector_tables.hpp"

namespace rocdrill::isa {

std::vector<std::span<const Entry>> vector_entries(Level level) {
#define ROCDRILL_BASELINE(function) baseline::function(),
#define ROCDRILL_AVX2(function) avx2::function(),
#define ROCDRILL_AVX512(function) avx512::function(),
  switch (level) {
    case Level::baseline:
      return {ROCDRILL_LANE_TABLES(ROCDRILL_BASELINE)};
    case Level::avx2:
      return {ROCDRILL_LANE_TABLES(ROCDRILL_AVX2)};
    case Level::avx512:
      return {ROCDRILL_LANE_TABLES(ROCDRILL_AVX512)};
  }
  return {};
}

const Wrappers& wrappers(Level level) {
  switch (level) {
    case Level::avx512:
      return avx512::lane_wrappers;
    case Level::avx2:
      return avx2::lane_wrappers;
    case Level::baseline:
      break;
  }
  return baseline::lane_wrappers;
}

}  // namespace rocdrill::isa
