// The device part of the node, asked over the session's socket.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "sim/interpose/protocol/message.hpp"
#include "sim/kernel/process/device_service.hpp"

namespace rocdrill::interpose {

class RemoteService final : public kernel::DeviceService {
 public:
  /// Connects. Throws ConnectionError.
  RemoteService(std::string session, std::string identity);
  ~RemoteService() override;

  const kernel::DeviceFacts& facts() override;
  SysResult<void> attach(int pid, std::uint32_t gpu_id) override;
  EventId page_fault(int pid, const kernel::PageFault& fault) override;
  void detach(int pid) override;
  EventId hardware_error(int pid, const kernel::HardwareError& error) override;
  EventId store_lost(int pid, std::uint32_t gpu_id, const kernel::UnreachablePeer& peer) override;
  SysResult<kernel::VramExtents> reserve_vram(int pid, std::uint32_t gpu_id,
                                              std::uint64_t bytes) override;
  void release_vram(int pid, std::uint32_t gpu_id, const kernel::VramExtents& extents) override;
  std::uint64_t available_vram(std::uint32_t gpu_id) override;
  SysResult<std::uint32_t> take_doorbell(int pid, std::uint32_t gpu_id,
                                         const kernel::HeldQueue& queue) override;
  void release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) override;
  EventId record(Layer layer, Severity severity, std::string_view kind, std::string_view subject,
                 std::initializer_list<Field> fields, EventId cause) override;

  /// Any other request. The reply has "errno" (EIO, and nothing else, if the node is gone).
  Json ask(Json message);
  const std::string& session() const { return session_; }
  /// True once after the device part has said that its facts changed.
  bool stale() { return stale_.exchange(false); }
  void mark_stale() { stale_ = true; }

 private:
  bool told_before(std::string_view subject);

  std::string session_;
  std::string identity_;
  std::mutex mutex_;
  std::mutex told_mutex_;
  std::set<std::string, std::less<>> told_;  ///< what standard error has said to be not modelled
  int fd_ = -1;
  bool gone_ = false;
  kernel::DeviceFacts facts_;
  std::atomic<bool> stale_ = false;
};

}  // namespace rocdrill::interpose
