// Memory that the rank before this one in a ring delivers into: a signal and a slot for each step
// in which something is received.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/hip/hip.hpp"
#include "sim/libraries/rocblas.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::libraries::rccl {

enum class Transport : std::uint8_t {
  p2p,  ///< VRAM of the receiver, by IPC handle
  shm,  ///< a segment of /dev/shm
};
std::string_view name(Transport transport);  ///< "P2P/IPC", "SHM/direct/direct"

/// What the receiver tells the sender.
struct WindowOffer {
  Transport transport = Transport::p2p;
  std::size_t bytes = 0;
  rocr::IpcHandle handle{};
  std::string segment;  ///< "/dev/shm/nccl-a1B2c3"
};

class Window {
 public:
  /// Steps in which a rank of a ring of so many receives.
  static constexpr std::size_t steps(std::size_t ranks) { return 2 * (ranks - 1); }
  static constexpr std::size_t bytes(std::size_t ranks, std::size_t chunk) {
    return steps(ranks) * (sizeof(aql::AmdSignal) + chunk * sizeof(float));
  }
  /// Bytes of a segment, as RCCL's SHM transport has them, without the count of who is attached.
  static constexpr std::size_t segment_bytes = 9637888;

  WindowOffer offer;
  std::byte* memory = nullptr;  ///< at this process's address

  aql::AmdSignal* signal(std::size_t step) const {
    return reinterpret_cast<aql::AmdSignal*>(memory) + step;
  }
  std::uint64_t slot(std::size_t step, std::size_t ranks, std::size_t chunk) const {
    return reinterpret_cast<std::uintptr_t>(memory) + steps(ranks) * sizeof(aql::AmdSignal) +
           step * chunk * sizeof(float);
  }
  /// Every signal back to 1: not delivered.
  void arm(std::size_t ranks) const;
};

/// The receiver's memory in VRAM.
HsaResult<Window> make_p2p_window(hip::HsaInterop::Device& device, std::size_t bytes);
/// A segment of /dev/shm, as large as the real one; the process's GPUs may use `bytes` of it.
SysResult<Window> make_shm_window(Process& process, hip::HsaInterop::Device& device,
                                  std::string segment, std::size_t bytes);
/// The sender's side of either.
HsaResult<Window> open_window(Process& process, hip::HsaInterop::Device& device,
                              const WindowOffer& offer);

}  // namespace rocdrill::libraries::rccl
