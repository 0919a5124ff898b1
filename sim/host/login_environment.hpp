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
using ShellVariables = std::map<std::string, LoginVariable>;

/// The assignments of a shell file, added to `variables`: lines "NAME=VALUE", with or without
/// export, with quotes around the value and $NAME of an earlier line in it. All else of shell is
/// passed over.
void read_assignments(const FileTree& files, const std::string& path, ShellVariables& variables);

/// In the order of a login: /etc/environment, /etc/profile.d/*.sh by name, ~/.profile; a later one
/// wins.
ShellVariables login_variables(const FileTree& files, const std::string& home);

}  // namespace rocdrill::sim
