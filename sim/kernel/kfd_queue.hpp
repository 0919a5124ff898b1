// A hardware queue of a process: the command processor's state machine and what KFD does with
// what it reports.
#pragma once

#include "sim/kernel/kfd_process.hpp"

namespace rocdrill::kernel {

class KfdProcess::HardwareQueue final : public cp::Hooks {
 public:
  HardwareQueue(KfdProcess& process, const cp::QueueConfig& config, std::uint32_t gpu,
                std::uint32_t doorbell_index, std::uint64_t context_save_area);
  ~HardwareQueue() override;

  void interrupt(std::uint32_t event_id) override { process_.interrupt(event_id); }
  void queue_error(cp::Queue& failed, const cp::QueueError& error) override;
  void unmodelled(std::string_view what, cp::Queue& failed, std::uint64_t packet_index) override;
  void memory_fault(const cp::MemoryFault& fault) override;
  void observe(const cp::PacketEvent& event) override;
  std::uint64_t now_ns() override { return process_.context_.os.clock.now(); }
  bool legacy_errors() const override { return !process_.runtime_enabled_; }

 private:
  KfdProcess& process_;
  EventId refused_ =
      no_event;  ///< the request that rocdrill does not model, if that ended the queue

 public:
  const std::uint32_t gpu_id;
  const std::uint32_t doorbell;
  const std::uint64_t save_area;  ///< CWSR area, 0 if none
  cp::Queue queue;
};

}  // namespace rocdrill::kernel
