// Arguments are checked as amdkfd's kfd_chardev.c, kfd_events.c and kfd_doorbell.c check them.
#include "sim/kernel/kfd_process.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "sim/kernel/kfd_queue.hpp"
#include "sim/kernel/user_memory.hpp"
#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t user_space_end = 1ull << 47;
// Event types with a slot in the events page.
constexpr auto signal_type = static_cast<std::uint32_t>(kfd::EventType::signal);
constexpr auto debug_type = static_cast<std::uint32_t>(kfd::EventType::debug);
// KFD_MAX_QUEUE_PERCENTAGE, KFD_MAX_QUEUE_PRIORITY
constexpr std::uint32_t max_percentage = 100;
constexpr std::uint32_t max_priority = 15;

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

/// Whether the client has memory at [va, va + size): get_user_pages() would succeed.
bool resident(std::uint64_t va, std::uint64_t size) {
  if (va % page != 0 || size > user_space_end || va > user_space_end - size) return false;
  const std::uint64_t pages = (size + page - 1) / page;
  std::vector<unsigned char> vector(pages);
  return mincore(reinterpret_cast<void*>(va), pages * page, vector.data()) == 0;
}

}  // namespace

KfdProcess::KfdProcess(KfdContext context, Opener opener)
    : context_(std::move(context)), opener_(opener) {}

KfdProcess::~KfdProcess() {
  queues_.clear();
  for (auto& [handle, buffer] : buffers_) unmap(buffer);
  context_.kfd.detach(opener_.pid);
}

int KfdProcess::get_version(void* argument) {
  as<kfd::GetVersionArgs>(argument) = {1, context_.era.minor};
  return 0;
}

// --- address space -------------------------------------------------------------------------

int KfdProcess::get_process_apertures_new(void* argument) {
  auto& args = as<kfd::GetProcessAperturesNewArgs>(argument);
  const auto& nodes = context_.kfd.nodes();
  if (args.num_of_nodes == 0) {  // only the count is asked for
    args.num_of_nodes = static_cast<std::uint32_t>(nodes.size());
    return 0;
  }
  std::vector<kfd::ProcessDeviceApertures> list;
  for (const KfdNode& node : nodes) {
    if (list.size() == args.num_of_nodes) break;
    list.push_back({.lds_base = 0x1'0000'0000'0000,
                    .lds_limit = 0x1'0000'FFFF'FFFF,
                    .scratch_base = 0x2'0000'0000'0000,
                    .scratch_limit = 0x2'0000'FFFF'FFFF,
                    .gpuvm_base = 0x10000,
                    .gpuvm_limit = 0x7FFF'FFFF'FFFF,
                    .gpu_id = node.gpu_id,
                    .pad = 0});
  }
  args.num_of_nodes = static_cast<std::uint32_t>(list.size());
  const bool copied = list.empty() || copy_to_user(args.kfd_process_device_apertures_ptr,
                                                   list.data(), list.size() * sizeof list[0]);
  return copied ? 0 : EFAULT;
}

int KfdProcess::acquire_vm(void* argument) {
  const auto& args = as<kfd::AcquireVmArgs>(argument);
  const int fd = static_cast<int>(args.drm_fd);
  if (!opener_.files || !opener_.files->device(fd)) return EINVAL;
  if (const auto held = acquired_.find(args.gpu_id); held != acquired_.end()) {
    return held->second == fd ? 0 : EBUSY;
  }
  if (auto attached = context_.kfd.attach(opener_.pid, args.gpu_id); !attached) {
    return attached.error().error;
  }
  acquired_[args.gpu_id] = fd;
  return 0;
}

int KfdProcess::set_memory_policy(void* argument) {
  const auto& args = as<kfd::SetMemoryPolicyArgs>(argument);
  if (args.default_policy > 1) return EINVAL;
  if (args.alternate_policy > 1) return EINVAL;
  return acquired(args.gpu_id) ? 0 : EINVAL;
}

