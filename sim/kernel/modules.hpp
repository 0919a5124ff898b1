// Kernel modules on disk and in the kernel: .ko files, depmod's indexes, the loaded list.
//
// A .ko of the node is a text file with the "key=value" lines that modinfo prints; what modprobe
// and the kernel decide, they decide from these and from the indexes that depmod wrote.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/os.hpp"

namespace rocdrill::kernel {

using sim::Os;

/// What modinfo knows of a .ko.
struct ModuleFile {
  std::string path;
  std::multimap<std::string, std::string> info;

  std::string get(std::string_view key) const;
  std::vector<std::string> all(std::string_view key) const;
  bool in_tree() const { return get("intree") == "Y"; }
};

/// Text of a .ko; `version` is empty for in-tree modules, which have none.
std::string module_text(std::string_view name, std::string_view kernel, std::string_view version,
                        const std::vector<std::string>& depends,
                        const std::vector<std::string>& aliases);

std::optional<ModuleFile> read_module(const sim::FileTree& files, const std::string& path);

/// depmod: writes modules.dep and modules.alias of one kernel from the .ko files below
/// /lib/modules/<kernel>; updates/ wins over kernel/.
void depmod(sim::FileTree& files, const std::string& kernel, EventId event);

/// modules.dep: the module's file, absolute, or nullopt.
std::optional<std::string> find_module(const sim::FileTree& files, const std::string& kernel,
                                       std::string_view name);
/// modules.alias: names of the modules that claim `modalias`.
std::vector<std::string> match_alias(const sim::FileTree& files, const std::string& kernel,
                                     std::string_view modalias);

struct LoadedModule {
  std::string name;
  std::string path;
  std::string version;  ///< "" for in-tree
  bool in_tree = false;
  std::uint64_t size = 0;
  std::vector<std::string> used_by;
  std::string initstate = "live";
  std::map<std::string, std::string> parameters;
  EventId event = no_event;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("name", name);
    archive("path", path);
    archive("version", version);
    archive("in_tree", in_tree);
    archive("size", size);
    archive("used_by", used_by);
    archive("initstate", initstate);
    archive("parameters", parameters);
    archive("event", event);
  }
};

/// /proc/modules, newest first as the kernel lists them.
class ModuleTable {
 public:
  const LoadedModule* find(std::string_view name) const;
  LoadedModule* find(std::string_view name);
  void add(LoadedModule module) { modules_.insert(modules_.begin(), std::move(module)); }
  void remove(std::string_view name);
  void clear() { modules_.clear(); }
  const std::vector<LoadedModule>& all() const { return modules_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("modules", modules_);
  }

 private:
  std::vector<LoadedModule> modules_;
};

}  // namespace rocdrill::kernel
