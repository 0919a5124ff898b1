// What a hardware queue tells the rest of the device, and what it asks of it.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/command_processor/fault_injection.hpp"
#include "sim/silicon/command_processor/queue_error.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::cp {

class Queue;

/// How much a queue tells through Hooks::observe. Each level includes those before it.
enum class EventLevel : std::uint8_t {
  off,
  errors,       ///< failed
  packets,      ///< + launched, stalled, completed
  transitions,  ///< + doorbell, taken, suspended, resumed
};

enum class Transition : std::uint8_t {
  doorbell,   ///< a new doorbell value was noticed
  stalled,    ///< the packet at the head cannot go on: Queue::waiting_on() says why
  launched,   ///< a packet left its launch phase, after its acquire fence
  taken,      ///< its slot is INVALID again
  completed,  ///< release fence applied, completion signal decremented
  failed,     ///< the queue stopped at this packet
  suspended,
  resumed,
};
std::string_view name(Transition transition);

struct PacketEvent {
  Transition transition = Transition::doorbell;
  std::uint64_t queue_id = 0;
  std::uint64_t index = 0;              ///< of the packet; the value written for `doorbell`
  aql::Header header;                   ///< as the producer wrote it; holds the fence scopes
  std::uint64_t completion_signal = 0;  ///< handle, 0 = none
};

/// A page that the queue needed and could not reach.
struct MemoryFault {
  std::uint64_t queue_id = 0;
  std::uint64_t address = 0;
  Access access = Access::read;
  std::uint64_t packet_index = 0;
  Requester by;
};

/// All but injected() are called on the thread that runs the queue, in the order in which things
/// happen. A hook may ring doorbells, change memory, and suspend, resume or complete packets of the
/// queue; it must not call run() or destroy the queue.
class Hooks {
 public:
  virtual ~Hooks() = default;
  /// The interrupt that carries a signal's event_id; its mailbox slot has been written.
  virtual void interrupt(std::uint32_t /*event_id*/) {}
  /// Once per queue, when it has failed. Not called again, whatever happens to the queue.
  virtual void queue_error(Queue&, const QueueError&) {}
  /// A request that rocdrill does not model was refused; queue_error follows.
  virtual void unmodelled(std::string_view /*what*/, Queue&, std::uint64_t /*packet_index*/) {}
  /// An agent-dispatch packet is in flight until Queue::complete_agent_dispatch(index), which
  /// may be called from here.
  virtual void agent_dispatch(Queue&, std::uint64_t /*packet_index*/, const aql::Packet&) {}
  /// Before queue_error of the same failure.
  virtual void memory_fault(const MemoryFault&) {}
  virtual void observe(const PacketEvent&) {}
  /// An injection takes effect on the nth event of its kind. `at` is the doorbell's value, the
  /// packet's index or the event id. Of a doorbell it is called by whoever rings.
  virtual void injected(Injected /*what*/, std::uint64_t /*nth*/, std::uint64_t /*at*/) {}
  /// Time for start_ts and end_ts of profiled signals.
  virtual std::uint64_t now_ns() { return 0; }
  /// True: errors also go to amd_queue_t's queue_inactive_signal (KFD without exceptions).
  virtual bool legacy_errors() const { return false; }
};

/// A kernel-dispatch packet whose fields and descriptor have been checked.
struct KernelLaunch {
  std::uint64_t queue_id = 0;
  std::uint64_t packet_index = 0;  ///< DISPATCH_ID
  std::uint64_t packet_va = 0;     ///< DISPATCH_PTR: the slot keeps its content until the end
  std::uint64_t amd_queue_va = 0;  ///< QUEUE_PTR, 0 if unknown
  std::uint64_t entry_va = 0;      ///< first instruction
  aql::KernelDispatch packet{};
};

enum class LaunchState : std::uint8_t { completed, in_flight };

/// What executes kernels. Without one a queue refuses them.
class KernelExecutor {
 public:
  virtual ~KernelExecutor() = default;
  /// What the runtime has to provide before this launch can begin: bits of queue_inactive_signal
  /// (inactive::scratch_wave64), 0 for nothing. The queue tells the runtime, waits until it has
  /// reset the signal, and asks again.
  virtual std::uint32_t lacks(const KernelLaunch& /*launch*/) { return 0; }
  /// Code may have changed in memory: what is known of it has to be looked at anew.
  virtual void invalidate_code() {}
  /// `in_flight`: the owner calls Queue::complete_kernel_dispatch or fail_dispatch later (or
  /// another end, see there). An error stops the queue at this packet.
  virtual std::expected<LaunchState, KfdException> launch(const KernelLaunch& launch) = 0;
};

}  // namespace rocdrill::cp
