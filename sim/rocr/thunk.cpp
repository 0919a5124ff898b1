#include "sim/rocr/thunk.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace rocdrill::rocr {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t round_up(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

template <class Args>
SysResult<int> Thunk::call(kfd::Ioctl number, Args& args) {
  return process_.ioctl(fd_, kfd::make_request(number), &args);
}

SysResult<std::unique_ptr<Thunk>> Thunk::open(Process& process, bool needs_render_nodes) {
  auto fd = process.open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (!fd) return std::unexpected(fd.error());
  std::unique_ptr<Thunk> thunk(new Thunk(process));
  thunk->fd_ = *fd;
  kfd::GetVersionArgs version{};
  if (auto got = thunk->call(kfd::Ioctl::get_version, version); !got) {
    return std::unexpected(got.error());
  }
  thunk->kfd_minor_ = version.minor_version;
  auto nodes = snapshot(process, needs_render_nodes);
  if (!nodes) return std::unexpected(nodes.error());
  thunk->nodes_ = std::move(*nodes);
  if (auto acquired = thunk->acquire(); !acquired) return std::unexpected(acquired.error());
  return thunk;
}

SysResult<void> Thunk::acquire() {
  std::vector<kfd::ProcessDeviceApertures> apertures(nodes_.size());
  kfd::GetProcessAperturesNewArgs args{};
  args.kfd_process_device_apertures_ptr = reinterpret_cast<std::uintptr_t>(apertures.data());
  args.num_of_nodes = static_cast<std::uint32_t>(apertures.size());
  if (auto got = call(kfd::Ioctl::get_process_apertures_new, args); !got) {
    return std::unexpected(got.error());
  }
  for (const TopologyNode& node : nodes_) {
    if (!node.is_gpu()) continue;
    kfd::AcquireVmArgs vm{static_cast<std::uint32_t>(node.render_fd), node.gpu_id};
    if (auto got = call(kfd::Ioctl::acquire_vm, vm); !got) return std::unexpected(got.error());
    kfd::SetMemoryPolicyArgs policy{};
    policy.gpu_id = node.gpu_id;
    policy.default_policy = 1;  // non-coherent, the alternate aperture coherent
    if (auto got = call(kfd::Ioctl::set_memory_policy, policy); !got) {
      return std::unexpected(got.error());
    }
    gpu_ids_.push_back(node.gpu_id);
  }
  return {};
}

Thunk::~Thunk() {
  while (!memory_.empty()) release(memory_.begin()->first);
  for (const TopologyNode& node : nodes_) {
    if (node.render_fd >= 0) static_cast<void>(process_.close(node.render_fd));
  }
  if (fd_ >= 0) static_cast<void>(process_.close(fd_));
}

SysResult<bool> Thunk::xnack_mode(int mode) {
  kfd::SetXnackModeArgs args{mode};
  if (auto got = call(kfd::Ioctl::set_xnack_mode, args); !got) return std::unexpected(got.error());
  return mode < 0 ? args.xnack_enabled != 0 : mode != 0;
}

SysResult<void> Thunk::runtime_enable(bool on) {
  kfd::RuntimeEnableArgs args{};
  args.mode_mask = on ? kfd::runtime_mode::enable : 0;
  if (auto got = call(kfd::Ioctl::runtime_enable, args); !got) return std::unexpected(got.error());
  return {};
}

SysResult<int> Thunk::map_to_gpus(std::uint64_t handle) {
  kfd::MapMemoryToGpuArgs map{};
  map.handle = handle;
  map.device_ids_array_ptr = reinterpret_cast<std::uintptr_t>(gpu_ids_.data());
  map.n_devices = static_cast<std::uint32_t>(gpu_ids_.size());
  return call(kfd::Ioctl::map_memory_to_gpu, map);
}

SysResult<std::uint64_t> Thunk::make_available(void* memory, std::size_t bytes,
                                               std::uint32_t gpu_id, std::uint32_t flags) {
  kfd::AllocMemoryOfGpuArgs alloc{};
  alloc.va_addr = reinterpret_cast<std::uintptr_t>(memory);
  alloc.mmap_offset = alloc.va_addr;
  alloc.size = bytes;
  alloc.gpu_id = gpu_id;
  alloc.flags = flags;
  if (auto got = call(kfd::Ioctl::alloc_memory_of_gpu, alloc); !got) {
    return std::unexpected(got.error());
  }
  if (auto got = map_to_gpus(alloc.handle); !got) {
    kfd::FreeMemoryOfGpuArgs free_args{alloc.handle};
    static_cast<void>(call(kfd::Ioctl::free_memory_of_gpu, free_args));
    return std::unexpected(got.error());
  }
  return alloc.handle;
}

