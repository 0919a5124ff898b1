// Why a hardware queue stopped, in the three vocabularies that look at it.
#pragma once

#include <cstdint>
#include <string_view>

#include "stack/errors.hpp"

namespace rocdrill::cp {

/// enum kfd_dbg_trap_exception_code (linux/kfd_ioctl.h), as far as a queue can raise them.
enum class KfdException : std::uint8_t {
  none = 0,
  wave_abort = 1,
  wave_trap = 2,
  wave_math_error = 3,
  wave_illegal_instruction = 4,
  wave_memory_violation = 5,
  wave_aperture_violation = 6,
  packet_dispatch_dim_invalid = 16,
  packet_dispatch_group_segment_size_invalid = 17,
  packet_dispatch_code_invalid = 18,
  packet_unsupported = 20,
  packet_dispatch_work_group_size_invalid = 21,
  packet_dispatch_register_invalid = 22,
  packet_vendor_unsupported = 23,
  device_memory_violation = 33,
};

/// "EC_QUEUE_PACKET_UNSUPPORTED"; "EC_NONE" for none and unknown numbers.
std::string_view name(KfdException code);

/// Bits of queue_inactive_signal that are no error: the runtime provides what the command processor
/// lacks and resets the signal.
namespace inactive {
inline constexpr std::uint32_t scratch_wave64 = 1;
}

/// The bit that KFD ORs into the queue's exception status.
constexpr std::uint64_t exception_mask(KfdException code) {
  return code == KfdException::none ? 0 : 1ull << (static_cast<unsigned>(code) - 1);
}

/// The queue's last word. ROCr learns of it on one of two disjoint paths: through
/// `inactive_bits` in amd_queue_t's queue_inactive_signal where KFD has no exception support,
/// else through `kfd_code` (amd_aql_queue.cpp, DynamicQueueEventsHandler and ExceptionHandler).
struct QueueError {
  KfdException kfd_code = KfdException::none;
  std::uint32_t inactive_bits = 0;
  /// What ExceptionHandler makes of kfd_code. For device_memory_violation: the status of the
  /// system event that the process gets instead of a queue callback.
  HsaStatus status = HsaStatus::success;
  std::uint64_t packet_index = 0;  ///< the packet at which the queue stopped

  template <class Archive>
  void serialize(Archive& archive) {
    archive("kfd_code", kfd_code);
    archive("inactive_bits", inactive_bits);
    archive("status", status);
    archive("packet_index", packet_index);
  }
  friend bool operator==(const QueueError&, const QueueError&) = default;
};

QueueError make_queue_error(KfdException code, std::uint64_t packet_index);

}  // namespace rocdrill::cp
