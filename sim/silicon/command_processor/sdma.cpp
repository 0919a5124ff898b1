#include "sim/silicon/command_processor/sdma.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <stdexcept>

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer does not model fences; all shared words are atomics besides.
#pragma GCC diagnostic ignored "-Wtsan"
#endif

namespace rocdrill::cp {
namespace {

constexpr std::uint64_t dword_bytes = 4;
constexpr std::uint64_t smallest_ring = 1024;
constexpr std::uint64_t ring_alignment = 256;  // RB_BASE holds address bits 39:8

void check(const SdmaConfig& config) {
  if (!std::has_single_bit(config.ring_bytes) || config.ring_bytes < smallest_ring) {
    throw std::invalid_argument("SDMA queue: the ring's size is not a power of two from 1 KiB on");
  }
  if (config.ring_base % ring_alignment != 0 || config.write_index_va % 8 != 0 ||
      config.read_index_va % 8 != 0) {
    throw std::invalid_argument("SDMA queue: ring or index address is misaligned");
  }
}

}  // namespace

SdmaQueue::SdmaQueue(const SdmaConfig& config, AddressSpace& memory, SdmaHooks& hooks)
    : memory_(memory), hooks_(hooks), config_(config) {
  check(config);
}

void SdmaQueue::doorbell(std::uint64_t value) {
  const auto ring = doorbell_.ring(value, value & ~(dword_bytes - 1));
  if (ring.injected) hooks_.injected(*ring.injected, ring.nth, value);
}

SdmaProgress SdmaQueue::run(std::size_t max_packets) {
  if (running_) throw std::logic_error("SDMA queue: run() called from one of the queue's hooks");
  const SdmaCounters before = counters_;
  if (state_ != QueueState::failed && !suspended_) {
    running_ = true;
    struct Done {
      bool& running;
      ~Done() { running = false; }
    } done{running_};
    if (doorbell_.notice([this] { return now_ns(); })) {
      look_at_write_index_ = true;
      if (tells(EventLevel::transitions)) tell(Transition::doorbell, doorbell_value());
    }
    state_ = QueueState::active;
    budget_ = bytes_per_run;
    while (counters_.packets - before.packets < max_packets && step() == Step::again) {
    }
  }
  return {.packets = counters_.packets - before.packets,
          .bytes = counters_.bytes_copied - before.bytes_copied + counters_.bytes_written -
                   before.bytes_written + counters_.bytes_filled - before.bytes_filled,
          .state = state()};
}

QueueState SdmaQueue::state() const {
  if (state_ == QueueState::failed) return state_;
  if (suspended_) return QueueState::suspended;
  const bool rests = state_ == QueueState::idle || wait_ == SdmaWaitReason::incomplete_packet;
  return rests && doorbell_.rung() ? QueueState::active : state_;
}

void SdmaQueue::suspend() {
  if (suspended_ || state_ == QueueState::failed) return;
  suspended_ = true;
  if (tells(EventLevel::transitions)) tell(Transition::suspended, read_index_);
}

void SdmaQueue::resume() {
  if (!suspended_) return;
  suspended_ = false;
  if (state_ == QueueState::failed) return;
  state_ = QueueState::active;
  look_at_write_index_ = true;
  doorbell_.reveal();
  if (tells(EventLevel::transitions)) tell(Transition::resumed, read_index_);
}

SdmaQueue::Step SdmaQueue::step() {
  if (suspended_ || state_ == QueueState::failed) return Step::stop;  // by a hook
  if (!begun_ && fetch() == Step::stop) return Step::stop;
  return execute();
}

/// Up to where the ring is written. Fails the queue if that is further than the ring is long.
SdmaQueue::Step SdmaQueue::announce() {
  announced_ = std::max(announced_, doorbell_.limit());
  if (look_at_write_index_ && !doorbell_.hidden()) {
    void* word = memory_.translate(config_.write_index_va, sizeof(std::uint64_t), Access::read);
    if (word == nullptr) return fault(config_.write_index_va, Access::read);
    const std::uint64_t written =
        std::atomic_ref(*static_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
    announced_ = std::max(announced_, written & ~(dword_bytes - 1));
    look_at_write_index_ = false;
  }
  if (announced_ > read_index_ && announced_ - read_index_ > config_.ring_bytes) {
    return fail(SdmaFailure::ring_overrun);
  }
  return Step::again;
}

/// The packet at the read index, if all of it is there.
SdmaQueue::Step SdmaQueue::fetch() {
  head_ = {};
  dwords_ = 0;
  if (announce() == Step::stop) return Step::stop;
  if (announced_ <= read_index_) {
    state_ = QueueState::idle;
    return Step::stop;
  }
  const std::uint64_t available = (announced_ - read_index_) / dword_bytes;
  if (!read_ring(read_index_, head_.data(), 1)) return Step::stop;
  if (head_[0] == 0) {
    dwords_ = zeros(available);
  } else {
    const sdma::Kind kind = sdma::classify(head_[0], config_.generation);
    if (kind.head_dwords == 0) return refuse(kind.refused);
    if (available < kind.head_dwords) return stall(SdmaWaitReason::incomplete_packet);
    if (!read_ring(read_index_, head_.data(), kind.head_dwords)) return Step::stop;
    dwords_ = sdma::length(head_);
    if (dwords_ * dword_bytes > config_.ring_bytes) return fail(SdmaFailure::packet_too_long);
    if (available < dwords_) return stall(SdmaWaitReason::incomplete_packet);
  }
  begun_ = true;
  done_ = 0;
  tries_ = 0;
  wait_ = SdmaWaitReason::none;
  if (tells(EventLevel::packets)) tell(Transition::launched, read_index_);
  return Step::again;
}

std::uint64_t SdmaQueue::ring_va(std::uint64_t index) const {
  return config_.ring_base + (index & (config_.ring_bytes - 1));
}

bool SdmaQueue::read_ring(std::uint64_t index, std::uint32_t* dwords, std::size_t count) {
  while (count != 0) {
    const std::uint64_t to_end = config_.ring_bytes - (index & (config_.ring_bytes - 1));
    std::size_t bytes = std::min<std::uint64_t>(count * dword_bytes, to_end);
    const std::byte* from = reach(ring_va(index), bytes, Access::read);
    if (from == nullptr) return false;
    bytes &= ~(dword_bytes - 1);
    if (bytes == 0) {  // the mapping ends inside a dword
      fault(ring_va(index), Access::read);
      return false;
    }
    std::memcpy(dwords, from, bytes);
    dwords += bytes / dword_bytes;
    count -= bytes / dword_bytes;
    index += bytes;
  }
  return true;
}

/// Zero dwords at the read index, up to `limit`, up to the end of the ring and of what is mapped.
std::size_t SdmaQueue::zeros(std::size_t limit) {
  const std::uint64_t to_end = config_.ring_bytes - (read_index_ & (config_.ring_bytes - 1));
  std::size_t bytes = std::min<std::uint64_t>(limit * dword_bytes, to_end);
  const std::byte* from = reach(ring_va(read_index_), bytes, Access::read);
  std::size_t count = 1;  // the caller has read the first
  while (from != nullptr && (count + 1) * dword_bytes <= bytes) {
    std::uint32_t dword = 0;
    std::memcpy(&dword, from + count * dword_bytes, dword_bytes);
    if (dword != 0) break;
    ++count;
  }
  return count;
}

/// Tells of a stall once, not at each look.
SdmaQueue::Step SdmaQueue::stall(SdmaWaitReason reason) {
  state_ = QueueState::waiting;
  if (wait_ != reason) {
    wait_ = reason;
    if (tells(EventLevel::packets)) tell(Transition::stalled, read_index_);
  }
  return Step::stop;
}

/// The packet goes on in the next run().
SdmaQueue::Step SdmaQueue::pause() {
  state_ = QueueState::active;
  return Step::stop;
}

SdmaQueue::Step SdmaQueue::complete() {
  void* word = memory_.translate(config_.read_index_va, sizeof(std::uint64_t), Access::write);
  if (word == nullptr) return fault(config_.read_index_va, Access::write);
  const std::uint64_t index = read_index_;
  read_index_ += dwords_ * dword_bytes;
  std::atomic_ref(*static_cast<std::uint64_t*>(word)).store(read_index_, std::memory_order_release);
  begun_ = false;
  wait_ = SdmaWaitReason::none;
  state_ = QueueState::active;
  ++counters_.packets;
  if (tells(EventLevel::packets)) tell(Transition::completed, index);
  return Step::again;
}

}  // namespace rocdrill::cp
