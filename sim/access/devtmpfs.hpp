// /dev: the driver's device nodes with the owner and mode that udev gives them.
#pragma once

#include <map>
#include <string>

#include "sim/host/os.hpp"

namespace rocdrill::kernel {
class Kernel;
struct CharDevice;
}  // namespace rocdrill::kernel

namespace rocdrill::access {

class DevTmpfs : public sim::FileProvider {
 public:
  DevTmpfs(sim::Os& os, const kernel::Kernel& kernel);

  SysResult<FileStat> lstat(std::string_view path) override;
  SysResult<std::string> read(std::string_view path) override;
  SysResult<std::vector<std::string>> list(std::string_view path) override;

  /// chmod, chown, chgrp by a person: lasts until the node is made again.
  SysResult<void> set_mode(std::string_view path, std::uint32_t mode, EventId event);
  SysResult<void> set_owner(std::string_view path, std::uint32_t uid, std::uint32_t gid,
                            EventId event);
  /// The event that gave the node attributes other than udev's rules do, or that changed those.
  EventId why_attributes(std::string_view path) const;
  /// A reboot or an unloaded driver makes all nodes anew.
  void forget() { overrides_.clear(); }
  /// udev: applies its rules to nodes that have appeared since it looked last.
  void settle();
  /// udevadm trigger: the rules as they are now, for every node of the subsystems that the pattern
  /// matches ("" for all). What was changed by hand is gone.
  void trigger(const std::string& subsystem = {});

  template <class Archive>
  void serialize(Archive& archive) {
    archive("overrides", overrides_);
    archive("applied", applied_);
  }

 private:
  struct Override {
    std::uint32_t mode = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    EventId event = no_event;

    template <class Archive>
    void serialize(Archive& archive) {
      archive("mode", mode);
      archive("uid", uid);
      archive("gid", gid);
      archive("event", event);
    }
  };

  Override by_rules(std::string_view path) const;
  Override attributes(std::string_view path) const;

  sim::Os& os_;
  const kernel::Kernel& kernel_;
  std::map<std::string, Override, std::less<>> overrides_;
  std::map<std::string, Override, std::less<>> applied_;  ///< by udev when the node appeared
};

}  // namespace rocdrill::access
