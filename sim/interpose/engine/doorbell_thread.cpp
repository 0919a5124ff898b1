#include "sim/interpose/engine/doorbell_thread.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rocdrill::interpose {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto spin_time = 150us;
constexpr auto patience = 60us;        // with a store that was let go on
constexpr auto memory_poll = 50us;     // of a queue that waits for memory, at first
constexpr auto longest_poll = 2000us;  // and at last

/// Where a thread of this process stands: field 39 of its stat file. -1 if it has ended.
int processor_of(std::uint32_t thread) {
  char text[512];
  std::snprintf(text, sizeof text, "/proc/self/task/%u/stat", thread);
  // Past the preload library, which would look for the file on the node.
  const long fd = ::syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t size = ::read(static_cast<int>(fd), text, sizeof text - 1);
  ::close(static_cast<int>(fd));
  text[std::max<ssize_t>(size, 0)] = 0;
  const char* at = std::strrchr(text, ')');  // the name before it may hold anything
  for (int field = 2; at != nullptr && field < 39; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? -1 : std::atoi(at + 1);
}

cpu_set_t only(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

int event_descriptor() {
  constexpr int high_descriptor = 800;
  const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int moved = fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved < 0) return fd;
  ::close(fd);
  return moved;
}

void signal(int event) {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event, &one, sizeof one));
}

void clear(int event) {
  std::uint64_t count = 0;
  static_cast<void>(!::read(event, &count, sizeof count));
}

}  // namespace

DoorbellThread::DoorbellThread(kernel::KfdProcess& process)
    : process_(process), userfault_(open_userfault()) {
  for (Turn& turn : turns_) turn.event = event_descriptor();
}

DoorbellThread::~DoorbellThread() {
  stop();
  for (const int fd : {userfault_, turns_[0].event, turns_[1].event}) {
    if (fd >= 0) ::close(fd);
  }
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
  ++calls_;
  for (const Turn& turn : turns_) signal(turn.event);
}

void DoorbellThread::stop() {
  stop_ = true;
  for (const Turn& turn : turns_) signal(turn.event);
  if (thread_.joinable()) thread_.join();
}

bool DoorbellThread::arm() {
  const std::lock_guard lock(mutex_);
  ++arming_;
  armed_ = true;  // from here on a store may be held
  bool all = !pages_.empty();
  for (auto& [gpu, page] : pages_) all = page->arm() && all;
  return all;
}

/// Held stores go on, unless they have, and the pages are protected for others by now.
void DoorbellThread::disarm(unsigned arming) {
  const std::lock_guard lock(mutex_);
  if (!armed_ || arming_ != arming) return;
  for (auto& [gpu, page] : pages_) page->disarm();
  armed_ = false;
}

void DoorbellThread::drain() {
  uffd_msg message;
  while (userfault_ >= 0 && ::read(userfault_, &message, sizeof message) > 0) {
  }
}

/// This thread stays on its processor, the other wakes on another: neither moves now.
void DoorbellThread::keep_apart(unsigned self) {
  const int other = turns_[1 - self].thread;
  const auto here = static_cast<unsigned>(sched_getcpu());
  unsigned there = here;
  do {
    there = (there + 1) % CPU_SETSIZE;
  } while (!CPU_ISSET(there, &processors_));
  const cpu_set_t mine = only(here);
  const cpu_set_t others = only(there);
  sched_setaffinity(0, sizeof mine, &mine);
  sched_setaffinity(other, sizeof others, &others);
}

/// Until a store is held, this thread is called, or the time is up. A store goes on at once: who
/// serves is awake before it.
void DoorbellThread::watch(unsigned self, const timespec* limit) {
  pollfd files[] = {{turns_[self].event, POLLIN, 0}, {userfault_, POLLIN, 0}};
  ::ppoll(files, 2, limit, nullptr);
  uffd_msg message;
  if ((files[1].revents & POLLIN) != 0) {
    if (::read(userfault_, &message, sizeof message) == sizeof message)
      ringer_ = message.arg.pagefault.feat.ptid;
    store_held_ = true;
    const unsigned arming = arming_;
    if (serving_ != self) signal(turns_[serving_].event);
    process_.run_packets();
    disarm(arming);
  }
  if ((files[0].revents & POLLIN) != 0) clear(turns_[self].event);
}

/// Until something may have happened. May end with the other's turn.
void DoorbellThread::rest(unsigned self, bool waiting, unsigned idle_rounds) {
  const auto poll_time = std::min<std::chrono::microseconds>(
      longest_poll, memory_poll * (1u << std::min(idle_rounds, 6u)));
  const unsigned calls = calls_;
  const bool armed = arm();
  if (!armed) disarm(arming_);
  if (armed) {  // what came between the last look and the protection
    const auto served = process_.serve_doorbells();
    if (served.any) return disarm(arming_);
    waiting = served.waiting;
  }
  const timespec limit{0, std::chrono::nanoseconds(poll_time).count()};
  const bool forever = armed && !waiting;
  if (!forever || turns_[1 - self].thread == 0) {
    watch(self, forever ? nullptr : &limit);
    return disarm(arming_);
  }
  keep_apart(self);
  if (processor_of(ringer_) != sched_getcpu()) return watch(self, nullptr);
  serving_ = 1 - self;  // which sleeps on, unless this thread was needed meanwhile
  if (!armed_ || calls_ != calls) signal(turns_[1 - self].event);
}

void DoorbellThread::awake() {
  if (turns_[1].thread != 0) sched_setaffinity(0, sizeof processors_, &processors_);
  disarm(arming_);
  drain();
}

/// Until it is over or the other's turn.
void DoorbellThread::serve(unsigned self) {
  awake();
  auto last = steady_clock::now();
  unsigned idle_rounds = 0;
  while (!stop_ && serving_ == self) {
    const auto served = process_.serve_doorbells();
    if (!served.queues) {
      // Retire; a queue that is made meanwhile either sees running_ false or is seen here.
      running_ = false;
      if (process_.serve_doorbells().queues && !running_.exchange(true)) continue;
      over_ = true;
      return signal(turns_[1 - self].event);
    }
    const auto idle = steady_clock::now() - last;
    if (served.rung) store_held_ = false;
    if (served.any) {
      last = steady_clock::now();
      idle_rounds = 0;
    } else if (store_held_ && idle > patience && turns_[1 - self].thread != 0) {
      // It was let go on, but has no processor: this thread is on it.
      store_held_ = false;
      keep_apart(self);
      serving_ = 1 - self;
      signal(turns_[1 - self].event);
    } else if (idle > spin_time) {
      rest(self, served.waiting, idle_rounds++);
      if (serving_ == self) awake();
      if (idle_rounds == 1 || !served.waiting) last = steady_clock::now();
    } else {
      __builtin_ia32_pause();
    }
  }
}

void DoorbellThread::attend(unsigned self) {
  turns_[self].thread = ::gettid();
  while (!stop_ && !over_) {
    if (serving_ == self)
      serve(self);
    else
      watch(self, nullptr);
  }
  turns_[self].thread = 0;
}

void DoorbellThread::run() {
  over_ = false;
  serving_ = 0;
  for (const Turn& turn : turns_) clear(turn.event);
  std::thread second;
  if (userfault_ >= 0 && sched_getaffinity(0, sizeof processors_, &processors_) == 0 &&
      CPU_COUNT(&processors_) > 1)
    second = std::thread([this] { attend(1); });
  attend(0);
  if (second.joinable()) second.join();
  if (stop_) running_ = false;
}

}  // namespace rocdrill::interpose
