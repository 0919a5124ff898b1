// The index of a session: what the preload library must know of the node without asking the node
// server for every call. The server writes it, clients map it read-only; libc types only.
//
// A session folder (mode 0700) holds
//   socket      the node server (SOCK_SEQPACKET)
//   index       this file; every change replaces it by rename and then moves `epoch` on
//   epoch       8 bytes, mapped shared by every client: the number of the newest index
//   root/       the node's files, one real file or directory for each of them, symlinks relative
//   bin/        the commands that act on the node
//   lib/        librocdrill_preload.so, librocdrill_engine.so
#pragma once

#include <stdint.h>

namespace rocdrill::interpose {

inline constexpr uint32_t index_magic = 0x58444352;  // "RCDX"
inline constexpr uint32_t index_version = 1;
inline constexpr uint32_t no_entry = 0xFFFFFFFF;

/// Offsets count bytes from the start of the file; texts end with a zero byte.
struct IndexHeader {
  uint32_t magic;
  uint32_t version;
  uint64_t epoch;
  uint32_t size;         ///< of the file, bytes
  uint32_t entry_count;  ///< IndexEntry[entry_count] at `entries`
  uint32_t entries;
  uint32_t bucket_count;  ///< a power of two; uint32_t[bucket_count] at `buckets`: first entry
  uint32_t buckets;
  uint32_t prefix_count;  ///< uint32_t[prefix_count] at `prefixes`: texts, sorted by strcmp
  uint32_t prefixes;
  uint32_t alias_count;  ///< uint32_t[2 * alias_count] at `aliases`: "/usr/lib/modules" ->
                         ///< "/lib/modules"
  uint32_t aliases;
  // uname(2) and gethostname(2)
  uint32_t hostname;
  uint32_t kernel_release;
  uint32_t kernel_version;
  // Who is logged in, unless ROCDRILL_IDENTITY says otherwise.
  uint32_t user;
  uint32_t uid;
  uint32_t gid;
  uint32_t group_count;  ///< uint32_t[group_count] at `groups`: supplementary, numeric
  uint32_t groups;
};

/// A file of the node. Whatever lies at or below a prefix and has no entry and no file in root/
/// does not exist.
struct IndexEntry {
  uint32_t path;  ///< absolute, on the node, without a trailing slash
  uint32_t next;  ///< of the same bucket, or no_entry
  uint32_t mode;  ///< st_mode: type and permissions
  uint32_t uid;
  uint32_t gid;
  uint32_t rdev_major;  ///< of a character device
  uint32_t rdev_minor;
  uint32_t flags;  ///< entry_*
};
inline constexpr uint32_t entry_virtual =
    1;  ///< made up by the kernel: cannot be created or removed
/// A file system of its own: at and below this path the real stat() has the node's modes and
/// owners, and nothing else is in the index.
inline constexpr uint32_t entry_live = 2;

/// FNV-1a over the path's bytes; the bucket is its low bits.
inline uint32_t index_hash(const char* path, uint64_t length) {
  uint32_t hash = 2166136261u;
  for (uint64_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(path[i])) * 16777619u;
  return hash;
}

/// In bin/: runs the HIP program of the node that its first argument names.
inline constexpr char program_runner[] = "rocdrill-program";

/// Environment of every program on the node. A session variable that is set to nothing, or that
/// names no session, leaves the node: the program sees the machine itself. One that is missing is
/// put back by the preload library.
inline constexpr char session_variable[] = "ROCDRILL_SESSION";    ///< the session folder
inline constexpr char identity_variable[] = "ROCDRILL_IDENTITY";  ///< "user:uid:gid:gid,gid,..."

/// An open device is a connected socket whose own name says what it is, so that dup, fork, exec and
/// SCM_RIGHTS need no bookkeeping: "\0rocdrill/<8 hex digits>/<device>/<pid>.<count>" (abstract;
/// the digits are index_hash of the session folder's canonical path, without a trailing slash;
/// device is "kfd", "renderD128" or "card0").
inline constexpr char device_socket_prefix[] = "rocdrill/";

/// POSIX shared memory "/x" of the node is "/rocdrill.<the same 8 digits>.x" of this machine.
inline constexpr char shared_name_prefix[] = "rocdrill.";

// Requests of the preload library: a connection each, one message in JSON, one answer {"errno": N}.
// All carry "comm" (of the task) and "identity" (user:uid:gid:gid,...; the effective ids).
//   {"op":"open","path":"/dev/kfd","flags":F}  from a socket that is bound to the name above, which
//       stays connected as the open device if the answer is 0
//   {"op":"setattr","path":P,"mode":M}         permission bits (decimal) of a file of the node
//   {"op":"setattr","path":P,"uid":U,"gid":G}  either may be missing; also sent for a file that
//       was just made by somebody who is not the index's login
// The library has checked the permission for setattr. The server publishes the new index before it
// answers, also for a file that the index does not list yet: until it does, such a file belongs to
// whoever looks and has the mode that it has in root/.

}  // namespace rocdrill::interpose
