// What programs write into root/ becomes the node's state: inotify tells in the order in which it
// happened, so that everything that was written before a request is known when it is served.
#pragma once

#include <map>
#include <string>

#include "sim/interpose/server/exporter.hpp"

namespace rocdrill::interpose {

class Watcher {
 public:
  Watcher(sim::Os& os, Exporter& exporter);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Becomes readable when there is something to drain().
  int descriptor() const { return fd_; }
  /// Watches directories that are new since the last call.
  void watch_directories();
  /// Takes note of all changes. True if the node changed.
  bool drain();

 private:
  bool changed(const std::string& path);
  bool removed(const std::string& path);
  bool appeared(const std::string& path);

  sim::Os& os_;
  Exporter& exporter_;
  int fd_ = -1;
  std::map<int, std::string> watches_;
  std::map<std::string, int> by_path_;
};

}  // namespace rocdrill::interpose
