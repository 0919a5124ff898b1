// How ROCr ends a process when KFD tells it of a GPU's page fault (Runtime::VMFaultHandler).
#pragma once

#include <optional>

#include "sim/host/journal.hpp"
#include "sim/rocr/thunk.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::rocr {

class VmFaultHandler {
 public:
  VmFaultHandler(Thunk& thunk, sim::Journal& journal) : thunk_(thunk), journal_(journal) {}

  /// Runtime::BindVmFaultHandler: without it nobody looks.
  void bind();
  /// Looks whether KFD has told of a fault since the last look.
  void poll();
  const std::optional<RuntimeAbort>& aborted() const { return aborted_; }

 private:
  void report(const kfd::MemoryExceptionData& fault);

  Thunk& thunk_;
  sim::Journal& journal_;
  std::optional<std::uint32_t> event_;
  std::optional<RuntimeAbort> aborted_;
};

}  // namespace rocdrill::rocr
