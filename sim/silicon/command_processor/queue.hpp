// The packet processor of one hardware AQL queue: one state machine for every path to a ring
// (in-process runtime, KFD ioctls of real programs, the ring view).
//
// A packet's life (HSA Platform System Architecture 1.2 section 2.9):
//
//   INVALID -> valid          the producer stores the header, with release order
//   valid -> launched         in order; with the barrier bit only once all earlier packets of the
//                             queue are complete; acquire fence
//   launched -> complete      out of order; release fence, completion signal - 1, interrupt
//   taken                     the slot's header is INVALID again and the read index has passed it
//
// When a slot is taken depends on who still needs it:
//   barrier-AND/OR, barrier-value   when the condition holds: until then the queue stands still
//                                   and the read index shows the packet that it stands at
//   agent dispatch                  at launch: its owner has a copy
//   kernel dispatch                 when it completes: waves read the packet through DISPATCH_PTR,
//                                   and ROCr (scratch reclaim, amd_aql_queue.cpp) and ROCdbgapi
//                                   (queue.cpp) rely on read_dispatch_id not passing a dispatch
//                                   that has waves
// So a packet at which the queue fails has its slot, the read index and its completion signal
// untouched. (Only an agent dispatch can fail later: if its signal is unmapped while in flight.)
//
// Threads: producers touch ring memory, the indices in memory and signals, all through atomics,
// and may call doorbell(). Everything else is called by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/doorbell.hpp"
#include "sim/silicon/command_processor/fault_injection.hpp"
#include "sim/silicon/command_processor/hooks.hpp"
#include "sim/silicon/command_processor/queue_error.hpp"
#include "sim/silicon/command_processor/validate.hpp"
#include "stack/formats/aql.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::cp {

struct QueueConfig {
  std::uint64_t id = 0;
  std::uint64_t ring_base = 0;       ///< VA of slot 0, 64-aligned
  std::uint32_t size_packets = 0;    ///< a power of two
  std::uint64_t write_index_va = 0;  ///< 8-aligned
  std::uint64_t read_index_va = 0;   ///< 8-aligned
  std::uint64_t amd_queue_va = 0;    ///< 64-aligned; 0 if unknown
  AgentLimits limits;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("id", id);
    archive("ring_base", ring_base);
    archive("size_packets", size_packets);
    archive("write_index_va", write_index_va);
    archive("read_index_va", read_index_va);
    archive("amd_queue_va", amd_queue_va);
    archive("limits", limits);
  }
};

enum class QueueState : std::uint8_t {
  idle,       ///< every packet that was announced has been launched
  active,     ///< run() has something to look at
  waiting,    ///< the packet at the head cannot go on: waiting_on()
  suspended,  ///< unmapped by the scheduler (UPDATE_QUEUE percentage 0)
  failed,     ///< for ever: error()
};
std::string_view name(QueueState state);

enum class WaitReason : std::uint8_t {
  none,
  header_invalid,   ///< announced by write index or doorbell, but not written yet
  barrier_bit,      ///< earlier packets are in flight
  all_signals,      ///< barrier-AND
  any_signal,       ///< barrier-OR
  signal_value,     ///< barrier-value
  ring_held,        ///< the ring has come round to a slot whose kernel still runs
  scratch,          ///< the runtime has to provide more private memory first
  in_flight_limit,  ///< as many packets in flight as the ring has slots
};
std::string_view name(WaitReason reason);

/// (value of the signal & mask) <condition> value. `signal` is a handle.
struct SignalWait {
  std::uint64_t signal = 0;
  SignalCondition condition = SignalCondition::eq;
  std::int64_t value = 0;
  std::int64_t mask = -1;
};

struct Wait {
  WaitReason reason = WaitReason::none;
  std::uint64_t packet_index = 0;
  std::vector<SignalWait> signals;  ///< those not yet satisfied; empty for other reasons
};

/// For the ring view.
enum class SlotState : std::uint8_t {
  invalid,     ///< free, never used
  valid,       ///< written, not launched
  waiting,     ///< at the head, and the queue stands still at it
  launched,    ///< in flight (the slot may already be INVALID in memory)
  complete,    ///< its last packet is complete
  failed,      ///< the queue stopped at it
  unreadable,  ///< the ring is not mapped
};
std::string_view name(SlotState state);

struct InFlight {
  std::uint64_t index = 0;
  aql::Packet packet;
  std::uint64_t start_ns = 0;  ///< 0 unless profiled
  bool profiled = false;
  bool holds_slot = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("index", index);
    archive("packet", packet.bytes);
    archive("start_ns", start_ns);
    archive("profiled", profiled);
    archive("holds_slot", holds_slot);
  }
};

