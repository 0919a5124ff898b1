#include "sim/access/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "sim/access/view.hpp"
#include "sim/kernel/kernel.hpp"

namespace rocdrill::access {
namespace {

using sim::Os;

constexpr std::string_view shared_memory = "/dev/shm/";

/// Owner, group and other bits as the kernel's generic_permission() picks them. Root's capability
/// counts on the node: of a user namespace's root only for files whose owner has an id there, and
/// device nodes have none.
bool permitted(const FileStat& stat, const ProcessSpec& spec, bool read, bool write) {
  const Identity& who = spec.identity;
  if (who.uid == 0) return true;
  const bool namespace_root = !spec.uid_map.empty() && id_inside(spec.uid_map, who.uid) == 0;
  if (namespace_root && id_inside(spec.uid_map, stat.uid) != overflow_id &&
      id_inside(spec.gid_map, stat.gid) != overflow_id)
    return true;
  const unsigned shift = who.uid == stat.uid ? 6 : who.in_group(stat.gid) ? 3 : 0;
  const unsigned bits = stat.mode >> shift & 7u;
  return (!read || (bits & 4u) != 0) && (!write || (bits & 2u) != 0);
}

class NodeProcess final : public Process, public kernel::FileTable {
 public:
  NodeProcess(Os& os, kernel::Kernel& kernel, DevTmpfs& devices, const ProcessSpec& spec)
      : os_(os), kernel_(kernel), devices_(devices), spec_(spec), pid_(os.new_pid()) {
    os_.processes[pid_] = {spec.command, spec.identity.uid};
  }
  ~NodeProcess() override {
    files_.clear();
    for (const auto& [address, length] : mappings_) ::munmap(address, length);
    os_.processes.erase(pid_);
  }

  int pid() const override { return pid_; }
  const Identity& identity() const override { return spec_.identity; }
  const ProcessSpec* spec() const override { return &spec_; }
  const Environment& environment() const override { return spec_.environment; }

  EventId why_env(std::string_view name) const override {
    const auto at = spec_.environment_events.find(name);
    return at == spec_.environment_events.end() ? no_event : at->second;
  }
  EventId why(std::string_view path) const override {
    if (view_.hides(path)) return spec_.view_event;
    const auto real = view_.locate(path);
    return real ? os_.files.why_resolved(*real) : real.error().event;
  }

  SysResult<int> open(std::string_view path, int flags) override;
  SysResult<void> close(int fd) override;
  SysResult<std::size_t> read(int fd, std::span<std::byte> into) override;
  SysResult<std::size_t> write(int fd, std::span<const std::byte> from) override;
  SysResult<void> allocate(int fd, std::uint64_t bytes) override;
  SysResult<void> unlink(std::string_view path) override;
  SysResult<int> ioctl(int fd, unsigned long request, void* argument) override;
  SysResult<void*> mmap(int fd, std::size_t length, int prot, std::uint64_t offset) override;
  SysResult<void> munmap(void* address, std::size_t length) override;
  void store_doorbell(volatile std::uint64_t* doorbell, std::uint64_t value) override;
  void set_reason(EventId event) override;
  bool relax() override;
  void sleep_ns(std::uint64_t duration) override { os_.clock.advance(duration); }

  SysResult<FileStat> stat(std::string_view path) override {
    const auto real = locate(path, true);
    if (!real) return std::unexpected(real.error());
    return os_.files.stat(*real);
  }
  SysResult<FileStat> lstat(std::string_view path) override {
    const auto real = locate(path, false);
    if (!real) return std::unexpected(real.error());
    return os_.files.lstat(*real);
  }
  SysResult<std::vector<std::string>> list(std::string_view directory) override;
  SysResult<std::string> readlink(std::string_view path) override {
    const auto real = locate(path, false);
    if (!real) return std::unexpected(real.error());
    return os_.files.readlink(*real);
  }

  std::optional<kernel::OpenDevice> device(int fd) override {
    const auto at = files_.find(fd);
    if (at == files_.end() || !at->second.device) return std::nullopt;
    const kernel::DeviceFile& file = *at->second.device;
    return kernel::OpenDevice{reinterpret_cast<std::uintptr_t>(&file), file.render_minor()};
  }

 private:
  struct OpenFile {
    std::string path;
    int flags = 0;
    std::string content;  ///< of a regular file, as read at open
    std::size_t at = 0;
    std::unique_ptr<kernel::DeviceFile> device;
    std::shared_ptr<sim::MemoryFile> memory;  ///< of /dev/shm
  };

