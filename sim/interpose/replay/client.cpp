#include "sim/interpose/replay/client.hpp"

#include "stack/formats/kfd_uapi.hpp"

namespace rocdrill::replay {

bool Client::wait(std::unique_lock<std::mutex>& lock, std::uint32_t,
                  const std::function<bool()>& ready) {
  while (!ready()) {
    lock.unlock();
    const bool any = process.progress();
    lock.lock();
    if (!any) return ready();
  }
  return true;
}

std::uint64_t* Client::doorbell_page(std::uint32_t gpu_id) {
  auto& page = doorbells_[gpu_id];
  if (!page) page = std::make_unique<std::uint64_t[]>(kfd::doorbell_page_size / 8);
  return page.get();
}

void Client::packet(const kernel::ObservedPacket& packet) {
  using What = kernel::ObservedPacket::What;
  const std::pair key{packet.queue, packet.index};
  Seen& seen = packets_[key];
  if (packet.what == What::launched) {
    seen.launched = true;
    if (packet.completion) completions_[key] = {packet.completion, packet.completion->value};
  } else if (packet.what == What::completed) {
    seen.completed = true;
    if (const auto at = completions_.find(key); at != completions_.end()) {
      seen.decrement = at->second.value - at->second.signal->value;
      completions_.erase(at);
    }
  } else {
    seen.failed = std::string(packet.reason);
  }
}

}  // namespace rocdrill::replay
