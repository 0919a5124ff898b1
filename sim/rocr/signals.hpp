// hsa_signal_t in memory that the GPUs share, and how a process waits for one.
#pragma once

#include <functional>
#include <vector>

#include "sim/rocr/thunk.hpp"
#include "stack/formats/aql.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::rocr {

/// amd_signal_t's of a process, 64 per page.
class SignalPool {
 public:
  /// `interrupts`: each signal gets a KFD event, so that waiting can block (HSA_ENABLE_INTERRUPT).
  SignalPool(Thunk& thunk, bool interrupts) : thunk_(thunk), interrupts_(interrupts) {}

  SysResult<aql::AmdSignal*> take(std::int64_t initial);
  void give_back(aql::AmdSignal* signal);
  /// Lets the devices and the runtime's own queues go on; false if nothing did.
  std::function<bool()> relax;
  Thunk& thunk() { return thunk_; }

 private:
  Thunk& thunk_;
  bool interrupts_;
  std::vector<aql::AmdSignal*> free_;
};

class UserSignal final : public Signal {
 public:
  UserSignal(SignalPool& pool, aql::AmdSignal* memory) : pool_(pool), memory_(memory) {}
  ~UserSignal() override { pool_.give_back(memory_); }

  std::uint64_t handle() const override { return reinterpret_cast<std::uintptr_t>(memory_); }
  std::int64_t load() const override;
  void store(std::int64_t value) override;
  void add(std::int64_t value) override;
  void subtract(std::int64_t value) override;
  std::int64_t exchange(std::int64_t value) override;
  std::int64_t compare_exchange(std::int64_t expected, std::int64_t value) override;
  std::int64_t wait(SignalCondition condition, std::int64_t value,
                    std::uint64_t timeout_ns) override;

 private:
  SignalPool& pool_;
  aql::AmdSignal* memory_;
};

}  // namespace rocdrill::rocr
