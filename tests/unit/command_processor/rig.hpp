// A queue with its memory, and hooks that remember what they were told.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/silicon/command_processor/queue.hpp"
#include "sim/silicon/command_processor/signal.hpp"

namespace rocdrill::cp::testing {

inline constexpr std::uint64_t unmapped = 0xdead'0000;  // 64-aligned, never registered

struct RecordingHooks : Hooks {
  void interrupt(std::uint32_t event_id) override {
    interrupts.push_back(event_id);
    if (on_interrupt) on_interrupt(event_id);
  }
  void queue_error(Queue&, const QueueError& error) override { errors.push_back(error); }
  void unmodelled(std::string_view what, Queue&, std::uint64_t) override {
    refusals.emplace_back(what);
  }
  void agent_dispatch(Queue& queue, std::uint64_t index, const aql::Packet& packet) override {
    dispatched.push_back(index);
    if (on_agent_dispatch) on_agent_dispatch(queue, index, packet);
  }
  void memory_fault(const MemoryFault& fault) override { faults.push_back(fault); }
  void observe(const PacketEvent& event) override { events.push_back(event); }
  void injected(Injected what, std::uint64_t nth, std::uint64_t at) override {
    injections.push_back(std::string(name(what)) + " " + std::to_string(nth) + " " +
                         std::to_string(at));
  }
  std::uint64_t now_ns() override { return now += 10; }
  bool legacy_errors() const override { return legacy; }

  /// "launched 0", "completed 0", ...
  std::vector<std::string> story() const {
    std::vector<std::string> lines;
    for (const PacketEvent& event : events) {
      lines.push_back(std::string(name(event.transition)) + " " + std::to_string(event.index));
    }
    return lines;
  }

  std::vector<std::uint32_t> interrupts;
  std::vector<QueueError> errors;
  std::vector<std::string> refusals;
  std::vector<std::uint64_t> dispatched;
  std::vector<MemoryFault> faults;
  std::vector<PacketEvent> events;
  std::vector<std::string> injections;  ///< "doorbell.lost 1 0"
  std::uint64_t now = 0;
  bool legacy = false;
  std::function<void(std::uint32_t)> on_interrupt;
  std::function<void(Queue&, std::uint64_t, const aql::Packet&)> on_agent_dispatch;
};

/// One block of client memory, in which a queue, its ring and signals lie.
class Rig {
 public:
  static constexpr std::uint32_t default_size = 8;

  explicit Rig(std::uint32_t size = default_size, KernelExecutor* executor = nullptr) : ring(size) {
    space.add(ring.data(), ring.size() * sizeof(aql::Packet));
    space.add(amd_queue.get(), sizeof(aql::AmdQueue));
    make_queue(executor);
  }

  QueueConfig config() const {
    QueueConfig config;
    config.id = 7;
    config.ring_base = va(ring.data());
    config.size_packets = static_cast<std::uint32_t>(ring.size());
    config.write_index_va = va(&amd_queue->write_dispatch_id);
    config.read_index_va = va(&amd_queue->read_dispatch_id);
    config.amd_queue_va = va(amd_queue.get());
    return config;
  }
  void make_queue(KernelExecutor* executor = nullptr) {
    queue = std::make_unique<Queue>(config(), space, hooks, executor);
  }

