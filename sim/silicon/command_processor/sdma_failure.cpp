// How an SDMA queue ends, how it tells, and what a person sees of it.
#include "sim/silicon/command_processor/sdma.hpp"

namespace rocdrill::cp {

std::string_view name(SdmaFailure failure) {
  switch (failure) {
    case SdmaFailure::none:
      return "none";
    case SdmaFailure::unmodelled:
      return "unmodelled";
    case SdmaFailure::count_too_large:
      return "count-too-large";
    case SdmaFailure::misaligned_address:
      return "misaligned-address";
    case SdmaFailure::packet_too_long:
      return "packet-too-long";
    case SdmaFailure::ring_overrun:
      return "ring-overrun";
    case SdmaFailure::memory_violation:
      return "memory-violation";
  }
  return "?";
}

std::string_view name(SdmaWaitReason reason) {
  switch (reason) {
    case SdmaWaitReason::none:
      return "none";
    case SdmaWaitReason::incomplete_packet:
      return "incomplete-packet";
    case SdmaWaitReason::poll_memory:
      return "poll-memory";
    case SdmaWaitReason::atomic_compare:
      return "atomic-compare";
  }
  return "?";
}

SdmaQueue::Step SdmaQueue::fail(SdmaFailure failure) {
  if (state_ == QueueState::failed) return Step::stop;
  state_ = QueueState::failed;
  wait_ = SdmaWaitReason::none;
  error_ = SdmaError{.failure = failure, .index = read_index_, .header = head_[0]};
  if (tells(EventLevel::errors)) tell(Transition::failed, read_index_);
  hooks_.queue_error(*this, *error_);
  return Step::stop;
}

SdmaQueue::Step SdmaQueue::refuse(std::string_view what) {
  hooks_.unmodelled(what, *this, read_index_);
  return fail(SdmaFailure::unmodelled);
}

SdmaQueue::Step SdmaQueue::fault(std::uint64_t va, Access access) {
  hooks_.memory_fault({config_.id, va, access, read_index_, {.unit = Unit::copy_engine}});
  return fail(SdmaFailure::memory_violation);
}

void SdmaQueue::tell(Transition transition, std::uint64_t index) {
  hooks_.observe({.transition = transition,
                  .queue_id = config_.id,
                  .index = index,
                  .header = head_[0],
                  .dwords = dwords_});
}

SdmaWait SdmaQueue::waiting_on() const {
  SdmaWait wait{.reason = wait_, .index = read_index_};
  if (wait_ == SdmaWaitReason::poll_memory || wait_ == SdmaWaitReason::atomic_compare) {
    wait.address = sdma::address(head_, 1);
  }
  if (wait_ == SdmaWaitReason::poll_memory) {
    wait.function = static_cast<sdma::PollFunction>(sdma::field(head_[0], 30, 28));
    wait.reference = head_[3];
    wait.mask = head_[4];
  }
  return wait;
}

}  // namespace rocdrill::cp
