// One hardware SDMA queue: a state machine over a ring of packets of different lengths, in the
// image of Queue (queue.hpp) and under the same rules: it knows memory and hooks, no device.
//
// Ring: `ring_bytes` bytes. Read and write index are byte indices that only grow; index %
// ring_bytes is the place in the ring, and a packet may wrap around its end (the kernel's own rings
// do; ROCr fills the tail with zeros instead, which are NOPs of one dword). A run of such NOPs is
// taken as one packet.
//
// Everything is in order: a packet is complete, its effects in memory and the read index past it,
// before the next one begins. Stores of FENCE, ATOMIC, TIMESTAMP and the read index release what
// was copied before, so a thread that polls them with acquire order sees it.
//
// What stops a queue: a packet that is malformed or not modelled, a write index more than
// `ring_bytes` ahead, memory that is not mapped. Bytes before the first one that is not mapped have
// been copied then, as the hardware may have done. Read index and packet stay.
//
// Threads: doorbell() from any; all else by one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/doorbell.hpp"
#include "sim/silicon/command_processor/hooks.hpp"
#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/sdma_packets.hpp"

namespace rocdrill::cp {

class SdmaQueue;

struct SdmaConfig {
  std::uint64_t id = 0;
  std::uint64_t ring_base = 0;       ///< VA, 256-aligned
  std::uint64_t ring_bytes = 0;      ///< a power of two, 1 KiB or more
  std::uint64_t write_index_va = 0;  ///< 8-aligned
  std::uint64_t read_index_va = 0;   ///< 8-aligned
  sdma::Generation generation = sdma::Generation::v4_4_2;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("id", id);
    archive("ring_base", ring_base);
    archive("ring_bytes", ring_bytes);
    archive("write_index_va", write_index_va);
    archive("read_index_va", read_index_va);
    archive("generation", generation);
  }
};

/// Why an SDMA queue stopped. The kernel sees an illegal-instruction interrupt for all but
/// memory_violation (a VM fault) and ring_overrun (on hardware the engine executes what the
/// producer overwrote; assumed to end like that). `unmodelled` is not the hardware's error.
enum class SdmaFailure : std::uint8_t {
  none,
  unmodelled,
  count_too_large,     ///< bits set above the engine's count field (hardware: not documented)
  misaligned_address,  ///< FENCE, POLL, 32-bit ATOMIC, WRITE, dword fill, rectangle base: 4 bytes;
                       ///< 64-bit ATOMIC: 8; TIMESTAMP: 32
  packet_too_long,     ///< than the ring: it can never be complete
  ring_overrun,
  memory_violation,
};
std::string_view name(SdmaFailure failure);

struct SdmaError {
  SdmaFailure failure = SdmaFailure::none;
  std::uint64_t index = 0;   ///< of the packet, in bytes
  std::uint32_t header = 0;  ///< its first dword, 0 if it was not read

  template <class Archive>
  void serialize(Archive& archive) {
    archive("failure", failure);
    archive("index", index);
    archive("header", header);
  }
  friend bool operator==(const SdmaError&, const SdmaError&) = default;
};

/// `launched` when a packet begins, `stalled` when it must wait, `completed`, `failed`.
struct SdmaEvent {
  Transition transition = Transition::doorbell;
  std::uint64_t queue_id = 0;
  std::uint64_t index = 0;   ///< of the packet, in bytes; the value written for `doorbell`
  std::uint32_t header = 0;  ///< the packet's first dword
  std::uint64_t dwords = 0;  ///< its length, 0 if not known yet
};