  static std::uint64_t va(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

  aql::AmdSignal& make_signal(std::int64_t value = 1) {
    signals.push_back(std::make_unique<aql::AmdSignal>());
    signal::initialise(*signals.back(), value);
    space.add(signals.back().get(), sizeof(aql::AmdSignal));
    return *signals.back();
  }
  /// As an interrupt signal of ROCr: an event and its mailbox slot, unsignalled.
  aql::AmdSignal& make_signal_with_event(std::int64_t value, std::uint32_t event_id) {
    if (mailbox == nullptr) {
      mailbox = std::make_unique<std::vector<std::uint64_t>>(16, ~0ull);
      space.add(mailbox->data(), mailbox->size() * 8);
    }
    aql::AmdSignal& signal = make_signal(value);
    signal.event_id = event_id;
    signal.event_mailbox_ptr = va(&(*mailbox)[event_id]);
    return signal;
  }

  aql::Packet& slot(std::uint64_t index) { return ring[index & (ring.size() - 1)]; }
  std::uint64_t write_index() const { return amd_queue->write_dispatch_id; }
  std::uint64_t read_index() const { return amd_queue->read_dispatch_id; }
  /// Writes the packet and the write index, but rings nothing.
  std::uint64_t write(const aql::Packet& packet) {
    slot(write_index()) = packet;
    return amd_queue->write_dispatch_id++;
  }
  std::uint64_t submit(const aql::Packet& packet) {
    const std::uint64_t index = write(packet);
    queue->doorbell(index);
    return index;
  }
  Progress run(std::size_t max = SIZE_MAX) { return queue->run(max); }

  RangeAddressSpace space;
  std::deque<std::unique_ptr<aql::AmdSignal>> signals;
  std::unique_ptr<std::vector<std::uint64_t>> mailbox;
  std::vector<aql::Packet> ring;
  std::unique_ptr<aql::AmdQueue> amd_queue = std::make_unique<aql::AmdQueue>();
  RecordingHooks hooks;
  std::unique_ptr<Queue> queue;
};

inline std::uint64_t handle(const aql::AmdSignal& signal) { return Rig::va(&signal); }

inline aql::Packet nop(std::uint64_t completion = 0, bool barrier_bit = false) {
  return aql::barrier_and({}, completion, barrier_bit);
}
inline aql::Packet agent_dispatch(std::uint64_t completion = 0, bool barrier_bit = false) {
  aql::AgentDispatch body{};
  body.header = aql::Header::make(aql::PacketType::agent_dispatch, barrier_bit).bits;
  body.type = 0x8001;
  body.completion_signal = completion;
  return aql::Packet(body);
}
inline aql::Packet barrier_value(std::uint64_t dependency, SignalCondition condition,
                                 std::int64_t value, std::int64_t mask = -1,
                                 std::uint64_t completion = 0, bool barrier_bit = false) {
  aql::BarrierValue body{};
  body.header = aql::Header::make(aql::PacketType::vendor_specific, barrier_bit).bits;
  body.amd_format = static_cast<std::uint8_t>(aql::VendorFormat::barrier_value);
  body.signal = dependency;
  body.value = value;
  body.mask = mask;
  body.condition = static_cast<std::uint32_t>(condition);
  body.completion_signal = completion;
  return aql::Packet(body);
}
inline aql::Packet with_header(const aql::Packet& original, std::uint16_t bits) {
  aql::Packet packet = original;
  packet.set_header(aql::Header{bits});
  return packet;
}

/// A descriptor and the code behind it, executable.
struct KernelObject {
  explicit KernelObject(RangeAddressSpace& space, std::uint32_t kernarg_bytes = 0) {
    const std::int64_t entry_offset = 256;
    std::memcpy(&image->bytes[8], &kernarg_bytes, sizeof kernarg_bytes);
    std::memcpy(&image->bytes[16], &entry_offset, sizeof entry_offset);
    space.add(image.get(), sizeof *image, {.read = true, .write = false, .execute = true});
  }
  struct alignas(256) Image {
    std::array<std::byte, 512> bytes{};
  };
  std::uint64_t va() const { return Rig::va(image.get()); }
  std::unique_ptr<Image> image = std::make_unique<Image>();
};

inline aql::KernelDispatch kernel(std::uint64_t object, std::uint64_t completion = 0) {
  aql::KernelDispatch body{};
  body.header = aql::Header::make(aql::PacketType::kernel_dispatch, false, aql::FenceScope::agent,
                                  aql::FenceScope::system)
                    .bits;
  body.setup = 1;
  body.workgroup_size_x = 64;
  body.workgroup_size_y = body.workgroup_size_z = 1;
  body.grid_size_x = 100;
  body.grid_size_y = body.grid_size_z = 1;
  body.kernel_object = object;
  body.completion_signal = completion;
  return body;
}

}  // namespace rocdrill::cp::testing