int KfdProcess::alloc_memory_of_gpu(void* argument) {
  auto& args = as<kfd::AllocMemoryOfGpuArgs>(argument);
  constexpr std::uint32_t kinds = kfd::alloc_flag::vram | kfd::alloc_flag::gtt |
                                  kfd::alloc_flag::userptr | kfd::alloc_flag::doorbell |
                                  kfd::alloc_flag::mmio_remap;
  if (args.size == 0 || !acquired(args.gpu_id)) return EINVAL;
  if (std::popcount(args.flags & kinds) != 1) return EINVAL;
  if ((args.flags & kfd::alloc_flag::doorbell) != 0 && args.size != kfd::doorbell_page_size) {
    return EINVAL;
  }
  if ((args.flags & kfd::alloc_flag::mmio_remap) != 0 && args.size != page) return EINVAL;
  const bool is_memory =
      (args.flags & (kfd::alloc_flag::vram | kfd::alloc_flag::gtt | kfd::alloc_flag::userptr)) != 0;
  if (is_memory && args.va_addr != 0 && !resident(args.va_addr, args.size)) return EFAULT;
  if ((args.flags & kfd::alloc_flag::vram) != 0) {
    const auto reserved = context_.kfd.reserve_vram(opener_.pid, args.gpu_id, args.size);
    if (!reserved) return reserved.error().error;
  }
  args.handle = static_cast<std::uint64_t>(args.gpu_id) << 32 | next_handle_++;
  args.mmap_offset =
      (args.flags & kfd::alloc_flag::doorbell) != 0
          ? kfd::MmapOffset{kfd::MmapType::doorbell, static_cast<std::uint16_t>(args.gpu_id), 0}
                .encode()
          : 0;
  buffers_[args.handle] = {args.va_addr, args.size, args.flags, args.gpu_id, false};
  return 0;
}

void KfdProcess::unmap(Buffer& buffer) {
  if (buffer.mapped) opener_.memory->remove(buffer.va);
  buffer.mapped = false;
}

int KfdProcess::free_memory_of_gpu(void* argument) {
  const auto at = buffers_.find(as<kfd::FreeMemoryOfGpuArgs>(argument).handle);
  if (at == buffers_.end()) return EINVAL;
  Buffer& buffer = at->second;
  if (buffer.mapped) return EBUSY;
  if ((buffer.flags & kfd::alloc_flag::vram) != 0) {
    context_.kfd.release_vram(opener_.pid, buffer.gpu_id, buffer.size);
  }
  buffers_.erase(at);
  return 0;
}

int KfdProcess::map_memory_to_gpu(void* argument) {
  auto& args = as<kfd::MapMemoryToGpuArgs>(argument);
  if (args.n_devices == 0 || args.n_success > args.n_devices) return EINVAL;
  if (args.n_devices > context_.kfd.nodes().size()) return EINVAL;
  const auto at = buffers_.find(args.handle);
  if (at == buffers_.end()) return EINVAL;
  std::vector<std::uint32_t> ids(args.n_devices);
  if (!copy_from_user(ids.data(), args.device_ids_array_ptr, ids.size() * sizeof ids[0])) {
    return EFAULT;
  }
  for (std::uint32_t i = args.n_success; i < args.n_devices; ++i) {
    if (!acquired(ids[i])) return EINVAL;
    args.n_success = i + 1;
  }
  Buffer& buffer = at->second;
  if (buffer.mapped || buffer.va == 0) return 0;
  try {
    const bool writable = (buffer.flags & kfd::alloc_flag::writable) != 0;
    const bool executable = (buffer.flags & kfd::alloc_flag::executable) != 0;
    opener_.memory->add(buffer.va, buffer.size, {true, writable, executable});
  } catch (const std::invalid_argument&) {
    return EINVAL;  // overlaps another mapping
  }
  buffer.mapped = true;
  return 0;
}

int KfdProcess::unmap_memory_from_gpu(void* argument) {
  auto& args = as<kfd::UnmapMemoryFromGpuArgs>(argument);
  if (args.n_devices == 0 || args.n_success > args.n_devices) return EINVAL;
  const auto at = buffers_.find(args.handle);
  if (at == buffers_.end()) return EINVAL;
  unmap(at->second);
  args.n_success = args.n_devices;
  return 0;
}

int KfdProcess::available_memory(void* argument) {
  auto& args = as<kfd::AvailableMemoryArgs>(argument);
  if (!acquired(args.gpu_id)) return EINVAL;
  args.available = context_.kfd.available_vram(args.gpu_id);
  return 0;
}

