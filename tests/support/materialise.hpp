// A node's /sys and /proc as real files in a folder, for programs that can be told where to look.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/host/files.hpp"

namespace rocdrill::test {

/// Writes `path` of the node and everything below it to `root` + path. Symlinks stay as they are:
/// the node's are relative.
inline void materialise(const sim::FileTree& files, const std::string& path,
                        const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  const auto stat = files.lstat(path);
  if (!stat) throw std::runtime_error("the node has no " + path);
  const fs::path to = root / path.substr(1);
  switch (stat->type) {
    case FileType::directory: {
      fs::create_directories(to);
      const std::vector<std::string> names = files.list(path).value();
      for (const std::string& name : names) materialise(files, sim::join(path, name), root);
      break;
    }
    case FileType::symlink:
      fs::create_symlink(files.readlink(path).value(), to);
      break;
    case FileType::regular: {
      // What only can be written has no content.
      std::ofstream(to, std::ios::binary) << files.read(path).value_or("");
      ::chmod(to.c_str(), stat->mode);
      break;
    }
    case FileType::character:
      break;
  }
}

/// A folder that is gone with the object. ROCDRILL_KEEP_TREE=<folder> keeps what is made there.
class ScratchTree {
 public:
  explicit ScratchTree(const std::string& name) {
    if (const char* keep = std::getenv("ROCDRILL_KEEP_TREE")) {
      root_ = std::filesystem::path(keep) / name;
      std::filesystem::remove_all(root_);
      std::filesystem::create_directories(root_);
      kept_ = true;
      return;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "rocdrill-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
    root_ = pattern;
  }
  ~ScratchTree() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(root_, ignored);
  }
  ScratchTree(const ScratchTree&) = delete;
  ScratchTree& operator=(const ScratchTree&) = delete;
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
  bool kept_ = false;
};

}  // namespace rocdrill::test
