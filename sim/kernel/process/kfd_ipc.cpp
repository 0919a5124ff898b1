// Memory between processes and between GPUs: IPC handles of AMD's out-of-tree driver (kfd_ipc.c),
// and what becomes of stores to a peer that cannot be reached.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "sim/host/shared_memory.hpp"
#include "sim/kernel/process/kfd_process.hpp"
#include "sim/kernel/process/kfd_queue.hpp"

namespace rocdrill::kernel {
namespace {

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

}  // namespace

EventId DeviceService::store_lost(int pid, std::uint32_t gpu_id, const UnreachablePeer& peer) {
  const std::string subject = fmt::format("pid {} gpu {}", pid, gpu_id);
  const std::string asked = fmt::format("a store to memory of gpu {}", peer.gpu_id);
  return record(
      peer.through_iommu ? Layer::kernel : Layer::silicon, Severity::error,
      peer.through_iommu ? "iommu.page_fault" : "xgmi.no_answer", subject,
      {{field::asked, std::string_view(asked)},
       {field::got, peer.through_iommu ? "no page for the address" : "no acknowledgement"},
       {field::did, "its wave does not end"},
       {field::see, peer.through_iommu ? "dmesg" : "amd-smi xgmi"}},
      peer.event);
}

/// The buffer's memory moves into a file that others can map, and stays where it is for its owner.
int KfdProcess::ipc_export_handle(void* argument) {
  auto& args = as<kfd::IpcExportHandleArgs>(argument);
  const auto at = buffers_.find(args.handle);
  if (at == buffers_.end()) return EINVAL;
  Buffer& buffer = at->second;
  if (buffer.backing) {  // another program's memory
    why_ = devices_.unmodelled(Layer::kernel, "IPC handles between programs", "EINVAL",
                               devices_.facts().event);
    return EINVAL;
  }
  if ((buffer.flags & kfd::alloc_flag::vram) == 0 || !buffer.host) return EINVAL;
  if (!buffer.shared) {
    auto memory = sim::MemoryFile::create(buffer.size);
    if (!memory) return ENOMEM;
    void* const copy = memory->map(buffer.size);
    if (!copy) return ENOMEM;
    std::copy_n(static_cast<const std::byte*>(buffer.host), buffer.size,
                static_cast<std::byte*>(copy));
    ::munmap(copy, buffer.size);
    if (!memory->map(buffer.size, buffer.host)) return ENOMEM;
    buffer.shared = std::move(memory);
  }
  const auto handle = devices_.share(opener_.pid, {buffer.shared, buffer.gpu_id});
  if (!handle) {
    why_ = handle.error().event;
    return handle.error().error;
  }
  std::ranges::copy(*handle, args.share_handle);
  args.gpu_id = buffer.gpu_id;
  return 0;
}

/// `va_addr` is memory of the client, which the shared memory takes the place of.
int KfdProcess::ipc_import_handle(void* argument) {
  auto& args = as<kfd::IpcImportHandleArgs>(argument);
  ShareHandle handle{};
  std::ranges::copy(args.share_handle, handle.begin());
  const auto shared = devices_.find_shared(handle);
  if (!shared) {
    if (surroundings_.has_backing())
      why_ = devices_.unmodelled(Layer::kernel, "IPC handles between programs", "EINVAL",
                                 devices_.facts().event);
    return shared.error().error;
  }
  if (args.va_addr == 0 || args.va_addr % 4096 != 0 || !acquired(shared->gpu_id)) return EINVAL;
  const std::size_t bytes = shared->memory->bytes();
  if (!shared->memory->map(bytes, reinterpret_cast<void*>(args.va_addr))) return ENOMEM;
  Buffer buffer;
  buffer.va = args.va_addr;
  buffer.size = bytes;
  buffer.flags = kfd::alloc_flag::writable | kfd::alloc_flag::executable;  // not its own VRAM
  buffer.gpu_id = shared->gpu_id;
  buffer.host = reinterpret_cast<void*>(args.va_addr);
  buffer.shared = shared->memory;
  args.handle = static_cast<std::uint64_t>(shared->gpu_id) << 32 | next_handle_++;
  args.gpu_id = shared->gpu_id;
  args.flags = buffer.flags;
  buffers_[args.handle] = std::move(buffer);
  return 0;
}

/// Whether `buffer` lies in memory of another GPU that this one has no way to.
const UnreachablePeer* KfdProcess::unreachable(const Buffer& buffer, std::uint32_t gpu_id) {
  const bool video = (buffer.flags & kfd::alloc_flag::vram) != 0 || buffer.shared;
  if (!video || buffer.gpu_id == gpu_id) return nullptr;
  const GpuFacts* gpu = devices_.facts().find(gpu_id);
  return gpu ? gpu->unreachable_peer(buffer.gpu_id) : nullptr;
}

/// A link has changed: mappings of peers' memory are made anew.
void KfdProcess::refresh_paths() {
  for (auto& [handle, buffer] : buffers_) {
    const std::set<std::uint32_t> mapped = buffer.mapped;
    for (const std::uint32_t gpu_id : mapped) {
      if (buffer.gpu_id == gpu_id) continue;
      const bool now = unreachable(buffer, gpu_id) != nullptr;
      if (now == buffer.unreachable_from.contains(gpu_id)) continue;
      unmap(buffer, gpu_id);
      map(buffer, gpu_id);
    }
  }
}

EventId KfdProcess::store_lost(std::uint32_t gpu_id, std::uint32_t owner) {
  const GpuFacts* gpu = devices_.facts().find(gpu_id);
  const UnreachablePeer* peer = gpu ? gpu->unreachable_peer(owner) : nullptr;
  return peer ? devices_.store_lost(opener_.pid, gpu_id, *peer) : no_event;
}

}  // namespace rocdrill::kernel