int KfdProcess::set_scratch_backing_va(void* argument) {
  return acquired(as<kfd::SetScratchBackingVaArgs>(argument).gpu_id) ? 0 : EINVAL;
}

int KfdProcess::set_trap_handler(void* argument) {
  return acquired(as<kfd::SetTrapHandlerArgs>(argument).gpu_id) ? 0 : EINVAL;
}

int KfdProcess::set_xnack_mode(void* argument) {
  auto& args = as<kfd::SetXnackModeArgs>(argument);
  XnackSupport support = XnackSupport::per_process;
  for (const KfdNode& node : context_.kfd.nodes()) {
    support = std::min(support, context_.traits(node).xnack);
  }
  if (context_.kfd.nodes().empty()) support = XnackSupport::none;
  if (!xnack_) xnack_ = support != XnackSupport::none && !context_.noretry;
  if (args.xnack_enabled < 0) {
    args.xnack_enabled = *xnack_ ? 1 : 0;
    return 0;
  }
  if (!queues_.empty()) return EBUSY;
  const bool wanted = args.xnack_enabled != 0;
  if (wanted == *xnack_) return 0;
  if (wanted && support != XnackSupport::per_process) return EPERM;
  xnack_ = wanted;
  return 0;
}

int KfdProcess::runtime_enable(void* argument) {
  auto& args = as<kfd::RuntimeEnableArgs>(argument);
  const bool enable = (args.mode_mask & kfd::runtime_mode::enable) != 0;
  if (enable == runtime_enabled_ && enable) return EBUSY;
  runtime_enabled_ = enable;
  args.capabilities_mask = 0;
  return 0;
}

int KfdProcess::get_clock_counters(void* argument) {
  auto& args = as<kfd::GetClockCountersArgs>(argument);
  const std::uint64_t now = context_.os.clock.now();
  // The GPU counter runs at 100 MHz; an unknown or zero id is no error.
  args.gpu_clock_counter = context_.kfd.find(args.gpu_id) ? now / 10 : 0;
  args.cpu_clock_counter = now;
  args.system_clock_counter = now;
  args.system_clock_freq = 1'000'000'000;
  return 0;
}

// --- events --------------------------------------------------------------------------------

std::uint64_t* KfdProcess::event_slot(std::uint32_t event_id) {
  if (events_page_ == 0 || event_id >= kfd::event_slots) return nullptr;
  void* slot = opener_.memory->translate(events_page_ + event_id * 8ull, 8, cp::Access::write);
  return static_cast<std::uint64_t*>(slot);
}

int KfdProcess::create_event(void* argument) {
  auto& args = as<kfd::CreateEventArgs>(argument);
  if (args.event_type > static_cast<std::uint32_t>(kfd::EventType::memory)) return EINVAL;
  if (args.event_page_offset != 0) {
    const auto page_buffer = buffers_.find(args.event_page_offset);
    if (events_page_ != 0 || page_buffer == buffers_.end()) return EINVAL;
    if (!page_buffer->second.mapped || page_buffer->second.size < kfd::event_page_size) {
      return EINVAL;
    }
    events_page_ = page_buffer->second.va;
    for (std::uint32_t id = 0; id < kfd::event_slots; ++id) *event_slot(id) = kfd::unsignaled_slot;
  }
  const bool in_page = args.event_type == signal_type || args.event_type == debug_type;
  std::uint32_t id = in_page ? 1 : kfd::first_nonsignal_event_id;
  while (events_.contains(id)) ++id;
  if (in_page && id >= kfd::event_slots) return ENOSPC;
  events_[id] = {args.event_type, args.auto_reset != 0, false, 1};
  if (std::uint64_t* slot = event_slot(id)) *slot = kfd::unsignaled_slot;
  args.event_id = id;
  args.event_trigger_data = id;
  args.event_slot_index = in_page ? id : 0;
  args.event_page_offset = in_page ? kfd::MmapOffset{kfd::MmapType::events, 0, 0}.encode() : 0;
  return 0;
}

int KfdProcess::destroy_event(void* argument) {
  return events_.erase(as<kfd::DestroyEventArgs>(argument).event_id) == 1 ? 0 : EINVAL;
}

