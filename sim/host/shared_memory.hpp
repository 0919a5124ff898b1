// /dev/shm: the tmpfs in which processes share memory by name, and its size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stack/event.hpp"

namespace rocdrill::sim {

/// Memory of this machine that several mappings share; closed with its last owner.
class MemoryFile {
 public:
  /// nullptr if the machine has none left.
  static std::shared_ptr<MemoryFile> create(std::size_t bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool resize(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Shared, read and written, at `at` (replacing what is mapped there) or anywhere for nullptr;
  /// nullptr on failure. To be unmapped by the caller.
  void* map(std::size_t length, void* at = nullptr) const;

 private:
  MemoryFile(int fd, std::size_t bytes) : fd_(fd), bytes_(bytes) {}
  int fd_;
  std::size_t bytes_;
};

class SharedMemory {
 public:
  /// mount -o size=: what is used already stays. `event` explains the size.
  void mount(std::uint64_t bytes, EventId event) {
    size_ = bytes;
    event_ = event;
  }
  std::uint64_t size() const { return size_; }
  std::uint64_t used() const;
  EventId why_size() const { return event_; }

  std::vector<std::string> names() const;
  /// nullptr if there is no file of this name.
  std::shared_ptr<MemoryFile> find(std::string_view name) const;
  std::shared_ptr<MemoryFile> create(std::string_view name);
  /// posix_fallocate: 0, or ENOSPC when the file system has not so much left.
  int allocate(MemoryFile& file, std::uint64_t bytes);
  bool unlink(std::string_view name);
  /// A boot: everything is gone.
  void clear() { files_.clear(); }

  /// Files belong to live processes, which are not saved.
  template <class Archive>
  void serialize(Archive& archive) {
    archive("size", size_);
    archive("event", event_);
  }

 private:
  std::uint64_t size_ = 0;
  EventId event_ = no_event;
  std::map<std::string, std::shared_ptr<MemoryFile>, std::less<>> files_;
};

class Os;
/// At boot: half of the memory, or what /etc/fstab says ("size=64M", "size=10%").
void mount_shared_memory(Os& os, std::uint64_t memory_bytes);
/// Bytes of "64M", "1G", "10%" (of `memory_bytes`), "4096"; 0 if it is none of those.
std::uint64_t tmpfs_size(std::string_view text, std::uint64_t memory_bytes);

}  // namespace rocdrill::sim
