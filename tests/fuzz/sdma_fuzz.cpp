// Arbitrary bytes as the ring of an SDMA queue, and as the memory that its packets reach. A crash,
// a sanitizer report, a run() that does not end or a broken promise of sdma.hpp is a finding.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sim/silicon/command_processor/sdma.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint64_t ring_va = 0x1000;
constexpr std::uint64_t ring_bytes = 1024;
constexpr std::uint64_t index_va = 0x2000;
constexpr std::uint64_t arena_va = 0x3000;
constexpr std::uint64_t arena_bytes = 0x2000;
constexpr int runs = 6;

void require(bool promise) {
  if (!promise) std::abort();
}

struct alignas(4096) Memory {
  std::array<std::byte, 4096> ring{};
  std::array<std::uint64_t, 512> indices{};  // write, read
  std::array<std::byte, arena_bytes> arena{};
};

/// Suspends, resumes and rings as a device's owner may, from within run().
struct Hooks final : cp::SdmaHooks {
  void interrupt(std::uint32_t context) override {
    if (queue == nullptr) return;
    if (context % 4 == 1) queue->suspend();
    if (context % 4 == 2) queue->doorbell(context);
  }
  void queue_error(cp::SdmaQueue& failed, const cp::SdmaError& error) override {
    ++errors;
    require(error.failure != cp::SdmaFailure::none && !cp::name(error.failure).empty());
    require(error.index == failed.read_index());
  }
  void memory_fault(const cp::MemoryFault& fault) override {
    ++faults;
    require(space->translate(fault.address, 1, fault.access) == nullptr ||
            space->translate(fault.address, 8, fault.access) == nullptr);
  }
  void unmodelled(std::string_view what, cp::SdmaQueue&, std::uint64_t) override {
    require(what.starts_with("SDMA "));
  }
  std::uint64_t gpu_counter() override { return ++now; }

  cp::SdmaQueue* queue = nullptr;
  int errors = 0;
  int faults = 0;
  cp::AddressSpace* space = nullptr;
  std::uint64_t now = 0;
};

void run_once(cp::SdmaQueue& queue, Hooks& hooks) {
  const std::uint64_t before = queue.read_index();
  const cp::SdmaProgress progress = queue.run(64);
  require(progress.packets <= 64);
  require(queue.read_index() >= before);
  const bool failed = queue.state() == cp::QueueState::failed;
  require(failed == queue.error().has_value() && hooks.errors == (failed ? 1 : 0));
  require(failed || hooks.faults == 0);
  (void)queue.waiting_on();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  static Memory memory;
  memory = {};
  const std::uint8_t generation = data[0] % 5;
  const std::uint64_t announced = data[1] * 8ull;
  const bool elsewhere = data[2] % 2 != 0;
  data += 4;
  size -= 4;
  std::memcpy(memory.ring.data(), data, std::min<std::size_t>(size, ring_bytes));
  if (size > ring_bytes) {
    std::memcpy(memory.arena.data(), data + ring_bytes,
                std::min<std::size_t>(size - ring_bytes, arena_bytes));
  }
  cp::RangeAddressSpace space;
  space.add(ring_va, ring_bytes, {}, memory.ring.data());
  space.add(index_va, 16, {}, memory.indices.data());
  // In one piece, or its pages swapped.
  space.add(arena_va, 0x1000, {}, memory.arena.data() + (elsewhere ? 0x1000 : 0));
  space.add(arena_va + 0x1000, 0x1000, {}, memory.arena.data() + (elsewhere ? 0 : 0x1000));

  Hooks hooks;
  cp::SdmaQueue queue({.id = 1,
                       .ring_base = ring_va,
                       .ring_bytes = ring_bytes,
                       .write_index_va = index_va,
                       .read_index_va = index_va + 8,
                       .generation = static_cast<cp::sdma::Generation>(generation)},
                      space, hooks);
  hooks.queue = &queue;
  hooks.space = &space;
  queue.set_event_level(cp::EventLevel::transitions);
  memory.indices[0] = announced;
  queue.doorbell(announced / 2);
  for (int i = 0; i < runs; ++i) {
    run_once(queue, hooks);
    queue.resume();
  }
  return 0;
}
