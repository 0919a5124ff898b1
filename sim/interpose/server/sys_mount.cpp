#include "sim/interpose/server/sys_mount.hpp"

#define FUSE_USE_VERSION 31
#include <fuse3/fuse.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <thread>

namespace rocdrill::interpose {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kernel_major_null = 0;

/// What the callbacks reach the node through; libfuse hands it back with every request.
struct Served {
  sim::Node& node;
  std::recursive_mutex& mutex;
};

Served& served() { return *static_cast<Served*>(fuse_get_context()->private_data); }
std::string node_path(const char* path) {
  return std::strcmp(path, "/") == 0 ? "/sys" : "/sys" + std::string(path);
}

void fill(const FileStat& from, struct stat& to) {
  to = {};
  switch (from.type) {
    case FileType::directory:
      to.st_mode = S_IFDIR;
      break;
    case FileType::symlink:
      to.st_mode = S_IFLNK;
      break;
    case FileType::character:
    case FileType::regular:
      to.st_mode = S_IFREG;
      break;
  }
  to.st_mode |= from.mode;
  to.st_uid = from.uid;
  to.st_gid = from.gid;
  to.st_size = static_cast<off_t>(from.size);
  to.st_nlink = 1;
  to.st_rdev = kernel_major_null;
}

int get_attributes(const char* path, struct stat* out, fuse_file_info*) {
  Served& at = served();
  const std::lock_guard lock(at.mutex);
  const auto stat = at.node.os.files.lstat(node_path(path));
  if (!stat) return -stat.error().error;
  fill(*stat, *out);
  return 0;
}

/// Links of the tree are relative to /sys or absolute on the node; here both must stay inside.
int read_link(const char* path, char* buffer, std::size_t size) {
  Served& at = served();
  const std::lock_guard lock(at.mutex);
  auto target = at.node.os.files.readlink(node_path(path));
  if (!target) return -target.error().error;
  if (target->starts_with("/sys/"))
    target = fs::path(*target).lexically_relative(sim::parent(node_path(path))).string();
  const std::size_t length = std::min(size - 1, target->size());
  std::memcpy(buffer, target->data(), length);
  buffer[length] = '\0';
  return 0;
}

int read_directory(const char* path, void* buffer, fuse_fill_dir_t add, off_t, fuse_file_info*,
                   fuse_readdir_flags) {
  Served& at = served();
  const std::lock_guard lock(at.mutex);
  const std::string directory = node_path(path);
  const auto names = at.node.os.files.list(directory);
  if (!names) return -names.error().error;
  for (const char* self : {".", ".."}) add(buffer, self, nullptr, 0, fuse_fill_dir_flags(0));
  for (const std::string& name : *names) {
    struct stat status{};
    const auto stat = at.node.os.files.lstat(sim::join(directory, name));
    if (stat) fill(*stat, status);
    add(buffer, name.c_str(), stat ? &status : nullptr, 0, fuse_fill_dir_flags(0));
  }
  return 0;
}

/// The content as it is at open(): a reader sees one state.
int open_file(const char* path, fuse_file_info* info) {
  Served& at = served();
  const std::lock_guard lock(at.mutex);
  info->direct_io = 1;  // an attribute is shorter than its 4096 bytes
  if ((info->flags & O_ACCMODE) == O_WRONLY) return 0;
  const auto content = at.node.os.files.read(node_path(path));
  if (!content && (info->flags & O_ACCMODE) == O_RDONLY) return -content.error().error;
  if (content) info->fh = reinterpret_cast<std::uintptr_t>(new std::string(*content));
  return 0;
}

int read_file(const char*, char* buffer, std::size_t size, off_t offset, fuse_file_info* info) {
  const auto* content = reinterpret_cast<const std::string*>(info->fh);
  if (!content) return 0;
  const auto at = static_cast<std::size_t>(offset);
  if (at >= content->size()) return 0;
  const std::size_t count = std::min(size, content->size() - at);
  std::memcpy(buffer, content->data() + at, count);
  return static_cast<int>(count);
}

int write_file(const char* path, const char* data, std::size_t size, off_t, fuse_file_info*) {
  Served& at = served();
  const std::lock_guard lock(at.mutex);
  const std::string file = node_path(path);
  const EventId event =
      at.node.os.journal.record(Layer::host, Severity::info, "sysfs.write", file,
                                {{"value", std::string_view(data, size)}}, no_event);
  const auto stored = at.node.os.files.store(file, std::string_view(data, size), event);
  if (!stored) return -stored.error().error;
  return static_cast<int>(size);
}

int truncate_file(const char* path, off_t, fuse_file_info* info) {
  struct stat ignored{};
  return get_attributes(path, &ignored, info);  // `>` truncates: sysfs ignores it
}

int close_file(const char*, fuse_file_info* info) {
  delete reinterpret_cast<std::string*>(info->fh);
  return 0;
}

fuse_operations operations() {
  fuse_operations table{};
  table.getattr = get_attributes;
  table.readlink = read_link;
  table.readdir = read_directory;
  table.open = open_file;
  table.read = read_file;
  table.write = write_file;
  table.truncate = truncate_file;
  table.release = close_file;
  return table;
}

class FuseMount final : public SysMount {
 public:
  FuseMount(sim::Node& node, std::recursive_mutex& mutex) : served_{node, mutex} {}
  ~FuseMount() override {
    if (!fuse_) return;
    // The thread first: while it reads, closing the device does not end the connection, and a
    // program that still has a file of the mount would keep both for ever.
    const std::uint64_t one = 1;
    static_cast<void>(!::write(end_, &one, sizeof one));
    if (thread_.joinable()) thread_.join();
    fuse_unmount(fuse_);
    fuse_destroy(fuse_);
    ::close(end_);
  }

