// The device part of KFD: what all processes share. One owner of VRAM accounting, doorbell and
// queue slots and of who holds which GPU; a process part asks it by a direct call in process,
// over a socket when the process is another program.
#pragma once

#include <cstdint>

#include "stack/result.hpp"

namespace rocdrill::kernel {

/// What sysfs shows of a user queue.
struct HeldQueue {
  std::uint32_t id = 0;
  std::uint32_t type = 0;  ///< KFD_IOC_QUEUE_TYPE_*
  std::uint64_t ring_bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("id", id);
    archive("type", type);
    archive("ring_bytes", ring_bytes);
  }
};

class DeviceService {
 public:
  virtual ~DeviceService() = default;
  /// The process acquires a GPU (a KFD process-device). EINVAL for an unknown gpu_id.
  virtual SysResult<void> attach(int pid, std::uint32_t gpu_id) = 0;
  /// End of file: everything that the process held is free again.
  virtual void detach(int pid) = 0;

  /// ENOMEM when the GPU has not that many bytes left.
  virtual SysResult<void> reserve_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) = 0;
  virtual void release_vram(int pid, std::uint32_t gpu_id, std::uint64_t bytes) = 0;
  virtual std::uint64_t available_vram(std::uint32_t gpu_id) const = 0;

  /// A doorbell index of the process's page on this GPU (0..1023); ENOMEM when all are taken.
  virtual SysResult<std::uint32_t> take_doorbell(int pid, std::uint32_t gpu_id) = 0;
  /// The queue behind a doorbell that was taken; forgotten with the doorbell.
  virtual void describe_queue(int /*pid*/, std::uint32_t /*gpu_id*/, std::uint32_t /*doorbell*/,
                              const HeldQueue& /*queue*/) {}
  virtual void release_doorbell(int pid, std::uint32_t gpu_id, std::uint32_t index) = 0;
};

}  // namespace rocdrill::kernel
