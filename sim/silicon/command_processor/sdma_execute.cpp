// SDMA packets that order, signal and tell the time; sdma_copy.cpp has those that move bytes.
#include <atomic>

#include "sim/silicon/command_processor/sdma.hpp"

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer does not model fences; all shared words are atomics besides.
#pragma GCC diagnostic ignored "-Wtsan"
#endif

namespace rocdrill::cp {
namespace {

using sdma::address;
using sdma::field;

constexpr std::uint64_t timestamp_alignment = 32;
constexpr std::uint32_t reserved_function = 7;

}  // namespace

SdmaQueue::Step SdmaQueue::execute() {
  switch (static_cast<sdma::Op>(field(head_[0], 7, 0))) {
    case sdma::Op::nop:
      return complete();
    case sdma::Op::copy: {
      const bool linear = field(head_[0], 15, 8) == 0;
      return linear ? copy_linear() : copy_window();
    }
    case sdma::Op::write:
      return write_linear();
    case sdma::Op::fence:
      return fence();
    case sdma::Op::trap:
      return trap();
    case sdma::Op::poll_regmem:
      return poll();
    case sdma::Op::atomic:
      return atomic();
    case sdma::Op::const_fill:
      return fill();
    case sdma::Op::timestamp:
      return timestamp();
    case sdma::Op::gcr:  // caches are not modelled: the order of memory is all there is
      std::atomic_thread_fence(std::memory_order_seq_cst);
      return complete();
    default:
      return refuse(sdma::classify(head_[0], config_.generation).refused);
  }
}

SdmaQueue::Step SdmaQueue::fence() {
  const std::uint64_t va = address(head_, 1);
  if (va % sizeof(std::uint32_t) != 0) return fail(SdmaFailure::misaligned_address);
  void* word = memory_.translate(va, sizeof(std::uint32_t), Access::write);
  if (word == nullptr) return fault(va, Access::write);
  std::atomic_ref(*static_cast<std::uint32_t*>(word)).store(head_[3]);
  return complete();
}

SdmaQueue::Step SdmaQueue::trap() {
  const std::uint32_t context = field(head_[1], 27, 0);
  // Data first: whoever is woken may read anything that the queue wrote before.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const Step step = complete();
  if (state_ == QueueState::failed) return step;
  ++counters_.interrupts;
  hooks_.interrupt(context);
  return step;
}

/// A register of the HDP block is all that user space polls or writes: ROCr's flush has function
/// "always", the kernel's has its own bit. The simulated HDP holds nothing back.
SdmaQueue::Step SdmaQueue::poll() {
  const bool memory = field(head_[0], 31, 31) != 0;
  const bool hdp_flush = field(head_[0], 26, 26) != 0;
  const std::uint32_t function = field(head_[0], 30, 28);
  if (function == reserved_function) return refuse("SDMA POLL_REGMEM with function 7");
  if (memory && !hdp_flush) return poll_memory();
  if (!hdp_flush && function != 0) return refuse("SDMA POLL_REGMEM of a register");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ++counters_.hdp_flushes;
  return complete();
}

SdmaQueue::Step SdmaQueue::poll_memory() {
  const std::uint64_t va = address(head_, 1);
  if (va % sizeof(std::uint32_t) != 0) return fail(SdmaFailure::misaligned_address);
  void* word = memory_.translate(va, sizeof(std::uint32_t), Access::read);
  if (word == nullptr) return fault(va, Access::read);
  const std::uint32_t value =
      std::atomic_ref(*static_cast<std::uint32_t*>(word)).load(std::memory_order_acquire);
  const auto function = static_cast<sdma::PollFunction>(field(head_[0], 30, 28));
  if (sdma::holds(function, value & head_[4], head_[3])) return complete();

  // The first look is no retry. What the engine does after it gave up is not documented beyond the
  // interrupt that the kernel logs ("Polling register/memory timeout"): assumed to go on.
  const std::uint32_t retries = field(head_[5], 27, 16);
  if (retries == sdma::poll_for_ever || tries_++ < retries) {
    return stall(SdmaWaitReason::poll_memory);
  }
  const std::uint64_t index = read_index_;
  const Step step = complete();
  if (state_ == QueueState::failed) return step;
  ++counters_.poll_timeouts;
  hooks_.poll_timeout(*this, index);
  return step;
}

SdmaQueue::Step SdmaQueue::atomic() {
  const std::uint32_t operation = field(head_[0], 31, 25);
  const auto base = static_cast<sdma::AtomicOp>(operation & ~sdma::atomic_64_bits);
  return (operation & sdma::atomic_64_bits) != 0 ? atomic_of<std::uint64_t>(base)
                                                 : atomic_of<std::uint32_t>(base);
}

/// The loop bit means something to compare-and-swap alone: again until memory is as compared.
template <class Value>
SdmaQueue::Step SdmaQueue::atomic_of(sdma::AtomicOp operation) {
  const std::uint64_t va = address(head_, 1);
  if (va % sizeof(Value) != 0) return fail(SdmaFailure::misaligned_address);
  void* memory = memory_.translate(va, sizeof(Value), Access::write);
  if (memory == nullptr) return fault(va, Access::write);
  const sdma::AtomicOperands<Value> operands{.source = static_cast<Value>(address(head_, 3)),
                                             .compare = static_cast<Value>(address(head_, 5))};
  const std::atomic_ref word(*static_cast<Value*>(memory));
  const bool loop = field(head_[0], 16, 16) != 0;
  Value before = word.load();
  while (true) {
    if (operation == sdma::AtomicOp::compare_swap && loop && before != operands.compare) {
      return stall(SdmaWaitReason::atomic_compare);
    }
    if (word.compare_exchange_weak(before, sdma::apply(operation, before, operands))) break;
  }
  return complete();
}

/// The global counter is the GPU's; the local one starts as it and can be set.
SdmaQueue::Step SdmaQueue::timestamp() {
  const auto sub = static_cast<sdma::TimestampSub>(field(head_[0], 15, 8));
  const std::uint64_t operand = address(head_, 1);
  if (sub == sdma::TimestampSub::set) {
    timestamp_offset_ = operand - hooks_.gpu_counter();
    return complete();
  }
  if (operand % timestamp_alignment != 0) return fail(SdmaFailure::misaligned_address);
  void* word = memory_.translate(operand, sizeof(std::uint64_t), Access::write);
  if (word == nullptr) return fault(operand, Access::write);
  const std::uint64_t now = hooks_.gpu_counter();
  const bool global = sub == sdma::TimestampSub::get_global;
  std::atomic_ref(*static_cast<std::uint64_t*>(word))
      .store(global ? now : now + timestamp_offset_, std::memory_order_release);
  return complete();
}

}  // namespace rocdrill::cp