/// As Hooks: on the thread that runs the queue, in the order of things; a hook must not call run().
class SdmaHooks {
 public:
  virtual ~SdmaHooks() = default;
  /// TRAP: its context, an event id. The mailbox slot is the client's business (a FENCE before it).
  virtual void interrupt(std::uint32_t /*context*/) {}
  /// A POLL_REGMEM with a finite retry count gave up; the kernel sees an interrupt of its own.
  virtual void poll_timeout(SdmaQueue&, std::uint64_t /*index*/) {}
  /// Once per queue, when it has failed.
  virtual void queue_error(SdmaQueue&, const SdmaError&) {}
  /// A packet that rocdrill does not model was refused; queue_error follows.
  virtual void unmodelled(std::string_view /*what*/, SdmaQueue&, std::uint64_t /*index*/) {}
  /// Before queue_error of the same failure. The address is the first that is not reachable;
  /// packet_index is in bytes.
  virtual void memory_fault(const MemoryFault&) {}
  virtual void observe(const SdmaEvent&) {}
  /// As Hooks::injected; of doorbells only.
  virtual void injected(Injected /*what*/, std::uint64_t /*nth*/, std::uint64_t /*at*/) {}
  /// The GPU's counter, 100 MHz.
  virtual std::uint64_t gpu_counter() { return 0; }
};

enum class SdmaWaitReason : std::uint8_t {
  none,
  incomplete_packet,  ///< the write index is inside the packet
  poll_memory,        ///< POLL_REGMEM
  atomic_compare,     ///< ATOMIC compare-and-swap that loops until it succeeds
};
std::string_view name(SdmaWaitReason reason);

/// (memory[address] & mask) <function> reference; for atomic_compare only the address counts.
struct SdmaWait {
  SdmaWaitReason reason = SdmaWaitReason::none;
  std::uint64_t index = 0;  ///< of the packet, in bytes
  std::uint64_t address = 0;
  sdma::PollFunction function = sdma::PollFunction::always;
  std::uint32_t reference = 0;
  std::uint32_t mask = 0;
};

/// Since creation.
struct SdmaCounters {
  std::uint64_t packets = 0;  ///< complete; NOPs too, a run of zeros as one
  std::uint64_t bytes_copied = 0;
  std::uint64_t bytes_written = 0;  ///< WRITE_LINEAR
  std::uint64_t bytes_filled = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t hdp_flushes = 0;
  std::uint64_t poll_timeouts = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("packets", packets);
    archive("bytes_copied", bytes_copied);
    archive("bytes_written", bytes_written);
    archive("bytes_filled", bytes_filled);
    archive("interrupts", interrupts);
    archive("hdp_flushes", hdp_flushes);
    archive("poll_timeouts", poll_timeouts);
  }
  friend bool operator==(const SdmaCounters&, const SdmaCounters&) = default;
};

struct SdmaProgress {
  std::uint64_t packets = 0;  ///< completed in this call
  std::uint64_t bytes = 0;    ///< copied, written and filled in this call
  QueueState state = QueueState::idle;
};

class SdmaQueue {
 public:
  /// One run() moves about this much (a row of a rectangle counts 64 bytes at least) and then
  /// returns in the middle of a packet, with state `active`: 1 GiB copies do not block a node.
  static constexpr std::uint64_t bytes_per_run = 64 << 20;

  /// Starts at byte 0 and touches no memory. Throws std::invalid_argument on sizes and alignments
  /// that SdmaConfig excludes. `memory` and `hooks` must outlive the queue.
  SdmaQueue(const SdmaConfig& config, AddressSpace& memory, SdmaHooks& hooks);
  SdmaQueue(const SdmaQueue&) = delete;
  SdmaQueue& operator=(const SdmaQueue&) = delete;

  /// The value written to the doorbell: the new write index, in bytes; bits 1:0 are ignored. From
  /// any thread; takes effect at the next run(), which then looks at the write index in memory too.
  void doorbell(std::uint64_t value);

  /// Executes up to `max_packets` packets and returns when there is nothing to do but wait. Each
  /// call is one try of the POLL_REGMEM at which the queue stands. Throws std::logic_error when
  /// called from a hook.
  SdmaProgress run(std::size_t max_packets);

  void suspend();
  /// The write index in memory is looked at again, as KFD does when it maps a queue.
  void resume();

