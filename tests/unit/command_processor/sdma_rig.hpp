// An SDMA queue with its memory, packets as user space writes them, and hooks that remember.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "sim/silicon/command_processor/sdma.hpp"

namespace rocdrill::cp::testing {

using Dwords = std::vector<std::uint32_t>;

struct SdmaRecorder : SdmaHooks {
  void interrupt(std::uint32_t context) override {
    interrupts.push_back(context);
    if (on_interrupt) on_interrupt();
  }
  void poll_timeout(SdmaQueue&, std::uint64_t index) override { timeouts.push_back(index); }
  void queue_error(SdmaQueue&, const SdmaError& error) override { errors.push_back(error); }
  void unmodelled(std::string_view what, SdmaQueue&, std::uint64_t) override {
    refusals.emplace_back(what);
  }
  void memory_fault(const MemoryFault& fault) override { faults.push_back(fault); }
  void observe(const SdmaEvent& event) override {
    story.push_back(std::string(name(event.transition)) + " " + std::to_string(event.index));
  }
  std::uint64_t gpu_counter() override { return counter; }

  std::vector<std::uint32_t> interrupts;
  std::vector<std::uint64_t> timeouts;
  std::vector<SdmaError> errors;
  std::vector<std::string> refusals;
  std::vector<MemoryFault> faults;
  std::vector<std::string> story;
  std::uint64_t counter = 1000;
  std::function<void()> on_interrupt;
};

inline std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
inline std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

namespace packets {

inline Dwords copy(std::uint64_t dst, std::uint64_t src, std::uint64_t bytes) {
  return {1, low(bytes - 1), 0, low(src), high(src), low(dst), high(dst)};
}
inline Dwords broadcast(std::uint64_t dst1, std::uint64_t dst2, std::uint64_t src,
                        std::uint64_t bytes) {
  Dwords packet = copy(dst1, src, bytes);
  packet[0] |= 1u << 27;
  packet.insert(packet.end(), {low(dst2), high(dst2)});
  return packet;
}
inline Dwords write(std::uint64_t dst, const Dwords& data) {
  Dwords packet{2, low(dst), high(dst), low(data.size() - 1)};
  packet.insert(packet.end(), data.begin(), data.end());
  return packet;
}
inline Dwords fence(std::uint64_t va, std::uint32_t data) { return {5, low(va), high(va), data}; }
inline Dwords trap(std::uint32_t context) { return {6, context}; }
inline Dwords nop(std::uint32_t skipped) {
  Dwords packet(1 + skipped, 0xDEADBEEF);
  packet[0] = skipped << 16;
  return packet;
}
inline Dwords poll(std::uint64_t va, sdma::PollFunction function, std::uint32_t reference,
                   std::uint32_t mask = ~0u, std::uint32_t retries = sdma::poll_for_ever) {
  const auto bits = static_cast<std::uint32_t>(function) << 28;
  return {8 | bits | 1u << 31, low(va), high(va), reference, mask, 4 | retries << 16};
}
inline Dwords hdp_flush() { return {8, 0, 0x80000000, 0, 0, 0}; }
inline Dwords atomic(std::uint32_t operation, std::uint64_t va, std::uint64_t source,
                     std::uint64_t compare = 0, bool loop = false) {
  const std::uint32_t loop_bit = loop ? 1u << 16 : 0;
  return {10 | operation << 25 | loop_bit,
          low(va),
          high(va),
          low(source),
          high(source),
          low(compare),
          high(compare),
          0};
}
inline Dwords fill(std::uint64_t dst, std::uint32_t data, std::uint32_t count,
                   std::uint32_t size = 2) {
  return {11 | size << 30, low(dst), high(dst), data, count};
}
inline Dwords timestamp(std::uint32_t sub, std::uint64_t operand) {
  return {13 | sub << 8, low(operand), high(operand)};
}

struct Side {
  std::uint64_t base = 0;
  std::uint32_t x = 0, y = 0, z = 0, pitch = 1, slice = 1;
};
inline Dwords window(const Side& dst, const Side& src, std::array<std::uint32_t, 3> size,
                     std::uint32_t log2_element = 2) {
  Dwords packet{1 | 4 << 8 | log2_element << 29};
  for (const Side& side : {src, dst}) {
    packet.insert(packet.end(), {low(side.base), high(side.base), side.x | side.y << 16,
                                 side.z | (side.pitch - 1) << 13, side.slice - 1});
  }
  packet.insert(packet.end(), {(size[0] - 1) | (size[1] - 1) << 16, size[2] - 1});
  return packet;
}

}  // namespace packets

/// A ring, its indices and an arena of pages that are the GPU's; the page after it is not.
class SdmaRig {
 public:
  static constexpr std::uint64_t ring_bytes = 1024;
  static constexpr std::uint64_t arena_bytes = 4 * 4096;

  explicit SdmaRig(sdma::Generation generation = sdma::Generation::v4_4_2)
      : generation_(generation) {
    space.add(memory.get(), sizeof(Memory::ring));
    space.add(va(&memory->write_index), 16);
    space.add(memory->arena.data(), arena_bytes);
    make_queue();
  }

  SdmaConfig config() const {
    return {.id = 5,
            .ring_base = va(memory->ring.data()),
            .ring_bytes = ring_bytes,
            .write_index_va = va(&memory->write_index),
            .read_index_va = va(&memory->read_index),
            .generation = generation_};
  }
  void make_queue() { queue = std::make_unique<SdmaQueue>(config(), space, hooks); }

  static std::uint64_t va(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }
  std::uint64_t at(std::uint64_t offset) const { return va(memory->arena.data()) + offset; }
  std::uint64_t end() const { return at(arena_bytes); }
  template <class T>
  T& in(std::uint64_t offset) {
    return *reinterpret_cast<T*>(memory->arena.data() + offset);
  }
  std::vector<std::uint8_t> bytes(std::uint64_t offset, std::size_t count) const {
    const auto* first = reinterpret_cast<const std::uint8_t*>(memory->arena.data()) + offset;
    return {first, first + count};
  }
  /// 0, 1, 2, ... from `offset`.
  void count_up(std::uint64_t offset, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) in<std::uint8_t>(offset + i) = low(i) & 0xFF;
  }

  /// Into the ring, around its end, and the write index; rings nothing.
  std::uint64_t write(const Dwords& packet) {
    const std::uint64_t index = memory->write_index;
    for (std::size_t i = 0; i < packet.size(); ++i) {
      memory->ring[(index / 4 + i) % (ring_bytes / 4)] = packet[i];
    }
    memory->write_index += packet.size() * 4;
    return index;
  }
  std::uint64_t submit(const Dwords& packet) {
    const std::uint64_t index = write(packet);
    queue->doorbell(memory->write_index);
    return index;
  }
  SdmaProgress run(std::size_t max = SIZE_MAX) { return queue->run(max); }
  SdmaProgress execute(const Dwords& packet) {
    submit(packet);
    return run();
  }
  SdmaFailure failure() const {
    return queue->error() ? queue->error()->failure : SdmaFailure::none;
  }

  struct alignas(4096) Memory {
    std::array<std::uint32_t, ring_bytes / 4> ring{};
    alignas(4096) std::uint64_t write_index = 0;
    std::uint64_t read_index = 0;
    alignas(4096) std::array<std::byte, arena_bytes> arena{};
    std::array<std::byte, 4096> guard{};
  };
  RangeAddressSpace space;
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  SdmaRecorder hooks;
  std::unique_ptr<SdmaQueue> queue;

 private:
  sdma::Generation generation_;
};

}  // namespace rocdrill::cp::testing
