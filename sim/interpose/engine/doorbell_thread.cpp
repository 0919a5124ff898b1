#include "sim/interpose/engine/doorbell_thread.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

namespace rocdrill::interpose {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto spin_time = 150us;
constexpr auto memory_poll = 50us;     // of a queue that waits for memory, at first
constexpr auto longest_poll = 2000us;  // and at last

/// To another processor. The store that woke this thread stands at a page fault on the processor on
/// which it was woken; let go on, its thread may spin there for the completion, and this one would
/// wait until the scheduler's next tick.
void step_aside() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<unsigned>(sched_getcpu()), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

DoorbellThread::DoorbellThread(kernel::KfdProcess& process)
    : process_(process),
      userfault_(open_userfault()),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  constexpr int high_descriptor = 800;
  const int moved = wake_ < 0 ? -1 : ::fcntl(wake_, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved >= 0) {
    ::close(wake_);
    wake_ = moved;
  }
}

DoorbellThread::~DoorbellThread() {
  stop();
  if (userfault_ >= 0) ::close(userfault_);
  if (wake_ >= 0) ::close(wake_);
}

DoorbellMemory& DoorbellThread::memory(std::uint32_t gpu_id) {
  auto& page = pages_[gpu_id];
  if (!page) page = std::make_unique<DoorbellMemory>(userfault_);
  return *page;
}

std::uint64_t* DoorbellThread::page(std::uint32_t gpu_id) {
  const std::lock_guard lock(mutex_);
  return memory(gpu_id).page();
}

std::int64_t DoorbellThread::map(std::uint32_t gpu_id, void* address, std::size_t length, int prot,
                                 int flags) {
  const std::lock_guard lock(mutex_);
  const std::int64_t mapped = memory(gpu_id).map(address, length, prot, flags);
  wake();  // what was armed did not know this mapping
  return mapped;
}

void DoorbellThread::wake() {
  if (!running_.exchange(true)) {
    stop_ = false;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals are not for this thread
    // The one before has retired with the last queue, but may still look for a new one, for which
    // it needs what the caller has locked: its successor waits for it.
    thread_ = std::thread([this, before = std::move(thread_)]() mutable {
      if (before.joinable()) before.join();
      run();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));
}

void DoorbellThread::stop() {
  stop_ = true;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));
  if (thread_.joinable()) thread_.join();
}

bool DoorbellThread::arm() {
  const std::lock_guard lock(mutex_);
  if (pages_.empty()) return false;
  bool all = true;
  for (auto& [gpu, page] : pages_) all = page->arm() && all;
  return all;
}

void DoorbellThread::disarm() {
  const std::lock_guard lock(mutex_);
  for (auto& [gpu, page] : pages_) page->disarm();
}

void DoorbellThread::drain() {
  uffd_msg message;
  while (userfault_ >= 0 && ::read(userfault_, &message, sizeof message) > 0) {
  }
  std::uint64_t count = 0;
  static_cast<void>(!::read(wake_, &count, sizeof count));
}

/// Until something may have happened.
void DoorbellThread::sleep(bool waiting, unsigned idle_rounds) {
  const auto poll_time = std::min<std::chrono::microseconds>(
      longest_poll, memory_poll * (1u << std::min(idle_rounds, 6u)));
  const bool armed = arm();
  if (armed) {  // what came between the last look and the protection
    const auto served = process_.serve_doorbells();
    if (served.any) return disarm();
    waiting = served.waiting;
  }
  pollfd files[] = {{wake_, POLLIN, 0}, {userfault_, POLLIN, 0}};
  const timespec limit{0, std::chrono::nanoseconds(poll_time).count()};
  const bool forever = armed && !waiting;
  ::ppoll(files, armed ? 2 : 1, forever ? nullptr : &limit, nullptr);
  if ((files[1].revents & POLLIN) != 0) step_aside();
  if (armed) disarm();
  drain();
}

void DoorbellThread::run() {
  auto last = steady_clock::now();
  unsigned idle_rounds = 0;
  while (!stop_) {
    const auto served = process_.serve_doorbells();
    if (!served.queues) {
      // Retire; a queue that is made meanwhile either sees running_ false or is seen here.
      running_ = false;
      if (!process_.serve_doorbells().queues || running_.exchange(true)) return;
      continue;
    }
    if (served.any) {
      last = steady_clock::now();
      idle_rounds = 0;
    } else if (steady_clock::now() - last > spin_time) {
      sleep(served.waiting, idle_rounds++);
      if (idle_rounds == 1 || !served.waiting) last = steady_clock::now();
    } else {
      __builtin_ia32_pause();
    }
  }
  running_ = false;
}

}  // namespace rocdrill::interpose
