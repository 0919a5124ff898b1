// The variables that a login gives a session: /etc/environment as pam_env reads it, then what the
// shell's profiles export.
#pragma once

#include <map>
#include <string>

#include "sim/host/files.hpp"

namespace rocdrill::sim {

struct LoginVariable {
  std::string value;
  EventId event = no_event;  ///< that made the file what it is
};

/// Read in the order of a login: /etc/environment, /etc/profile.d/*.sh by name, ~/.profile; a later
/// one wins. Of a profile the lines "export NAME=VALUE" and "NAME=VALUE" count, with quotes around
/// the value and $NAME of an earlier line in it; all else of shell is passed over.
std::map<std::string, LoginVariable> login_variables(const FileTree& files,
                                                     const std::string& home);

}  // namespace rocdrill::sim
