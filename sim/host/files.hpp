// The node's file tree. Every file remembers the event that made it what it is, and an absent
// file may carry the event that explains its absence: the layers above take their causes from
// here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/archive.hpp"
#include "stack/process.hpp"

namespace rocdrill::sim {

/// A file system that the kernel makes up as it is read (sysfs, procfs, devtmpfs). Paths are
/// absolute and contain no symlink of the tree above it. Errors carry the event behind them.
class FileProvider {
 public:
  virtual ~FileProvider() = default;
  virtual SysResult<FileStat> lstat(std::string_view path) = 0;
  virtual SysResult<std::string> read(std::string_view path) = 0;
  /// `cause` is the event of the write itself.
  virtual SysResult<void> write(std::string_view path, std::string_view data, EventId cause);
  virtual SysResult<std::vector<std::string>> list(std::string_view path) = 0;
  virtual SysResult<std::string> readlink(std::string_view path);
  /// The event behind what this path shows.
  virtual EventId why(std::string_view /*path*/) const { return no_event; }
};

struct Attributes {
  std::uint32_t mode = 0644;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

class FileTree {
 public:
  FileTree();

  /// Parent directories are made as needed. Replaces what is there.
  void write(std::string_view path, std::string content, EventId event, Attributes attributes = {});
  void make_directory(std::string_view path, EventId event, std::uint32_t mode = 0755);
  void symlink(std::string_view path, std::string target, EventId event);
  /// Removes the file or the whole directory; its absence is then explained by `event`.
  void remove(std::string_view path, EventId event);
  /// "It would be here, but for this event": what a failed build or probe leaves behind.
  void explain_absence(std::string_view path, EventId event);
  SysResult<void> chmod(std::string_view path, std::uint32_t mode, EventId event);
  SysResult<void> chown(std::string_view path, std::uint32_t uid, std::uint32_t gid, EventId event);

  /// The event that last changed this path, or that explains why nothing is there: of the path
  /// itself or of the nearest ancestor that knows.
  EventId why(std::string_view path) const;
  /// The same for a path whose symlinks are followed first.
  EventId why_resolved(std::string_view path) const;

  SysResult<FileStat> stat(std::string_view path) const;
  SysResult<FileStat> lstat(std::string_view path) const;
  SysResult<std::string> read(std::string_view path) const;
  /// A write by a process to an existing or new regular file, or to a kernel attribute.
  SysResult<void> store(std::string_view path, std::string_view content, EventId event);
  SysResult<std::vector<std::string>> list(std::string_view path) const;
  SysResult<std::string> readlink(std::string_view path) const;
  bool exists(std::string_view path) const { return stat(path).has_value(); }
  /// Content, or "" if it cannot be read.
  std::string text(std::string_view path) const;
  /// The path with all symlinks resolved.
  SysResult<std::string> resolve(std::string_view path) const;

  /// `provider` answers for everything at and below `prefix`; it must outlive the tree.
  void mount(std::string prefix, FileProvider& provider);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("entries", entries_);
    archive("absences", absences_);
  }

 private:
  struct Entry {
    FileType type = FileType::regular;
    Attributes attributes;
    Blob content;  ///< a symlink's target
    EventId event = no_event;

    template <class Archive>
    void serialize(Archive& archive) {
      archive("type", type);
      archive("mode", attributes.mode);
      archive("uid", attributes.uid);
      archive("gid", attributes.gid);
      archive("content", content);
      archive("event", event);
    }
  };

  FileProvider* provider_of(std::string_view path) const;
  Entry* find(std::string_view path);
  SysResult<FileStat> lstat_resolved(std::string_view path) const;
  SysResult<std::string> resolve(std::string_view path, bool follow_last) const;
  void make_parents(std::string_view path, EventId event);
  std::unexpected<SysError> absent(std::string_view path) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, EventId, std::less<>> absences_;
  std::map<std::string, FileProvider*, std::less<>> mounts_;
};

/// "/a/b" + "c" -> "/a/b/c".
std::string join(std::string_view directory, std::string_view name);
std::string_view parent(std::string_view path);
std::string_view basename(std::string_view path);
/// Lines without their line ends; a last line without one counts.
std::vector<std::string> lines_of(std::string_view text);
/// Words between blanks and tabs.
std::vector<std::string> words_of(std::string_view text);

}  // namespace rocdrill::sim
