// The environment that a new program of the node gets, whatever its parent made of it.
#pragma once

#include <stddef.h>

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

/// Builds the environment on the caller's stack: usable in a vfork child. ROCDRILL_SESSION set to
/// nothing is the way to leave the node: then the environment stays as it is.
class Environment {
 public:
  /// `room`: env_room(envp) pointers, which must outlive this object's use.
  Environment(const Session& session, char* const* envp, char** room);
  char* const* get() const { return list_; }

  static size_t env_room(char* const* envp);

 private:
  char* const* list_;
  char preload_[4096];
  char session_[folder_max + 32];
  char identity_[2048];
};

/// Puts the same into this process's own environment, for children that libc starts by itself.
void mend_own_environment(const Session& session);

}  // namespace rocdrill::interpose
