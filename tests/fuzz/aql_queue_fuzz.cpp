// Arbitrary bytes as the ring of an AQL queue, its amd_queue_t, signals and kernel objects, with
// arbitrary faults injected. A crash, a sanitizer report, a run() that does not end or a broken
// promise of queue.hpp is a finding.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sim/silicon/command_processor/queue.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint32_t ring_packets = 8;
constexpr std::uint64_t ring_va = 0x1000;
constexpr std::uint64_t amd_queue_va = 0x2000;
constexpr std::uint64_t arena_va = 0x3000;  // signals, descriptors and code
constexpr int runs = 6;

void require(bool promise) {
  if (!promise) std::abort();
}

struct alignas(4096) Memory {
  std::array<std::byte, 4096> ring{};
  alignas(4096) aql::AmdQueue amd_queue{};
  alignas(4096) std::array<std::byte, 4096> arena{};
};

struct Hooks final : cp::Hooks {
  void queue_error(cp::Queue&, const cp::QueueError& error) override {
    ++errors;
    require(error.kfd_code != cp::KfdException::none);
  }
  void agent_dispatch(cp::Queue& queue, std::uint64_t index, const aql::Packet&) override {
    if (index % 2 == 0) queue.complete_agent_dispatch(index);
  }
  std::uint64_t now_ns() override { return now += 100; }
  bool legacy_errors() const override { return true; }
  int errors = 0;
  std::uint64_t now = 0;
};

struct Executor final : cp::KernelExecutor {
  std::expected<cp::LaunchState, cp::KfdException> launch(const cp::KernelLaunch& launch) override {
    require(launch.entry_va % 256 == 0);
    if (launch.packet.grid_size_x % 3 == 1) return cp::LaunchState::in_flight;
    if (launch.packet.grid_size_x % 3 == 2) return std::unexpected(cp::KfdException::wave_abort);
    return cp::LaunchState::completed;
  }
};

cp::QueueFaultInjection faults_from(const std::uint8_t* bytes) {
  const auto nth = [bytes](int i) { return std::uint64_t{bytes[i]} % 8; };
  cp::QueueFaultInjection faults;
  faults.doorbell.lost = nth(0);
  faults.doorbell.duplicated = nth(1);
  faults.doorbell.delayed = nth(2);
  faults.doorbell.delay = {.runs = bytes[3] % 4u, .ns = bytes[4]};
  faults.header_before_body = nth(5);
  faults.barrier_bit_ignored = nth(6);
  faults.completion_lost = nth(7);
  faults.completion_late = nth(8);
  faults.completion_delay = {.runs = bytes[9] % 4u, .ns = bytes[10]};
  faults.completion_twice = nth(11);
  faults.interrupt_lost = nth(12);
  faults.read_index_stuck = nth(13);
  return faults;
}

void run_once(cp::Queue& queue, const Hooks& hooks) {
  const cp::Progress progress = queue.run(2 * ring_packets);
  require(progress.launched <= 2 * ring_packets);
  require(queue.read_index() <= queue.launch_index());
  require(queue.launch_index() - queue.read_index() <= ring_packets);
  require(queue.in_flight().size() <= ring_packets);
  const bool failed = queue.state() == cp::QueueState::failed;
  require(failed == queue.error().has_value() && hooks.errors == (failed ? 1 : 0));
  for (std::uint32_t slot = 0; slot < ring_packets; ++slot) (void)queue.slot_state(slot);
  (void)queue.waiting_on();
}

/// `to` takes the next bytes; what is missing is zero.
template <class T>
void take(const std::uint8_t*& data, std::size_t& size, T& to) {
  const std::size_t bytes = std::min(size, sizeof to);
  std::memcpy(static_cast<void*>(&to), data, bytes);
  data += bytes;
  size -= bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Memory memory;
  memory = {};
  std::array<std::uint8_t, 16> control{};
  take(data, size, control);
  std::array<aql::Packet, ring_packets> packets{};
  take(data, size, packets);
  std::memcpy(memory.ring.data(), packets.data(), sizeof packets);
  take(data, size, memory.arena);
  take(data, size, memory.amd_queue);
  memory.amd_queue.write_dispatch_id = control[14] % 12;
  memory.amd_queue.read_dispatch_id = 0;

  cp::RangeAddressSpace space;
  space.add(ring_va, sizeof packets, {}, memory.ring.data());
  space.add(amd_queue_va, sizeof memory.amd_queue, {}, &memory.amd_queue);
  space.add(arena_va, sizeof memory.arena, {.read = true, .write = true, .execute = true},
            memory.arena.data());
  Hooks hooks;
  Executor executor;
  cp::QueueConfig config;
  config.ring_base = ring_va;
  config.size_packets = ring_packets;
  config.write_index_va = amd_queue_va + offsetof(aql::AmdQueue, write_dispatch_id);
  config.read_index_va = amd_queue_va + offsetof(aql::AmdQueue, read_dispatch_id);
  config.amd_queue_va = amd_queue_va;
  cp::Queue queue(config, space, hooks, &executor);
  queue.set_event_level(cp::EventLevel::transitions);
  if (control[15] % 2 != 0) queue.inject(faults_from(control.data()));
  for (int i = 0; i < runs; ++i) {
    queue.doorbell(static_cast<std::uint64_t>(i) * control[15]);
    run_once(queue, hooks);
    if (!queue.in_flight().empty()) {
      const std::uint64_t index = queue.in_flight().back().index;
      (void)queue.complete_agent_dispatch(index);
      (void)queue.complete_kernel_dispatch(index);
    }
  }
  return 0;
}
