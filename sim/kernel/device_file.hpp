// Character devices of the driver, and what an open one can do.
#pragma once

#include <cstdint>
#include <string>

#include "sim/silicon/command_processor/address_space.hpp"
#include "stack/process.hpp"

namespace rocdrill::kernel {

struct CharDevice {
  std::string path;  ///< "/dev/kfd", "/dev/dri/renderD128"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  EventId event = no_event;  ///< what made it appear
};

/// Who opens: KFD keeps one process part per opener.
struct Opener {
  int pid = 0;
  std::string command;
  /// What the GPU may reach of this process: KFD's maps end here.
  cp::RangeAddressSpace* memory = nullptr;
  /// The file descriptors of the process, for ioctls that name another file.
  class FileTable* files = nullptr;
};

class DeviceFile {
 public:
  virtual ~DeviceFile() = default;
  virtual SysResult<int> ioctl(unsigned long request, void* argument) = 0;
  /// Host memory behind [offset, offset + length) of the device.
  virtual SysResult<void*> mmap(std::size_t length, int prot, std::uint64_t offset) = 0;
  /// A store to memory that mmap returned (a doorbell).
  virtual void stored(volatile void* /*address*/) {}
  /// Runs the device's queues until none of them can go on; true if anything happened.
  virtual bool progress() { return false; }
};

/// Looks a descriptor of the calling process up: nullptr if it is not an open device.
class FileTable {
 public:
  virtual ~FileTable() = default;
  virtual DeviceFile* device(int fd) = 0;
};

}  // namespace rocdrill::kernel
