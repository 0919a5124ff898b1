// Events (kfd_events.c): a process waits for them in one call, the GPU sets them by an interrupt.
#include <algorithm>
#include <cerrno>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {
namespace {

constexpr auto number(kfd::EventType type) { return static_cast<std::uint32_t>(type); }

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

/// Types with a slot in the events page.
bool has_slot(std::uint32_t type) {
  return type == number(kfd::EventType::signal) || type == number(kfd::EventType::debug);
}

}  // namespace

std::uint64_t* KfdProcess::event_slot(std::uint32_t event_id) {
  if (!event_slots_ || event_id >= kfd::event_slots) return nullptr;
  return event_slots_ + event_id;
}

int KfdProcess::create_event(void* argument) {
  auto& args = as<kfd::CreateEventArgs>(argument);
  if (args.event_type > number(kfd::EventType::memory)) return EINVAL;
  if (args.event_page_offset != 0) {
    const auto page = buffers_.find(args.event_page_offset);
    if (event_slots_ || page == buffers_.end()) return EINVAL;
    if (!page->second.host || page->second.size < kfd::event_page_size) return EINVAL;
    if (page->second.mapped.empty()) return EINVAL;
    event_slots_ = static_cast<std::uint64_t*>(page->second.host);
    event_page_handle_ = page->first;
    std::fill_n(event_slots_, kfd::event_slots, kfd::unsignaled_slot);
  }
  const bool in_page = has_slot(args.event_type);
  std::uint32_t id = in_page ? 1 : kfd::first_nonsignal_event_id;
  while (events_.contains(id)) ++id;
  if (in_page && id >= kfd::event_slots) return ENOSPC;
  events_[id] = {.type = args.event_type, .auto_reset = args.auto_reset != 0};
  if (std::uint64_t* slot = event_slot(id)) *slot = kfd::unsignaled_slot;
  args.event_id = id;
  args.event_trigger_data = id;
  args.event_slot_index = in_page ? id : 0;
  args.event_page_offset = in_page ? kfd::MmapOffset{kfd::MmapType::events, 0, 0}.encode() : 0;
  return 0;
}

int KfdProcess::destroy_event(void* argument) {
  const auto at = events_.find(as<kfd::DestroyEventArgs>(argument).event_id);
  if (at == events_.end()) return EINVAL;
  for (Waiter* waiter : at->second.waiters) waiter->destroyed = true;
  events_.erase(at);
  surroundings_.notify();
  return 0;
}

/// set_event(): everybody who waits is woken; an auto-reset event stays set only if nobody does.
void KfdProcess::set(Event& event) {
  event.signalled = !event.auto_reset || event.waiters.empty();
  ++event.age;
  for (Waiter* waiter : event.waiters) waiter->activated = true;
  surroundings_.notify();
}

/// By a device.
void KfdProcess::signal(std::uint32_t event_id) {
  const auto at = events_.find(event_id);
  if (at == events_.end()) return;
  if (observer_) observer_->signalled(event_id);
  set(at->second);
}

int KfdProcess::set_event(void* argument) {
  const std::uint32_t id = as<kfd::SetEventArgs>(argument).event_id;
  const auto at = events_.find(id);
  if (at == events_.end() || at->second.type != number(kfd::EventType::signal)) return EINVAL;
  set(at->second);
  return 0;
}

int KfdProcess::reset_event(void* argument) {
  const auto at = events_.find(as<kfd::ResetEventArgs>(argument).event_id);
  if (at == events_.end() || at->second.type != number(kfd::EventType::signal)) return EINVAL;
  at->second.signalled = false;
  return 0;
}

void KfdProcess::interrupt(std::uint32_t event_id) {
  // The id in the interrupt is trusted only if its slot was written; else every written slot is.
  std::uint64_t* slot = event_id == 0 ? nullptr : event_slot(event_id);
  if (slot && *slot != kfd::unsignaled_slot) {
    *slot = kfd::unsignaled_slot;
    signal(event_id);
    return;
  }
  for (auto& [id, event] : events_) {
    std::uint64_t* other = id < kfd::event_slots ? event_slot(id) : nullptr;
    if (!other || *other == kfd::unsignaled_slot) continue;
    *other = kfd::unsignaled_slot;
    signal(id);
  }
}

