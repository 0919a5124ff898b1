// Directory streams that need more than libc's.
#pragma once

#include <dirent.h>

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

/// Follows a stream that was just opened if its listing is not simply this machine's.
void watch_stream(const Session& session, DIR* directory);

}  // namespace rocdrill::interpose
