// What a process part needs of the program that it lives in: time, waiting, and memory that stands
// for VRAM. In process it is the simulator's virtual clock; in another program its real one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace rocdrill::kernel {

class ProcessObserver;

/// Memory of one buffer object.
struct Backing {
  void* memory = nullptr;    ///< where the device reaches it
  std::uint64_t offset = 0;  ///< what mmap() of the render node takes
};

struct ClockSample {
  std::uint64_t monotonic_raw_ns = 0;
  std::uint64_t boottime_ns = 0;
};

class Surroundings {
 public:
  virtual ~Surroundings() = default;

  virtual ClockSample clocks() = 0;
  /// Blocks until notify() or `timeout_ms` (kfd::wait_for_ever: no limit). `lock` is held on
  /// return. False if nothing can come any more, or the time is over.
  virtual bool wait(std::unique_lock<std::mutex>& lock, std::uint32_t timeout_ms,
                    const std::function<bool()>& ready) = 0;
  /// Time passes for the caller.
  virtual void sleep_ns(std::uint64_t ns) = 0;
  /// Something that a wait() may look for has changed.
  virtual void notify() {}

  /// Memory for VRAM and GTT. Without it (in process) a buffer is where its client put it.
  virtual bool has_backing() const { return false; }
  virtual std::optional<Backing> allocate(std::size_t /*bytes*/) { return std::nullopt; }
  virtual void free(const Backing& /*backing*/, std::size_t /*bytes*/) {}

  /// 8 KiB for the doorbells of a GPU: client and device share it.
  virtual std::uint64_t* doorbell_page(std::uint32_t gpu_id) = 0;
  /// A descriptor that reads as KFD's SMI event lines of this GPU and takes the mask of wanted
  /// events as a 64-bit write; -1 where the process has no real descriptors.
  virtual int open_smi_events(std::uint32_t /*gpu_id*/) { return -1; }
  /// Queues were created or destroyed: whoever looks at doorbells has to look anew.
  virtual void queues_changed() {}
  /// Kernels run on threads of their own, so that whoever launches them can go on. False in
  /// process: they end before anything else happens.
  virtual bool runs_kernels_aside() const { return false; }
  /// Asked once, when the process part is made. nullptr: nobody records.
  virtual ProcessObserver* observer() { return nullptr; }
};

}  // namespace rocdrill::kernel
