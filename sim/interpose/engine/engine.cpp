// The engine: what an open device of the node is inside a program.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "sim/interpose/engine/client_memory.hpp"
#include "sim/interpose/engine/doorbell_thread.hpp"
#include "sim/interpose/engine/drm_file.hpp"
#include "sim/interpose/engine/remote_service.hpp"
#include "sim/interpose/engine/runtime_note.hpp"
#include "sim/interpose/engine/tracer.hpp"
#include "sim/interpose/engine_abi.hpp"
#include "sim/interpose/session_index.hpp"
#include "sim/kernel/process/user_memory.hpp"

namespace rocdrill::interpose {
namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The name of an open device: "kfd/1234.1" or "renderD128/1234.2"; "" for another descriptor.
std::string device_name(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  const std::size_t length = size - offsetof(sockaddr_un, sun_path);
  if (address.sun_family != AF_UNIX || length < 2 || length > sizeof address.sun_path) return {};
  const std::string name(address.sun_path + 1, length - 1);
  if (!name.starts_with(device_socket_prefix)) return {};
  const std::size_t slash = name.find('/', sizeof device_socket_prefix - 1);
  return slash == std::string::npos ? std::string() : name.substr(slash + 1);
}

int opener_of(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? 0 : std::atoi(name.c_str() + slash + 1);
}

/// 128 and up for a render node.
std::uint32_t render_minor_of(const std::string& name) {
  constexpr std::string_view render = "renderD";
  return name.starts_with(render)
             ? static_cast<std::uint32_t>(std::atoi(name.c_str() + render.size()))
             : 0;
}

std::uint32_t drm_minor_of(const std::string& name) {
  constexpr std::string_view card = "card";
  return name.starts_with(card) ? static_cast<std::uint32_t>(std::atoi(name.c_str() + card.size()))
                                : render_minor_of(name);
}

/// All of one process. A forked child gets another; the parent's is then left alone.
class ProcessEngine final : public kernel::Surroundings, public kernel::FileTable {
 public:
  explicit ProcessEngine(const EngineHost& host)
      : service_(host.session, host.identity ? host.identity : ""),
        tracer_(Tracer::start(service_.facts())),
        process_(service_, *this, {::getpid(), "", this}),
        doorbells_(process_),
        drm_(service_) {
    watch();
    std::fputs(runtime_note(service_.facts()).c_str(), stderr);
  }
  ~ProcessEngine() override { stop(); }

  void stop() {
    doorbells_.stop();
    ending_ = true;
    ::shutdown(watch_fd_, SHUT_RDWR);
    if (watcher_.joinable()) watcher_.join();
  }

  std::int64_t ioctl(std::string_view device, int fd, std::uint64_t request, void* argument) {
    const std::string name = device_name(fd);
    // KFD knows a file by the process that opened it: a forked child's old one is nothing. DRM does
    // not.
    if (device == "kfd" && opener_of(name) != ::getpid()) return -EBADF;
    const auto call = [&]() -> std::int64_t {
      const auto result = device == "kfd" ? process_.ioctl(request, argument)
                                          : drm_.ioctl(drm_minor_of(name), request, argument);
      return result ? *result : -result.error().error;
    };
    if (tracer_) [[unlikely]] {
      if (device != "kfd") return tracer_->drm(device, request, argument, call);
      const auto file = named_device(request, argument);
      return tracer_->ioctl(request, argument, file ? &*file : nullptr, call);
    }
    return call();
  }

  std::int64_t mmap(std::string_view device, void* address, std::size_t length, int prot, int flags,
                    std::uint64_t offset) {
    const std::int64_t result = map(device, address, length, prot, flags, offset);
    if (tracer_) [[unlikely]] {
      tracer_->mapped({.device = std::string(device),
                       .wanted = reinterpret_cast<std::uintptr_t>(address),
                       .length = length,
                       .prot = prot,
                       .flags = flags,
                       .offset = offset},
                      result);
    }
    return result;
  }

  std::int64_t map(std::string_view device, void* address, std::size_t length, int prot, int flags,
                   std::uint64_t offset) {
    if (device != "kfd") return buffers_.map(address, length, prot, flags, offset);
    const auto what = kfd::MmapOffset::decode(offset);
    if (what.type == kfd::MmapType::doorbell) {
      if (!service_.facts().find(what.gpu_id)) return -ENODEV;
      return doorbells_.map(what.gpu_id, address, length, prot, flags);
    }
    const auto memory = process_.mmap(length, prot, offset);
    if (!memory) return -memory.error().error;
    // MMIO: a buffer of ours, seen at the program's address.
    const auto backing = mmio_offset(*memory);
    return backing == 0 ? -EINVAL : buffers_.map(address, length, prot, flags, backing);
  }

