// amdkfd's process part: an open /dev/kfd. Apertures, buffer objects and their GPU mappings,
// events, queues and their progress belong to the process; everything shared is asked of the
// DeviceService.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/host/os.hpp"
#include "sim/kernel/device_file.hpp"
#include "sim/kernel/kfd.hpp"
#include "sim/silicon/command_processor/queue.hpp"
#include "stack/formats/kfd_uapi.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::kernel {

/// KFD_IOCTL_MAJOR_VERSION is 1; the minor number is the driver era.
struct KfdEra {
  std::uint32_t minor = 17;
  bool unknown_is_enotty = false;  ///< kfd_ioctl() since 2025: ENOTTY for an unknown number
};

struct GpuTraits {
  XnackSupport xnack = XnackSupport::none;
  cp::AgentLimits limits;
};

/// What the process part stands on.
struct KfdContext {
  sim::Os& os;
  Kfd& kfd;
  KfdEra era;
  bool noretry = true;  ///< module parameter: retry faults off by default
  cp::EventLevel queue_events = cp::EventLevel::errors;
  std::function<GpuTraits(const KfdNode&)> traits;
};

class KfdProcess final : public DeviceFile {
 public:
  KfdProcess(KfdContext context, Opener opener);
  ~KfdProcess() override;

  SysResult<int> ioctl(unsigned long request, void* argument) override;
  SysResult<void*> mmap(std::size_t length, int prot, std::uint64_t offset) override;
  void stored(volatile void* address) override;
  bool progress() override;

  // One handler per request, named as in linux/kfd_ioctl.h; `argument` is a kernel copy of at
  // least the size in the table. kfd_ioctl.cpp dispatches. Return an errno, 0 for success.
  int get_version(void* argument);
  int create_queue(void* argument);
  int destroy_queue(void* argument);
  int update_queue(void* argument);
  int set_memory_policy(void* argument);
  int get_clock_counters(void* argument);
  int get_process_apertures_new(void* argument);
  int create_event(void* argument);
  int destroy_event(void* argument);
  int set_event(void* argument);
  int reset_event(void* argument);
  int wait_events(void* argument);
  int acquire_vm(void* argument);
  int alloc_memory_of_gpu(void* argument);
  int free_memory_of_gpu(void* argument);
  int map_memory_to_gpu(void* argument);
  int unmap_memory_from_gpu(void* argument);
  int set_xnack_mode(void* argument);
  int available_memory(void* argument);
  int set_scratch_backing_va(void* argument);
  int set_trap_handler(void* argument);
  int runtime_enable(void* argument);

 private:
  struct Buffer {
    std::uint64_t va = 0;
    std::uint64_t size = 0;
    std::uint32_t flags = 0;
    std::uint32_t gpu_id = 0;
    bool mapped = false;
  };
  struct Event {
    std::uint32_t type = 0;
    bool auto_reset = false;
    bool signalled = false;
    std::uint64_t age = 1;
  };
  class HardwareQueue;

  bool acquired(std::uint32_t gpu_id) const { return acquired_.contains(gpu_id); }
  std::uint64_t* doorbell_page(std::uint32_t gpu_id);
  std::uint64_t* event_slot(std::uint32_t event_id);
  void interrupt(std::uint32_t event_id);
  void signal(std::uint32_t event_id);
  int check_queue(std::uint64_t ring, std::uint64_t ring_size, std::uint32_t percentage,
                  std::uint32_t priority) const;
  bool events_ready(const void* data, std::uint32_t count, bool all);
  void collect_events(void* data, std::uint32_t count);
  void unmap(Buffer& buffer);

  KfdContext context_;
  Opener opener_;
  std::map<std::uint32_t, int> acquired_;  ///< gpu_id -> render descriptor
  std::map<std::uint64_t, Buffer> buffers_;
  std::uint32_t next_handle_ = 1;
  std::map<std::uint32_t, Event> events_;
  std::uint64_t events_page_ = 0;  ///< VA of the slots
  std::map<std::uint32_t, std::unique_ptr<std::uint64_t[]>> doorbells_;
  std::map<std::uint32_t, std::unique_ptr<HardwareQueue>> queues_;
  std::uint32_t next_queue_ = 0;
  std::optional<bool> xnack_;
  bool runtime_enabled_ = false;
};

/// The dispatch table; docs/kfd-support.md is generated from it and from kfd::ioctls().
struct IoctlEntry {
  kfd::Ioctl number;
  int (KfdProcess::*handler)(void*);
  const char* note;
};
const std::vector<IoctlEntry>& ioctl_table();

}  // namespace rocdrill::kernel
