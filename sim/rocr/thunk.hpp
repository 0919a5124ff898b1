// What libhsakmt does with an open /dev/kfd: one method per service that the runtime needs.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/rocr/topology.hpp"
#include "stack/formats/kfd_uapi.hpp"
#include "stack/process.hpp"

namespace rocdrill::rocr {

class Thunk {
 public:
  /// hsaKmtOpenKFD, the topology snapshot and hsaKmtAcquireSystemProperties.
  static SysResult<std::unique_ptr<Thunk>> open(Process& process, bool needs_render_nodes = false);
  ~Thunk();
  Thunk(const Thunk&) = delete;
  Thunk& operator=(const Thunk&) = delete;

  const std::vector<TopologyNode>& nodes() const { return nodes_; }
  std::uint32_t kfd_minor() const { return kfd_minor_; }
  Process& process() { return process_; }

  /// mode -1 asks, 0 and 1 set; returns the mode of the process.
  SysResult<bool> xnack_mode(int mode);
  SysResult<void> runtime_enable(bool on);

  /// Memory that the process and every GPU of `nodes` can use at the same address. Page-aligned,
  /// zero, until the thunk goes. `executable` for code.
  SysResult<void*> allocate(std::size_t bytes, bool executable);
  /// The same in a GPU's VRAM. ENOMEM if it is used up.
  SysResult<void*> allocate_vram(std::uint32_t gpu_id, std::size_t bytes);
  /// Bytes of VRAM that are free for everybody.
  SysResult<std::uint64_t> available_vram(std::uint32_t gpu_id);
  /// hsaKmtShareMemory and hsaKmtRegisterSharedHandle: VRAM for other processes, by handle.
  SysResult<std::array<std::uint32_t, 4>> share(void* memory);
  SysResult<void*> attach(const std::array<std::uint32_t, 4>& handle, std::size_t bytes);
  /// hsaKmtRegisterMemory: memory of the process, for its GPUs.
  SysResult<void> register_memory(void* memory, std::size_t bytes);
  void release(void* memory);
  /// Whether [va, va + bytes) lies in memory that allocate() gave.
  bool owns(std::uint64_t va, std::size_t bytes) const;

  struct QueueResource {
    std::uint32_t queue_id = 0;
    volatile std::uint64_t* doorbell = nullptr;
  };
  SysResult<QueueResource> create_queue(std::uint32_t gpu_id, void* ring, std::uint32_t ring_bytes,
                                        void* write_index, void* read_index, void* save_area,
                                        std::uint32_t save_area_bytes);
  void destroy_queue(std::uint32_t queue_id);
  void suspend_queue(std::uint32_t queue_id);

  struct EventResource {
    std::uint32_t id = 0;
    std::uint64_t mailbox = 0;  ///< VA of its slot
  };
  SysResult<EventResource> create_event(bool auto_reset);
  /// Of type memory: set by a page fault of any GPU.
  SysResult<std::uint32_t> create_memory_event();
  /// Of type hw_exception: set when a GPU was reset, or an engine of it.
  SysResult<std::uint32_t> create_exception_event();
  std::optional<kfd::HwExceptionData> hardware_exception(std::uint32_t id);
  /// The fault that set it, if it is set.
  std::optional<kfd::MemoryExceptionData> memory_exception(std::uint32_t id);
  void destroy_event(std::uint32_t id);
  /// True if it was signalled before `timeout_ms` (0xFFFFFFFE: as good as for ever).
  SysResult<bool> wait_event(std::uint32_t id, std::uint32_t timeout_ms);

 private:
  explicit Thunk(Process& process) : process_(process) {}
  SysResult<void> acquire();
  SysResult<kfd::CreateEventArgs> create_event(kfd::EventType type, bool auto_reset);
  SysResult<bool> wait_event(kfd::EventData& data, std::uint32_t timeout_ms);
  SysResult<std::uint64_t> make_available(void* memory, std::size_t bytes, std::uint32_t gpu_id,
                                          std::uint32_t flags);
  SysResult<int> map_to_gpus(std::uint64_t handle);
  SysResult<void*> allocate(std::size_t bytes, std::uint32_t gpu_id, std::uint32_t flags);
  template <class Args>
  SysResult<int> call(kfd::Ioctl number, Args& args);

  struct Memory {
    std::size_t bytes = 0;
    std::uint64_t handle = 0;  ///< 0: no GPU knows of it
    bool lent = false;         ///< the process's own: it unmaps it
  };

  Process& process_;
  int fd_ = -1;
  std::uint32_t kfd_minor_ = 0;
  std::vector<TopologyNode> nodes_;
  std::vector<std::uint32_t> gpu_ids_;
  std::map<void*, Memory> memory_;
  void* events_page_ = nullptr;
  bool events_page_known_ = false;
};

}  // namespace rocdrill::rocr
