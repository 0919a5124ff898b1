// ROCr: hsa_init and what it gives. Reaches the node through its Process only, with the ioctls
// of the real libhsakmt.
#pragma once

#include <memory>
#include <string>

#include "sim/host/journal.hpp"
#include "stack/process.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::rocr {

/// Where the ROCm user space of a process lies and how old it is.
struct Installation {
  std::string prefix;   ///< "/opt/rocm-6.3.3"
  std::string version;  ///< "6.3.3"
  /// Why it is this one, if another was installed for the program; no_event for the usual one.
  EventId event = no_event;
  int major() const { return std::atoi(version.c_str()); }
};

/// hsa_init() in `process`. The error carries the event behind it.
HsaResult<std::unique_ptr<Runtime>> hsa_init(Process& process, sim::Journal& journal,
                                             const Installation& installation);

/// What the last hsa_init of a process found out besides the agents: for rocminfo's header.
class RocrRuntime : public Runtime {
 public:
  /// The event that ended hsa_init; the cause of what is built on this runtime.
  virtual EventId event() const = 0;
  /// GPUs that exist for the process before ROCR_VISIBLE_DEVICES.
  virtual std::size_t gpus_before_filter() const = 0;
  /// Bytes of VRAM that nobody holds (HSA_AMD_AGENT_INFO_MEMORY_AVAIL).
  virtual std::uint64_t free_memory(std::size_t agent) = 0;
};

}  // namespace rocdrill::rocr
