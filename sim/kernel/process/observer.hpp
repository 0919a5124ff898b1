// What a process part tells whoever records its queues and events (sim/interpose/trace).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stack/formats/aql.hpp"

namespace rocdrill::kernel {

/// A packet of a user queue, at the moment at which something happens to it.
struct ObservedPacket {
  enum class What : std::uint8_t { launched, completed, failed };
  What what = What::launched;
  std::uint32_t queue = 0;
  bool sdma = false;
  std::uint64_t index = 0;   ///< of an AQL packet; of an SDMA packet its first byte
  std::uint64_t dwords = 0;  ///< of an SDMA packet, 0 where it is not known
  /// As its producer wrote it; empty for `completed`, and where the ring cannot be read. A run of
  /// NOPs of SDMA is shown by its first dword.
  std::span<const std::byte> bytes;
  const aql::AmdSignal* completion = nullptr;  ///< of a launched AQL packet
  std::string_view reason;                     ///< of `failed`
  /// Where the error of an AQL queue is told: amd_queue_t's queue_inactive_signal, or the word and
  /// the event of the header of the CWSR area; zeros where there is none.
  struct ErrorPath {
    std::uint64_t inactive_signal = 0;
    const aql::AmdSignal* inactive = nullptr;
    std::uint64_t reason_address = 0;
    std::uint32_t event_id = 0;
  };
  ErrorPath error_path;
};

/// Called with the process's lock held, in the order of things: must not call back.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;
  /// A new value was noticed. Values that are overtaken before anybody looks are never seen.
  virtual void doorbell(std::uint32_t queue, std::uint64_t value) = 0;
  virtual void packet(const ObservedPacket& packet) = 0;
  /// By a device: SET_EVENT does not come here.
  virtual void signalled(std::uint32_t event_id) = 0;
};

}  // namespace rocdrill::kernel
