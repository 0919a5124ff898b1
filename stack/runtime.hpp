// The HSA runtime as the layers above see it: agents, queues, signals. Implemented by the
// simulator's ROCr and by the machine's own libhsa-runtime64; the conformance tests are
// written against these interfaces only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stack/formats/aql.hpp"
#include "stack/result.hpp"

namespace rocdrill {

enum class DeviceType : std::uint8_t { cpu, gpu };

/// What rocminfo prints of an agent.
struct AgentInfo {
  DeviceType type = DeviceType::cpu;
  std::string name;            ///< "gfx942", or the CPU's model
  std::string uuid;            ///< "GPU-3cbe05d3e1e1b23d", "CPU-XX"
  std::string marketing_name;  ///< may be empty (product unknown to libdrm)
  std::string isa;             ///< "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"; empty on CPUs
  std::uint32_t node = 0;      ///< KFD user node id ("Node:")
  std::uint32_t chip_id = 0;   ///< PCI device id
  std::uint32_t bdf = 0;       ///< bus<<8 | device<<3 | function
  std::uint32_t compute_units = 0;
  std::uint32_t wavefront_size = 0;
  std::uint64_t memory_bytes = 0;  ///< of the largest global pool
};

/// hsa_signal_condition_t.
enum class SignalCondition : std::uint8_t { eq = 0, ne = 1, lt = 2, gte = 3 };

/// hsa_signal_t. Operations are sequentially consistent.
class Signal {
 public:
  virtual ~Signal() = default;
  /// Address of the amd_signal_t: what packets carry.
  virtual std::uint64_t handle() const = 0;
  virtual std::int64_t load() const = 0;
  virtual void store(std::int64_t value) = 0;
  virtual void add(std::int64_t value) = 0;
  virtual void subtract(std::int64_t value) = 0;
  virtual std::int64_t exchange(std::int64_t value) = 0;
  /// Returns the old value.
  virtual std::int64_t compare_exchange(std::int64_t expected, std::int64_t value) = 0;
  /// Returns the value observed last: the condition holds for it unless the time ran out.
  /// Timeout in nanoseconds (virtual time in the simulator); UINT64_MAX waits for ever, and in
  /// the simulator returns when nothing on the node can change the signal any more.
  virtual std::int64_t wait(SignalCondition condition, std::int64_t value,
                            std::uint64_t timeout_ns) = 0;
};

/// Called once when the queue has failed; the queue processes nothing afterwards.
using QueueErrorCallback = std::function<void(HsaStatus)>;

/// A user-mode queue (hsa_queue_t): the caller writes packets itself.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual std::uint64_t id() const = 0;
  /// The ring; size() is a power of two. Slots start as type INVALID.
  virtual std::span<aql::Packet> ring() = 0;
  virtual std::uint64_t load_read_index() const = 0;
  virtual std::uint64_t load_write_index() const = 0;
  virtual std::uint64_t add_write_index(std::uint64_t count) = 0;  ///< returns the old value
  virtual void store_write_index(std::uint64_t value) = 0;
  /// Rings the doorbell with the index of the last packet written (not + 1).
  virtual void ring_doorbell(std::uint64_t index) = 0;
  /// HsaStatus::success while the queue works.
  virtual HsaStatus status() const = 0;

  /// Claims a slot (throws std::length_error if the ring is full), copies the packet's body,
  /// publishes its header last and rings the doorbell. Returns the packet's index. Producers may
  /// race: who claims a slot that is not free yet waits for it (HSA PSA 2.8.3).
  /// Throws std::logic_error if the ring's size is not a power of two.
  std::uint64_t submit(const aql::Packet& packet);
};

struct QueueOptions {
  std::uint32_t size = 128;  ///< packets
  std::uint32_t private_segment_size = UINT32_MAX;
  std::uint32_t group_segment_size = UINT32_MAX;
  QueueErrorCallback on_error;
};

/// How a runtime ended its process: what it printed before abort().
struct RuntimeAbort {
  std::string text;  ///< may be empty: the environment can silence it
  EventId event = no_event;
};

/// One process's initialised runtime (hsa_init ... hsa_shut_down).
class Runtime {
 public:
  virtual ~Runtime() = default;
  /// In ROCr's order, CPU agents first.
  virtual std::span<const AgentInfo> agents() const = 0;
  /// Whether XNACK is enabled in this process ("XNACK enabled:" of rocminfo).
  virtual bool xnack_enabled() const = 0;
  virtual HsaResult<std::unique_ptr<Queue>> create_queue(std::size_t agent,
                                                         QueueOptions options) = 0;
  virtual HsaResult<std::unique_ptr<Signal>> create_signal(std::int64_t initial) = 0;
  /// System-scope, GPU-accessible, page-aligned memory; freed with the runtime.
  virtual HsaResult<void*> allocate(std::size_t agent, std::size_t bytes) = 0;
  /// The application side of agent-dispatch packets on `queue`: called in packet order with the
  /// packet; the completion signal is decremented after it returns. Without a handler such a
  /// packet stays in flight.
  virtual void set_agent_dispatch_handler(Queue& queue,
                                          std::function<void(const aql::Packet&)> handler) = 0;
  /// Set where the runtime has ended the process and its caller still runs: in the simulator.
  virtual std::optional<RuntimeAbort> aborted() const { return std::nullopt; }
};

}  // namespace rocdrill
