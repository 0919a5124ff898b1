// The node that this process lives on: the session folder and the mapped index.
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sim/interpose/preload/hooks.hpp"
#include "sim/interpose/session_index.hpp"

namespace rocdrill::interpose {

inline constexpr size_t folder_max = 192;  ///< of the session folder's path, bytes with the zero

/// A directory of this machine that lies above a prefix: its listing is merged with the node's.
struct Ancestor {
  const char* path;
  uint32_t length;
  bool missing;  ///< this machine has no such directory: the node's is used
  dev_t device;
  ino_t inode;
};

/// One mapped state of the index. Never changes while a thread holds an IndexUse of it.
class Index {
 public:
  const IndexHeader* header = nullptr;

  const char* text(uint32_t offset) const { return reinterpret_cast<const char*>(header) + offset; }
  const uint32_t* numbers(uint32_t offset) const {
    return reinterpret_cast<const uint32_t*>(text(offset));
  }
  const IndexEntry* entries() const {
    return reinterpret_cast<const IndexEntry*>(text(header->entries));
  }
  /// nullptr if the index has no such path.
  const IndexEntry* find(const char* path, size_t length) const;
  /// Is the path at or below a prefix, component by component?
  bool below_prefix(const char* path, size_t length) const;
  /// Ancestors of all prefixes and aliases.
  const Ancestor* ancestors(size_t& count) const;

  mutable Ancestor* ancestor_list = nullptr;
  mutable size_t ancestor_count = 0;
  /// IndexUses, one more while it is the newest; far below zero while a thread fills it anew.
  mutable int uses = 0;
  Index* next = nullptr;  ///< of all that were ever made: their memory is never given back
};

/// The index that was newest when this was made; it stays mapped as long as this lives.
class IndexUse {
 public:
  IndexUse() = default;
  IndexUse(const IndexUse& other) : index_(other.index_) {
    if (index_ != nullptr) __atomic_add_fetch(&index_->uses, 1, __ATOMIC_RELAXED);
  }
  IndexUse& operator=(const IndexUse& other) {
    if (other.index_ != nullptr) __atomic_add_fetch(&other.index_->uses, 1, __ATOMIC_RELAXED);
    release();
    index_ = other.index_;
    return *this;
  }
  ~IndexUse() { release(); }
  /// Early, for a caller that may not come back (exec in a vfork child, whose memory is shared).
  void release() {
    if (index_ != nullptr) __atomic_sub_fetch(&index_->uses, 1, __ATOMIC_RELEASE);
    index_ = nullptr;
  }

  const Index& operator*() const { return *index_; }
  const Index* operator->() const { return index_; }

 private:
  friend IndexUse newest_index();
  /// Takes over one use that was counted already.
  explicit IndexUse(const Index* index) : index_(index) {}
  const Index* index_ = nullptr;
};

struct Session {
  char folder[folder_max];  ///< canonical, no trailing slash
  size_t folder_length;
  char root[folder_max + 8];  ///< folder + "/root"
  size_t root_length;
  char preload[folder_max + 32];
  uint32_t hash;          ///< index_hash of the folder
  dev_t devices[2];       ///< st_dev of root/ and of regular files in the session
  uid_t owner;            ///< of root/ and of everything in it, on this machine
  const uint64_t* epoch;  ///< mapped
  Index* current;
};

enum class SessionState { unknown, absent, present };
extern SessionState session_state;
extern Session the_session;
void start_session();

/// nullptr when not on a node, or while the engine runs on this thread.
inline Session* session() {
  if (__builtin_expect(session_state == SessionState::unknown, 0)) start_session();
  if (session_state != SessionState::present || depth > 0) return nullptr;
  return &the_session;
}

IndexUse newest_index();

/// One line on standard error: "rocdrill: ...".
__attribute__((format(printf, 1, 2))) void complain(const char* format, ...);

}  // namespace rocdrill::interpose
