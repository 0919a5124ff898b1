#include "sim/host/files.hpp"

#include <algorithm>
#include <cerrno>

namespace rocdrill::sim {
namespace {

/// "/a//b/./c/" -> "/a/b/c"; ".." is resolved by text, which is right for a path whose
/// symlinks are already resolved.
std::string normalise(std::string_view path) {
  std::string out;
  out.reserve(path.size() + 1);
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == "..") {
      out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
    } else if (!part.empty() && part != ".") {
      out += '/';
      out += part;
    }
    at = end + 1;
  }
  return out.empty() ? "/" : out;
}

constexpr int max_symlinks = 40;  // as the kernel's MAXSYMLINKS

}  // namespace

SysResult<void> FileProvider::write(std::string_view, std::string_view, EventId) {
  return fail(EACCES);
}
SysResult<std::string> FileProvider::readlink(std::string_view) { return fail(EINVAL); }

FileTree::FileTree() {
  entries_.emplace("/", Entry{FileType::directory, {0755, 0, 0}, {}, no_event});
}

void FileTree::make_parents(std::string_view path, EventId event) {
  const std::string_view above = parent(path);
  if (entries_.contains(above)) return;
  make_parents(above, event);
  entries_.emplace(above, Entry{FileType::directory, {0755, 0, 0}, {}, event});
  absences_.erase(std::string(above));
}

void FileTree::write(std::string_view path, std::string content, EventId event,
                     Attributes attributes) {
  make_parents(path, event);
  entries_.insert_or_assign(std::string(path),
                            Entry{FileType::regular, attributes, Blob{std::move(content)}, event});
  absences_.erase(std::string(path));
}

void FileTree::make_directory(std::string_view path, EventId event, std::uint32_t mode) {
  make_parents(path, event);
  entries_.insert_or_assign(std::string(path), Entry{FileType::directory, {mode, 0, 0}, {}, event});
  absences_.erase(std::string(path));
}

void FileTree::symlink(std::string_view path, std::string target, EventId event) {
  make_parents(path, event);
  entries_.insert_or_assign(std::string(path),
                            Entry{FileType::symlink, {0777, 0, 0}, Blob{std::move(target)}, event});
  absences_.erase(std::string(path));
}

void FileTree::remove(std::string_view path, EventId event) {
  const auto first = entries_.find(path);
  if (first == entries_.end()) return;
  entries_.erase(first);
  const std::string below = std::string(path) + "/";
  auto at = entries_.lower_bound(below);
  while (at != entries_.end() && at->first.starts_with(below)) at = entries_.erase(at);
  absences_.insert_or_assign(std::string(path), event);
}

void FileTree::explain_absence(std::string_view path, EventId event) {
  if (!entries_.contains(path)) absences_.insert_or_assign(std::string(path), event);
}

SysResult<void> FileTree::chmod(std::string_view path, std::uint32_t mode, EventId event) {
  Entry* entry = find(path);
  if (!entry) return absent(path);
  entry->attributes.mode = mode;
  entry->event = event;
  return {};
}

SysResult<void> FileTree::chown(std::string_view path, std::uint32_t uid, std::uint32_t gid,
                                EventId event) {
  Entry* entry = find(path);
  if (!entry) return absent(path);
  entry->attributes.uid = uid;
  entry->attributes.gid = gid;
  entry->event = event;
  return {};
}

FileTree::Entry* FileTree::find(std::string_view path) {
  const auto at = entries_.find(path);
  return at == entries_.end() ? nullptr : &at->second;
}

EventId FileTree::why(std::string_view path) const {
  if (const FileProvider* provider = provider_of(path)) return provider->why(path);
  for (std::string_view at = path;; at = parent(at)) {
    if (const auto gone = absences_.find(at); gone != absences_.end()) return gone->second;
    if (const auto entry = entries_.find(at); entry != entries_.end()) {
      // An ancestor that exists does not explain why something below it is absent.
      return at == path ? entry->second.event : no_event;
    }
    if (at == "/") return no_event;
  }
}

EventId FileTree::why_resolved(std::string_view path) const {
  auto real = resolve(path, true);
  return real ? why(*real) : real.error().event;
}

std::unexpected<SysError> FileTree::absent(std::string_view path) const {
  return fail(ENOENT, why(path));
}

FileProvider* FileTree::provider_of(std::string_view path) const {
  for (std::string_view at = path;; at = parent(at)) {
    if (const auto mounted = mounts_.find(at); mounted != mounts_.end()) return mounted->second;
    if (at == "/") return nullptr;
  }
}

SysResult<FileStat> FileTree::lstat_resolved(std::string_view path) const {
  if (FileProvider* provider = provider_of(path)) return provider->lstat(path);
  const auto at = entries_.find(path);
  if (at == entries_.end()) {
    // A directory above a mount point exists even if nothing else is in it.
    const std::string below = path == "/" ? "/" : std::string(path) + "/";
    const auto mount = mounts_.lower_bound(below);
    if (mount != mounts_.end() && mount->first.starts_with(below)) {
      return FileStat{.type = FileType::directory, .mode = 0755};
    }
    return absent(path);
  }
  const Entry& entry = at->second;
  return FileStat{.type = entry.type,
                  .mode = entry.attributes.mode,
                  .uid = entry.attributes.uid,
                  .gid = entry.attributes.gid,
                  .size = entry.content.bytes.size()};
}

