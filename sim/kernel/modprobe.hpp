// modprobe: finds a module for the running kernel, reads its configuration as kmod does, and
// asks the kernel to insert it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sim/kernel/modules.hpp"

namespace rocdrill::kernel {

/// What /etc/modprobe.d, /lib/modprobe.d and the kernel command line say.
struct ModprobeConfig {
  std::map<std::string, EventId> blacklist;           ///< module -> event of the file that says so
  std::map<std::string, std::string> blacklisted_in;  ///< module -> file
  std::set<std::string> refused_by_kernel;            ///< module_blacklist= of the command line
  std::map<std::string, std::map<std::string, std::string>> options;
  std::map<std::string, EventId> options_from;  ///< module -> event of the last source of options
};
ModprobeConfig read_modprobe_config(const Os& os);
/// The same with the configuration files of an initramfs.
ModprobeConfig read_modprobe_config(const Os& os, const sim::FileTree& files);

struct ModprobeResult {
  int exit_code = 0;
  std::string output;  ///< standard error
  EventId event = no_event;
  int error = 0;  ///< errno, where there is one
};

class Modprobe {
 public:
  /// What runs when a module has been inserted or is about to go: the module's init and exit.
  /// init returns 0 or an errno; a driver whose devices fail to probe still returns 0.
  struct Entry {
    std::function<int(const LoadedModule&, EventId cause)> init;
    std::function<int(EventId cause)> exit;  ///< EBUSY while in use
  };

  Modprobe(Os& os, ModuleTable& table) : os_(os), table_(table) {}
  void set_entry(std::string module, Entry entry) {
    entries_[std::move(module)] = std::move(entry);
  }

  /// `modprobe NAME key=value...`: a name is not subject to the blacklist.
  ModprobeResult load(const std::string& name, const std::map<std::string, std::string>& parameters,
                      EventId cause);
  /// `modprobe -b ALIAS`, as udev does for a device: the blacklist applies. `expected` is the
  /// module that serves such a device on a healthy node.
  ModprobeResult load_alias(const std::string& modalias, const std::string& expected,
                            EventId cause);
  /// `insmod PATH`.
  ModprobeResult insert_file(const std::string& path,
                             const std::map<std::string, std::string>& parameters, EventId cause);
  ModprobeResult remove(const std::string& name, EventId cause);
  /// What is configured now: with the files of the root file system, or of an initramfs while that
  /// is all there is.
  ModprobeConfig config() const;
  void set_root(const sim::FileTree* files) { root_ = files; }

 private:
  ModprobeResult fail(const std::string& module, std::string_view kind, std::string output,
                      std::string_view asked, std::string_view got, EventId cause, int error);
  ModprobeResult insert(const std::string& path, std::map<std::string, std::string> parameters,
                        const std::string& user, EventId cause);
  EventId why_not_found(const std::string& module) const;
  /// module_sig_check(): an error, and what the ring buffer says of it.
  int check_signature(const ModuleFile& file, std::string& says) const;
  void taint(const ModuleFile& file, EventId event);

  Os& os_;
  ModuleTable& table_;
  std::map<std::string, Entry> entries_;
  const sim::FileTree* root_ = nullptr;
};

}  // namespace rocdrill::kernel
