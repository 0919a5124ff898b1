// Buffer objects: AMDKFD_IOC_ALLOC_MEMORY_OF_GPU and its kin (kfd_chardev.c,
// amdgpu_amdkfd_gpuvm.c).
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <stdexcept>

#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::kernel {
namespace {

using namespace kfd::alloc_flag;

constexpr std::uint32_t kinds = vram | gtt | userptr | doorbell | mmio_remap;

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

/// get_user_pages() would succeed: amdgpu asks for no less of a userptr.
bool resident(std::uint64_t va, std::uint64_t size) {
  return is_user_memory(va, size) && is_populated(va, size, /*write=*/true);
}

int check_flags(const kfd::AllocMemoryOfGpuArgs& args, const GpuFacts& gpu) {
  if (args.size == 0) return EINVAL;
  if (std::popcount(args.flags & kinds) != 1) return EINVAL;
  if ((args.flags & doorbell) != 0 && args.size != kfd::doorbell_page_size) return EINVAL;
  if ((args.flags & mmio_remap) != 0 && args.size != kfd::mmio_page_size) return EINVAL;
  const bool visible = (args.flags & vram) != 0 && (args.flags & host_access) != 0;
  return visible && !gpu.large_bar ? EINVAL : 0;
}

}  // namespace

int KfdProcess::alloc_memory_of_gpu(void* argument) {
  auto& args = as<kfd::AllocMemoryOfGpuArgs>(argument);
  const GpuFacts* gpu = devices_.facts().find(args.gpu_id);
  if (!gpu || !acquired(args.gpu_id)) return EINVAL;
  if (const int error = check_flags(args, *gpu)) return error;
  Buffer buffer;
  buffer.va = args.va_addr;
  buffer.size = args.size;
  buffer.flags = args.flags;
  buffer.gpu_id = args.gpu_id;
  const bool is_memory = (args.flags & (vram | gtt | userptr)) != 0;
  const bool backed = (args.flags & (vram | gtt | mmio_remap)) != 0 && surroundings_.has_backing();
  if (is_memory && !backed && args.va_addr != 0) {
    const std::uint64_t at =
        (args.flags & userptr) != 0 && args.mmap_offset != 0 ? args.mmap_offset : args.va_addr;
    if (!resident(at, args.size)) return EFAULT;
    buffer.host = reinterpret_cast<void*>(at);
  }
  if ((args.flags & vram) != 0) {
    const auto reserved = devices_.reserve_vram(opener_.pid, args.gpu_id, args.size);
    if (!reserved) {
      why_ = reserved.error().event;
      return reserved.error().error;
    }
    buffer.vram = *reserved;
  }
  if (backed) {
    buffer.backing = surroundings_.allocate(args.size);
    if (!buffer.backing) {
      release(buffer);
      return ENOMEM;
    }
    buffer.host = buffer.backing->memory;
  }
  args.handle = static_cast<std::uint64_t>(args.gpu_id) << 32 | next_handle_++;
  args.mmap_offset = buffer.backing ? buffer.backing->offset : 0;
  const auto gpu_field = static_cast<std::uint16_t>(args.gpu_id);
  if ((args.flags & doorbell) != 0)
    args.mmap_offset = kfd::MmapOffset{kfd::MmapType::doorbell, gpu_field, 0}.encode();
  if ((args.flags & mmio_remap) != 0)
    args.mmap_offset = kfd::MmapOffset{kfd::MmapType::mmio, gpu_field, 0}.encode();
  buffers_[args.handle] = std::move(buffer);
  return 0;
}

void KfdProcess::release(Buffer& buffer) {
  while (!buffer.mapped.empty()) unmap(buffer, *buffer.mapped.begin());
  if (buffer.backing) surroundings_.free(*buffer.backing, buffer.size);
  buffer.backing.reset();
  if (buffer.sink) ::munmap(buffer.sink, buffer.size);
  buffer.sink = nullptr;
  if ((buffer.flags & vram) != 0) devices_.release_vram(opener_.pid, buffer.gpu_id, buffer.vram);
}

int KfdProcess::free_memory_of_gpu(void* argument) {
  const std::uint64_t handle = as<kfd::FreeMemoryOfGpuArgs>(argument).handle;
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return EINVAL;
  if (!at->second.mapped.empty()) return EBUSY;
  if (handle == event_page_handle_) {  // kfd_event_page_free: events stay, their slots go
    event_slots_ = nullptr;
    event_page_handle_ = 0;
  }
  release(at->second);
  buffers_.erase(at);
  return 0;
}

int KfdProcess::check_ids(std::uint64_t array, std::uint32_t count,
                          std::vector<std::uint32_t>& ids) const {
  if (count > devices_.facts().gpus.size()) return EINVAL;
  ids.resize(count);
  return copy_from_user(ids.data(), array, ids.size() * sizeof ids[0]) ? 0 : EFAULT;
}