SysResult<std::string> FileTree::resolve(std::string_view path, bool follow_last) const {
  std::string rest = normalise(path);
  std::string done;
  int links = 0;
  while (!rest.empty() && rest != "/") {
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    const std::string next = done + rest.substr(0, end);
    rest.erase(0, end);
    auto stat = lstat_resolved(next);
    if (!stat && !rest.empty() && stat.error().error == ENOENT && stat.error().event == no_event)
      return fail(ENOENT, why(next + rest));  // of what would be in a directory that is not there
    if (!stat) return std::unexpected(stat.error());
    if (stat->type == FileType::symlink && (follow_last || !rest.empty())) {
      if (++links > max_symlinks) return fail(ELOOP);
      auto target = readlink(next);
      if (!target) return std::unexpected(target.error());
      rest = normalise((target->starts_with('/') ? *target : done + "/" + *target) + rest);
      done.clear();
      continue;
    }
    if (!rest.empty() && stat->type != FileType::directory) return fail(ENOTDIR);
    done = next;
  }
  return done.empty() ? "/" : done;
}

SysResult<std::string> FileTree::resolve(std::string_view path) const {
  return resolve(path, true);
}

SysResult<FileStat> FileTree::stat(std::string_view path) const {
  auto real = resolve(path, true);
  if (!real) return std::unexpected(real.error());
  return lstat_resolved(*real);
}

SysResult<FileStat> FileTree::lstat(std::string_view path) const {
  auto real = resolve(path, false);
  if (!real) return std::unexpected(real.error());
  return lstat_resolved(*real);
}

SysResult<std::string> FileTree::read(std::string_view path) const {
  auto real = resolve(path, true);
  if (!real) return std::unexpected(real.error());
  if (FileProvider* provider = provider_of(*real)) return provider->read(*real);
  const auto at = entries_.find(*real);
  if (at == entries_.end()) return fail(EISDIR);
  if (at->second.type == FileType::directory) return fail(EISDIR);
  return at->second.content.bytes;
}

SysResult<void> FileTree::store(std::string_view path, std::string_view content, EventId event) {
  auto real = resolve(path, true);
  std::string target = real ? *real : normalise(path);
  if (!real) {
    if (real.error().error != ENOENT || !exists(parent(target))) {
      return std::unexpected(real.error());
    }
  }
  if (FileProvider* provider = provider_of(target)) return provider->write(target, content, event);
  if (Entry* entry = find(target)) {
    if (entry->type == FileType::directory) return fail(EISDIR);
    entry->content.bytes = content;
    entry->event = event;
    return {};
  }
  write(target, std::string(content), event);
  return {};
}

SysResult<std::vector<std::string>> FileTree::list(std::string_view path) const {
  auto real = resolve(path, true);
  if (!real) return std::unexpected(real.error());
  if (FileProvider* provider = provider_of(*real)) return provider->list(*real);
  if (auto stat = lstat_resolved(*real); stat->type != FileType::directory) return fail(ENOTDIR);
  const std::string below = *real == "/" ? "/" : *real + "/";
  std::vector<std::string> names;
  const auto add_children = [&](const auto& map) {
    auto at = map.lower_bound(below);
    while (at != map.end() && std::string_view(at->first).starts_with(below)) {
      const std::string_view rest = std::string_view(at->first).substr(below.size());
      const std::size_t slash = rest.find('/');
      if (!rest.empty()) names.emplace_back(rest.substr(0, slash));
      if (slash == std::string_view::npos) {
        ++at;
      } else {  // inside a child directory: skip to its end ('0' follows '/')
        at = map.lower_bound(below + names.back() + "0");
      }
    }
  };
  add_children(entries_);
  add_children(mounts_);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

SysResult<std::string> FileTree::readlink(std::string_view path) const {
  // resolve() passes paths whose parents are resolved; others resolve theirs here.
  std::string real(path);
  if (!provider_of(path) || !lstat_resolved(path)) {
    auto above = resolve(parent(path), true);
    if (!above) return std::unexpected(above.error());
    real = join(*above, basename(path));
  }
  if (FileProvider* provider = provider_of(real)) return provider->readlink(real);
  const auto at = entries_.find(real);
  if (at == entries_.end()) return absent(real);
  if (at->second.type != FileType::symlink) return fail(EINVAL);
  return at->second.content.bytes;
}

std::string FileTree::text(std::string_view path) const {
  auto content = read(path);
  return content ? *content : std::string();
}

void FileTree::mount(std::string prefix, FileProvider& provider) {
  mounts_.insert_or_assign(std::move(prefix), &provider);
}

std::string join(std::string_view directory, std::string_view name) {
  std::string out(directory);
  if (out.empty() || out.back() != '/') out += '/';
  out += name;
  return out;
}

std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

std::string_view basename(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(" \t", end);
  }
  return words;
}

}  // namespace rocdrill::sim
