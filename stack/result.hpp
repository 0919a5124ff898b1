// Errors as values. Every failure that crosses a layer boundary names the event that made it,
// so that the layer above can record its own reaction with a cause.
#pragma once

#include <expected>
#include <string>

#include "stack/errors.hpp"
#include "stack/event.hpp"

namespace rocdrill {

/// A failed system call: errno > 0, and the event behind it (no_event where nobody recorded one,
/// as on a real machine).
struct SysError {
  int error = 0;
  EventId event = no_event;
};

struct HsaError {
  HsaStatus status = HsaStatus::error;
  EventId event = no_event;
};

struct HipFailure {
  HipError error = HipError::unknown;
  EventId event = no_event;
  /// What the program prints where HIP ends it (abort) instead of returning; else "".
  std::string abort_text = {};
  /// The request ended at something that the simulator does not model: no symptom of the node.
  bool unmodelled = false;
  /// The call does not return: it waits for what never comes.
  bool waits_for_ever = false;
};

template <class T>
using SysResult = std::expected<T, SysError>;
template <class T>
using HsaResult = std::expected<T, HsaError>;
template <class T>
using HipResult = std::expected<T, HipFailure>;

inline std::unexpected<SysError> fail(int error, EventId event = no_event) {
  return std::unexpected(SysError{error, event});
}
inline std::unexpected<HsaError> fail(HsaStatus status, EventId event = no_event) {
  return std::unexpected(HsaError{status, event});
}
inline std::unexpected<HipFailure> fail(HipError error, EventId event = no_event) {
  return std::unexpected(HipFailure{error, event, {}, false});
}

}  // namespace rocdrill