bool KfdProcess::map(Buffer& buffer, std::uint32_t gpu_id) {
  if (buffer.va == 0 || !buffer.host || buffer.mapped.contains(gpu_id)) return true;
  const bool write = (buffer.flags & writable) != 0;
  const bool execute = (buffer.flags & executable) != 0;
  std::vector<std::uint64_t> added;
  try {
    forget_svm(buffer.va, buffer.va + buffer.size);
    const cp::Permissions permissions{true, write, execute};
    if (unreachable(buffer, gpu_id)) {
      if (!buffer.sink) {
        void* const memory = ::mmap(nullptr, buffer.size, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return false;
        buffer.sink = memory;
      }
      page_table(gpu_id).add_unreachable(buffer.va, buffer.size, permissions, buffer.sink,
                                         buffer.gpu_id);
      buffer.unreachable_from.insert(gpu_id);
    } else {
      const auto add = [&](std::uint64_t from, std::uint64_t to) {
        if (from >= to) return;
        page_table(gpu_id).add(buffer.va + from, to - from, permissions,
                               static_cast<char*>(buffer.host) + from);
        added.push_back(buffer.va + from);
      };
      std::uint64_t from = 0;
      for (const std::uint64_t hole : poison_of(buffer)) {
        add(from, hole);
        from = hole + vram_page;
      }
      add(from, buffer.size);
    }
  } catch (const std::invalid_argument&) {  // overlaps another mapping
    for (const std::uint64_t begin : added) page_table(gpu_id).remove(begin);
    return false;
  }
  buffer.mapped.insert(gpu_id);
  return true;
}

void KfdProcess::unmap(Buffer& buffer, std::uint32_t gpu_id) {
  if (buffer.mapped.erase(gpu_id) == 0) return;
  page_table(gpu_id).remove(buffer.va);
  if (buffer.unreachable_from.erase(gpu_id) != 0) return;  // in one piece
  for (const std::uint64_t hole : poison_of(buffer)) {
    const std::uint64_t next = hole + vram_page;
    if (next < buffer.size) page_table(gpu_id).remove(buffer.va + next);
  }
}

int KfdProcess::map_memory_to_gpu(void* argument) {
  auto& args = as<kfd::MapMemoryToGpuArgs>(argument);
  if (args.n_devices == 0 || args.n_success > args.n_devices) return EINVAL;
  const auto at = buffers_.find(args.handle);
  if (at == buffers_.end()) return EINVAL;
  std::vector<std::uint32_t> ids;
  if (const int error = check_ids(args.device_ids_array_ptr, args.n_devices, ids)) return error;
  for (std::uint32_t i = args.n_success; i < args.n_devices; ++i) {
    if (!acquired(ids[i]) || !map(at->second, ids[i])) return EINVAL;
    args.n_success = i + 1;
  }
  return 0;
}

int KfdProcess::unmap_memory_from_gpu(void* argument) {
  auto& args = as<kfd::UnmapMemoryFromGpuArgs>(argument);
  if (args.n_devices == 0 || args.n_success > args.n_devices) return EINVAL;
  const auto at = buffers_.find(args.handle);
  if (at == buffers_.end()) return EINVAL;
  std::vector<std::uint32_t> ids;
  if (const int error = check_ids(args.device_ids_array_ptr, args.n_devices, ids)) return error;
  for (std::uint32_t i = args.n_success; i < args.n_devices; ++i) {
    if (!acquired(ids[i])) return EINVAL;
    unmap(at->second, ids[i]);
    args.n_success = i + 1;
  }
  return 0;
}

SysResult<void*> KfdProcess::mmap(std::size_t length, int, std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto what = kfd::MmapOffset::decode(offset);
  if (what.type == kfd::MmapType::doorbell) {
    if (length != kfd::doorbell_page_size) return fail(EINVAL);
    if (!devices_.facts().find(what.gpu_id)) return fail(ENODEV);
    if (void* const doorbells = doorbell_page(what.gpu_id)) return doorbells;
    return fail(ENOMEM);
  }
  if (what.type == kfd::MmapType::mmio) {
    if (length != kfd::mmio_page_size) return fail(EINVAL);
    for (auto& [handle, buffer] : buffers_) {
      if ((buffer.flags & mmio_remap) != 0 && buffer.host &&
          static_cast<std::uint16_t>(buffer.gpu_id) == what.gpu_id)
        return buffer.host;
    }
    return fail(devices_.facts().find(what.gpu_id) ? EINVAL : ENODEV);
  }
  devices_.unmodelled(Layer::kernel, "mmap of /dev/kfd other than doorbells and MMIO", "EINVAL",
                      devices_.facts().event);
  return fail(EINVAL);
}

}  // namespace rocdrill::kernel
