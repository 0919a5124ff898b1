// hsa_queue_t: the ring and indices that the application writes, in front of a hardware queue of
// KFD or, on CPU agents, of a soft queue that the runtime serves itself.
#pragma once

#include "sim/rocr/signals.hpp"
#include "sim/silicon/command_processor/queue.hpp"

namespace rocdrill::rocr {

/// Ring and amd_queue_t in shared memory.
class QueueMemory {
 public:
  static SysResult<std::unique_ptr<QueueMemory>> create(Thunk& thunk, std::uint32_t packets);
  ~QueueMemory();
  std::span<aql::Packet> ring() { return {ring_, packets_}; }
  aql::AmdQueue& queue() { return *queue_; }

 private:
  explicit QueueMemory(Thunk& thunk) : thunk_(thunk) {}
  Thunk& thunk_;
  aql::Packet* ring_ = nullptr;
  aql::AmdQueue* queue_ = nullptr;
  std::uint32_t packets_ = 0;
};

class UserQueue : public Queue {
 public:
  UserQueue(std::unique_ptr<QueueMemory> memory, QueueErrorCallback on_error)
      : memory_(std::move(memory)), on_error_(std::move(on_error)) {}

  std::span<aql::Packet> ring() override { return memory_->ring(); }
  std::uint64_t load_read_index() const override;
  std::uint64_t load_write_index() const override;
  std::uint64_t add_write_index(std::uint64_t count) override;
  void store_write_index(std::uint64_t value) override;
  HsaStatus status() const override { return status_; }

  /// Looks whether the queue has failed since the last look, and tells the application once.
  virtual void poll_error() = 0;
  virtual bool run() { return false; }

 protected:
  void failed(HsaStatus status);
  std::unique_ptr<QueueMemory> memory_;
  HsaStatus status_ = HsaStatus::success;

 private:
  QueueErrorCallback on_error_;
};

/// On a GPU agent.
class GpuQueue final : public UserQueue {
 public:
  static HsaResult<std::unique_ptr<GpuQueue>> create(SignalPool& signals, std::uint32_t gpu_id,
                                                     bool exceptions, const QueueOptions& options);
  ~GpuQueue() override;
  std::uint64_t id() const override { return resource_.queue_id; }
  void ring_doorbell(std::uint64_t index) override;
  void poll_error() override;

 private:
  using UserQueue::UserQueue;
  /// For the kernel at the head of the queue, which waits for it.
  bool provide_scratch();
  Thunk* thunk_ = nullptr;
  SignalPool* signals_ = nullptr;
  bool exceptions_ = false;
  Thunk::QueueResource resource_;
  void* save_area_ = nullptr;
  void* scratch_ = nullptr;
  aql::AmdSignal* inactive_ = nullptr;  ///< queue_inactive_signal, or the exception signal
};

/// hsa_soft_queue_create(): the application's agent takes the agent-dispatch packets.
class SoftQueue final : public UserQueue, private cp::Hooks {
 public:
  SoftQueue(std::unique_ptr<QueueMemory> memory, const QueueOptions& options, std::uint64_t id,
            cp::AddressSpace& space);
  std::uint64_t id() const override { return id_; }
  void ring_doorbell(std::uint64_t index) override;
  void poll_error() override;
  bool run() override;
  void set_handler(std::function<void(const aql::Packet&)> handler);

 private:
  void agent_dispatch(cp::Queue& queue, std::uint64_t index, const aql::Packet& packet) override;
  std::uint64_t id_;
  bool running_ = false;  ///< a handler that looks at a signal must not run its own queue
  std::function<void(const aql::Packet&)> handler_;
  cp::Queue processor_;
};

}  // namespace rocdrill::rocr
