// amdkfd's device part: the GPUs that made it into the topology and what processes hold of them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/host/os.hpp"
#include "sim/kernel/process/device_service.hpp"
#include "sim/kernel/vm_fault.hpp"

namespace rocdrill::kernel {

/// A GPU node of the KFD topology: a GPU, or one of the devices that it is divided into.
struct KfdNode {
  std::uint32_t gpu_id = 0;        ///< non-zero, unique on the node
  std::uint32_t gpu = 0;           ///< index on the board
  std::uint32_t render_minor = 0;  ///< 128...
  std::uint64_t vram_bytes = 0;
  EventId event = no_event;     ///< kfd.node_added
  std::uint32_t partition = 0;  ///< index among the devices of the GPU
  std::uint32_t partitions = 1;
  std::uint32_t first_xcc = 0;  ///< of the GPU's
  std::uint32_t xccs = 1;
  std::uint32_t compute_units = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("gpu_id", gpu_id);
    archive("gpu", gpu);
    archive("render_minor", render_minor);
    archive("vram_bytes", vram_bytes);
    archive("event", event);
    archive("partition", partition);
    archive("partitions", partitions);
    archive("first_xcc", first_xcc);
    archive("xccs", xccs);
    archive("compute_units", compute_units);
  }
};

class Kfd final : public DeviceService {
 public:
  explicit Kfd(sim::Os& os) : os_(os) {}

  bool present() const { return present_; }
  EventId event() const { return event_; }
  std::uint32_t generation() const { return generation_; }
  const std::vector<KfdNode>& nodes() const { return nodes_; }
  const KfdNode* find(std::uint32_t gpu_id) const;
  /// The devices of the GPU with this index on the board.
  std::vector<KfdNode> nodes_of(std::uint32_t gpu) const;

  /// kfd_init(): /dev/kfd and /sys/class/kfd appear, with the CPU nodes only.
  void start(EventId event);
  void stop(EventId event);
  void add(KfdNode node);
  /// The device leaves: unbound, or gone from the bus.
  void remove(std::uint32_t gpu_id);
  /// Why the topology is what it is, where that is not plain success.
  void explain(EventId event) { event_ = event; }

  /// Who makes the facts out of modules, board and this.
  void set_describe(std::function<DeviceFacts()> describe) { describe_ = std::move(describe); }
  /// Something that the facts show has changed: process parts ask anew.
  void changed() { ++facts_epoch_; }
  const DeviceFacts& facts() override;
  /// amdgpu's interrupt handler for page faults of the GPU with this index on the board.
  using FaultHandler = std::function<void(std::uint32_t gpu, const VmFault& fault, EventId event)>;
  void set_fault_handler(FaultHandler handler) { fault_handler_ = std::move(handler); }

  /// Who logs what the IOMMU reports of the GPU with this index on the board.
  using IommuHandler = std::function<void(std::uint32_t gpu, EventId event)>;
  void set_iommu_handler(IommuHandler handler) { iommu_handler_ = std::move(handler); }
  /// amdgpu's RAS and reset code.
  using ErrorHandler = std::function<EventId(int pid, const HardwareError& error)>;
  void set_error_handler(ErrorHandler handler) { error_handler_ = std::move(handler); }

  // Resets (amdgpu_reset.cpp). While KFD is locked nobody can open it.
  void lock(EventId event) {
    locked_ = true;
    locked_by_ = event;
  }
  void unlock() { locked_ = false; }
  bool locked() const { return locked_; }
  EventId locked_by() const { return locked_by_; }

