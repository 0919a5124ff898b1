// May a program be started on the node? One that this library cannot cover, or that would act on
// the user's own machine, is refused by name.
#pragma once

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

/// `path`: as the kernel will be given it. `argv` may be null. Returns false after a line on
/// standard error; a file that cannot be read is left to the kernel's judgement. Uses neither
/// memory allocation nor locks: a vfork child may call it.
bool may_start(const Session& session, const char* path, char* const* argv, char* const* envp);

/// The same for an open file.
bool may_start_descriptor(const Session& session, int fd, char* const* argv, char* const* envp);

}  // namespace rocdrill::interpose
