// The one table that decides what an ioctl on /dev/kfd does; docs/kfd-support.md is made from it.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {

std::span<const IoctlEntry> ioctl_table() {
  using kfd::Ioctl;
  using P = KfdProcess;
  // A number that is not here is known to the driver and refused by name.
  static constexpr IoctlEntry table[] = {
      {Ioctl::get_version, &P::get_version, ""},
      {Ioctl::create_queue, &P::create_queue, "AQL and SDMA queues; PM4 is refused"},
      {Ioctl::destroy_queue, &P::destroy_queue, ""},
      {Ioctl::set_memory_policy, &P::set_memory_policy, "checked, no effect"},
      {Ioctl::get_clock_counters, &P::get_clock_counters,
       "the client's clocks; virtual time in process"},
      {Ioctl::get_process_apertures, &P::get_process_apertures, "the first seven GPUs"},
      {Ioctl::update_queue, &P::update_queue, "suspend and resume"},
      {Ioctl::create_event, &P::create_event, ""},
      {Ioctl::destroy_event, &P::destroy_event, ""},
      {Ioctl::set_event, &P::set_event, ""},
      {Ioctl::reset_event, &P::reset_event, ""},
      {Ioctl::wait_events, &P::wait_events, "in process it waits in virtual time"},
      {Ioctl::set_scratch_backing_va, &P::set_scratch_backing_va, "checked, not used"},
      {Ioctl::get_tile_config, &P::get_tile_config, ""},
      {Ioctl::set_trap_handler, &P::set_trap_handler, "checked, not run"},
      {Ioctl::get_process_apertures_new, &P::get_process_apertures_new, ""},
      {Ioctl::acquire_vm, &P::acquire_vm, ""},
      {Ioctl::alloc_memory_of_gpu, &P::alloc_memory_of_gpu, ""},
      {Ioctl::free_memory_of_gpu, &P::free_memory_of_gpu, ""},
      {Ioctl::map_memory_to_gpu, &P::map_memory_to_gpu, ""},
      {Ioctl::unmap_memory_from_gpu, &P::unmap_memory_from_gpu, ""},
      {Ioctl::set_cu_mask, &P::set_cu_mask, "workgroups go to these CUs"},
      {Ioctl::smi_events, &P::smi_events, "for other programs only"},
      {Ioctl::svm, &P::svm, "memory stays where it is; mapped at once, with XNACK too"},
      {Ioctl::set_xnack_mode, &P::set_xnack_mode, ""},
      {Ioctl::available_memory, &P::available_memory, ""},
      {Ioctl::runtime_enable, &P::runtime_enable, ""},
      {Ioctl::ipc_import_handle, &P::ipc_import_handle, "between processes of the simulator"},
      {Ioctl::ipc_export_handle, &P::ipc_export_handle, "VRAM, for processes of the simulator"},
  };
  return table;
}

bool driver_knows(const kfd::IoctlInfo& info, const KfdEra& era) {
  if (info.nr == kfd::Ioctl::dbg_trap_old) return era.minor < 13 && era.out_of_tree;
  if (info.since == 0) return era.out_of_tree;
  return info.since <= era.minor;
}

int KfdProcess::injected_failure(kfd::Ioctl number, std::string_view name, EventId& event) {
  std::vector<std::pair<IoctlInjection, std::uint64_t>> due;  // copies: a delay gives up the lock
  for (const IoctlInjection& injection : devices_.facts().injections.ioctls) {
    if (injection.nr != static_cast<std::uint32_t>(number)) continue;
    const std::uint64_t call = ++injected_calls_[injection.event];
    if (injection.nth == 0 || injection.nth == call) due.emplace_back(injection, call);
  }
  for (const auto& [injection, call] : due) {
    const bool fails = injection.error != 0;
    const std::string got = fails ? errno_name(injection.error) : "late";
    event = devices_.record(
        Layer::kernel, fails ? Severity::error : Severity::warning, "ioctl.injected", name,
        {{"call", static_cast<std::int64_t>(call)}, {field::status, std::string_view(got)}},
        injection.event);
    if (injection.delay_ns != 0) {
      std::unique_lock lock(mutex_, std::adopt_lock);  // ioctl() holds it
      lock.unlock();
      surroundings_.sleep_ns(injection.delay_ns);
      lock.lock();
      lock.release();
    }
    if (fails) return injection.error;
  }
  return 0;
}

SysResult<int> KfdProcess::ioctl(unsigned long request, void* argument) {
  const std::lock_guard lock(mutex_);
  const KfdEra era = devices_.facts().era;
  const EventId topology = devices_.facts().event;
  const auto asked = kfd::decode_request(request);
  const auto info = asked ? kfd::ioctl_info(asked->nr) : std::nullopt;
  if (!info || !driver_knows(*info, era)) {
    // What the driver itself would answer: no gap of the simulator.
    const int error = era.unknown_is_enotty ? ENOTTY : EINVAL;
    const std::string what = info ? std::string(info->name) : fmt::format("{:#x}", request);
    const std::string got = errno_name(error);
    return fail(error, devices_.record(Layer::kernel, Severity::debug, "ioctl.unknown", what,
                                       {{field::status, std::string_view(got)}}, topology));
  }
  heed_facts();
  EventId injected = no_event;
  if (const int error = injected_failure(info->nr, info->name, injected))
    return fail(error, injected);
  const auto table = ioctl_table();
  const auto entry = std::ranges::find(table, info->nr, &IoctlEntry::number);
  if (entry == table.end())
    return fail(EINVAL, devices_.unmodelled(Layer::kernel, info->name, "EINVAL", topology));
  if (!argument) return fail(EFAULT);
  // kfd_ioctl(): a zeroed buffer of the larger size; the client's size goes in and comes out.
  std::vector<std::uint64_t> buffer((std::max<std::size_t>(asked->size, info->size) + 7) / 8);
  if (!copy_from_user(buffer.data(), reinterpret_cast<std::uintptr_t>(argument), asked->size))
    return fail(EFAULT);
  argument_bytes_ = asked->size;
  const int error = (this->*entry->handler)(buffer.data());
  if (!copy_to_user(reinterpret_cast<std::uintptr_t>(argument), buffer.data(), asked->size))
    return fail(EFAULT);
  const EventId why = std::exchange(why_, no_event);
  if (error != 0) return fail(error, why);
  return 0;
}

}  // namespace rocdrill::kernel