/// Since creation. The fences are indexed by scope: none, agent, system.
struct Counters {
  std::uint64_t launched = 0;
  std::uint64_t completed = 0;
  std::uint64_t interrupts = 0;
  std::array<std::uint64_t, 3> acquire_fences{};
  std::array<std::uint64_t, 3> release_fences{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive("launched", launched);
    archive("completed", completed);
    archive("interrupts", interrupts);
    archive("acquire_fences", acquire_fences);
    archive("release_fences", release_fences);
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct Progress {
  std::size_t launched = 0;   ///< in this call
  std::size_t completed = 0;  ///< in this call
  QueueState state = QueueState::idle;
};

class Queue {
 public:
  /// Starts at packet 0, as KFD resets a queue descriptor, whatever is in memory. Touches no
  /// memory. Throws std::invalid_argument if the size is not a power of two or an address is
  /// misaligned (KFD refuses such queues with EINVAL before it comes to this). `memory`, `hooks`
  /// and `executor` must outlive the queue.
  Queue(const QueueConfig& config, AddressSpace& memory, Hooks& hooks,
        KernelExecutor* executor = nullptr);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// The value written to the doorbell: the index of the last packet announced (not + 1). A hint
  /// like the write index in memory: run() looks at packets below either. Values may arrive out
  /// of order. Callable from any thread, and takes effect at the next run().
  void doorbell(std::uint64_t value);

  /// Launches up to `max_packets` packets and returns when there is nothing to do but wait.
  /// Throws std::logic_error when called from a hook.
  Progress run(std::size_t max_packets);

  /// The agent is done with the packet: false (and no effect) if no agent dispatch with this
  /// index is in flight or the queue has failed.
  bool complete_agent_dispatch(std::uint64_t index);
  bool complete_kernel_dispatch(std::uint64_t index);
  /// A wave of the kernel dispatch raised an exception: the queue fails.
  bool fail_dispatch(std::uint64_t index, KfdException code);
  /// A wave touched what is not mapped: the memory fault is told, the queue fails.
  bool fault_dispatch(std::uint64_t index, std::uint64_t va, Access access, Requester by);
  /// A wave came to something that rocdrill does not model: told, the queue fails.
  bool refuse_dispatch(std::uint64_t index, std::string_view what);

  void suspend();
  void resume();

  QueueState state() const;
  const QueueConfig& config() const { return config_; }
  /// As in memory: all packets below are taken.
  std::uint64_t read_index() const { return read_index_; }
  /// The next packet to launch; read_index() <= launch_index().
  std::uint64_t launch_index() const { return launch_index_; }
  /// The last value rung, in order of arrival.
  std::uint64_t doorbell_value() const { return doorbell_.value(); }
  /// Launched and not complete, by index. Kernel and agent dispatches only.
  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  Wait waiting_on() const;
  const std::optional<QueueError>& error() const { return error_; }
  const Counters& counters() const { return counters_; }
  /// Of slot `slot` (below size_packets); reads the ring's headers. Throws std::out_of_range.
  SlotState slot_state(std::uint32_t slot) const;

  void set_event_level(EventLevel level) { event_level_ = level; }
  EventLevel event_level() const { return event_level_; }

  /// From now on; a default one ends it, but what is late already stays late. While something is
  /// late the queue is `active`: run() has to be called for it to come. Not while another thread
  /// rings the doorbell.
  void inject(const QueueFaultInjection& faults);
  /// When the next thing that is late comes, by now_ns(); nullopt if nothing is, or run() has not
  /// looked at it yet.
  std::optional<std::uint64_t> late_until() const;

  template <class Archive>
  void serialize(Archive& archive);

 private:
  enum class Step : std::uint8_t { again, stop };

  /// Everything that finishing a packet writes to, translated before any of it is written.
  struct Target {
    std::uint16_t* header = nullptr;  // null: the slot stays as it is
    std::uint64_t* read_index = nullptr;
    aql::AmdSignal* signal = nullptr;  // null: no completion signal
    std::uint64_t* mailbox = nullptr;  // null: no interrupt
  };

  // queue.cpp: the ring
  Step step();
  Step launch(const aql::Packet& packet);
  Step stall(WaitReason reason);
  std::uint64_t announced();
  std::uint64_t slot_va(std::uint64_t index) const;
  void notice_doorbell();

  // launch.cpp: one function per kind of packet
  Step launch_barrier(const aql::Packet& packet);
  Step launch_vendor(const aql::Packet& packet);
  Step launch_pm4(const aql::Packet& packet);
  Step launch_agent_dispatch(const aql::Packet& packet);
  Step launch_kernel_dispatch(const aql::Packet& packet);
  bool has_what_it_needs(const KernelLaunch& launch);
  Step refuse(KfdException code, std::string_view unmodelled = {});
  Step poll_barrier();
  std::optional<bool> poll_signals(const aql::Barrier& packet, bool any);
  std::optional<bool> poll_value(const aql::BarrierValue& packet);
  std::optional<std::int64_t> load_signal(std::uint64_t handle);
  bool begin_profile(std::uint64_t completion_signal, InFlight& flight);

  // completion.cpp
  bool resolve_slot(std::uint64_t index, Target& to);
  bool resolve_signal(const InFlight& flight, Target& to);
  void mark_launched(const InFlight& flight);
  void take(const InFlight& flight, const Target& to);
  void complete(const InFlight& flight, const Target& to);
  void signal_completion(const InFlight& flight, const Target& to, std::int64_t times);
  void interrupt(aql::AmdSignal& signal, std::uint64_t* mailbox);
  bool finish(std::uint64_t index, aql::PacketType type);
  std::size_t find_in_flight(std::uint64_t index) const;
  bool is_in_flight(std::uint64_t index, aql::PacketType type) const;
  std::uint64_t first_not_taken() const;

  // fault_injection.cpp
  void spoil_body(aql::Packet& packet);
  bool barrier_bit_holds();
  std::int64_t completions_to_signal(const InFlight& flight);
  bool interrupt_arrives(std::uint32_t event_id);
  bool read_index_moves();
  void deliver_late_completions();
  std::uint64_t nth_launched() const;

  // failure.cpp
  void fail(KfdException code, std::uint64_t index);
  void fault(std::uint64_t va, Access access, std::uint64_t index, Requester by = {});
  void raise_inactive_signal(std::uint32_t bits);
  aql::AmdSignal* inactive_signal();
  void tell(Transition transition, std::uint64_t index, const aql::Packet& packet);
  aql::Packet packet_in_slot(std::uint64_t index) const;

  /// The object at `va`, or nullptr after failing the queue at packet `index`.
  template <class T>
  T* at(std::uint64_t va, Access access, std::uint64_t index);
  bool tells(EventLevel level) const { return event_level_ >= level; }

  AddressSpace& memory_;
  Hooks& hooks_;
  KernelExecutor* executor_;
  bool running_ = false;  // inside run(); never true when state is saved

  QueueConfig config_;
  EventLevel event_level_ = EventLevel::off;
  Doorbell doorbell_;
  std::uint64_t announced_ = 0;  // the last answer of announced()
  std::uint64_t launch_index_ = 0;
  std::uint64_t read_index_ = 0;
  QueueState state_ = QueueState::idle;  // idle, active, waiting or failed
  bool suspended_ = false;
  WaitReason wait_ = WaitReason::none;
  std::uint32_t held_slots_ = 0;  // in_flight_ entries with holds_slot
  std::deque<InFlight> in_flight_;
  // The barrier packet at the head, once launched; index = launch_index_.
  bool polling_ = false;
  InFlight barrier_;
  std::uint32_t observed_ = 0;  // bit i: dep_signal[i] has been seen at 0
  std::optional<QueueError> error_;
  Counters counters_;

  /// One completion that is late.
  struct LateCompletion {
    InFlight flight;
    InjectedWait wait;

    template <class Archive>
    void serialize(Archive& archive) {
      archive("flight", flight);
      archive("wait", wait);
    }
  };
  /// Events since inject(), for the nth of each kind.
  struct InjectedCounts {
    std::uint64_t launched_before = 0;
    std::uint64_t completions = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t taken = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive("launched_before", launched_before);
      archive("completions", completions);
      archive("interrupts", interrupts);
      archive("taken", taken);
    }
  };
  bool injecting_ = false;
  QueueFaultInjection faults_;
  InjectedCounts injected_;
  std::deque<LateCompletion> late_completions_;
};

template <class Archive>
void Queue::serialize(Archive& archive) {
  archive("config", config_);
  archive("event_level", event_level_);
  archive("doorbell", doorbell_);
  archive("announced", announced_);
  archive("launch_index", launch_index_);
  archive("read_index", read_index_);
  archive("state", state_);
  archive("suspended", suspended_);
  archive("wait", wait_);
  archive("held_slots", held_slots_);
  archive("in_flight", in_flight_);
  archive("polling", polling_);
  archive("barrier", barrier_);
  archive("observed", observed_);
  archive("error", error_);
  archive("counters", counters_);
  archive("injecting", injecting_);
  archive("faults", faults_);
  archive("injected", injected_);
  archive("late_completions", late_completions_);
}

}  // namespace rocdrill::cp
