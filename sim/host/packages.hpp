// dpkg and apt as far as a ROCm node depends on them: packages are sets of files, their
// dependencies decide what an upgrade brings along, and hooks run after them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/files.hpp"
#include "sim/host/journal.hpp"

namespace rocdrill::sim {

struct PackageFile {
  std::string path;
  Blob content;  ///< or the symlink's target
  std::uint32_t mode = 0644;
  bool is_symlink = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("path", path);
    archive("content", content);
    archive("mode", mode);
    archive("is_symlink", is_symlink);
  }
};

struct Package {
  std::string name;
  std::string version;
  std::vector<std::string> depends;  ///< names
  std::vector<PackageFile> files;
  std::string summary;
  EventId event = no_event;  ///< why it is as it is, if somebody changed what was published

  template <class Archive>
  void serialize(Archive& archive) {
    archive("name", name);
    archive("version", version);
    archive("depends", depends);
    archive("files", files);
    archive("summary", summary);
    archive("event", event);
  }
};

/// Called after a package was installed or before it is removed, with that event as the cause.
/// What the hook prints is appended to the command's output.
using PackageHook =
    std::function<void(const Package&, bool installed, EventId cause, std::string& output)>;

class Packages {
 public:
  Packages(FileTree& files, Journal& journal) : files_(files), journal_(journal) {}

  /// Makes a package known (an apt source has it); a newer one of the same name replaces it.
  void publish(Package package);
  /// Part of the image that the node was made from: no event, no hook.
  void preinstall(const std::string& name);

  const Package* installed(std::string_view name) const;
  const Package* available(std::string_view name) const;
  /// Names in order.
  std::vector<std::string> installed_names() const;
  /// The installed package that owns a path, or nullptr.
  const Package* owner(std::string_view path) const;

  struct Outcome {
    bool ok = false;
    std::string output;  ///< as apt prints it
    EventId event = no_event;
  };
  /// apt install: with dependencies.
  Outcome install(const std::string& name, EventId cause);
  /// apt install --reinstall: puts its files back.
  Outcome reinstall(const std::string& name, EventId cause);
  Outcome remove(const std::string& name, EventId cause);
  /// What unattended-upgrades does: each installed package for which a newer version is
  /// published, with the new one's dependencies.
  Outcome upgrade(EventId cause);

  void on_change(PackageHook hook) { hooks_.push_back(std::move(hook)); }
  /// The event that removed a package, or that removed what would have brought it along (a
  /// package that depends on it); no_event if unknown.
  EventId why_absent(std::string_view name) const;
  /// The same for a file that some published package would have put there.
  EventId why_no_file(std::string_view path) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive("available", available_);
    archive("installed", installed_);
    archive("removed", removed_);
  }

 private:
  void unpack(const Package& package, EventId event);
  bool plan(const std::string& name, std::vector<std::string>& order, std::string& missing) const;

  FileTree& files_;
  Journal& journal_;
  std::map<std::string, Package, std::less<>> available_;
  std::map<std::string, Package, std::less<>> installed_;
  std::map<std::string, EventId, std::less<>> removed_;
  std::vector<PackageHook> hooks_;
};

/// dpkg's order of versions, for the versions that occur here (digits and non-digits in turn).
int compare_versions(std::string_view left, std::string_view right);

}  // namespace rocdrill::sim
