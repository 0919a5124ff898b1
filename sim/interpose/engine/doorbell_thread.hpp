// Who in a program notices doorbells and runs its queues, as the GPU's hardware does.
//
// After the last thing that happened it looks for a short while without pause, then protects the
// doorbell pages and sleeps until a store to one wakes it (userfaultfd). Where that is not allowed
// it polls, ever more slowly. A queue that stands at a packet which memory alone can release is
// polled. It ends with the last queue.
//
// Two threads take turns. The thread whose store is held wants to go on where it stood, often to
// spin for the completion, so who serves it from then on must be on another processor; to move
// there or to call somebody from there takes longer than all the rest. So the two sleep on
// different processors and a store wakes both. Whichever is first runs the packets that are there
// and lets the store go on; then the one that is not where the ringing thread was last seen serves,
// and the other sleeps again.
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>
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
  struct Turn {
    std::atomic<int> thread = 0;  ///< its id, 0 before it runs
    int event = -1;               ///< eventfd: it serves now, or it is over
  };

  DoorbellMemory& memory(std::uint32_t gpu_id);
  void run();
  void attend(unsigned self);
  void serve(unsigned self);
  void awake();
  void rest(unsigned self, bool waiting, unsigned idle_rounds);
  void watch(unsigned self, const timespec* limit);
  void keep_apart(unsigned self);
  bool arm();
  void disarm(unsigned arming);
  void drain();

  kernel::KfdProcess& process_;
  int userfault_ = -1;
  std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<DoorbellMemory>> pages_;
  std::thread thread_;
  std::array<Turn, 2> turns_;
  std::atomic<unsigned> serving_ = 0;  ///< index into turns_
  std::atomic<unsigned> calls_ = 0;    ///< of wake()
  std::atomic<bool> armed_ = false;
  std::atomic<unsigned> arming_ = 0;       ///< how many times
  std::atomic<bool> store_held_ = false;   ///< a store was, and is not yet served
  std::atomic<std::uint32_t> ringer_ = 0;  ///< the thread whose store was held last
  cpu_set_t processors_{};                 ///< where the threads may run
  std::atomic<bool> running_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> over_ = false;  ///< retired with the last queue
};

}  // namespace rocdrill::interpose