  QueueState state() const;
  const SdmaConfig& config() const { return config_; }
  std::uint64_t read_index() const { return read_index_; }  ///< in bytes, as in memory
  std::uint64_t doorbell_value() const { return doorbell_.value(); }
  SdmaWait waiting_on() const;
  const std::optional<SdmaError>& error() const { return error_; }
  const SdmaCounters& counters() const { return counters_; }

  void set_event_level(EventLevel level) { event_level_ = level; }
  EventLevel event_level() const { return event_level_; }
  /// See Queue::inject. Time is the GPU counter's.
  void inject(const DoorbellFaultInjection& faults) { doorbell_.inject(faults); }
  /// As Queue::late_until.
  std::optional<std::uint64_t> late_until() const { return doorbell_.late_until(); }

  template <class Archive>
  void serialize(Archive& archive);

 private:
  enum class Step : std::uint8_t { again, stop };

  // sdma.cpp: the ring
  Step step();
  Step fetch();
  Step announce();
  bool read_ring(std::uint64_t index, std::uint32_t* dwords, std::size_t count);
  std::size_t zeros(std::size_t limit);
  std::uint64_t ring_va(std::uint64_t index) const;
  Step stall(SdmaWaitReason reason);
  Step complete();
  Step pause();
  std::uint64_t now_ns() { return hooks_.gpu_counter() * 10; }

  // sdma_execute.cpp: one function per kind of packet
  Step execute();
  Step fence();
  Step trap();
  Step poll();
  Step poll_memory();
  Step atomic();
  template <class Value>
  Step atomic_of(sdma::AtomicOp operation);
  Step timestamp();

  // sdma_copy.cpp: packets that move bytes
  Step copy_linear();
  Step copy_window();
  bool copy_row(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes);
  Step write_linear();
  Step fill();
  std::byte* reach(std::uint64_t va, std::size_t& bytes, Access access);

  // sdma_failure.cpp
  Step fail(SdmaFailure failure);
  Step refuse(std::string_view what);
  Step fault(std::uint64_t va, Access access);
  void tell(Transition transition, std::uint64_t index);
  bool tells(EventLevel level) const { return event_level_ >= level; }

  AddressSpace& memory_;
  SdmaHooks& hooks_;
  bool running_ = false;      // inside run(); never true when state is saved
  std::uint64_t budget_ = 0;  // bytes that this run() may still move

  SdmaConfig config_;
  EventLevel event_level_ = EventLevel::off;
  Doorbell doorbell_;
  bool look_at_write_index_ = true;
  std::uint64_t announced_ = 0;
  std::uint64_t read_index_ = 0;
  QueueState state_ = QueueState::idle;  // idle, active, waiting or failed
  bool suspended_ = false;
  SdmaWaitReason wait_ = SdmaWaitReason::none;
  // The packet at the read index, once it is complete in the ring.
  bool begun_ = false;
  sdma::Head head_{};
  std::uint64_t dwords_ = 0;
  std::uint64_t done_ = 0;   // bytes or rows of it
  std::uint32_t tries_ = 0;  // of POLL_REGMEM
  std::uint64_t timestamp_offset_ = 0;
  std::optional<SdmaError> error_;
  SdmaCounters counters_;
};

template <class Archive>
void SdmaQueue::serialize(Archive& archive) {
  archive("config", config_);
  archive("event_level", event_level_);
  archive("doorbell", doorbell_);
  archive("look_at_write_index", look_at_write_index_);
  archive("announced", announced_);
  archive("read_index", read_index_);
  archive("state", state_);
  archive("suspended", suspended_);
  archive("wait", wait_);
  archive("begun", begun_);
  archive("head", head_);
  archive("dwords", dwords_);
  archive("done", done_);
  archive("tries", tries_);
  archive("timestamp_offset", timestamp_offset_);
  archive("error", error_);
  archive("counters", counters_);
}

}  // namespace rocdrill::cp
