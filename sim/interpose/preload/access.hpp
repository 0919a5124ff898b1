// Attributes and permissions of the node's files, as the node's kernel would judge them.
#pragma once

#include <stdint.h>

#include "sim/interpose/preload/paths.hpp"

namespace rocdrill::interpose {

struct Attributes {
  uint32_t mode = 0;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t major = 0;
  uint32_t minor = 0;
  bool is_virtual = false;
};

inline constexpr int want_read = 4;
inline constexpr int want_write = 2;
inline constexpr int want_execute = 1;

/// A file that was looked up and is held by a descriptor (O_PATH) of its own: looking at it again
/// needs no further walk along its path, which in /sys costs a question to the server for each
/// component.
class Held {
 public:
  Held() = default;
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  int fd = -1;  ///< -1: nothing is held, the path has to do
};

/// Makes the path of a place on the node canonical, by way of the symbolic links in root/ (the last
/// component only if `follow`). 0 or -errno; the place is `elsewhere` if a link leaves the node.
/// `held`: gets the file, if it had to be looked up.
int resolve(const Session& session, Place& place, bool follow, Held* held = nullptr);

/// Makes all but the last component canonical: for names that are about to be made or removed.
int resolve_parent(const Session& session, Place& place);

/// From the index, or for a file that it does not know yet from root/ with this process as owner.
/// `place` must be resolved. 0 or -errno.
int attributes_of(const Place& place, Attributes& out, const Held* held = nullptr);

/// May this process do it to the file and search every directory above? 0 or -errno. `effective`:
/// by the effective ids, as everything but access(2) does.
int permit(const Place& place, int want, bool effective = true);
/// The same of a file whose attributes are known.
int permit(const Place& place, const Attributes& file, int want, bool effective = true);

/// May a name be made, or removed, in the directory that holds `place` (parent resolved)?
int permit_create(const Place& place, bool directory_like);
int permit_remove(const Place& place);

/// Is this process the file's owner, or root? 0 or -EPERM.
int permit_owner(const Place& place);

/// Asks the node server; its errno as a negative number, or -ENXIO if it is gone.
int set_mode(const Place& place, uint32_t mode);
int set_owner(const Place& place, uint32_t uid, uint32_t gid);

/// After a name was made in root/: tells the server who made it, unless that is who is logged in.
void tell_owner(const Place& place);

/// Overwrites what the node knows better: type, permissions, owner, device number.
void apply(const Attributes& attributes, struct stat& file);

}  // namespace rocdrill::interpose
