// The thread of a program that notices doorbells and runs its queues, as the GPU's hardware does.
//
// After the last thing that happened it looks for a short while without pause, then protects the
// doorbell pages and sleeps until a store to one wakes it (userfaultfd). Where that is not allowed
// it polls, ever more slowly. A queue that stands at a packet which memory alone can release is
// polled. It ends with the last queue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "sim/interpose/engine/client_memory.hpp"
#include "sim/kernel/process/kfd_process.hpp"

namespace rocdrill::interpose {

class DoorbellThread {
 public:
  explicit DoorbellThread(kernel::KfdProcess& process);
  ~DoorbellThread();
  DoorbellThread(const DoorbellThread&) = delete;
  DoorbellThread& operator=(const DoorbellThread&) = delete;

  std::uint64_t* page(std::uint32_t gpu_id);
  std::int64_t map(std::uint32_t gpu_id, void* address, std::size_t length, int prot, int flags);
  /// There may be a queue to serve, or one less.
  void wake();
  void stop();
  bool uses_userfault() const { return userfault_ >= 0; }

 private:
  DoorbellMemory& memory(std::uint32_t gpu_id);
  void run();
  void sleep(bool waiting, unsigned idle_rounds);
  bool arm();
  void disarm();
  void drain();

  kernel::KfdProcess& process_;
  int userfault_ = -1;
  int wake_ = -1;  ///< eventfd
  std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<DoorbellMemory>> pages_;
  std::thread thread_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace rocdrill::interpose
