// How ROCr ends a process when KFD tells it of a GPU's page fault, of poison or of a reset
// (Runtime::VMFaultHandler, HwExceptionHandler).
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "sim/host/journal.hpp"
#include "sim/rocr/thunk.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::rocr {

class VmFaultHandler {
 public:
  VmFaultHandler(Thunk& thunk, sim::Journal& journal) : thunk_(thunk), journal_(journal) {}

  /// Runtime::BindVmFaultHandler: without it nobody looks. `exceptions`: this release looks for
  /// hardware exceptions, too.
  void bind(bool exceptions);
  /// Looks whether KFD has told of a fault since the last look.
  void poll();
  const std::optional<RuntimeAbort>& aborted() const { return aborted_; }

 private:
  void report(const kfd::MemoryExceptionData& fault);
  void report(const kfd::HwExceptionData& exception);
  std::uint32_t node_of(std::uint32_t gpu_id) const;
  EventId last_error(std::initializer_list<std::string_view> kinds) const;

  Thunk& thunk_;
  sim::Journal& journal_;
  std::optional<std::uint32_t> event_;
  std::optional<std::uint32_t> exception_;
  std::optional<RuntimeAbort> aborted_;
};

}  // namespace rocdrill::rocr
