// A hardware queue of a process: the engine's state machine and what KFD does with what it reports.
#pragma once

#include "sim/kernel/process/kernel_runner.hpp"
#include "sim/kernel/process/kfd_process.hpp"
#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/sdma.hpp"

namespace rocdrill::kernel {

/// What all kinds have in common. The owner holds the process's lock for every call.
class KfdProcess::HardwareQueue {
 public:
  HardwareQueue(KfdProcess& process, std::uint32_t id, const kfd::CreateQueueArgs& args,
                std::uint32_t doorbell_index)
      : process_(process),
        id(id),
        gpu_id(args.gpu_id),
        type(args.queue_type),
        doorbell_index(doorbell_index) {}
  virtual ~HardwareQueue() {
    process_.devices_.release_doorbell(process_.opener_.pid, gpu_id, doorbell_index);
  }
  HardwareQueue(const HardwareQueue&) = delete;
  HardwareQueue& operator=(const HardwareQueue&) = delete;

  virtual void ring(std::uint64_t value) = 0;
  /// True if anything happened.
  virtual bool run() = 0;
  virtual void suspend() = 0;
  virtual void resume() = 0;
  /// Stands at something that only memory or time can release.
  virtual bool waiting() const = 0;
  virtual std::uint64_t read_index() const = 0;
  virtual std::string_view state() const = 0;
  virtual void set_cu_mask(std::vector<std::uint32_t>) {}
  /// When something late comes (clocks().monotonic_raw_ns).
  virtual std::optional<std::uint64_t> late_until() const = 0;

  /// Off the GPU until KfdProcess::restore().
  void evict() {
    evicted = true;
    suspend();
  }

  /// The injections as they are now. If they changed, the queue counts anew.
  void take_injections(const std::vector<QueueInjection>& list) {
    if (list == injections_) return;
    injections_ = list;
    inject(combined(injections_, kind()));
  }

  /// Tells as much as the node's facts ask for, from now on.
  virtual void heed_level() = 0;

  /// Passes a new value of the doorbell on; true if there was one.
  bool look_at_doorbell() {
    const std::uint64_t value =
        __atomic_load_n(process_.doorbell_page(gpu_id) + doorbell_index, __ATOMIC_ACQUIRE);
    if (value == seen) return false;
    seen = value;
    if (process_.observer_) process_.observer_->doorbell(id, value);
    ring(value);
    return true;
  }

 protected:
  /// What a queue has to tell so that the timeline and an observer get theirs.
  cp::EventLevel wanted_level() const;
  /// Whether the timeline wants it.
  bool told(cp::Transition transition) const;
  virtual QueueKind kind() const = 0;
  virtual void inject(const cp::QueueFaultInjection& faults) = 0;
  /// Records what an injection did, with the fault as the cause.
  EventId record_injected(cp::Injected what, std::uint64_t nth, std::uint64_t at);

  KfdProcess& process_;
  std::vector<QueueInjection> injections_;

 public:
  const std::uint32_t id;
  const std::uint32_t gpu_id;
  const std::uint32_t type;  ///< kfd::QueueType
  const std::uint32_t doorbell_index;
  std::uint64_t seen = ~0ull;  ///< the doorbell's value at the last look
  bool stopped = false;        ///< UPDATE_QUEUE with percentage 0
  bool evicted = false;        ///< by the device part, or after a page fault
  bool lost = false;           ///< in a GPU reset
};

class KfdProcess::AqlQueue final : public HardwareQueue, public cp::Hooks {
 public:
  /// `gpu`: of the queue.
  AqlQueue(KfdProcess& process, const cp::QueueConfig& config, const kfd::CreateQueueArgs& args,
           std::uint32_t doorbell_index, const GpuFacts& gpu);

  void ring(std::uint64_t value) override { queue.doorbell(value); }
  bool run() override;
  void suspend() override { queue.suspend(); }
  void resume() override { queue.resume(); }
  bool waiting() const override;
  std::uint64_t read_index() const override { return queue.read_index(); }
  std::string_view state() const override { return cp::name(queue.state()); }
  std::optional<std::uint64_t> late_until() const override { return queue.late_until(); }
  void set_cu_mask(std::vector<std::uint32_t> mask) override {
    if (runner_) runner_->set_cu_mask(std::move(mask));
  }

