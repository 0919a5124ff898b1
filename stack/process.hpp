// A process on the node: the one door through which the runtime and everything above it
// reaches the kernel, in the simulator as on a real machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/result.hpp"

namespace rocdrill {

struct Identity {
  std::string user;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  ///< supplementary, numeric, of this session

  bool in_group(std::uint32_t id) const;
};

using Environment = std::map<std::string, std::string, std::less<>>;

/// A piece of the node's tree at another place of a process's view: a bind mount.
struct BindMount {
  std::string inside;  ///< where the process sees it
  std::string source;  ///< where it lies on the node
};

/// One line of /proc/PID/uid_map: `count` ids from `inside` on are those from `outside` on.
struct IdRange {
  std::uint32_t inside = 0;
  std::uint32_t outside = 0;
  std::uint32_t count = 0;
};

/// What /proc/sys/kernel/overflowuid says: how an id without a name in a user namespace is shown.
inline constexpr std::uint32_t overflow_id = 65534;

/// What to start. A container is nothing but such a specification (a namespace view).
struct ProcessSpec {
  std::string command = "sh";  ///< comm, as ps shows it
  Identity identity;
  Environment environment;
  std::string cwd = {};  ///< absolute; "": the user's home
  /// Events that set these variables, where a history is kept.
  std::map<std::string, EventId, std::less<>> environment_events;
  /// Device nodes visible in this view ("/dev/kfd", "/dev/dri/renderD128"); empty list with
  /// `restrict_devices` false means all of the node's.
  bool restrict_devices = false;
  std::vector<std::string> devices = {};
  /// Of those, what the device cgroup denies: open() fails with EPERM, whoever asks.
  std::vector<std::string> denied_devices = {};
  /// Whether there is a device cgroup at all: KFD hides the GPUs whose render nodes it denies.
  bool device_cgroup = false;
  /// Where a container's own files lie on the node; "" for a process of the node itself.
  std::string root = {};
  std::vector<BindMount> mounts = {};
  /// User namespace; empty: none. `identity` holds ids of the node, not of the namespace.
  std::vector<IdRange> uid_map = {};
  std::vector<IdRange> gid_map = {};
  std::string hostname = {};      ///< of its UTS namespace; "": the node's
  std::uint64_t shm_bytes = 0;    ///< size of its /dev/shm; 0: the node's
  EventId view_event = no_event;  ///< what made this view what it is
};

/// An id of the node as a process with this map sees it.
std::uint32_t id_inside(const std::vector<IdRange>& map, std::uint32_t outside);
/// The id of the node behind one of the namespace; nullopt where it has none.
std::optional<std::uint32_t> id_outside(const std::vector<IdRange>& map, std::uint32_t inside);

enum class FileType : std::uint8_t { regular, directory, symlink, character };

struct FileStat {
  FileType type = FileType::regular;
  std::uint32_t mode = 0;  ///< permission bits only (07777)
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::uint32_t rdev_major = 0;
  std::uint32_t rdev_minor = 0;
};

class Process {
 public:
  virtual ~Process() = default;

  virtual int pid() const = 0;
  virtual const Identity& identity() const = 0;
  virtual const Environment& environment() const = 0;
  /// The variable's value, or "" (see has_env for set-but-empty).
  std::string env(std::string_view name) const;
  bool has_env(std::string_view name) const;
  /// The event that set (or unset) the variable, or that made the file what it is (or absent);
  /// no_event where nobody keeps a history.
  virtual EventId why_env(std::string_view /*name*/) const { return no_event; }
  virtual EventId why(std::string_view /*path*/) const { return no_event; }

  /// Flags are the O_* of <fcntl.h>. Paths are absolute.
  virtual SysResult<int> open(std::string_view path, int flags) = 0;
  virtual SysResult<void> close(int fd) = 0;
  virtual SysResult<std::size_t> read(int fd, std::span<std::byte> into) = 0;
  virtual SysResult<std::size_t> write(int fd, std::span<const std::byte> from) = 0;
  /// posix_fallocate(fd, 0, bytes). ENOSPC when the file system is full.
  virtual SysResult<void> allocate(int fd, std::uint64_t bytes);
  virtual SysResult<void> unlink(std::string_view path);
  /// `argument` is the structure of linux/kfd_ioctl.h or drm/amdgpu_drm.h for `request`.
  virtual SysResult<int> ioctl(int fd, unsigned long request, void* argument) = 0;
  /// Anonymous memory for fd -1, else the device's or file's memory. Length in bytes.
  virtual SysResult<void*> mmap(int fd, std::size_t length, int prot, std::uint64_t offset) = 0;
  virtual SysResult<void> munmap(void* address, std::size_t length) = 0;
  /// A 64-bit store to a mapped doorbell. On hardware a plain store after a fence; the simulator
  /// learns of the ring through it.
  virtual void store_doorbell(volatile std::uint64_t* doorbell, std::uint64_t value) = 0;

  /// The event that explains what this process asks the GPU for from now on: the code object whose
  /// kernel it launches. For those who keep a history.
  virtual void set_reason(EventId /*event*/) {}

  /// A breath in a loop that polls memory: a pause on hardware; in the simulator the devices get
  /// their turn. False if nothing but this process can change anything any more.
  virtual bool relax() = 0;
  /// nanosleep; virtual time in the simulator.
  virtual void sleep_ns(std::uint64_t duration) = 0;

  virtual SysResult<FileStat> stat(std::string_view path) = 0;  ///< follows symlinks
  virtual SysResult<FileStat> lstat(std::string_view path) = 0;
  virtual SysResult<std::vector<std::string>> list(std::string_view directory) = 0;  ///< sorted
  virtual SysResult<std::string> readlink(std::string_view path) = 0;

  /// Opens, reads to the end, closes.
  SysResult<std::string> read_file(std::string_view path);
  bool exists(std::string_view path) { return stat(path).has_value(); }

  /// What was started, where the backend knows: its view of files, devices and ids.
  virtual const ProcessSpec* spec() const { return nullptr; }
};

}  // namespace rocdrill
