// Queue's own way to memory: every address that a client wrote passes here.
#pragma once

#include "sim/silicon/command_processor/queue.hpp"

namespace rocdrill::cp {

/// A misaligned address is a malformed packet or signal; one that is not mapped is a memory
/// violation. (What the firmware does with a misaligned signal handle is not documented: assumed.)
template <class T>
T* Queue::at(std::uint64_t va, Access access, std::uint64_t index) {
  if (va % alignof(T) != 0) {
    fail(KfdException::packet_unsupported, index);
    return nullptr;
  }
  void* host = memory_.translate(va, sizeof(T), access);
  if (host == nullptr) fault(va, access, index);
  return static_cast<T*>(host);
}

}  // namespace rocdrill::cp