  /// What a process hears of a GPU that was reset: KFD's events of types hw_exception and memory.
  struct ResetNotice {
    std::uint64_t number = 0;  ///< from 1
    std::uint32_t gpu_id = 0;
    std::uint32_t cause = 0;  ///< KFD_HW_EXCEPTION_GPU_HANG 0, _ECC 1
  };
  using ResetListener = std::function<void(const ResetNotice& notice)>;
  void set_reset_listener(ResetListener listener) { reset_listener_ = std::move(listener); }
  /// For every process that has KFD open, about one KFD node.
  void announce_reset(std::uint32_t gpu_id, std::uint32_t cause);
  /// The last ones; a process part that is asked looks for numbers beyond those it knows.
  const std::vector<ResetNotice>& resets() const { return resets_; }
  std::uint64_t last_reset() const { return next_reset_ - 1; }
  /// An SMI event line of this KFD node.
  void smi_event(std::uint32_t gpu_id, kfd::SmiEvent event, const std::string& line) const {
    if (smi_listener_) smi_listener_(gpu_id, event, line);
  }
  /// A page of the GPU with this index on the board is never given out again.
  void retire_page(std::uint32_t gpu, std::uint64_t page);
  /// What the driver does when it starts anew, before it reads the EEPROM.
  void forget_retired_pages(std::uint32_t gpu);
  /// Whether a process holds the page.
  bool page_in_use(std::uint32_t gpu, std::uint64_t page) const;

  /// Who hands SMI events to the processes that read them: lines as KFD makes them.
  using SmiListener =
      std::function<void(std::uint32_t gpu_id, kfd::SmiEvent event, const std::string& line)>;
  void set_smi_listener(SmiListener listener) { smi_listener_ = std::move(listener); }