void KfdProcess::signal(std::uint32_t event_id) {
  if (const auto at = events_.find(event_id); at != events_.end()) {
    at->second.signalled = true;
    ++at->second.age;
  }
}

int KfdProcess::set_event(void* argument) {
  const std::uint32_t id = as<kfd::SetEventArgs>(argument).event_id;
  const auto at = events_.find(id);
  if (at == events_.end() || at->second.type != signal_type) return EINVAL;
  signal(id);
  return 0;
}

int KfdProcess::reset_event(void* argument) {
  const auto at = events_.find(as<kfd::ResetEventArgs>(argument).event_id);
  if (at == events_.end() || at->second.type != signal_type) return EINVAL;
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

bool KfdProcess::events_ready(const void* data, std::uint32_t count, bool all) {
  const auto* list = static_cast<const kfd::EventData*>(data);
  std::uint32_t ready = 0;
  for (std::uint32_t i = 0; i < count; ++i) ready += events_.at(list[i].event_id).signalled ? 1 : 0;
  return all ? ready == count : ready > 0;
}

void KfdProcess::collect_events(void* data, std::uint32_t count) {
  auto* list = static_cast<kfd::EventData*>(data);
  for (std::uint32_t i = 0; i < count; ++i) {
    Event& event = events_.at(list[i].event_id);
    if (event.signalled && event.auto_reset) event.signalled = false;
  }
}

int KfdProcess::wait_events(void* argument) {
  auto& args = as<kfd::WaitEventsArgs>(argument);
  if (args.num_events == 0 || args.num_events > events_.size()) return EINVAL;
  std::vector<kfd::EventData> list(args.num_events);
  if (!copy_from_user(list.data(), args.events_ptr, list.size() * sizeof list[0])) return EFAULT;
  for (const kfd::EventData& data : list) {
    if (!events_.contains(data.event_id)) return EINVAL;
  }
  const bool all = args.wait_for_all != 0;
  while (!events_ready(list.data(), args.num_events, all) && progress()) {
  }
  if (events_ready(list.data(), args.num_events, all)) {
    collect_events(list.data(), args.num_events);
    args.wait_result = static_cast<std::uint32_t>(kfd::WaitResult::complete);
  } else {
    // Nothing on the node can set it any more: time passes until the deadline.
    if (args.timeout != 0xFFFFFFFF) context_.os.clock.advance(args.timeout * sim::ms);
    args.wait_result = static_cast<std::uint32_t>(kfd::WaitResult::timeout);
  }
  return copy_to_user(args.events_ptr, list.data(), list.size() * sizeof list[0]) ? 0 : EFAULT;
}

// --- queues --------------------------------------------------------------------------------

std::uint64_t* KfdProcess::doorbell_page(std::uint32_t gpu_id) {
  auto& memory = doorbells_[gpu_id];
  if (!memory) {
    memory = std::make_unique<std::uint64_t[]>(kfd::doorbell_page_size / 8);
    std::fill_n(memory.get(), kfd::doorbell_page_size / 8, ~0ull);
  }
  return memory.get();
}

int KfdProcess::check_queue(std::uint64_t ring, std::uint64_t ring_size, std::uint32_t percentage,
                            std::uint32_t priority) const {
  if ((percentage & 0xFF) > max_percentage) return EINVAL;
  if (priority > max_priority) return EINVAL;
  if (ring >= user_space_end) return EFAULT;
  if (ring_size != 0 && !std::has_single_bit(ring_size)) return EINVAL;
  return 0;
}

int KfdProcess::create_queue(void* argument) {
  auto& args = as<kfd::CreateQueueArgs>(argument);
  if (const int error = check_queue(args.ring_base_address, args.ring_size, args.queue_percentage,
                                    args.queue_priority)) {
    return error;
  }
  if (args.read_pointer_address >= user_space_end || args.write_pointer_address >= user_space_end) {
    return EFAULT;
  }
  if (!acquired(args.gpu_id)) return EINVAL;
  if (args.queue_type != static_cast<std::uint32_t>(kfd::QueueType::compute_aql)) {
    context_.os.journal.unmodelled(Layer::kernel,
                                   fmt::format("CREATE_QUEUE type {}", args.queue_type), "EINVAL",
                                   context_.kfd.event());
    return EINVAL;
  }
  const auto mapped = [&](std::uint64_t va, std::size_t bytes) {
    return opener_.memory->translate(va, bytes, cp::Access::write) != nullptr;
  };
  if (args.ring_size < 64 || !mapped(args.ring_base_address, args.ring_size) ||
      !mapped(args.read_pointer_address, 8) || !mapped(args.write_pointer_address, 8)) {
    return EINVAL;  // kfd_queue.c: not a mapped buffer
  }
  const auto doorbell = context_.kfd.take_doorbell(opener_.pid, args.gpu_id);
  if (!doorbell) return doorbell.error().error;
  const KfdNode& node = *context_.kfd.find(args.gpu_id);
  // ROCr's write index lies in its amd_queue_t, whose start follows from it.
  const std::uint64_t amd_queue =
      args.write_pointer_address - offsetof(aql::AmdQueue, write_dispatch_id);
  const bool known =
      amd_queue % 64 == 0 && mapped(amd_queue, sizeof(aql::AmdQueue)) &&
      args.read_pointer_address == amd_queue + offsetof(aql::AmdQueue, read_dispatch_id);
  const cp::QueueConfig config{.id = next_queue_,
                               .ring_base = args.ring_base_address,
                               .size_packets = args.ring_size / 64,
                               .write_index_va = args.write_pointer_address,
                               .read_index_va = args.read_pointer_address,
                               .amd_queue_va = known ? amd_queue : 0,
                               .limits = context_.traits(node).limits};
  try {
    queues_[next_queue_] = std::make_unique<HardwareQueue>(*this, config, args.gpu_id, *doorbell,
                                                           args.ctx_save_restore_address);
  } catch (const std::invalid_argument&) {
    context_.kfd.release_doorbell(opener_.pid, args.gpu_id, *doorbell);
    return EINVAL;
  }
  context_.kfd.describe_queue(opener_.pid, args.gpu_id, *doorbell,
                              {next_queue_, args.queue_type, args.ring_size});
  args.queue_id = next_queue_++;
  args.doorbell_offset = kfd::MmapOffset{kfd::MmapType::doorbell,
                                         static_cast<std::uint16_t>(args.gpu_id), *doorbell * 8ull}
                             .encode();
  doorbell_page(args.gpu_id)[*doorbell] = ~0ull;  // re-armed before it is handed out
  return 0;
}

int KfdProcess::destroy_queue(void* argument) {
  return queues_.erase(as<kfd::DestroyQueueArgs>(argument).queue_id) == 1 ? 0 : EINVAL;
}

int KfdProcess::update_queue(void* argument) {
  const auto& args = as<kfd::UpdateQueueArgs>(argument);
  if (const int error = check_queue(args.ring_base_address, args.ring_size, args.queue_percentage,
                                    args.queue_priority)) {
    return error;
  }
  const auto at = queues_.find(args.queue_id);
  if (at == queues_.end()) return EINVAL;
  if ((args.queue_percentage & 0xFF) == 0) {
    at->second->queue.suspend();
  } else {
    at->second->queue.resume();
  }
  return 0;
}

SysResult<void*> KfdProcess::mmap(std::size_t length, int, std::uint64_t offset) {
  const auto what = kfd::MmapOffset::decode(offset);
  if (what.type != kfd::MmapType::doorbell) return fail(EINVAL);
  if (length != kfd::doorbell_page_size) return fail(EINVAL);
  if (!context_.kfd.find(what.gpu_id)) return fail(ENODEV);
  return doorbell_page(what.gpu_id);
}

void KfdProcess::stored(volatile void* address) {
  for (auto& [id, queue] : queues_) {
    std::uint64_t* doorbell = doorbell_page(queue->gpu_id) + queue->doorbell;
    if (doorbell == address) queue->queue.doorbell(*doorbell);
  }
  progress();
}

bool KfdProcess::progress() {
  bool any = false;
  for (auto& [id, queue] : queues_) {
    const cp::Progress done = queue->queue.run(SIZE_MAX);
    any = any || done.launched > 0 || done.completed > 0;
  }
  return any;
}

}  // namespace rocdrill::kernel
