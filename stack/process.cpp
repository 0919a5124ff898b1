#include "stack/process.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace rocdrill {
namespace {

// One page: a sysfs attribute is never longer, so that most files take one read and the one
// that reports the end.
constexpr std::size_t first_read = 4096;

/// Reads from `fd` to the end of the file; a read that a signal interrupted is repeated.
SysResult<std::string> read_to_end(Process& process, int fd) {
  std::string content;
  std::size_t size = 0;
  while (true) {
    content.resize(size + std::max(first_read, size));
    const std::span<char> rest(content.data() + size, content.size() - size);
    const SysResult<std::size_t> count = process.read(fd, std::as_writable_bytes(rest));
    if (!count) {
      if (count.error().error == EINTR) continue;
      return std::unexpected(count.error());
    }
    if (*count == 0) break;
    size += *count;
  }
  content.resize(size);
  return content;
}

}  // namespace

bool Identity::in_group(std::uint32_t id) const {
  return gid == id || std::ranges::find(groups, id) != groups.end();
}

std::uint32_t id_inside(const std::vector<IdRange>& map, std::uint32_t outside) {
  if (map.empty()) return outside;
  for (const IdRange& range : map) {
    if (outside - range.outside < range.count) return range.inside + (outside - range.outside);
  }
  return overflow_id;
}

std::optional<std::uint32_t> id_outside(const std::vector<IdRange>& map, std::uint32_t inside) {
  if (map.empty()) return inside;
  for (const IdRange& range : map) {
    if (inside - range.inside < range.count) return range.outside + (inside - range.inside);
  }
  return std::nullopt;
}

std::string Process::env(std::string_view name) const {
  const auto entry = environment().find(name);
  return entry == environment().end() ? std::string() : entry->second;
}

bool Process::has_env(std::string_view name) const { return environment().contains(name); }

SysResult<void> Process::allocate(int, std::uint64_t) { return fail(ENOSYS); }
SysResult<void> Process::unlink(std::string_view) { return fail(ENOSYS); }

SysResult<std::string> Process::read_file(std::string_view path) {
  SysResult<int> fd = open(path, O_RDONLY | O_CLOEXEC);
  while (!fd && fd.error().error == EINTR) fd = open(path, O_RDONLY | O_CLOEXEC);
  if (!fd) return std::unexpected(fd.error());
  SysResult<std::string> content = read_to_end(*this, *fd);
  // Nothing was written through it: what close says changes nothing about what was read.
  [[maybe_unused]] const SysResult<void> closed = close(*fd);
  return content;
}

}  // namespace rocdrill