  void interrupt(std::uint32_t event_id) override { process_.interrupt(event_id); }
  void queue_error(cp::Queue& failed, const cp::QueueError& error) override;
  void unmodelled(std::string_view what, cp::Queue& failed, std::uint64_t packet_index) override;
  void memory_fault(const cp::MemoryFault& fault) override;
  void observe(const cp::PacketEvent& event) override;
  void injected(cp::Injected what, std::uint64_t nth, std::uint64_t at) override;
  std::uint64_t now_ns() override { return process_.surroundings_.clocks().monotonic_raw_ns; }
  bool legacy_errors() const override { return !process_.runtime_enabled_; }
  void heed_level() override;

 private:
  /// For the timeline: that the queue is there, once, when its packets are told.
  void record_presence(std::string_view kind);
  ObservedPacket::ErrorPath error_path();
  /// For the observer: the packet in its slot, with the header that its producer wrote.
  void show(ObservedPacket::What what, std::uint64_t index, std::optional<aql::Header> header,
            std::string_view reason = {});
  QueueKind kind() const override { return QueueKind::aql; }
  void inject(const cp::QueueFaultInjection& faults) override { queue.inject(faults); }
  EventId cause_of(const cp::QueueError& error) const;
  /// For the timeline: a packet's bytes at its launch, its completion signal's value.
  void record_packet(const cp::PacketEvent& packet);
  std::string packet_text(std::uint64_t index, aql::Header header) const;
  /// nullopt where the handle is 0 or cannot be read.
  std::optional<std::int64_t> signal_value(std::uint64_t handle) const;
  bool settle_kernels();
  /// Told to the driver, if so.
  bool fails_under_load();

  /// The request that rocdrill does not model, if that ended the queue.
  EventId refused_ = no_event;
  /// Injections without which a packet would have been read otherwise.
  EventId spoiled_ = no_event;
  std::uint64_t spoiled_index_ = 0;
  EventId overrun_ = no_event;
  EventId faulted_ = no_event;  ///< the page fault
  bool presence_told_ = false;
  const std::uint64_t save_area_;  ///< CWSR area, 0 if none
  /// nullptr where the GPU's instructions are not executed: its queues refuse kernels.
  const std::unique_ptr<KernelRunner> runner_;

 public:
  cp::Queue queue;
};

class KfdProcess::SdmaQueue final : public HardwareQueue, public cp::SdmaHooks {
 public:
  SdmaQueue(KfdProcess& process, const cp::SdmaConfig& config, const kfd::CreateQueueArgs& args,
            std::uint32_t doorbell_index);

  void ring(std::uint64_t value) override { queue.doorbell(value); }
  bool run() override;
  void suspend() override { queue.suspend(); }
  void resume() override { queue.resume(); }
  bool waiting() const override;
  std::uint64_t read_index() const override { return queue.read_index(); }
  std::string_view state() const override { return cp::name(queue.state()); }
  std::optional<std::uint64_t> late_until() const override { return queue.late_until(); }

  void interrupt(std::uint32_t context) override { process_.interrupt(context); }
  void queue_error(cp::SdmaQueue& failed, const cp::SdmaError& error) override;
  void unmodelled(std::string_view what, cp::SdmaQueue& failed, std::uint64_t index) override;
  void memory_fault(const cp::MemoryFault& fault) override {
    faulted_ = process_.page_fault(*this, fault);
  }
  void observe(const cp::SdmaEvent& event) override;
  void injected(cp::Injected what, std::uint64_t nth, std::uint64_t at) override {
    record_injected(what, nth, at);
  }
  std::uint64_t gpu_counter() override {
    return process_.surroundings_.clocks().monotonic_raw_ns / 10;
  }
  void heed_level() override { queue.set_event_level(wanted_level()); }

 private:
  /// For the observer: what lies in the ring from `index` on.
  void show(ObservedPacket::What what, std::uint64_t index, std::uint64_t dwords,
            std::string_view reason = {});
  QueueKind kind() const override { return QueueKind::sdma; }
  void inject(const cp::QueueFaultInjection& faults) override { queue.inject(faults.doorbell); }

  EventId refused_ = no_event;
  EventId faulted_ = no_event;

 public:
  cp::SdmaQueue queue;
};

}  // namespace rocdrill::kernel
