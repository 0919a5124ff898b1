#include "sim/interpose/server/session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "sim/interpose/session_index.hpp"

namespace rocdrill::interpose {
namespace {

namespace fs = std::filesystem;

bool valid_name(const std::string& name) {
  constexpr std::size_t longest = 40;
  return !name.empty() && name.size() <= longest && name.front() != '.' &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

/// Takes the lock of a session folder: -1 if its server lives.
int lock(const fs::path& folder) {
  const int fd = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return -1;
}

/// Shared memory and semaphores that programs of the node left behind.
void remove_shared_memory(const fs::path& folder) {
  const std::string path = folder.string();
  const std::string prefix =
      fmt::format("{}{:08x}.", shared_name_prefix, index_hash(path.data(), path.size()));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev/shm", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) || name.starts_with("sem." + prefix))
      fs::remove(entry.path(), error);
  }
}

void remove_tree(const fs::path& folder) {
  remove_shared_memory(folder);
  ::umount2((folder / "root" / "sys").c_str(), MNT_DETACH);  // of a killed server; usually absent
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

fs::path sessions_folder() {
  fs::path folder;
  if (const char* own = std::getenv("ROCDRILL_RUNTIME_DIR"); own && *own) {
    folder = own;
  } else if (const char* xdg = std::getenv("XDG_RUNTIME_DIR"); xdg && *xdg && fs::exists(xdg)) {
    folder = fs::path(xdg) / "rocdrill";
  } else {  // a session is hundreds of small files: memory, where there is some
    folder = fmt::format("{}/rocdrill-{}", ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                         ::getuid());
  }
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error(
        fmt::format("cannot make {}: {}\n  set ROCDRILL_RUNTIME_DIR to a folder "
                    "of yours with a short path",
                    folder.string(), std::strerror(errno)));
  }
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    throw std::runtime_error(fmt::format(
        "{} is not a folder of yours with mode 0700: others could reach your nodes\n  mend it (chmod "
        "700) or set ROCDRILL_RUNTIME_DIR to another folder",
        folder.string()));
  }
  return folder;
}

SessionFolder SessionFolder::create(const std::string& name) {
  if (!valid_name(name)) {
    throw std::runtime_error(fmt::format(
        "'{}' is no name for a node: letters, digits, '-', '_' and '.', at most 40", name));
  }
  const fs::path path = sessions_folder() / name;
  constexpr std::size_t longest_socket = 107;
  if (path.string().size() + sizeof "/socket" > longest_socket) {
    throw std::runtime_error(fmt::format(
        "the path {} is too long for a socket\n  set ROCDRILL_RUNTIME_DIR to a folder with a short path",
        path.string()));
  }
  if (fs::exists(path)) {
    const int stale = lock(path);
    if (stale < 0) {
      throw std::runtime_error(fmt::format(
          "a node '{}' is running\n  stop it: rocdrill node stop {}; or give this one a --name",
          name, name));
    }
    remove_tree(path);
    ::close(stale);
  }
  if (::mkdir(path.c_str(), 0700) != 0)
    throw std::runtime_error(
        fmt::format("cannot make {}: {}", path.string(), std::strerror(errno)));
  for (const char* sub : {"root", "bin", "lib"}) fs::create_directory(path / sub);
  const int fd = lock(path);
  if (fd < 0) throw std::runtime_error(fmt::format("cannot lock {}", path.string()));
  return SessionFolder(path, fd);
}

SessionFolder::SessionFolder(SessionFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

SessionFolder::~SessionFolder() {
  if (!path_.empty()) remove_tree(path_);
  if (lock_ >= 0) ::close(lock_);
}

std::vector<RunningSession> running_sessions() {
  std::vector<RunningSession> sessions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sessions_folder(), error)) {
    if (!fs::exists(entry.path() / "lock")) continue;
    const int stale = lock(entry.path());
    if (stale < 0) {
      sessions.push_back({entry.path().filename().string(), entry.path()});
    } else {
      ::close(stale);
    }
  }
  std::ranges::sort(sessions, {}, &RunningSession::name);
  return sessions;
}

RunningSession find_session(const std::optional<std::string>& name) {
  if (!name) {
    if (const char* session = std::getenv(session_variable); session && *session) {
      const fs::path path = session;
      return {path.filename().string(), path};
    }
  }
  const auto sessions = running_sessions();
  std::string known;
  for (const RunningSession& session : sessions) {
    if (name ? session.name == *name : sessions.size() == 1) return session;
    known += (known.empty() ? "" : ", ") + session.name;
  }
  if (sessions.empty()) {
    throw std::runtime_error(fmt::format(
        "{}\n  start one: rocdrill node start mi210",
        name ? "no node '" + *name + "' is running" : std::string("no node is running")));
  }
  throw std::runtime_error(fmt::format("{}\n  running: {}",
                                       name ? "no node '" + *name + "' is running"
                                            : std::string("several nodes are running: say which"),
                                       known));
}

}  // namespace rocdrill::interpose
