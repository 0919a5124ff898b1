// amdkfd's process part: what one process has of KFD. Apertures, buffer objects and their GPU
// mappings, events, queues and their progress belong to the process; everything shared is asked of
// the DeviceService.
//
//   kfd_process.cpp  version, apertures, VM, modes, clocks
//   kfd_memory.cpp   buffer objects
//   kfd_svm.cpp      shared virtual memory
//   kfd_ipc.cpp      memory of other processes and of peers
//   kfd_events.cpp   events and waiting
//   kfd_queues.cpp   queues and their progress
//   kfd_poison.cpp   hardware that fails under the process
//   kfd_ioctl.cpp    the dispatch table
//
// Thread-safe: one lock, which a waiting thread gives up.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "sim/kernel/process/device_file.hpp"
#include "sim/kernel/process/device_service.hpp"
#include "sim/kernel/process/observer.hpp"
#include "sim/kernel/process/surroundings.hpp"
#include "sim/kernel/process/svm_ranges.hpp"
#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/hooks.hpp"
#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::isa {
class CodeCache;
}

namespace rocdrill::kernel {

class KernelRunner;

/// What a queue of the process shows of itself.
struct QueueView {
  std::uint32_t id = 0;
  std::uint32_t gpu_id = 0;
  std::uint32_t type = 0;  ///< kfd::QueueType
  std::uint32_t doorbell = 0;
  std::uint64_t read_index = 0;
  std::string_view state;
};

class KfdProcess final : public DeviceFile {
 public:
  /// All must outlive it.
  KfdProcess(DeviceService& devices, Surroundings& surroundings, Opener opener);
  ~KfdProcess() override;

  SysResult<int> ioctl(unsigned long request, void* argument) override;
  SysResult<void*> mmap(std::size_t length, int prot, std::uint64_t offset) override;
  void stored(volatile void* address) override;
  /// The event behind the packets that are submitted from now on; no_event: not known.
  void set_reason(EventId event) override;
  bool progress() override;

  /// For the thread that serves doorbells: looks at all of them and runs what can run. `waiting`: a
  /// queue stands at a packet that memory alone can release.
  struct Served {
    bool rung = false;     ///< a doorbell has a new value
    bool any = false;      ///< something happened
    bool waiting = false;  ///< so memory has to be polled
    bool queues = false;   ///< there is a queue at all
  };
  Served serve_doorbells();
  /// What the write indices of AQL queues announce, before any doorbell is seen. Brief: kernels run
  /// elsewhere, and copies wait.
  void run_packets();
  /// When the next late doorbell or completion comes, by clocks().monotonic_raw_ns.
  std::optional<std::uint64_t> late_until();
  std::vector<QueueView> queues();
  /// GPUs that the process has acquired.
  std::set<std::uint32_t> gpus();

  // From the device part.
  /// Every queue of the GPU is lost; events of type hw_exception (and memory, for ECC) are set.
  void gpu_reset(std::uint32_t gpu_id, std::uint32_t cause);
  void evict(std::uint32_t gpu_id);
  void restore(std::uint32_t gpu_id);

  // One handler per request, named as in linux/kfd_ioctl.h; `argument` is a kernel copy of at
  // least the size in the table. kfd_ioctl.cpp dispatches. Return an errno, 0 for success.
  int get_version(void* argument);
  int create_queue(void* argument);
  int destroy_queue(void* argument);
  int update_queue(void* argument);
  int set_cu_mask(void* argument);
  int set_memory_policy(void* argument);
  int get_clock_counters(void* argument);
  int get_process_apertures(void* argument);
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
  int get_tile_config(void* argument);
  int runtime_enable(void* argument);
  int alloc_queue_gws(void* argument);
  int smi_events(void* argument);
  int svm(void* argument);
  int ipc_import_handle(void* argument);
  int ipc_export_handle(void* argument);

 private:
  struct Buffer {
    std::uint64_t va = 0;
    std::uint64_t size = 0;
    std::uint32_t flags = 0;
    std::uint32_t gpu_id = 0;
    void* host = nullptr;                       ///< where the device reaches it; nullptr: no memory
    std::optional<Backing> backing;             ///< what to give back
    std::set<std::uint32_t> mapped;             ///< gpu_ids
    std::shared_ptr<sim::MemoryFile> shared{};  ///< exported, or imported
    std::set<std::uint32_t> unreachable_from{};  ///< of `mapped`
    void* sink = nullptr;                        ///< where stores of those end
    VramExtents vram = {};                       ///< where it lies, if in VRAM
  };
  /// One event that one WAIT_EVENTS waits for.
  struct Waiter {
    std::uint32_t event_id = 0;
    bool activated = false;
    bool destroyed = false;  ///< the event, meanwhile
  };
  struct Event {
    std::uint32_t type = 0;
    bool auto_reset = false;
    bool signalled = false;
    std::uint64_t age = 1;
    kfd::MemoryExceptionData memory{};  ///< of type memory
    kfd::HwExceptionData hardware{};    ///< of type hw_exception
    std::vector<Waiter*> waiters{};
    std::thread::id taken_by{};  ///< the thread that last took it when it was set
  };
  class HardwareQueue;
  class AqlQueue;
  class SdmaQueue;

  bool acquired(std::uint32_t gpu_id) const { return acquired_.contains(gpu_id); }
  int check_ids(std::uint64_t array, std::uint32_t count, std::vector<std::uint32_t>& ids) const;
  bool map(Buffer& buffer, std::uint32_t gpu_id);
  void unmap(Buffer& buffer, std::uint32_t gpu_id);
  const UnreachablePeer* unreachable(const Buffer& buffer, std::uint32_t gpu_id);
  void refresh_paths();
  /// A kernel of the GPU has stored to memory of `owner`, which it cannot reach.
  EventId store_lost(std::uint32_t gpu_id, std::uint32_t owner);

