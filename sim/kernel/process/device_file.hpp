// Character devices of the driver, and what an open one can do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stack/process.hpp"

namespace rocdrill::kernel {

struct CharDevice {
  std::string path;  ///< "/dev/kfd", "/dev/dri/renderD128"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  EventId event = no_event;  ///< what made it appear
};

/// An open file as another ioctl may name it by its descriptor.
struct OpenDevice {
  std::uint64_t file = 0;          ///< the same for duplicates of one descriptor
  std::uint32_t render_minor = 0;  ///< 0: not a DRM device
};

/// Looks a descriptor of the calling process up.
class FileTable {
 public:
  virtual ~FileTable() = default;
  virtual std::optional<OpenDevice> device(int fd) = 0;
};

/// Who opens: KFD keeps one process part per process.
struct Opener {
  int pid = 0;
  std::string command;
  /// The file descriptors of the process, for ioctls that name another file.
  FileTable* files = nullptr;
};

class DeviceFile {
 public:
  virtual ~DeviceFile() = default;
  virtual SysResult<int> ioctl(unsigned long request, void* argument) = 0;
  /// Host memory behind [offset, offset + length) of the device.
  virtual SysResult<void*> mmap(std::size_t length, int prot, std::uint64_t offset) = 0;
  /// A store to memory that mmap returned (a doorbell).
  virtual void stored(volatile void* /*address*/) {}
  /// See Process::set_reason().
  virtual void set_reason(EventId /*event*/) {}
  /// Runs the device's queues until none of them can go on; true if anything happened.
  virtual bool progress() { return false; }
  /// The DRM minor of a render node, 0 for another device.
  virtual std::uint32_t render_minor() const { return 0; }
};

}  // namespace rocdrill::kernel
