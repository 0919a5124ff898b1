// What a process part needs around it in a replay, and what it tells there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/host/os.hpp"
#include "sim/interpose/replay/memory.hpp"
#include "sim/kernel/process/kfd_process.hpp"

namespace rocdrill::replay {

class Client final : public kernel::Surroundings,
                     public kernel::FileTable,
                     public kernel::ProcessObserver {
 public:
  Client(kernel::DeviceService& devices, sim::Os& os, int pid, const std::string& command)
      : os_(os), process(devices, *this, {pid, command, this}) {}

  /// What has happened to a packet.
  struct Seen {
    bool launched = false;
    bool completed = false;
    std::optional<std::int64_t> decrement;  ///< of its completion signal, once completed
    std::optional<std::string> failed;
  };
  const Seen& seen(std::uint32_t queue, std::uint64_t index) { return packets_[{queue, index}]; }
  std::uint64_t signals(std::uint32_t event_id) { return signalled_[event_id]; }
  /// Until nothing happens any more.
  void run() {
    while (process.progress()) {
    }
  }

  // --- Surroundings: virtual time ---
  kernel::ClockSample clocks() override { return {os_.clock.now(), os_.clock.now()}; }
  bool wait(std::unique_lock<std::mutex>& lock, std::uint32_t timeout_ms,
            const std::function<bool()>& ready) override;
  void sleep_ns(std::uint64_t ns) override { os_.clock.advance(ns); }
  bool has_backing() const override { return true; }
  std::optional<kernel::Backing> allocate(std::size_t bytes) override {
    return memory.allocate(bytes);
  }
  void free(const kernel::Backing& backing, std::size_t bytes) override {
    memory.free(backing, bytes);
  }
  std::uint64_t* doorbell_page(std::uint32_t gpu_id) override;
  kernel::ProcessObserver* observer() override { return this; }

  // --- FileTable ---
  std::optional<kernel::OpenDevice> device(int) override { return drm_file; }

  // --- ProcessObserver ---
  void doorbell(std::uint32_t, std::uint64_t) override {}
  void packet(const kernel::ObservedPacket& packet) override;
  void signalled(std::uint32_t event_id) override { ++signalled_[event_id]; }

 private:
  sim::Os& os_;
  std::map<std::uint32_t, std::unique_ptr<std::uint64_t[]>> doorbells_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Seen> packets_;
  struct Launched {
    const aql::AmdSignal* signal;
    std::int64_t value;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Launched> completions_;
  std::map<std::uint32_t, std::uint64_t> signalled_;

 public:
  Memory memory;
  std::optional<kernel::OpenDevice> drm_file;  ///< what the next ACQUIRE_VM names
  kernel::KfdProcess process;
};

}  // namespace rocdrill::replay