  /// Where on the node it lies; ENOENT for a device that this process's view does not contain.
  SysResult<std::string> locate(std::string_view path, bool follow_last) const {
    if (view_.hides(path)) return fail(ENOENT, spec_.view_event);
    return view_.locate(path, follow_last);
  }
  SysResult<int> refuse(std::string_view path, int error, EventId cause);
  SysResult<int> open_device(std::string_view path, int flags);
  SysResult<int> open_shared(std::string_view name, int flags);
  int insert(OpenFile file) {
    int fd = 3;
    while (files_.contains(fd)) ++fd;
    files_.emplace(fd, std::move(file));
    return fd;
  }

  Os& os_;
  kernel::Kernel& kernel_;
  DevTmpfs& devices_;
  ProcessSpec spec_;
  View view_{os_.files, spec_};
  int pid_;
  std::map<void*, std::size_t> mappings_;
  std::map<int, OpenFile> files_;
};

SysResult<int> NodeProcess::refuse(std::string_view path, int error, EventId cause) {
  const std::string name = errno_name(error);
  const std::string shows = fmt::format("{}: {}", path, errno_text(error));
  const std::string asked = fmt::format("open(\"{}\", O_RDWR)", path);
  const EventId event =
      os_.journal.record(Layer::access, Severity::error, "device.open_failed", path,
                         {{field::asked, std::string_view(asked)},
                          {field::got, std::string_view(name)},
                          {field::status, std::string_view(name)},
                          {field::shows, std::string_view(shows)},
                          {field::see, "ls -l /dev/kfd /dev/dri"}},
                         cause);
  return fail(error, event);
}

SysResult<int> NodeProcess::open_device(std::string_view path, int flags) {
  auto opened = kernel_.open(path, {pid_, spec_.command, this});
  if (!opened) return refuse(path, opened.error().error, opened.error().event);
  if (path == "/dev/kfd") {
    os_.journal.record(Layer::access, Severity::info, "device.opened", path,
                       {{field::see, "ls -l /dev/kfd"}}, os_.files.why(path));
  }
  return insert({std::string(path), flags, {}, 0, std::move(*opened), nullptr});
}

SysResult<int> NodeProcess::open_shared(std::string_view name, int flags) {
  auto memory = os_.shm.find(name);
  if (!memory && (flags & O_CREAT) != 0) memory = os_.shm.create(name);
  if (!memory) return fail(ENOENT);
  return insert({std::string(shared_memory) + std::string(name), flags, {}, 0, nullptr, memory});
}

SysResult<void> NodeProcess::allocate(int fd, std::uint64_t bytes) {
  const auto at = files_.find(fd);
  if (at == files_.end()) return fail(EBADF);
  if (!at->second.memory) return fail(ENODEV);
  const int error = os_.shm.allocate(*at->second.memory, bytes);
  if (error == 0) return {};
  const std::string asked = fmt::format("{} bytes", bytes);
  const std::string got =
      fmt::format("{}: {} of {} bytes are used", errno_name(error), os_.shm.used(), os_.shm.size());
  return fail(error, os_.journal.record(Layer::access, Severity::error, "shm.full", at->second.path,
                                        {{field::asked, std::string_view(asked)},
                                         {field::got, std::string_view(got)},
                                         {field::see, "df -h /dev/shm"}},
                                        os_.shm.why_size()));
}

SysResult<void> NodeProcess::unlink(std::string_view path) {
  if (!path.starts_with(shared_memory)) return fail(EACCES);
  return os_.shm.unlink(path.substr(shared_memory.size())) ? SysResult<void>{} : fail(ENOENT);
}

SysResult<int> NodeProcess::open(std::string_view path, int flags) {
  if (path.starts_with(shared_memory)) return open_shared(path.substr(shared_memory.size()), flags);
  const bool device = path.starts_with("/dev/");
  const auto real = locate(path, true);
  if (!real) {
    if (device) return refuse(path, real.error().error, real.error().event);
    return std::unexpected(real.error());
  }
  auto stat = os_.files.stat(*real);
  if (!stat) {
    if (device) return refuse(path, stat.error().error, stat.error().event);
    return std::unexpected(stat.error());
  }
  // The order of the kernel: the device cgroup is asked in inode_permission(), after the mode.
  const int access = flags & O_ACCMODE;
  if (!permitted(*stat, spec_, access != O_WRONLY, access != O_RDONLY)) {
    // A group that may is one that the session lacks (a container has its own); else it is the
    // file's owner and mode.
    const EventId attributes = device ? devices_.why_attributes(*real) : os_.files.why(*real);
    const EventId groups = spec_.root.empty() ? os_.files.why("/etc/group") : spec_.view_event;
    const bool group_may = spec_.root.empty() && (stat->mode & 0060) == 0060;
    const EventId why =
        (group_may && groups != no_event) || attributes == no_event ? groups : attributes;
    if (device) return refuse(path, EACCES, why);
    return fail(EACCES, why);
  }
  if (stat->type == FileType::character && view_.denies(*real))
    return refuse(path, EPERM, spec_.view_event);
  if (view_.denies_topology(*real)) return fail(EPERM, spec_.view_event);
  if (stat->type == FileType::character) return open_device(*real, flags);
  if (stat->type == FileType::directory) return insert({*real, flags, {}, 0, nullptr, nullptr});
  auto content = os_.files.read(*real);
  if (!content) return std::unexpected(content.error());
  return insert({*real, flags, std::move(*content), 0, nullptr, nullptr});
}

SysResult<void> NodeProcess::close(int fd) {
  if (files_.erase(fd) == 0) return fail(EBADF);
  return {};
}

SysResult<std::size_t> NodeProcess::read(int fd, std::span<std::byte> into) {
  const auto at = files_.find(fd);
  if (at == files_.end()) return fail(EBADF);
  OpenFile& file = at->second;
  if (file.device) return fail(EINVAL);
  const std::size_t count = std::min(into.size(), file.content.size() - file.at);
  std::memcpy(into.data(), file.content.data() + file.at, count);
  file.at += count;
  return count;
}

SysResult<std::size_t> NodeProcess::write(int fd, std::span<const std::byte> from) {
  const auto at = files_.find(fd);
  if (at == files_.end() || (at->second.flags & O_ACCMODE) == O_RDONLY) return fail(EBADF);
  if (at->second.device) return fail(EINVAL);
  const std::string_view data(reinterpret_cast<const char*>(from.data()), from.size());
  const EventId event = os_.journal.record(Layer::host, Severity::info, "file.written",
                                           at->second.path, {}, no_event);
  if (auto stored = os_.files.store(at->second.path, data, event); !stored) {
    return std::unexpected(stored.error());
  }
  return from.size();
}

SysResult<int> NodeProcess::ioctl(int fd, unsigned long request, void* argument) {
  const auto at = files_.find(fd);
  if (at == files_.end()) return fail(EBADF);
  if (!at->second.device) return fail(ENOTTY);
  return at->second.device->ioctl(request, argument);
}

SysResult<void*> NodeProcess::mmap(int fd, std::size_t length, int prot, std::uint64_t offset) {
  if (length == 0) return fail(EINVAL);
  if (fd >= 0) {
    const auto at = files_.find(fd);
    if (at == files_.end()) return fail(EBADF);
    if (at->second.memory) {
      void* const shared = at->second.memory->map(length);
      if (!shared) return fail(ENOMEM);
      mappings_[shared] = length;
      return shared;
    }
    if (!at->second.device) return fail(ENODEV);
    return at->second.device->mmap(length, prot, offset);
  }
  void* memory = ::mmap(nullptr, length, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return fail(errno);
  mappings_[memory] = length;
  return memory;
}

SysResult<void> NodeProcess::munmap(void* address, std::size_t length) {
  const auto at = mappings_.find(address);
  if (at == mappings_.end()) return {};  // a device's mapping lives as long as the device file
  if (at->second != length) return fail(EINVAL);
  ::munmap(address, length);
  mappings_.erase(at);
  return {};
}

void NodeProcess::store_doorbell(volatile std::uint64_t* doorbell, std::uint64_t value) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *doorbell = value;
  for (auto& [fd, file] : files_) {
    if (file.device) file.device->stored(doorbell);
  }
}

void NodeProcess::set_reason(EventId event) {
  for (auto& [fd, file] : files_) {
    if (file.device) file.device->set_reason(event);
  }
}

bool NodeProcess::relax() {
  bool progress = false;
  for (auto& [fd, file] : files_) progress = (file.device && file.device->progress()) || progress;
  return progress;
}

SysResult<std::vector<std::string>> NodeProcess::list(std::string_view directory) {
  const auto real = locate(directory, true);
  if (!real) return std::unexpected(real.error());
  auto names = os_.files.list(*real);
  if (names && directory.starts_with("/dev")) {
    std::erase_if(*names,
                  [&](const std::string& name) { return view_.hides(sim::join(directory, name)); });
  }
  if (!names || view_.is_whole_node()) return names;
  // What is mounted into this directory.
  const auto add = [&](std::string_view path) {
    if (sim::parent(path) == directory && path != "/") names->emplace_back(sim::basename(path));
  };
  for (const BindMount& mount : spec_.mounts) add(mount.inside);
  for (const std::string_view top : {"/dev", "/proc", "/sys"}) add(top);
  std::ranges::sort(*names);
  const auto twice = std::ranges::unique(*names);
  names->erase(twice.begin(), twice.end());
  return names;
}

}  // namespace

Access::Access(sim::Os& os, kernel::Kernel& kernel)
    : os_(os), kernel_(kernel), devices_(os, kernel) {}

std::unique_ptr<Process> Access::spawn(const ProcessSpec& spec) {
  return std::make_unique<NodeProcess>(os_, kernel_, devices_, spec);
}

}  // namespace rocdrill::access
