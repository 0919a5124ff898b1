#include "sim/interpose/server/index_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/interpose/session_index.hpp"

namespace rocdrill::interpose {
namespace {

/// The file as it grows: tables first, texts behind them.
class Layout {
 public:
  template <class T>
  std::uint32_t reserve(std::size_t count) {
    const std::size_t at = (bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes.resize(at + count * sizeof(T));
    return static_cast<std::uint32_t>(at);
  }
  template <class T>
  void put(std::size_t offset, const T& value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
  std::uint32_t text(const std::string& value) {
    const auto at = static_cast<std::uint32_t>(bytes.size());
    bytes.append(value.c_str(), value.size() + 1);
    return at;
  }
  std::string bytes;
};

}  // namespace

void IndexWriter::add(const std::string& path, std::uint32_t mode, const FileStat& stat,
                      std::uint32_t flags) {
  entries_.push_back({path, mode, stat, flags});
}

std::string IndexWriter::bytes(std::uint64_t epoch) const {
  Layout file;
  file.reserve<IndexHeader>(1);
  IndexHeader header{};
  header.magic = index_magic;
  header.version = index_version;
  header.epoch = epoch;
  header.entry_count = static_cast<std::uint32_t>(entries_.size());
  header.bucket_count = std::bit_ceil(std::max<std::uint32_t>(16, header.entry_count * 2));
  header.prefix_count = static_cast<std::uint32_t>(prefixes.size());
  header.alias_count = static_cast<std::uint32_t>(aliases.size());
  header.group_count = static_cast<std::uint32_t>(login.groups.size());
  header.entries = file.reserve<IndexEntry>(entries_.size());
  header.buckets = file.reserve<std::uint32_t>(header.bucket_count);
  header.prefixes = file.reserve<std::uint32_t>(prefixes.size());
  header.aliases = file.reserve<std::uint32_t>(2 * aliases.size());
  header.groups = file.reserve<std::uint32_t>(login.groups.size());

  std::vector<std::uint32_t> buckets(header.bucket_count, no_entry);
  for (std::uint32_t i = 0; i < header.entry_count; ++i) {
    const Entry& from = entries_[i];
    std::uint32_t& bucket =
        buckets[index_hash(from.path.data(), from.path.size()) & (header.bucket_count - 1)];
    const IndexEntry entry{file.text(from.path), bucket,        from.mode,
                           from.stat.uid,        from.stat.gid, from.stat.rdev_major,
                           from.stat.rdev_minor, from.flags};
    bucket = i;
    file.put(header.entries + i * sizeof entry, entry);
  }
  for (std::uint32_t i = 0; i < header.bucket_count; ++i)
    file.put(header.buckets + i * 4ull, buckets[i]);
  for (std::uint32_t i = 0; i < header.prefix_count; ++i)
    file.put(header.prefixes + i * 4ull, file.text(prefixes[i]));
  for (std::uint32_t i = 0; i < header.alias_count; ++i) {
    file.put(header.aliases + i * 8ull, file.text(aliases[i].first));
    file.put(header.aliases + i * 8ull + 4, file.text(aliases[i].second));
  }
  for (std::uint32_t i = 0; i < header.group_count; ++i)
    file.put(header.groups + i * 4ull, login.groups[i]);
  header.hostname = file.text(hostname);
  header.kernel_release = file.text(kernel_release);
  header.kernel_version = file.text(kernel_version);
  header.user = file.text(login.user);
  header.uid = login.uid;
  header.gid = login.gid;
  header.size = static_cast<std::uint32_t>(file.bytes.size());
  file.put(0, header);
  return std::move(file.bytes);
}

}  // namespace rocdrill::interpose
