// ROCr: hsa_init and what it gives. Reaches the node through its Process only, with the ioctls
// of the real libhsakmt.
#pragma once

#include <array>
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

/// hsa_amd_ipc_memory_t, as far as the driver looks at it.
using IpcHandle = std::array<std::uint32_t, 4>;

/// What the last hsa_init of a process found out besides the agents: for rocminfo's header.
class RocrRuntime : public Runtime {
 public:
  /// The event that ended hsa_init; the cause of what is built on this runtime.
  virtual EventId event() const = 0;
  /// GPUs that exist for the process before ROCR_VISIBLE_DEVICES.
  virtual std::size_t gpus_before_filter() const = 0;
  /// Bytes of VRAM that nobody holds (HSA_AMD_AGENT_INFO_MEMORY_AVAIL).
  virtual std::uint64_t free_memory(std::size_t agent) = 0;
  /// hsa_amd_ipc_memory_create of memory that allocate() gave on a GPU: a handle that other
  /// processes take. The error where the driver has no such handles.
  virtual HsaResult<IpcHandle> ipc_create(void* memory) = 0;
  /// hsa_amd_ipc_memory_attach: the memory of another process, `bytes` long as it was allocated, at
  /// an address of this one's.
  virtual HsaResult<void*> ipc_attach(const IpcHandle& handle, std::size_t bytes) = 0;
  /// hsa_amd_memory_lock: memory of the process, page-aligned, that every GPU may use from now on.
  virtual HsaResult<void> lock(void* memory, std::size_t bytes) = 0;
  /// Lets the devices and the runtime's own threads go on; false if nothing did.
  virtual bool progress() = 0;
};

}  // namespace rocdrill::rocr
