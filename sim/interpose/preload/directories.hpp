// Directory streams that need more than libc's.
#pragma once

#include <dirent.h>

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

/// Follows a stream that was just opened if its listing is not simply this machine's. A stream that
/// was opened by a path of this machine is not on the node, and need not be asked.
void watch_stream(const Session& session, DIR* directory, bool maybe_on_node);

}  // namespace rocdrill::interpose