SysResult<void*> Thunk::allocate(std::size_t bytes, bool executable) {
  using namespace kfd::alloc_flag;
  return allocate(bytes, gpu_ids_.empty() ? 0 : gpu_ids_.front(),
                  userptr | writable | coherent | (executable ? kfd::alloc_flag::executable : 0));
}

SysResult<void*> Thunk::allocate_vram(std::uint32_t gpu_id, std::size_t bytes) {
  using namespace kfd::alloc_flag;
  return allocate(bytes, gpu_id, vram | writable | executable);
}

SysResult<std::uint64_t> Thunk::available_vram(std::uint32_t gpu_id) {
  kfd::AvailableMemoryArgs args{};
  args.gpu_id = gpu_id;
  if (auto got = call(kfd::Ioctl::available_memory, args); !got)
    return std::unexpected(got.error());
  return args.available;
}

SysResult<void*> Thunk::allocate(std::size_t bytes, std::uint32_t gpu_id, std::uint32_t flags) {
  const std::size_t size = round_up(bytes);
  auto memory = process_.mmap(-1, size, PROT_READ | PROT_WRITE, 0);
  if (!memory) return memory;
  SysResult<std::uint64_t> handle = 0;
  if (gpu_id != 0) handle = make_available(*memory, size, gpu_id, flags);
  if (!handle) {
    static_cast<void>(process_.munmap(*memory, size));
    return std::unexpected(handle.error());
  }
  memory_[*memory] = {size, *handle, false};
  return *memory;
}

void Thunk::release(void* memory) {
  const auto at = memory_.find(memory);
  if (at == memory_.end()) return;
  if (at->second.handle != 0) {
    kfd::UnmapMemoryFromGpuArgs unmap{};
    unmap.handle = at->second.handle;
    unmap.device_ids_array_ptr = reinterpret_cast<std::uintptr_t>(gpu_ids_.data());
    unmap.n_devices = static_cast<std::uint32_t>(gpu_ids_.size());
    static_cast<void>(call(kfd::Ioctl::unmap_memory_from_gpu, unmap));
    kfd::FreeMemoryOfGpuArgs free_args{at->second.handle};
    static_cast<void>(call(kfd::Ioctl::free_memory_of_gpu, free_args));
  }
  if (!at->second.lent) static_cast<void>(process_.munmap(memory, at->second.bytes));
  memory_.erase(at);
}

SysResult<std::array<std::uint32_t, 4>> Thunk::share(void* memory) {
  const auto at = memory_.find(memory);
  if (at == memory_.end()) return fail(EINVAL);
  kfd::IpcExportHandleArgs args{};
  args.handle = at->second.handle;
  if (auto got = call(kfd::Ioctl::ipc_export_handle, args); !got)
    return std::unexpected(got.error());
  std::array<std::uint32_t, 4> handle{};
  std::ranges::copy(args.share_handle, handle.begin());
  return handle;
}

SysResult<void*> Thunk::attach(const std::array<std::uint32_t, 4>& handle, std::size_t bytes) {
  const std::size_t size = round_up(bytes);
  auto memory = process_.mmap(-1, size, PROT_READ | PROT_WRITE, 0);
  if (!memory) return memory;
  kfd::IpcImportHandleArgs args{};
  args.va_addr = reinterpret_cast<std::uintptr_t>(*memory);
  std::ranges::copy(handle, args.share_handle);
  auto got = call(kfd::Ioctl::ipc_import_handle, args);
  if (got) {
    memory_[*memory] = {size, args.handle, false};
    got = map_to_gpus(args.handle);
    if (got) return *memory;
    release(*memory);
    return std::unexpected(got.error());
  }
  static_cast<void>(process_.munmap(*memory, size));
  return std::unexpected(got.error());
}

SysResult<void> Thunk::register_memory(void* memory, std::size_t bytes) {
  using namespace kfd::alloc_flag;
  if (gpu_ids_.empty()) return fail(ENODEV);
  auto handle =
      make_available(memory, round_up(bytes), gpu_ids_.front(), userptr | writable | coherent);
  if (!handle) return std::unexpected(handle.error());
  memory_[memory] = {round_up(bytes), *handle, true};
  return {};
}

bool Thunk::owns(std::uint64_t va, std::size_t bytes) const {
  auto at = memory_.upper_bound(reinterpret_cast<void*>(va));
  if (at == memory_.begin()) return false;
  --at;
  const std::uint64_t offset = va - reinterpret_cast<std::uintptr_t>(at->first);
  return offset < at->second.bytes && bytes <= at->second.bytes - offset;
}