void KfdProcess::memory_exception(const kfd::MemoryExceptionData& data) {
  for (auto& [id, event] : events_) {
    if (event.type != number(kfd::EventType::memory)) continue;
    event.memory = data;
    signal(id);
  }
}

/// init_event_waiter(): takes a set auto-reset event for this waiter.
///
/// A thread that looks at a signal and then waits for its event must not be overtaken by one that
/// sets the event and takes it itself, as ROCr's queue destructor does. In the kernel the time
/// between is too short for that; the way into this function is longer, and on a busy machine can
/// take seconds. So the first that comes after the event was taken by another thread is woken, too:
/// a spurious wake-up, which every waiter has to bear.
void KfdProcess::begin_wait(Waiter& waiter, const kfd::EventData& data) {
  Event& event = events_.at(data.event_id);
  waiter.event_id = data.event_id;
  waiter.activated = event.signalled;
  const auto self = std::this_thread::get_id();
  if (event.auto_reset && event.signalled) {
    event.signalled = false;
    event.taken_by = self;
  } else if (event.type == number(kfd::EventType::signal) && event.taken_by != std::thread::id() &&
             event.taken_by != self) {
    waiter.activated = true;
    event.taken_by = std::thread::id();
  }
  const std::uint64_t seen = data.signal_event_data.last_event_age;
  if (event.type == number(kfd::EventType::signal) && devices_.facts().era.minor >= 14 &&
      seen != 0 && seen != event.age)
    waiter.activated = true;
  event.waiters.push_back(&waiter);
}

/// free_waiters(): what an unfinished wait took goes back.
void KfdProcess::end_wait(Waiter& waiter, bool give_back) {
  const auto at = events_.find(waiter.event_id);
  if (waiter.destroyed || at == events_.end()) return;
  std::erase(at->second.waiters, &waiter);
  if (give_back && waiter.activated && at->second.auto_reset) set(at->second);
}

void KfdProcess::describe_event(kfd::EventData& data) const {
  const Event& event = events_.at(data.event_id);
  if (event.type == number(kfd::EventType::memory)) data.memory_exception_data = event.memory;
  if (event.type == number(kfd::EventType::hw_exception)) data.hw_exception_data = event.hardware;
  if (event.type == number(kfd::EventType::signal) && data.signal_event_data.last_event_age != 0)
    data.signal_event_data.last_event_age = event.age;
}

int KfdProcess::wait_events(void* argument) {
  auto& args = as<kfd::WaitEventsArgs>(argument);
  if (args.num_events > events_.size()) return EINVAL;
  std::vector<kfd::EventData> list(args.num_events);
  if (!list.empty() && !copy_from_user(list.data(), args.events_ptr, list.size() * sizeof list[0]))
    return EFAULT;
  for (const kfd::EventData& data : list) {
    if (!events_.contains(data.event_id)) return EINVAL;
  }
  std::vector<Waiter> waiters(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) begin_wait(waiters[i], list[i]);
  const auto ready = [&] {
    if (std::ranges::any_of(waiters, &Waiter::destroyed)) return true;
    if (waiters.empty()) return false;
    return args.wait_for_all != 0 ? std::ranges::all_of(waiters, &Waiter::activated)
                                  : std::ranges::any_of(waiters, &Waiter::activated);
  };
  // ioctl() holds the lock; waiting gives it up.
  std::unique_lock lock(mutex_, std::adopt_lock);
  const bool came = surroundings_.wait(lock, args.timeout, ready);
  lock.release();
  const bool destroyed = std::ranges::any_of(waiters, &Waiter::destroyed);
  if (came && !destroyed) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (waiters[i].activated) describe_event(list[i]);
    }
  }
  for (Waiter& waiter : waiters) end_wait(waiter, !came);
  args.wait_result = static_cast<std::uint32_t>(destroyed ? kfd::WaitResult::fail
                                                : came    ? kfd::WaitResult::complete
                                                          : kfd::WaitResult::timeout);
  if (destroyed) return EIO;
  if (!came) return 0;
  const bool copied =
      list.empty() || copy_to_user(args.events_ptr, list.data(), list.size() * sizeof list[0]);
  return copied ? 0 : EFAULT;
}

}  // namespace rocdrill::kernel