  SysResult<void> attach(int pid, std::uint32_t gpu_id) override;
  /// The thread that attached, where it is not the process's first.
  void set_thread(int pid, std::uint32_t gpu_id, int tid, std::string name);
  void detach(int pid) override;
  /// From the lowest free address above what the driver keeps for itself on, in as few pieces as
  /// possible; never in a retired page.
  SysResult<VramExtents> reserve_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) override;
  void release_vram(int pid, std::uint32_t gpu_id, const VramExtents& extents) override;
  std::uint64_t available_vram(std::uint32_t gpu_id) override;
  std::uint64_t used_vram(std::uint32_t gpu_id) const;
  SysResult<std::uint32_t> take_doorbell(int pid, std::uint32_t gpu_id,
                                         const HeldQueue& queue) override;
  void release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) override;
  EventId page_fault(int pid, const PageFault& fault) override;
  EventId store_lost(int pid, std::uint32_t gpu_id, const UnreachablePeer& peer) override;
  SysResult<ShareHandle> share(int pid, SharedVram vram) override;
  SysResult<SharedVram> find_shared(const ShareHandle& handle) override;
  EventId hardware_error(int pid, const HardwareError& error) override {
    return error_handler_ ? error_handler_(pid, error) : no_event;
  }
  EventId record(Layer layer, Severity severity, std::string_view kind, std::string_view subject,
                 std::initializer_list<Field> fields, EventId cause) override {
    return os_.journal.record(layer, severity, kind, subject, fields, cause);
  }

  const Injections& injections() const { return injections_; }
  void set_injections(Injections injections) {
    injections_ = std::move(injections);
    changed();
  }
  /// Counts an open() of a device; an error if an injection lets it fail.
  SysResult<void> injected_open(std::string_view path);

  /// Open files of /dev/kfd and /dev/dri: they hold the module.
  void opened() {
    ++open_files_;
    ++held_version_;
  }
  void closed() {
    --open_files_;
    ++held_version_;
  }
  int open_files() const { return open_files_; }
  /// An open /dev/kfd makes its process a KFD process, which has a process-device on every GPU.
  void process_opened(int pid) { ++kfd_files_[pid]; }
  void process_closed(int pid);
  /// A process because of which the GPU with this index on the board is busy; 0 if there is none.
  int user_of(std::uint32_t gpu) const;
  /// Moves on whenever what processes hold has changed.
  std::uint64_t held_version() const { return held_version_; }

  /// Doorbells, one per user queue, that all processes hold together.
  std::size_t doorbells_in_use() const;
  /// Processes that hold any GPU.
  std::set<int> holders() const;
  /// Processes that hold this GPU.
  std::set<int> holders(std::uint32_t gpu_id) const;
  /// The process's address space id; 0 if it holds no GPU.
  std::uint32_t pasid(int pid) const;

  /// What one process holds of one GPU.
  struct Holding {
    std::uint64_t vram_bytes = 0;
    VramExtents vram = {};
    std::map<std::uint32_t, HeldQueue> queues;  ///< by doorbell
    EventId event = no_event;                   ///< why it is there, where that is known
    std::uint32_t vmid = 0;                     ///< above the first of KFD's; lowest free first
    int tid = 0;                                ///< who attached, as amdgpu_task_info keeps it
    std::string thread;

    template <class Archive>
    void serialize(Archive& archive) {
      archive("vram_bytes", vram_bytes);
      archive("vram", vram);
      archive("queues", queues);
      archive("event", event);
      archive("vmid", vmid);
      archive("tid", tid);
      archive("thread", thread);
    }
  };
  /// What a process holds has this explanation.
  void explain_holding(int pid, std::uint32_t gpu_id, EventId event) {
    if (Holding* held = holding(pid, gpu_id)) held->event = event;
  }
  const Holding* held_by(int pid, std::uint32_t gpu_id) const;
  /// Of the process that holds most of a GPU's memory; no_event where that is not known.
  EventId why_vram_is_held(std::uint32_t gpu_id) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("present", present_);
    archive("event", event_);
    archive("generation", generation_);
    archive("nodes", nodes_);
    archive("held", held_);
    archive("pasids", pasids_);
    archive("retired", retired_);
    archive("locked", locked_);
    archive("locked_by", locked_by_);
    archive("injections", injections_);
    if constexpr (!Archive::saving) changed();
  }

 private:
  VramExtents place(const KfdNode& node, std::uint64_t bytes) const;
  EventId doorbell_limit(std::size_t queues) const;
  EventId vram_exhausted(int pid, const KfdNode& node, std::uint64_t bytes);
  Holding* holding(int pid, std::uint32_t gpu_id);
  std::uint64_t retired_vram(const KfdNode& node) const;
  std::size_t sdma_queues(std::uint32_t gpu_id) const;
  std::uint32_t free_vmid(std::uint32_t gpu_id) const;
  void place_on_engine(std::uint32_t gpu_id, HeldQueue& queue);

  sim::Os& os_;
  bool present_ = false;
  EventId event_ = no_event;
  std::uint32_t generation_ = 1;
  std::vector<KfdNode> nodes_;
  std::function<DeviceFacts()> describe_;
  FaultHandler fault_handler_;
  IommuHandler iommu_handler_;
  std::map<std::uint32_t, std::pair<int, SharedVram>> shared_;  // by number; of live processes
  std::uint32_t next_share_ = 1;
  ErrorHandler error_handler_;
  ResetListener reset_listener_;
  std::vector<ResetNotice> resets_;  // of live processes, which are not saved
  std::uint64_t next_reset_ = 1;
  std::set<std::pair<std::uint32_t, std::uint64_t>> retired_;  ///< GPU on the board, page
  bool locked_ = false;
  EventId locked_by_ = no_event;
  SmiListener smi_listener_;
  DeviceFacts facts_;
  Injections injections_;
  std::uint64_t facts_epoch_ = 1;
  std::uint64_t held_version_ = 0;
  int open_files_ = 0;                                     // of live processes, which are not saved
  std::map<int, int> kfd_files_;                           // the same; by pid
  std::map<std::pair<std::uint32_t, int>, Holding> held_;  ///< (gpu_id, pid)
  std::map<int, std::uint32_t> pasids_;                    ///< of processes that hold a GPU
};

}  // namespace rocdrill::kernel