  bool mount(const fs::path& folder) {
    char name[] = "rocdrill";
    char option[] = "-o";
    char value[] = "fsname=rocdrill,subtype=sysfs,attr_timeout=0,entry_timeout=0";
    char* words[] = {name, option, value, nullptr};
    fuse_args arguments = FUSE_ARGS_INIT(3, words);
    static const fuse_operations table = operations();
    // Whatever libfuse says about a refusal goes to standard error: the fallback is announced by
    // `rocdrill node status`, so keep it quiet.
    fuse_set_log_func([](fuse_log_level, const char*, va_list) {});
    fuse_ = fuse_new(&arguments, &table, sizeof table, &served_);
    fuse_opt_free_args(&arguments);
    if (!fuse_) return false;
    end_ = ::eventfd(0, EFD_CLOEXEC);
    if (end_ < 0 || fuse_mount(fuse_, folder.c_str()) != 0) {
      fuse_destroy(fuse_);
      if (end_ >= 0) ::close(end_);
      fuse_ = nullptr;
      return false;
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { loop(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return true;
  }

 private:
  /// fuse_loop(), but until end_ is set.
  void loop() {
    fuse_session* const session = fuse_get_session(fuse_);
    fuse_buf buffer{};
    while (!fuse_session_exited(session)) {
      pollfd files[] = {{fuse_session_fd(session), POLLIN, 0}, {end_, POLLIN, 0}};
      if (::poll(files, std::size(files), -1) < 0 && errno != EINTR) break;
      if (files[1].revents != 0) break;
      if (files[0].revents == 0) continue;
      const int got = fuse_session_receive_buf(session, &buffer);
      if (got == -EINTR || got == -EAGAIN) continue;
      if (got <= 0) break;
      fuse_session_process_buf(session, &buffer);
    }
    std::free(buffer.mem);
  }

  Served served_;
  int end_ = -1;  ///< eventfd
  struct fuse* fuse_ = nullptr;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<SysMount> SysMount::open(sim::Node& node, std::recursive_mutex& mutex,
                                         const fs::path& folder) {
  if (::access("/dev/fuse", R_OK | W_OK) != 0) return nullptr;
  fs::create_directories(folder);
  auto mount = std::make_unique<FuseMount>(node, mutex);
  if (!mount->mount(folder)) return nullptr;
  return mount;
}

}  // namespace rocdrill::interpose
