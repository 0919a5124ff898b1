// What the kernel shows of itself as files: /proc/{cmdline,modules,version,cpuinfo,meminfo},
// /sys/module, /sys/class/kfd, /sys/class/drm. Every file is made when it is read.
#pragma once

#include <functional>
#include <optional>

#include "sim/host/os.hpp"

namespace rocdrill::kernel {

class Kernel;

class SysFs : public sim::FileProvider {
 public:
  SysFs(sim::Os& os, const Kernel& kernel);

  SysResult<FileStat> lstat(std::string_view path) override;
  SysResult<std::string> read(std::string_view path) override;
  SysResult<std::vector<std::string>> list(std::string_view path) override;
  SysResult<std::string> readlink(std::string_view path) override;
  EventId why(std::string_view path) const override;

 private:
  /// A directory's names, a file's content, a link's target, or nothing.
  struct Node {
    std::optional<std::vector<std::string>> directory;
    std::function<std::string()> content;
    std::optional<std::string> target;
    EventId why = no_event;  ///< nothing is there because of this
  };
  using Parts = std::vector<std::string_view>;
  Node look(std::string_view path) const;
  Node proc(const Parts& parts) const;
  Node module(const Parts& parts) const;
  Node class_kfd(const Parts& parts) const;
  Node topology_node(std::size_t index, const Parts& rest) const;
  Node class_drm(const Parts& parts) const;

  sim::Os& os_;
  const Kernel& kernel_;
};

}  // namespace rocdrill::kernel
