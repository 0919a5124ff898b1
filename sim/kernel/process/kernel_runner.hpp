// Runs the kernels of one AQL queue on the shader array (sim/silicon/isa).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/kernel/process/surroundings.hpp"
#include "sim/silicon/command_processor/hooks.hpp"
#include "sim/silicon/isa/dispatcher.hpp"
#include "sim/silicon/isa/timing.hpp"

namespace rocdrill::kernel {

class KernelRunner final : public cp::KernelExecutor {
 public:
  struct Ended {
    std::uint64_t index = 0;  ///< of the packet
    isa::Outcome outcome;
  };

  /// All must outlive it. Where the surroundings run kernels aside, a thread of its own does, and
  /// Surroundings::queues_changed() says that ended() has something; else launch() itself.
  KernelRunner(cp::AddressSpace& memory, Surroundings& surroundings, isa::Shape shape,
               const isa::Rates& rates, std::shared_ptr<isa::CodeCache> code);
  /// Waves that still run are stopped.
  ~KernelRunner() override;

  std::uint32_t lacks(const cp::KernelLaunch& launch) override;
  std::expected<cp::LaunchState, cp::KfdException> launch(const cp::KernelLaunch& launch) override;
  void invalidate_code() override { dispatcher_.code().invalidate(); }

  /// SET_CU_MASK: for launches from now on.
  void set_cu_mask(std::vector<std::uint32_t> mask) { cu_mask_ = std::move(mask); }

  /// Asked before every launch: true if the GPU fails under it. Its waves then never end.
  void set_strain(std::function<bool()> fails) { strain_ = std::move(fails); }

  /// What has ended since the last look.
  std::vector<Ended> ended();
  /// What waves have told the driver since the last look, by s_sendmsg: 24 bits each. Comes with
  /// queues_changed(), too.
  std::vector<std::uint32_t> interrupts();
  /// The owner of the memory that the last kernel could not reach (AddressSpace::take_lost); 0:
  /// none.
  std::uint32_t lost_to() const { return lost_to_; }

 private:
  struct Job {
    std::uint64_t index = 0;
    isa::Launch launch;
  };
  void work();
  isa::Outcome run(const isa::Launch& launch);
  static std::uint64_t clock_of(void* self);
  static void interrupted(void* self, std::uint32_t data);

  cp::AddressSpace& memory_;
  Surroundings& surroundings_;
  isa::Dispatcher dispatcher_;
  isa::Rates rates_;
  std::vector<std::uint32_t> cu_mask_;
  std::function<bool()> strain_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<Ended> ended_;
  std::atomic<bool> any_ended_ = false;
  std::vector<std::uint32_t> interrupts_;
  std::atomic<bool> any_interrupts_ = false;
  std::atomic<bool> cancel_ = false;
  std::atomic<std::uint32_t> lost_to_ = 0;
  std::thread thread_;
};

/// Where KFD puts the apertures of a process (kfd_flat_memory.c, gfx9 and later).
inline constexpr std::uint64_t shared_aperture = 0x1000000000000;
inline constexpr std::uint64_t private_aperture = 0x2000000000000;

}  // namespace rocdrill::kernel
