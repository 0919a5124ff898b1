#include "sim/interpose/server/watcher.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace rocdrill::interpose {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t wanted = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                 IN_MOVED_TO | IN_DONT_FOLLOW | IN_ONLYDIR;
constexpr std::uintmax_t largest_file = 64u << 20u;

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

Watcher::Watcher(sim::Os& os, Exporter& exporter) : os_(os), exporter_(exporter) {
  fd_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "inotify");
}

Watcher::~Watcher() {
  if (fd_ >= 0) ::close(fd_);
}

void Watcher::watch_directories() {
  for (const std::string& path : exporter_.directories()) {
    if (by_path_.contains(path)) continue;
    const int watch = ::inotify_add_watch(fd_, exporter_.real(path).c_str(), wanted);
    if (watch < 0) continue;  // gone again, or out of watches: then the change stays unknown
    watches_[watch] = path;
    by_path_[path] = watch;
  }
}

bool Watcher::drain() {
  bool any = false;
  alignas(inotify_event) std::array<char, 64 * 1024> buffer{};
  while (true) {
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      const auto watch = watches_.find(event->wd);
      if (watch == watches_.end()) continue;
      if ((event->mask & IN_IGNORED) != 0) {
        by_path_.erase(watch->second);
        watches_.erase(watch);
        continue;
      }
      if (event->len == 0) continue;
      const std::string path = sim::join(watch->second, event->name);
      if ((event->mask & (IN_DELETE | IN_MOVED_FROM)) != 0) any = removed(path) || any;
      if ((event->mask & (IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)) != 0)
        any = appeared(path) || any;
    }
  }
  return any;
}

bool Watcher::appeared(const std::string& path) {
  struct stat status{};
  const fs::path real = exporter_.real(path);
  if (::lstat(real.c_str(), &status) != 0) return false;
  if (S_ISLNK(status.st_mode)) {
    std::error_code error;
    const std::string target = fs::read_symlink(real, error).string();
    const auto known = os_.files.readlink(path);
    if (known) return false;  // what the server wrote itself
    const EventId event = os_.journal.record(Layer::host, Severity::info, "file.linked", path,
                                             {{"target", std::string_view(target)}}, no_event);
    os_.files.symlink(path, target, event);
    return true;
  }
  if (Exporter::is_virtual(path)) return S_ISREG(status.st_mode) && changed(path);
  if (!S_ISDIR(status.st_mode)) return S_ISREG(status.st_mode) && changed(path);
  bool any = false;
  if (!os_.files.exists(path)) {
    os_.files.make_directory(path, os_.journal.record(Layer::host, Severity::info, "directory.made",
                                                      path, {}, no_event));
    exporter_.adopt(path, {});
    any = true;
  }
  if (!by_path_.contains(path)) {
    const int watch = ::inotify_add_watch(fd_, real.c_str(), wanted);
    if (watch >= 0) {
      watches_[watch] = path;
      by_path_[path] = watch;
    }
    // What came into it before the watch did.
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(real, error))
      any = appeared(sim::join(path, entry.path().filename().string())) || any;
  }
  return any;
}

bool Watcher::changed(const std::string& path) {
  const fs::path real = exporter_.real(path);
  std::error_code error;
  if (fs::file_size(real, error) > largest_file || error) return false;
  std::string content = read_all(real);
  const std::string* known = exporter_.content(path);
  if (known && *known == content) return false;
  if (Exporter::is_virtual(
          path)) {  // its error has nobody to go to: the attribute shows what came of it
    const EventId event = os_.journal.record(Layer::host, Severity::info, "sysfs.write", path,
                                             {{"value", std::string_view(content)}}, no_event);
    exporter_.distrust(path);
    if (!content.empty()) static_cast<void>(os_.files.store(path, content, event));
    return true;
  }
  sim::Attributes attributes{0644, os_.session.uid, os_.session.gid};
  if (const auto stat = os_.files.stat(path)) attributes = {stat->mode, stat->uid, stat->gid};
  if (path.ends_with(".sh")) attributes.mode |= 0111;
  os_.write_file(path, content, no_event, attributes);
  exporter_.adopt(path, std::move(content));
  return true;
}

bool Watcher::removed(const std::string& path) {
  struct stat status{};
  if (::lstat(exporter_.real(path).c_str(), &status) == 0) return false;  // it is there again
  if (Exporter::is_virtual(path) || !os_.files.lstat(path)) return false;
  os_.remove_file(path, no_event);
  exporter_.forget(path);
  return true;
}

}  // namespace rocdrill::interpose
