// What the hooks of several files share.
#pragma once

#include <sys/types.h>

#include "sim/interpose/preload/paths.hpp"

namespace rocdrill::interpose {

/// open(2) of a place on the node: a descriptor or -errno. Resolves the place.
int open_on_node(const Session& session, Place& place, int flags, mode_t mode);

/// Attributes of an open descriptor as the node has them (`file` is the kernel's answer).
void apply_to_descriptor(const Session& session, int fd, struct stat& file);

}  // namespace rocdrill::interpose
