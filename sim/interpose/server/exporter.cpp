#include "sim/interpose/server/exporter.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "sim/host/users.hpp"
#include "sim/interpose/server/index_writer.hpp"
#include "sim/interpose/session_index.hpp"

namespace rocdrill::interpose {
namespace {

namespace fs = std::filesystem;

constexpr std::array fixed_prefixes = {
    "/sys",
    "/proc/cmdline",
    "/proc/cpuinfo",
    "/proc/devices",
    "/proc/meminfo",
    "/proc/modules",
    "/proc/version",
    "/dev/kfd",
    "/dev/dri",
    "/boot",
    "/etc/default/grub",
    "/etc/default/grub.ucf-old",
    "/etc/fstab",
    "/etc/fstab.orig",
    "/etc/default/grub.d",
    "/etc/environment",
    "/etc/group",
    "/etc/hostname",
    "/etc/initramfs-tools",
    "/etc/modprobe.d",
    "/etc/modules",
    "/etc/modules-load.d",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/profile.d",
    "/etc/systemd/system",
    "/etc/udev/rules.d",
    "/lib/firmware",
    "/lib/modprobe.d",
    "/lib/modules",
    "/opt/rocm",
    "/usr/src",
    "/var/lib/dkms",
    "/var/lib/shim-signed",
};

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::uint32_t type_bits(FileType type) {
  switch (type) {
    case FileType::directory:
      return S_IFDIR;
    case FileType::symlink:
      return S_IFLNK;
    case FileType::character:
      return S_IFCHR;
    case FileType::regular:
      break;
  }
  return S_IFREG;
}

void write_file(const fs::path& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  if (fd < 0) fail(path.string());
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno != EINTR) {
      const int error = errno;
      ::close(fd);
      errno = error;
      fail(path.string());
    }
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(fd);
}

/// A target that leads to the same place from anywhere the tree is put.
std::string relative_target(std::string_view link, const std::string& target,
                            const std::vector<std::string>& prefixes) {
  if (!target.starts_with('/') || !owned(prefixes, target)) return target;
  return fs::path(target).lexically_relative(sim::parent(link)).string();
}

}  // namespace

bool owned(const std::vector<std::string>& prefixes, std::string_view path) {
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) {
    return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
  });
}

/// Of folders that a machine and its node share, only what the node has in them is the node's; a
/// home of the same name on this machine stays this machine's.
std::vector<std::string> owned_prefixes(const sim::Os& os) {
  std::vector<std::string> prefixes(fixed_prefixes.begin(), fixed_prefixes.end());
  for (const char* shared : {"/opt", "/srv", "/home"}) {
    for (const std::string& name : os.files.list(shared).value_or(std::vector<std::string>())) {
      const std::string path = sim::join(shared, name);
      if (shared != std::string_view("/home") || !fs::exists(path)) prefixes.push_back(path);
    }
  }
  std::ranges::sort(prefixes);
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

bool Exporter::is_virtual(std::string_view path) {
  return path.starts_with("/sys") || path.starts_with("/proc/") || path.starts_with("/dev/");
}

Exporter::Exporter(sim::Os& os, fs::path session, std::vector<std::string> live)
    : os_(os),
      session_(std::move(session)),
      root_(session_ / "root"),
      live_(std::move(live)),
      prefixes_(owned_prefixes(os)) {
  const int fd = ::open((session_ / "epoch").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, 4096) != 0) fail("epoch");
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) fail("epoch");
  epoch_ = static_cast<std::uint64_t*>(memory);
}

Exporter::~Exporter() {
  if (epoch_) ::munmap(epoch_, 4096);
}

bool Exporter::is_live(std::string_view path) const { return owned(live_, path); }

void Exporter::sync(bool with_virtual) {
  prefixes_ = owned_prefixes(os_);
  for (auto& [path, file] : exported_) {
    file.seen = is_live(path) || (!with_virtual && is_virtual(path));
  }
  for (const std::string& prefix : prefixes_) {
    if (prefix == "/sys" && !is_live(prefix)) {
      if (with_virtual) copy_sysfs();
    } else if (with_virtual || !is_virtual(prefix)) {
      visit(prefix, with_virtual);
    }
  }
  remove_vanished(with_virtual);
  write_index();
}

/// The tree in one walk: file by file each path would be looked up from the root.
void Exporter::copy_sysfs() {
  os_.sysfs.walk([this](const std::string& path, const sim::VirtualEntry& entry) {
    const FileStat stat{.type = entry.type, .mode = entry.mode, .size = entry.size};
    write(path, stat, [&] {
      return entry.type == FileType::symlink ? entry.target
             : entry.read                    ? entry.read()
                                             : std::string();
    });
  });
}

