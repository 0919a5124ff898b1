// The records of a trace but the first of a process, which Writer::open makes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/interpose/trace/ioctl_fields.hpp"

namespace rocdrill::trace {

/// An ioctl of /dev/kfd. `before` and `after`: the argument, as far as it could be read. `read`
/// sees memory as it is when the member function is called: what goes in is read by the
/// constructor.
class IoctlRecord {
 public:
  IoctlRecord(unsigned long request, std::span<const std::byte> before, int thread,
              const ReadMemory& read);
  /// `error`: errno, 0 for success.
  Json finish(int error, std::span<const std::byte> after, const ReadMemory& read);
  /// More that goes in: what the kernel sees behind a descriptor.
  void add_in(const char* name, Json value) { json_["in"][name] = std::move(value); }

 private:
  std::optional<kfd::Ioctl> nr_;
  Json json_;
};

/// An ioctl of a DRM node. `argument` as it went in; `reply`: what DRM_AMDGPU_INFO gave.
Json drm_record(std::string_view device, std::uint64_t request, std::span<const std::byte> argument,
                int error, std::span<const std::byte> reply, int thread);

struct Mapping {
  std::string device;
  std::uint64_t wanted = 0;  ///< address that was asked for
  std::uint64_t length = 0;
  int prot = 0;
  int flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;  ///< result
  int error = 0;
};
Json mapping_record(const Mapping& mapping, int thread);

Json doorbell_record(std::uint32_t queue, std::uint64_t value);
Json signalled_record(std::uint32_t event_id);

/// The state of a completion signal when its packet is launched.
struct SignalState {
  std::int64_t value = 0;
  std::uint64_t mailbox = 0;
  std::uint32_t event_id = 0;
};
/// `type`: "packet" (launched), "completion" or "failure" (with a reason).
struct PacketNote {
  std::string_view type;
  std::uint32_t queue = 0;
  bool sdma = false;
  std::uint64_t index = 0;
  std::uint64_t dwords = 0;
  std::span<const std::byte> bytes;
  std::optional<SignalState> signal;
  std::string_view kernel;                  ///< of a kernel dispatch, where its name is known
  std::optional<std::uint64_t> read_index;  ///< of an AQL queue, as its producer sees it then
  std::string_view reason;
  /// Of a failure: how the queue's error is told.
  std::uint64_t inactive_signal = 0;
  std::optional<SignalState> inactive;
  std::uint64_t reason_address = 0;
  std::uint32_t reason_event = 0;
};
Json packet_record(const PacketNote& note);

}  // namespace rocdrill::trace
