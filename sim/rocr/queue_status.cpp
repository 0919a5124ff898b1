#include "sim/rocr/queue_status.hpp"

namespace rocdrill::rocr {
namespace {

struct Row {
  std::uint64_t bits;
  HsaStatus status;
};

constexpr Row inactive[] = {
    {0x1 | 0x400, HsaStatus::out_of_resources},
    {0x2, HsaStatus::incompatible_arguments},
    {0x4, HsaStatus::invalid_allocation},
    {0x8, HsaStatus::invalid_code_object},
    {0x20 | 0x100, HsaStatus::invalid_packet_format},
    {0x40, HsaStatus::invalid_argument},
    {0x80, HsaStatus::out_of_registers},
    {0x20000000, HsaStatus::memory_aperture_violation},
    {0x40000000, HsaStatus::illegal_instruction},
    {0x80000000, HsaStatus::exception},
};

constexpr std::uint64_t bit(unsigned code) { return 1ull << (code - 1); }

constexpr Row exceptions[] = {
    {bit(1) | bit(2) | bit(3), HsaStatus::exception},
    {bit(4), HsaStatus::illegal_instruction},
    {bit(6), HsaStatus::memory_aperture_violation},
    {bit(16), HsaStatus::incompatible_arguments},
    {bit(17), HsaStatus::invalid_allocation},
    {bit(18), HsaStatus::invalid_code_object},
    {bit(20) | bit(23), HsaStatus::invalid_packet_format},
    {bit(21), HsaStatus::invalid_argument},
    {bit(22), HsaStatus::invalid_isa},
    {bit(33), HsaStatus::memory_aperture_violation},
};

}  // namespace

HsaStatus status_of_inactive_bits(std::uint64_t bits) {
  for (const Row& row : inactive) {
    if ((bits & row.bits) != 0) return row.status;
  }
  return HsaStatus::error;
}

HsaStatus status_of_exception(std::uint64_t mask) {
  for (const Row& row : exceptions) {
    if ((mask & row.bits) != 0) return row.status;
  }
  return (mask & bit(5)) != 0 ? HsaStatus::success : HsaStatus::error;
}

}  // namespace rocdrill::rocr
