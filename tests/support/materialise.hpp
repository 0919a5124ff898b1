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

#include "sim/host/virtual_tree.hpp"

namespace rocdrill::test {

/// Writes the tree to `root` + its path. Symlinks stay as they are: the node's are relative.
inline void materialise(const sim::VirtualTree& tree, const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  tree.walk([&](const std::string& path, const sim::VirtualEntry& entry) {
    const fs::path to = root / path.substr(1);
    if (entry.type == FileType::directory) {
      fs::create_directories(to);
    } else if (entry.type == FileType::symlink) {
      fs::create_symlink(entry.target, to);
    } else {
      std::ofstream out(to, std::ios::binary);
      if (entry.read) out << entry.read();
      out.close();
      ::chmod(to.c_str(), entry.mode);
    }
  });
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
