// What ROCr makes of a queue's error: two disjoint tables, one per way in which it learns of it
// (amd_aql_queue.cpp: DynamicQueueEventsHandler and ExceptionHandler).
#pragma once

#include <cstdint>

#include "stack/errors.hpp"

namespace rocdrill::rocr {

/// Bits that the packet processor wrote to queue_inactive_signal (KFD without exceptions).
HsaStatus status_of_inactive_bits(std::uint64_t bits);
/// Mask of KFD exception codes, bit (code - 1). success for a mask that is not the callback's
/// business (a wave's memory violation is reported by the VM fault handler).
HsaStatus status_of_exception(std::uint64_t mask);

}  // namespace rocdrill::rocr
