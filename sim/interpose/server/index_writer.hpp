// Makes the index file of a session (session_index.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stack/process.hpp"

namespace rocdrill::interpose {

class IndexWriter {
 public:
  /// `mode` is st_mode; `flags` are entry_*.
  void add(const std::string& path, std::uint32_t mode, const FileStat& stat, std::uint32_t flags);

  std::vector<std::string> prefixes;
  std::vector<std::pair<std::string, std::string>> aliases;
  std::string hostname;
  std::string kernel_release;
  std::string kernel_version;
  Identity login;

  std::string bytes(std::uint64_t epoch) const;

 private:
  struct Entry {
    std::string path;
    std::uint32_t mode = 0;
    FileStat stat;
    std::uint32_t flags = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace rocdrill::interpose