void Exporter::visit(const std::string& path, bool with_virtual) {
  const auto stat = os_.files.lstat(path);
  if (!stat) return;
  if (is_live(path)) {
    exported_[path] = {*stat, {}, true};
    return;
  }
  write(path, *stat, [&] {
    return (stat->type == FileType::symlink ? os_.files.readlink(path) : os_.files.read(path))
        .value_or("");
  });
  if (stat->type != FileType::directory) return;
  const auto names = os_.files.list(path);
  if (!names) return;
  for (const std::string& name : *names) visit(sim::join(path, name), with_virtual);
}

void Exporter::write(const std::string& path, const FileStat& stat,
                     const std::function<std::string()>& read) {
  const fs::path real = this->real(path);
  const auto [at, fresh] = exported_.try_emplace(path);
  Exported& file = at->second;
  file.seen = true;
  if (!fresh && file.stat.type != stat.type) {
    fs::remove_all(real);
    file.content.clear();
  }
  const bool made = !fresh && file.stat.type == stat.type;
  file.stat = stat;
  if (fresh) fs::create_directories(real.parent_path());
  switch (stat.type) {
    case FileType::directory:
      if (!made && ::mkdir(real.c_str(), 0700) != 0 && errno != EEXIST) fail(real.string());
      break;
    case FileType::symlink: {
      std::string target = relative_target(path, read(), prefixes_);
      if (made && target == file.content) break;
      ::unlink(real.c_str());
      if (::symlink(target.c_str(), real.c_str()) != 0) fail(real.string());
      file.content = std::move(target);
      break;
    }
    case FileType::character:
      if (!made) write_file(real, "");
      break;
    case FileType::regular: {
      std::string content = read();
      if (made && content == file.content) break;
      write_file(real, content);
      file.content = std::move(content);
      break;
    }
  }
}

void Exporter::remove_vanished(bool) {
  for (auto at = exported_.begin(); at != exported_.end();) {
    if (at->second.seen) {
      ++at;
      continue;
    }
    std::error_code ignored;
    fs::remove_all(real(at->first), ignored);
    at = exported_.erase(at);
  }
}

const std::string* Exporter::content(std::string_view path) const {
  const auto at = exported_.find(std::string(path));
  return at == exported_.end() || at->second.stat.type != FileType::regular ? nullptr
                                                                            : &at->second.content;
}

void Exporter::distrust(const std::string& path) {
  if (const auto at = exported_.find(path); at != exported_.end()) at->second.content += '\n';
}

void Exporter::adopt(const std::string& path, std::string content) {
  if (const auto stat = os_.files.lstat(path)) exported_[path] = {*stat, std::move(content), true};
}

std::vector<std::string> Exporter::directories() const {
  std::vector<std::string> list;
  for (const auto& [path, file] : exported_) {
    const bool writable = file.stat.type == FileType::regular && (file.stat.mode & 0222) != 0;
    if (is_virtual(path) ? writable && !is_live(path) : file.stat.type == FileType::directory) {
      list.emplace_back(is_virtual(path) ? sim::parent(path) : std::string_view(path));
    } else if (writable && !is_virtual(path) &&
               !exported_.contains(std::string(sim::parent(path)))) {
      list.emplace_back(sim::parent(path));  // a file by itself: /etc/fstab
    }
  }
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

void Exporter::write_index() {
  IndexWriter index;
  for (const auto& [path, file] : exported_) {
    std::uint32_t flags = is_virtual(path) ? entry_virtual : 0;
    if (is_live(path)) flags |= entry_live;
    index.add(path, type_bits(file.stat.type) | file.stat.mode, file.stat, flags);
  }
  index.prefixes = prefixes_;
  index.aliases = {{"/usr/lib/firmware", "/lib/firmware"},
                   {"/usr/lib/modprobe.d", "/lib/modprobe.d"},
                   {"/usr/lib/modules", "/lib/modules"},
                   {"/usr/lib/os-release", "/etc/os-release"}};
  index.hostname = os_.hostname;
  index.kernel_release = os_.kernel_release;
  index.kernel_version = "#1 SMP PREEMPT_DYNAMIC";
  index.login = os_.session;
  const std::string bytes = index.bytes(0);
  if (bytes == last_index_) return;
  const std::uint64_t epoch = *epoch_ + 1;
  const fs::path fresh = session_ / "index.new";
  write_file(fresh, index.bytes(epoch));
  fs::rename(fresh, session_ / "index");
  __atomic_store_n(epoch_, epoch, __ATOMIC_RELEASE);
  last_index_ = bytes;
}

}  // namespace rocdrill::interpose
