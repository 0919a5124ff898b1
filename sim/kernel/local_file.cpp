#include "sim/kernel/local_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <utility>

#include "sim/kernel/process/kfd_process.hpp"

namespace rocdrill::kernel {
namespace {

class OpenCount {
 public:
  explicit OpenCount(Kfd& kfd) : kfd_(kfd) { kfd_.opened(); }
  ~OpenCount() { kfd_.closed(); }
  OpenCount(const OpenCount&) = delete;
  OpenCount& operator=(const OpenCount&) = delete;

 private:
  Kfd& kfd_;
};

/// /dev/kfd: nobody else runs the queues, so whoever waits does.
class LocalKfdFile final : public DeviceFile, private Surroundings {
 public:
  LocalKfdFile(sim::Os& os, Kfd& kfd, const Opener& opener)
      : os_(os), kfd_(kfd), pid_(opener.pid), count_(kfd), process_(kfd, *this, opener) {
    kfd_.process_opened(pid_);
  }
  ~LocalKfdFile() override { kfd_.process_closed(pid_); }

  SysResult<int> ioctl(unsigned long request, void* argument) override {
    notice_resets();
    return process_.ioctl(request, argument);
  }
  SysResult<void*> mmap(std::size_t length, int prot, std::uint64_t offset) override {
    return process_.mmap(length, prot, offset);
  }
  void stored(volatile void* address) override { process_.stored(address); }
  void set_reason(EventId event) override { process_.set_reason(event); }
  bool progress() override {
    notice_resets();
    return process_.progress();
  }

 private:
  /// GPUs that were reset since the last look: nobody else tells a process of the simulator.
  void notice_resets() {
    if (seen_reset_ == kfd_.last_reset()) return;
    const std::uint64_t seen = std::exchange(seen_reset_, kfd_.last_reset());
    for (const Kfd::ResetNotice& notice : kfd_.resets()) {
      if (notice.number > seen) process_.gpu_reset(notice.gpu_id, notice.cause);
    }
  }

  ClockSample clocks() override { return {os_.clock.now(), os_.clock.now()}; }
  bool wait(std::unique_lock<std::mutex>& lock, std::uint32_t timeout_ms,
            const std::function<bool()>& ready) override {
    const bool for_ever = timeout_ms == kfd::wait_for_ever;
    const std::uint64_t deadline = for_ever ? UINT64_MAX : os_.clock.now() + timeout_ms * sim::ms;
    while (!ready()) {
      lock.unlock();
      const bool any = progress();
      const auto late = process_.late_until();
      lock.lock();
      if (any || ready()) continue;
      // Nothing on the node can set it now: time passes until something late comes, or all of it.
      if (late && *late <= deadline && *late > os_.clock.now()) {
        os_.clock.advance_to(*late);
        continue;
      }
      if (!for_ever) os_.clock.advance_to(deadline);
      return ready();
    }
    return true;
  }
  void sleep_ns(std::uint64_t ns) override { os_.clock.advance(ns); }
  std::uint64_t* doorbell_page(std::uint32_t gpu_id) override {
    auto& page = doorbells_[gpu_id];
    if (!page) page = std::make_unique<std::uint64_t[]>(kfd::doorbell_page_size / 8);
    return page.get();
  }

  sim::Os& os_;
  Kfd& kfd_;
  int pid_;
  OpenCount count_;
  std::uint64_t seen_reset_ = kfd_.last_reset();
  std::map<std::uint32_t, std::unique_ptr<std::uint64_t[]>> doorbells_;
  KfdProcess process_;
};

/// A render node: ACQUIRE_VM wants one.
class LocalRenderFile final : public DeviceFile {
 public:
  LocalRenderFile(Kfd& kfd, std::uint32_t minor, EventId event)
      : kfd_(kfd), count_(kfd), minor_(minor), event_(event) {}
  SysResult<int> ioctl(unsigned long request, void*) override {
    return fail(EINVAL,
                kfd_.unmodelled(Layer::kernel, fmt::format("DRM ioctl {:#x}", request & 0xFF),
                                "EINVAL", event_));
  }
  SysResult<void*> mmap(std::size_t, int, std::uint64_t) override { return fail(EINVAL); }
  std::uint32_t render_minor() const override { return minor_; }

 private:
  Kfd& kfd_;
  OpenCount count_;
  std::uint32_t minor_;
  EventId event_;
};

}  // namespace

std::unique_ptr<DeviceFile> open_local_kfd(sim::Os& os, Kfd& kfd, const Opener& opener) {
  return std::make_unique<LocalKfdFile>(os, kfd, opener);
}

std::unique_ptr<DeviceFile> open_local_render(Kfd& kfd, std::uint32_t minor, EventId event) {
  return std::make_unique<LocalRenderFile>(kfd, minor, event);
}

}  // namespace rocdrill::kernel
