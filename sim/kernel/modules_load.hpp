// systemd-modules-load: inserts what /etc/modules and modules-load.d name.
#pragma once

#include <string>
#include <vector>

#include "sim/host/units.hpp"
#include "sim/kernel/kernel.hpp"

namespace rocdrill::kernel {

/// A module that is to be loaded, and the file that says so ("" for the kernel's command line).
struct ListedModule {
  std::string name;
  std::string file;
};
/// In the order in which they are loaded: the command line, then the files by name, where one of
/// /etc replaces its namesakes.
std::vector<ListedModule> listed_modules(const Os& os);

/// Loads them. Exit status 1 if one cannot be found or inserted.
sim::UnitRun load_listed_modules(Os& os, Kernel& kernel, EventId cause);

}  // namespace rocdrill::kernel