  // kfd_poison.cpp. A poisoned page is not in the page tables of the model: who needs it comes
  // here.
  /// The page of VRAM behind an address of the process, if it holds poison.
  struct PoisonedPage {
    std::uint32_t memory_of = 0;  ///< gpu_id
    std::uint64_t page = 0;
  };
  std::optional<PoisonedPage> poisoned_page(std::uint32_t gpu_id, std::uint64_t va) const;
  /// Offsets of poisoned pages in the buffer.
  std::vector<std::uint64_t> poison_of(const Buffer& buffer) const;
  EventId consume_poison(const HardwareQueue& queue, const cp::MemoryFault& fault,
                         const PoisonedPage& page);
  /// Maps anew what has been poisoned, or written anew, since the last look.
  void refresh_poison();
  /// UNMAP_QUEUES: on a GPU whose MEC does not do it any more the driver is told. 0 or an errno.
  int preempt(std::uint32_t gpu_id);
  void release(Buffer& buffer);
  int check_svm(std::uint64_t va, std::uint64_t bytes) const;
  int set_svm(std::uint64_t va, std::uint64_t bytes, std::span<const kfd::SvmAttribute> attributes);
  int map_svm(const SvmRanges::Range& range);
  void unmap_svm(std::uint64_t begin, std::uint64_t end);
  /// A range whose memory has been given back, which the driver hears of and this does not.
  void forget_svm(std::uint64_t begin, std::uint64_t end);
  cp::RangeAddressSpace& page_table(std::uint32_t gpu_id) { return page_tables_[gpu_id]; }

  std::uint64_t* doorbell_page(std::uint32_t gpu_id);
  std::uint64_t* event_slot(std::uint32_t event_id);
  void interrupt(std::uint32_t event_id);
  void set(Event& event);
  void signal(std::uint32_t event_id);
  /// What explains that waves do what they do.
  EventId reason() const { return reason_ != no_event ? reason_ : devices_.facts().event; }
  EventId page_fault(const HardwareQueue& queue, const cp::MemoryFault& fault);
  void evict_queues(std::uint32_t gpu_id);
  void memory_exception(const kfd::MemoryExceptionData& data);
  void begin_wait(Waiter& waiter, const kfd::EventData& data);
  void end_wait(Waiter& waiter, bool give_back);
  void describe_event(kfd::EventData& data) const;
  int check_queue(std::uint64_t ring, std::uint64_t ring_size, std::uint32_t percentage,
                  std::uint32_t priority) const;
  int check_queue_buffers(const kfd::CreateQueueArgs& args);
  std::unique_ptr<HardwareQueue> make_queue(const kfd::CreateQueueArgs& args, const GpuFacts& gpu,
                                            std::uint32_t doorbell);
  /// nullptr: the GPU's instructions are not executed.
  std::unique_ptr<KernelRunner> make_runner(const GpuFacts& gpu);
  bool run_queues();
  /// Gives the queues what the node's facts say of them, if those have changed.
  void heed_facts();
  /// An injected failure of this call, or 0; a delay has passed then, without the lock.
  int injected_failure(kfd::Ioctl number, std::string_view name, EventId& event);

  DeviceService& devices_;
  Surroundings& surroundings_;
  Opener opener_;
  ProcessObserver* const observer_;
  std::mutex mutex_;
  std::map<std::uint32_t, std::uint64_t> acquired_;  ///< gpu_id -> OpenDevice::file
  std::map<std::uint32_t, cp::RangeAddressSpace> page_tables_;
  std::map<std::uint32_t, std::shared_ptr<isa::CodeCache>> code_;  ///< by gpu_id
  std::map<std::uint64_t, Buffer> buffers_;
  std::uint32_t next_handle_ = 1;
  SvmRanges svm_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> svm_mapped_;  ///< gpu_id, first address
  std::size_t argument_bytes_ = 0;                                ///< of the present request
  std::map<std::uint32_t, Event> events_;
  std::uint64_t* event_slots_ = nullptr;  ///< the events page, once it is known
  std::uint64_t event_page_handle_ = 0;
  std::map<std::uint32_t, std::uint64_t*> doorbells_;
  std::map<std::uint32_t, std::unique_ptr<HardwareQueue>> queues_;
  std::uint32_t next_queue_ = 0;
  std::map<std::uint32_t, unsigned> evictions_;  ///< gpu_id -> how many keep its queues off it
  std::optional<bool> xnack_;
  bool runtime_enabled_ = false;
  std::map<EventId, std::uint64_t> injected_calls_;  ///< by IoctlInjection::event
  std::uint64_t facts_epoch_ = 0;                    ///< of the facts that the queues know
  std::map<std::uint32_t, std::vector<std::uint64_t>> poison_;  ///< by gpu_id, as it is mapped
  EventId reason_ = no_event;                                   ///< see set_reason()
  EventId why_ = no_event;  ///< behind the errno that a handler returns
};

/// The dispatch table; docs/kfd-support.md is generated from it and from kfd::ioctls().
struct IoctlEntry {
  kfd::Ioctl number;
  int (KfdProcess::*handler)(void*);
  const char* note;
};
std::span<const IoctlEntry> ioctl_table();
/// Whether the driver of this era has the number at all.
bool driver_knows(const kfd::IoctlInfo& info, const KfdEra& era);

}  // namespace rocdrill::kernel
