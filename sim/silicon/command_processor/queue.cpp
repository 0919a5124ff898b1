#include "sim/silicon/command_processor/queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "sim/silicon/command_processor/memory.hpp"

namespace rocdrill::cp {
namespace {

constexpr std::size_t packet_bytes = sizeof(aql::Packet);

void check(const QueueConfig& config) {
  if (!std::has_single_bit(config.size_packets)) {
    throw std::invalid_argument("AQL queue: the ring's size is not a power of two");
  }
  const bool aligned = config.ring_base % packet_bytes == 0 && config.write_index_va % 8 == 0 &&
                       config.read_index_va % 8 == 0 &&
                       config.amd_queue_va % alignof(aql::AmdQueue) == 0;
  if (!aligned) {
    throw std::invalid_argument("AQL queue: ring, index or amd_queue_t address is misaligned");
  }
}

}  // namespace

Queue::Queue(const QueueConfig& config, AddressSpace& memory, Hooks& hooks,
             KernelExecutor* executor)
    : memory_(memory), hooks_(hooks), executor_(executor), config_(config) {
  check(config);
}

void Queue::doorbell(std::uint64_t value) {
  // ~0, to which some clients initialise doorbells, wraps to 0 and announces nothing. A value
  // below an earlier one is another producer that came late: nothing new.
  const auto ring = doorbell_.ring(value, value + 1);
  if (ring.injected) hooks_.injected(*ring.injected, ring.nth, value);
}

Progress Queue::run(std::size_t max_packets) {
  if (running_) throw std::logic_error("AQL queue: run() called from one of the queue's hooks");
  const std::uint64_t launched = counters_.launched;
  const std::uint64_t completed = counters_.completed;
  if (state_ != QueueState::failed && !suspended_) {
    running_ = true;
    struct Done {
      bool& running;
      ~Done() { running = false; }
    } done{running_};
    notice_doorbell();
    state_ = QueueState::active;
    if (!late_completions_.empty()) deliver_late_completions();
    while (counters_.launched - launched < max_packets && step() == Step::again) {
    }
  }
  return {counters_.launched - launched, counters_.completed - completed, state()};
}

QueueState Queue::state() const {
  if (state_ == QueueState::failed) return state_;
  if (suspended_) return QueueState::suspended;
  // A late doorbell may be below one that was noticed, and still tell of a header.
  const bool rests = state_ == QueueState::idle || wait_ == WaitReason::header_invalid;
  if (!late_completions_.empty()) return QueueState::active;
  return rests && doorbell_.rung() ? QueueState::active : state_;
}

void Queue::suspend() {
  if (suspended_ || state_ == QueueState::failed) return;
  suspended_ = true;
  if (tells(EventLevel::transitions)) tell(Transition::suspended, launch_index_, {});
}

void Queue::resume() {
  if (!suspended_) return;
  suspended_ = false;
  if (state_ == QueueState::failed) return;
  doorbell_.reveal();
  state_ = QueueState::active;
  if (tells(EventLevel::transitions)) tell(Transition::resumed, launch_index_, {});
}

void Queue::notice_doorbell() {
  if (!doorbell_.notice([this] { return hooks_.now_ns(); })) return;
  if (tells(EventLevel::transitions)) tell(Transition::doorbell, doorbell_value(), {});
}

std::uint64_t Queue::slot_va(std::uint64_t index) const {
  return config_.ring_base + (index & (config_.size_packets - 1)) * packet_bytes;
}

/// Packets below this index have been announced, by the write index or by a doorbell.
std::uint64_t Queue::announced() {
  if (doorbell_.hidden()) return doorbell_.limit();
  auto* write_index = at<std::uint64_t>(config_.write_index_va, Access::read, launch_index_);
  if (write_index == nullptr) return 0;
  const std::uint64_t written = std::atomic_ref(*write_index).load(std::memory_order_acquire);
  return std::max(written, doorbell_.limit());
}

/// One look at the packet at the head of the queue.
Queue::Step Queue::step() {
  if (suspended_ || state_ == QueueState::failed) return Step::stop;  // by a hook
  if (polling_) return poll_barrier();
  if (launch_index_ - read_index_ >= config_.size_packets) return stall(WaitReason::ring_held);

  if (launch_index_ >= announced_) {
    announced_ = announced();
    if (state_ == QueueState::failed) return Step::stop;
    if (launch_index_ >= announced_) {
      state_ = QueueState::idle;
      return Step::stop;
    }
  }
  auto* slot = at<aql::Packet>(slot_va(launch_index_), Access::write, launch_index_);
  if (slot == nullptr) return Step::stop;
  auto& word = reinterpret_cast<std::uint16_t&>(slot->bytes.front());
  const aql::Header header{std::atomic_ref(word).load(std::memory_order_acquire)};
  if (header.type() == aql::PacketType::invalid) return stall(WaitReason::header_invalid);
  if (header.barrier() && !in_flight_.empty() && barrier_bit_holds())
    return stall(WaitReason::barrier_bit);
  if (in_flight_.size() >= config_.size_packets) return stall(WaitReason::in_flight_limit);

  // From here on the copy counts: a producer that goes on writing changes nothing.
  aql::Packet packet = *slot;
  packet.set_header(header);
  if (injecting_) spoil_body(packet);
  return launch(packet);
}

Queue::Step Queue::launch(const aql::Packet& packet) {
  const aql::Header header = packet.header();
  if (const KfdException code = check_header(header); code != KfdException::none) {
    return refuse(code);
  }
  switch (header.type()) {
    case aql::PacketType::barrier_and:
    case aql::PacketType::barrier_or:
      return launch_barrier(packet);
    case aql::PacketType::vendor_specific:
      return launch_vendor(packet);
    case aql::PacketType::agent_dispatch:
      return launch_agent_dispatch(packet);
    case aql::PacketType::kernel_dispatch:
      return launch_kernel_dispatch(packet);
    case aql::PacketType::invalid:
      break;
  }
  return refuse(KfdException::packet_unsupported);
}

/// Tells of a stall once, not at each look.
Queue::Step Queue::stall(WaitReason reason) {
  state_ = QueueState::waiting;
  if (wait_ != reason) {
    wait_ = reason;
    if (tells(EventLevel::packets)) {
      tell(Transition::stalled, launch_index_, packet_in_slot(launch_index_));
    }
  }
  return Step::stop;
}

}  // namespace rocdrill::cp
