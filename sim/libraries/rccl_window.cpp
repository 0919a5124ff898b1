#include "sim/libraries/rccl_window.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

namespace rocdrill::libraries::rccl {
namespace {

/// The GPUs get `bytes` of it: what is not used takes no memory of this machine.
SysResult<std::byte*> attach(Process& process, hip::HsaInterop::Device& device, int fd,
                             std::size_t bytes) {
  auto memory = process.mmap(fd, Window::segment_bytes, PROT_READ | PROT_WRITE, 0);
  if (!memory) return std::unexpected(memory.error());
  if (auto locked = device.runtime->lock(*memory, bytes); !locked)
    return rocdrill::fail(ENOMEM, locked.error().event);
  return static_cast<std::byte*>(*memory);
}

}  // namespace

std::string_view name(Transport transport) {
  return transport == Transport::p2p ? "P2P/IPC" : "SHM/direct/direct";
}

void Window::arm(std::size_t ranks) const {
  constexpr std::int64_t user_signal = 1;
  for (std::size_t step = 0; step < steps(ranks); ++step) {
    *signal(step) = aql::AmdSignal{};
    signal(step)->kind = user_signal;
    signal(step)->value = 1;
  }
}

HsaResult<Window> make_p2p_window(hip::HsaInterop::Device& device, std::size_t bytes) {
  auto memory = device.runtime->allocate(device.agent, bytes);
  if (!memory) return std::unexpected(memory.error());
  auto handle = device.runtime->ipc_create(*memory);
  if (!handle) return std::unexpected(handle.error());
  return Window{{Transport::p2p, bytes, *handle, {}}, static_cast<std::byte*>(*memory)};
}

SysResult<Window> make_shm_window(Process& process, hip::HsaInterop::Device& device,
                                  std::string segment, std::size_t bytes) {
  const auto fd = process.open(segment, O_CREAT | O_RDWR);
  if (!fd) return std::unexpected(fd.error());
  // The count of who is attached lies behind the memory.
  if (auto done = process.allocate(*fd, Window::segment_bytes + sizeof(int)); !done) {
    static_cast<void>(process.unlink(segment));
    return std::unexpected(done.error());
  }
  auto memory = attach(process, device, *fd, bytes);
  if (!memory) return std::unexpected(memory.error());
  return Window{{Transport::shm, bytes, {}, std::move(segment)}, *memory};
}

HsaResult<Window> open_window(Process& process, hip::HsaInterop::Device& device,
                              const WindowOffer& offer) {
  if (offer.transport == Transport::p2p) {
    auto memory = device.runtime->ipc_attach(offer.handle, offer.bytes);
    if (!memory) return std::unexpected(memory.error());
    return Window{offer, static_cast<std::byte*>(*memory)};
  }
  const auto fd = process.open(offer.segment, O_RDWR);
  SysResult<std::byte*> memory = rocdrill::fail(ENOENT);
  if (fd) memory = attach(process, device, *fd, offer.bytes);
  if (!memory) return rocdrill::fail(HsaStatus::out_of_resources, memory.error().event);
  static_cast<void>(process.unlink(offer.segment));  // both have it: nobody else is to find it
  return Window{offer, *memory};
}

}  // namespace rocdrill::libraries::rccl
