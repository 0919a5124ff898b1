// Operations on amd_signal_t memory (HSA Runtime 1.2 section 2.4). Sequentially consistent, so
// that a store to one signal is not seen after a later store to another.
#pragma once

#include <atomic>
#include <cstdint>

#include "stack/formats/aql.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::cp {

/// Whether `observed <condition> value`; signed, as hsa_signal_condition_t has it.
constexpr bool holds(SignalCondition condition, std::int64_t observed, std::int64_t value) {
  switch (condition) {
    case SignalCondition::eq:
      return observed == value;
    case SignalCondition::ne:
      return observed != value;
    case SignalCondition::lt:
      return observed < value;
    case SignalCondition::gte:
      return observed >= value;
  }
  return false;
}

namespace signal {

/// What hsa_signal_create leaves in memory; the mailbox and event stay 0 (no interrupt).
inline void initialise(aql::AmdSignal& signal, std::int64_t value) {
  signal = {};
  signal.kind = 1;  // AMD_SIGNAL_KIND_USER
  std::atomic_ref(signal.value).store(value);
}

inline std::int64_t load(aql::AmdSignal& signal) { return std::atomic_ref(signal.value).load(); }
inline void store(aql::AmdSignal& signal, std::int64_t value) {
  std::atomic_ref(signal.value).store(value);
}

// The read-modify-write operations return the value before. Arithmetic wraps around.
inline std::int64_t add(aql::AmdSignal& signal, std::int64_t value) {
  return std::atomic_ref(signal.value).fetch_add(value);
}
inline std::int64_t subtract(aql::AmdSignal& signal, std::int64_t value) {
  return std::atomic_ref(signal.value).fetch_sub(value);
}
inline std::int64_t bit_or(aql::AmdSignal& signal, std::int64_t bits) {
  return std::atomic_ref(signal.value).fetch_or(bits);
}
inline std::int64_t bit_and(aql::AmdSignal& signal, std::int64_t bits) {
  return std::atomic_ref(signal.value).fetch_and(bits);
}
inline std::int64_t bit_xor(aql::AmdSignal& signal, std::int64_t bits) {
  return std::atomic_ref(signal.value).fetch_xor(bits);
}
inline std::int64_t exchange(aql::AmdSignal& signal, std::int64_t value) {
  return std::atomic_ref(signal.value).exchange(value);
}
inline std::int64_t compare_exchange(aql::AmdSignal& signal, std::int64_t expected,
                                     std::int64_t value) {
  std::atomic_ref(signal.value).compare_exchange_strong(expected, value);
  return expected;
}

}  // namespace signal
}  // namespace rocdrill::cp
