#include "stack/runtime.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace rocdrill {
namespace {

constexpr std::size_t header_bytes = sizeof(std::uint16_t);

/// Fills the slot and makes it the packet processor's: once the header is no longer INVALID the
/// slot may be read at any moment, so it is stored last, with release order (HSA PSA 2.9.1).
void publish(aql::Packet& slot, const aql::Packet& packet) {
  std::memcpy(slot.bytes.data() + header_bytes, packet.bytes.data() + header_bytes,
              packet.bytes.size() - header_bytes);
  auto& header = reinterpret_cast<std::uint16_t&>(slot.bytes.front());
  std::atomic_ref(header).store(packet.header().bits, std::memory_order_release);
}

}  // namespace

std::uint64_t Queue::submit(const aql::Packet& packet) {
  const std::span<aql::Packet> slots = ring();
  if (!std::has_single_bit(slots.size())) {
    throw std::logic_error("AQL queue: the ring's size is not a power of two");
  }
  if (load_write_index() - load_read_index() >= slots.size()) {
    throw std::length_error("AQL queue: the ring is full; wait until packets were taken");
  }
  const std::uint64_t index = add_write_index(1);
  // Another producer may have claimed the last free slot since; a claim cannot be given back, so
  // wait for this slot like any HSA producer.
  while (index - load_read_index() >= slots.size()) {
    if (status() != HsaStatus::success) {
      throw std::length_error("AQL queue: it failed while its ring was full");
    }
    std::this_thread::yield();
  }
  publish(slots[index & (slots.size() - 1)], packet);
  ring_doorbell(index);
  return index;
}

}  // namespace rocdrill