SysResult<Thunk::QueueResource> Thunk::create_queue(std::uint32_t gpu_id, void* ring,
                                                    std::uint32_t ring_bytes, void* write_index,
                                                    void* read_index, void* save_area,
                                                    std::uint32_t save_area_bytes) {
  kfd::CreateQueueArgs args{};
  args.ring_base_address = reinterpret_cast<std::uintptr_t>(ring);
  args.write_pointer_address = reinterpret_cast<std::uintptr_t>(write_index);
  args.read_pointer_address = reinterpret_cast<std::uintptr_t>(read_index);
  args.ring_size = ring_bytes;
  args.gpu_id = gpu_id;
  args.queue_type = static_cast<std::uint32_t>(kfd::QueueType::compute_aql);
  args.queue_percentage = 100;
  args.queue_priority = 7;
  args.ctx_save_restore_address = reinterpret_cast<std::uintptr_t>(save_area);
  args.ctx_save_restore_size = save_area_bytes;
  if (auto got = call(kfd::Ioctl::create_queue, args); !got) return std::unexpected(got.error());
  const std::uint64_t in_page = args.doorbell_offset & (kfd::doorbell_page_size - 1);
  auto doorbells = process_.mmap(fd_, kfd::doorbell_page_size, PROT_READ | PROT_WRITE,
                                 args.doorbell_offset - in_page);
  if (!doorbells) {
    destroy_queue(args.queue_id);
    return std::unexpected(doorbells.error());
  }
  return QueueResource{args.queue_id,
                       static_cast<volatile std::uint64_t*>(*doorbells) + in_page / 8};
}

void Thunk::destroy_queue(std::uint32_t queue_id) {
  kfd::DestroyQueueArgs args{queue_id, 0};
  static_cast<void>(call(kfd::Ioctl::destroy_queue, args));
}

void Thunk::suspend_queue(std::uint32_t queue_id) {
  kfd::UpdateQueueArgs args{};
  args.queue_id = queue_id;
  static_cast<void>(call(kfd::Ioctl::update_queue, args));
}

SysResult<kfd::CreateEventArgs> Thunk::create_event(kfd::EventType type, bool auto_reset) {
  kfd::CreateEventArgs args{};
  args.event_type = static_cast<std::uint32_t>(type);
  args.auto_reset = auto_reset ? 1 : 0;
  if (!events_page_) {
    auto memory = allocate(kfd::event_page_size, false);
    if (!memory) return std::unexpected(memory.error());
    events_page_ = *memory;
  }
  // The first event of any type brings the page along.
  if (!events_page_known_) args.event_page_offset = memory_.at(events_page_).handle;
  if (auto got = call(kfd::Ioctl::create_event, args); !got) return std::unexpected(got.error());
  events_page_known_ = true;
  return args;
}

SysResult<Thunk::EventResource> Thunk::create_event(bool auto_reset) {
  const auto made = create_event(kfd::EventType::signal, auto_reset);
  if (!made) return std::unexpected(made.error());
  return EventResource{made->event_id, reinterpret_cast<std::uintptr_t>(events_page_) +
                                           made->event_slot_index * 8ull};
}

SysResult<std::uint32_t> Thunk::create_memory_event() {
  const auto made = create_event(kfd::EventType::memory, true);
  if (!made) return std::unexpected(made.error());
  return made->event_id;
}

SysResult<std::uint32_t> Thunk::create_exception_event() {
  const auto made = create_event(kfd::EventType::hw_exception, true);
  if (!made) return std::unexpected(made.error());
  return made->event_id;
}

std::optional<kfd::HwExceptionData> Thunk::hardware_exception(std::uint32_t id) {
  kfd::EventData data{};
  data.event_id = id;
  if (!wait_event(data, 0).value_or(false)) return std::nullopt;
  return data.hw_exception_data;
}

void Thunk::destroy_event(std::uint32_t id) {
  kfd::DestroyEventArgs args{id, 0};
  static_cast<void>(call(kfd::Ioctl::destroy_event, args));
}

SysResult<bool> Thunk::wait_event(std::uint32_t id, std::uint32_t timeout_ms) {
  kfd::EventData data{};
  data.event_id = id;
  return wait_event(data, timeout_ms);
}

std::optional<kfd::MemoryExceptionData> Thunk::memory_exception(std::uint32_t id) {
  kfd::EventData data{};
  data.event_id = id;
  if (!wait_event(data, 0).value_or(false)) return std::nullopt;
  return data.memory_exception_data;
}

SysResult<bool> Thunk::wait_event(kfd::EventData& data, std::uint32_t timeout_ms) {
  kfd::WaitEventsArgs args{};
  args.events_ptr = reinterpret_cast<std::uintptr_t>(&data);
  args.num_events = 1;
  args.timeout = timeout_ms;
  if (auto got = call(kfd::Ioctl::wait_events, args); !got) return std::unexpected(got.error());
  return args.wait_result == static_cast<std::uint32_t>(kfd::WaitResult::complete);
}

}  // namespace rocdrill::rocr