  // --- Surroundings ---
  kernel::ClockSample clocks() override {
    return {read_clock(CLOCK_MONOTONIC_RAW), read_clock(CLOCK_BOOTTIME)};
  }
  bool wait(std::unique_lock<std::mutex>& lock, std::uint32_t timeout_ms,
            const std::function<bool()>& ready) override {
    if (timeout_ms == kfd::wait_for_ever) {
      changed_.wait(lock, ready);
      return true;
    }
    return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
  }
  void sleep_ns(std::uint64_t ns) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  }
  void notify() override { changed_.notify_all(); }
  bool has_backing() const override { return true; }
  std::optional<kernel::Backing> allocate(std::size_t bytes) override {
    auto backing = buffers_.allocate(bytes);
    const std::lock_guard lock(offsets_mutex_);
    if (backing) offsets_[backing->memory] = backing->offset;
    return backing;
  }
  void free(const kernel::Backing& backing, std::size_t bytes) override {
    {
      const std::lock_guard lock(offsets_mutex_);
      offsets_.erase(backing.memory);
    }
    buffers_.free(backing, bytes);
  }
  std::uint64_t* doorbell_page(std::uint32_t gpu_id) override { return doorbells_.page(gpu_id); }
  void queues_changed() override { doorbells_.wake(); }
  bool runs_kernels_aside() const override { return true; }
  kernel::ProcessObserver* observer() override { return tracer_.get(); }
  int open_smi_events(std::uint32_t gpu_id) override {
    try {
      const int fd = connect_to_session(service_.session());
      const Json reply = request(fd, {{"op", "smi_events"}, {"gpu_id", gpu_id}});
      if (reply.value("errno", EIO) == 0) return fd;
      ::close(fd);
    } catch (const ConnectionError&) {  // -1 says it
    }
    return -1;
  }

  // --- FileTable ---
  std::optional<kernel::OpenDevice> device(int fd) override {
    const std::string name = device_name(fd);
    if (name.empty()) return std::nullopt;
    return kernel::OpenDevice{std::hash<std::string>()(name), render_minor_of(name)};
  }

 private:
  /// What ACQUIRE_VM names by its descriptor.
  std::optional<kernel::OpenDevice> named_device(std::uint64_t request, void* argument) {
    const auto asked = kfd::decode_request(request);
    kfd::AcquireVmArgs args{};
    if (!asked || asked->nr != static_cast<std::uint32_t>(kfd::Ioctl::acquire_vm) ||
        !kernel::copy_from_user(&args, reinterpret_cast<std::uintptr_t>(argument), sizeof args))
      return std::nullopt;
    return this->device(static_cast<int>(args.drm_fd));
  }

  std::uint64_t mmio_offset(void* memory) const {
    const std::lock_guard lock(offsets_mutex_);
    const auto at = offsets_.find(memory);
    return at == offsets_.end() ? 0 : at->second;
  }

  /// What the server tells of itself: facts are stale, a GPU was reset.
  void watch() {
    constexpr int high_descriptor = 800;
    int fd = connect_to_session(service_.session());
    if (const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, high_descriptor); moved >= 0) {
      ::close(fd);
      fd = moved;
    }
    watch_fd_ = fd;
    static_cast<void>(request(fd, {{"op", "watch"}}));
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watcher_ = std::thread([this] {
      try {
        while (const auto message = receive_message(watch_fd_)) told(*message);
      } catch (const std::exception&) {  // the node is gone; the next request says so
      }
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void told(const Json& message) {
    const std::string event = message.value("event", std::string());
    if (event == "facts") service_.mark_stale();
    if (event == "reset")
      process_.gpu_reset(message.value("gpu_id", 0u), message.value("cause", 0u));
    if (event == "evict") process_.evict(message.value("gpu_id", 0u));
    if (event == "restore") process_.restore(message.value("gpu_id", 0u));
  }

  RemoteService service_;
  const std::unique_ptr<Tracer> tracer_;  ///< usually none; before process_, which asks for it
  std::condition_variable changed_;
  BufferMemory buffers_;
  mutable std::mutex offsets_mutex_;
  std::map<void*, std::uint64_t> offsets_;
  kernel::KfdProcess process_;
  DoorbellThread doorbells_;
  DrmFile drm_;
  int watch_fd_ = -1;
  std::thread watcher_;
  std::atomic<bool> ending_ = false;
};

const EngineHost* engine_host = nullptr;
std::mutex start_mutex;
std::atomic<ProcessEngine*> current = nullptr;

ProcessEngine* engine() {
  if (ProcessEngine* running = current.load()) return running;
  const std::lock_guard lock(start_mutex);
  if (!current.load()) {
    try {
      current = new ProcessEngine(*engine_host);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rocdrill: %s\n", error.what());
    }
  }
  return current.load();
}

std::int64_t do_ioctl(const char* device, int fd, std::uint64_t request, void* argument) {
  ProcessEngine* running = engine();
  return running ? running->ioctl(device, fd, request, argument) : -ENODEV;
}

std::int64_t do_mmap(const char* device, int, void* address, std::size_t length, int prot,
                     int flags, std::uint64_t offset) {
  ProcessEngine* running = engine();
  return running ? running->mmap(device, address, length, prot, flags, offset) : -ENODEV;
}

/// The parent's threads and queues are not here, and its locks may be held for ever: leave it all.
void forked() { current = nullptr; }

void stop() {
  if (ProcessEngine* running = current.load()) running->stop();
}

constexpr Engine table{engine_abi_version, do_ioctl, do_mmap, forked, stop};

}  // namespace
}  // namespace rocdrill::interpose

extern "C" __attribute__((visibility("default"))) const rocdrill::interpose::Engine*
rocdrill_engine_start(const rocdrill::interpose::EngineHost* host) {
  using namespace rocdrill::interpose;
  if (host->abi_version != engine_abi_version) {
    std::fprintf(stderr, "rocdrill: the preload library and the engine are of different builds\n");
    return nullptr;
  }
  engine_host = host;
  return &table;
}
