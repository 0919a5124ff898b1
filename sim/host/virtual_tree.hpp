// A file system that is made up as it is read: sysfs and procfs. Components say what their
// directories hold with functions; nothing is kept. A look-up of one name asks the directories on
// its way for that name alone, so that a large tree costs only what is looked at.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/files.hpp"
#include "sim/host/journal.hpp"

namespace rocdrill::sim {

class VirtualDirectory;
using DirectoryFill = std::function<void(VirtualDirectory&)>;
using AttributeRead = std::function<std::string()>;
/// What a write does: the kernel's answer. `cause` is the event of the write itself.
using AttributeWrite = std::function<SysResult<void>(std::string_view data, EventId cause)>;

struct VirtualEntry {
  FileType type = FileType::regular;
  std::uint32_t mode = 0444;
  std::uint64_t size = 4096;  ///< sysfs shows a page for every attribute
  AttributeRead read;         ///< none: only root could open it for reading, and would get EIO
  AttributeWrite write;       ///< none: refused, as "not modelled" if the mode allows writing
  std::string target;         ///< of a symlink
  std::vector<DirectoryFill> fills;  ///< of a directory
};

class VirtualDirectory {
 public:
  /// Takes in every name, or only `wanted`.
  VirtualDirectory() = default;
  explicit VirtualDirectory(std::string_view wanted) : one_(true), wanted_(wanted) {}

  /// Whether it is worth to work anything out for this name.
  bool wants(std::string_view name) const { return !one_ || name == wanted_; }

  /// Whether this name is all that is looked for: what explain() says then is of it alone.
  bool wants_only(std::string_view name) const { return one_ && name == wanted_; }

  /// The same for any name that starts so.
  bool wants_some(std::string_view prefix) const { return !one_ || wanted_.starts_with(prefix); }

  template <class Read>
  void file(std::string_view name, Read read, std::uint32_t mode = 0444,
            std::uint64_t size = 4096) {
    if (!wants(name)) return;
    put(name, {FileType::regular, mode, size, std::move(read), {}, {}, {}});
  }
  template <class Read, class Write>
  void writable(std::string_view name, Read read, Write write, std::uint32_t mode = 0644) {
    if (!wants(name)) return;
    put(name, {FileType::regular, mode, 4096, std::move(read), std::move(write), {}, {}});
  }
  template <class Write>
  void write_only(std::string_view name, Write write) {
    if (!wants(name)) return;
    put(name, {FileType::regular, 0200, 4096, {}, std::move(write), {}, {}});
  }
  /// 0200, and what a write does is not modelled.
  void unmodelled(std::string_view name) {
    if (wants(name)) put(name, {FileType::regular, 0200, 4096, {}, {}, {}, {}});
  }
  /// An attribute whose text is known already. Writing, where `mode` allows it, is not modelled.
  void text(std::string_view name, std::string_view text, std::uint32_t mode = 0444) {
    if (!wants(name)) return;
    file(name, [text = std::string(text)] { return text; }, mode);
  }
  /// `target` is relative to this directory, as all links of sysfs are.
  void link(std::string_view name, std::string_view target) {
    if (!wants(name)) return;
    put(name, {FileType::symlink, 0777, 0, {}, {}, std::string(target), {}});
  }
  /// Several fills of one name add up.
  template <class Fill>
  void directory(std::string_view name, Fill fill, std::uint32_t mode = 0755) {
    if (!wants(name)) return;
    VirtualEntry& entry = entries_[std::string(name)];
    entry.type = FileType::directory;
    entry.mode = mode;
    entry.size = 0;
    entry.fills.emplace_back(std::move(fill));
  }
  /// "0" ... "count-1", each filled with its number: fill(VirtualDirectory&, std::uint32_t).
  template <class Fill>
  void numbered(std::uint32_t count, Fill fill) {
    for_numbers(count, [&](std::string_view name, std::uint32_t i) {
      directory(name, [fill, i](VirtualDirectory& inside) { fill(inside, i); });
    });
  }

  /// The event behind what is here and below.
  void explain(EventId event) { event_ = event; }
  /// The event because of which `name` is not here.
  void explain_absence(std::string_view name, EventId event) {
    if (wants(name)) absences_[std::string(name)] = event;
  }

  const std::map<std::string, VirtualEntry, std::less<>>& entries() const { return entries_; }
  EventId event() const { return event_; }
  EventId why_absent(std::string_view name) const;

 private:
  void put(std::string_view name, VirtualEntry entry) {
    entries_.insert_or_assign(std::string(name), std::move(entry));
  }
  void for_numbers(std::uint32_t count,
                   const std::function<void(std::string_view, std::uint32_t)>& add) const;

  bool one_ = false;
  std::string_view wanted_;
  EventId event_ = no_event;
  std::map<std::string, VirtualEntry, std::less<>> entries_;
  std::map<std::string, EventId, std::less<>> absences_;
};

/// The target of a link in `directory`, as kernfs writes it: up to where the ways to the directory
/// and to the target's parent part, and down again.
std::string relative_link(std::string_view directory, std::string_view target);

class VirtualTree final : public FileProvider {
 public:
  /// `root` is where the tree is mounted: "/sys".
  VirtualTree(std::string root, Journal& journal) : root_(std::move(root)), journal_(journal) {}

  /// `fill` adds to the directory at `path`, which is at or below the root. The directories above
  /// exist with it.
  void add(std::string path, DirectoryFill fill) {
    fills_[std::move(path)].push_back(std::move(fill));
  }

  /// Everything at and below the root, each directory before what is in it: the cheap way to copy
  /// the tree. Entries live as long as the call.
  using Visit = std::function<void(const std::string& path, const VirtualEntry& entry)>;
  void walk(const Visit& visit) const;

  SysResult<FileStat> lstat(std::string_view path) override;
  SysResult<std::string> read(std::string_view path) override;
  SysResult<void> write(std::string_view path, std::string_view data, EventId cause) override;
  SysResult<std::vector<std::string>> list(std::string_view path) override;
  SysResult<std::string> readlink(std::string_view path) override;
  EventId why(std::string_view path) const override;

 private:
  struct Found {
    std::optional<VirtualEntry> entry;
    EventId event = no_event;  ///< behind the entry, or behind its absence
  };
  Found find(std::string_view path) const;
  void fill(VirtualDirectory& directory, std::string_view path, const VirtualEntry& entry) const;
  void walk(const std::string& path, const VirtualEntry& entry, const Visit& visit) const;

  std::string root_;
  Journal& journal_;
  std::map<std::string, std::vector<DirectoryFill>, std::less<>> fills_;
};

}  // namespace rocdrill::sim
