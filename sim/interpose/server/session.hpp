// The folder of a running node: socket, index, the files of the node, its commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rocdrill::interpose {

/// $ROCDRILL_RUNTIME_DIR, else $XDG_RUNTIME_DIR/rocdrill, else /dev/shm/rocdrill-<uid>, else
/// /tmp/rocdrill-<uid>. Made with mode 0700 if absent. Throws std::runtime_error if it is not ours
/// alone.
std::filesystem::path sessions_folder();

class SessionFolder {
 public:
  /// Makes it (mode 0700) with root/, bin/ and lib/. Throws std::runtime_error if a node of this
  /// name runs already, or what stands in the way. What a killed server left behind is removed.
  static SessionFolder create(const std::string& name);
  SessionFolder(SessionFolder&&) noexcept;
  SessionFolder& operator=(SessionFolder&&) = delete;
  /// Removes it.
  ~SessionFolder();

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }
  std::filesystem::path root() const { return path_ / "root"; }

 private:
  explicit SessionFolder(std::filesystem::path path, int lock)
      : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_ = -1;  ///< flock()ed while the server lives
};

struct RunningSession {
  std::string name;
  std::filesystem::path path;
};
/// Nodes that run, by name.
std::vector<RunningSession> running_sessions();
/// The one meant by `name`, or by $ROCDRILL_SESSION, or the only one. The error says what there is.
RunningSession find_session(const std::optional<std::string>& name);

}  // namespace rocdrill::interpose
