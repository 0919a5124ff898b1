// The node's files as real ones: root/ and the index of a session folder follow the FileTree.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/host/os.hpp"

namespace rocdrill::interpose {

/// What on a machine is the node's: everything at or below these paths. The rest of the file system
/// (libraries, programs) is the real machine's.
std::vector<std::string> owned_prefixes(const sim::Os& os);
bool owned(const std::vector<std::string>& prefixes, std::string_view path);

class Exporter {
 public:
  /// `live` prefixes are served by a file system of their own (FUSE) and not written.
  Exporter(sim::Os& os, std::filesystem::path session, std::vector<std::string> live);
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  /// Brings root/ and the index up to date with the node. `with_virtual`: also what the kernel
  /// makes up and is not live. Throws std::system_error (disk full, ...).
  void sync(bool with_virtual);

  const std::vector<std::string>& prefixes() const { return prefixes_; }
  std::filesystem::path real(std::string_view path) const { return root_ / path.substr(1); }
  /// What was last written at this path of the node: nullptr if it is not an exported regular file.
  const std::string* content(std::string_view path) const;
  /// A program changed the file in root/, and the node knows: no need to write it again.
  void adopt(const std::string& path, std::string content);
  void forget(const std::string& path) { exported_.erase(path); }
  /// A program wrote to what the kernel makes up: the next sync() puts the truth there.
  void distrust(const std::string& path);
  /// Directories in which programs may write: the node's own, and those with writable attributes.
  std::vector<std::string> directories() const;
  static bool is_virtual(std::string_view path);

 private:
  struct Exported {
    FileStat stat;
    std::string content;  ///< of a regular file; target of a symlink
    bool seen = false;
  };
  void visit(const std::string& path, bool with_virtual);
  void copy_sysfs();
  void write(const std::string& path, const FileStat& stat,
             const std::function<std::string()>& read);
  void remove_vanished(bool with_virtual);
  void write_index();
  bool is_live(std::string_view path) const;

  sim::Os& os_;
  std::filesystem::path session_;
  std::filesystem::path root_;
  std::vector<std::string> live_;
  std::vector<std::string> prefixes_;
  std::map<std::string, Exported> exported_;
  std::string last_index_;
  std::uint64_t* epoch_ = nullptr;  ///< mapped
};

}  // namespace rocdrill::interpose
