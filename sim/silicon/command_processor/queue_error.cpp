#include "sim/silicon/command_processor/queue_error.hpp"

#include <algorithm>
#include <array>

namespace rocdrill::cp {
namespace {

struct Entry {
  KfdException code;
  std::string_view name;
  std::uint32_t inactive_bits;
  HsaStatus status;
};

// A wave's memory violation and a device's reach no queue_inactive_signal bit: the process gets
// KFD's memory event. Out of registers is the one code whose status differs by path: here the
// exception path's INVALID_ISA, on the other ROCr makes OUT_OF_REGISTERS of bit 128.
constexpr std::array entries{
    Entry{KfdException::wave_abort, "EC_QUEUE_WAVE_ABORT", 0x80000000, HsaStatus::exception},
    Entry{KfdException::wave_trap, "EC_QUEUE_WAVE_TRAP", 0x80000000, HsaStatus::exception},
    Entry{KfdException::wave_math_error, "EC_QUEUE_WAVE_MATH_ERROR", 0x80000000,
          HsaStatus::exception},
    Entry{KfdException::wave_illegal_instruction, "EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION", 0x40000000,
          HsaStatus::illegal_instruction},
    Entry{KfdException::wave_memory_violation, "EC_QUEUE_WAVE_MEMORY_VIOLATION", 0,
          HsaStatus::memory_fault},
    Entry{KfdException::wave_aperture_violation, "EC_QUEUE_WAVE_APERTURE_VIOLATION", 0x20000000,
          HsaStatus::memory_aperture_violation},
    Entry{KfdException::packet_dispatch_dim_invalid, "EC_QUEUE_PACKET_DISPATCH_DIM_INVALID", 2,
          HsaStatus::incompatible_arguments},
    Entry{KfdException::packet_dispatch_group_segment_size_invalid,
          "EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID", 4, HsaStatus::invalid_allocation},
    Entry{KfdException::packet_dispatch_code_invalid, "EC_QUEUE_PACKET_DISPATCH_CODE_INVALID", 8,
          HsaStatus::invalid_code_object},
    Entry{KfdException::packet_unsupported, "EC_QUEUE_PACKET_UNSUPPORTED", 32,
          HsaStatus::invalid_packet_format},
    Entry{KfdException::packet_dispatch_work_group_size_invalid,
          "EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID", 64, HsaStatus::invalid_argument},
    Entry{KfdException::packet_dispatch_register_invalid,
          "EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID", 128, HsaStatus::invalid_isa},
    Entry{KfdException::packet_vendor_unsupported, "EC_QUEUE_PACKET_VENDOR_UNSUPPORTED", 256,
          HsaStatus::invalid_packet_format},
    Entry{KfdException::device_memory_violation, "EC_DEVICE_MEMORY_VIOLATION", 0,
          HsaStatus::memory_fault},
};

const Entry* find(KfdException code) {
  const auto* found = std::ranges::find(entries, code, &Entry::code);
  return found == entries.end() ? nullptr : found;
}

}  // namespace

std::string_view name(KfdException code) {
  const Entry* entry = find(code);
  return entry == nullptr ? "EC_NONE" : entry->name;
}

QueueError make_queue_error(KfdException code, std::uint64_t packet_index) {
  const Entry* entry = find(code);
  if (entry == nullptr) return {code, 0, HsaStatus::error, packet_index};
  return {code, entry->inactive_bits, entry->status, packet_index};
}

}  // namespace rocdrill::cp
