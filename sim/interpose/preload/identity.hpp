// Who this process is on the node.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace rocdrill::interpose {

inline constexpr size_t groups_max = 128;

struct Identity {
  char user[64];
  uid_t uid, effective_uid, saved_uid;
  gid_t gid, effective_gid, saved_gid;
  uint32_t group_count;
  gid_t groups[groups_max];

  bool member_of(gid_t group, bool effective) const;
};

/// From ROCDRILL_IDENTITY or, failing that, the index's login; read once. Only on a node.
Identity& identity();

/// "user:uid:gid:gid,gid,..." of the identity as it is now; returns its length.
size_t identity_text(char* out, size_t size);

/// Has this process changed its identity since it started (setuid and the like)?
bool identity_changed();

}  // namespace rocdrill::interpose
