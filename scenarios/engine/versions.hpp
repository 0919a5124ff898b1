// The version of each layer, where it is reported, and whether driver and user space go together.
#pragma once

#include <string>
#include <vector>

#include "stack/compat.hpp"
#include "stack/layer.hpp"

namespace rocdrill::sim {
class Node;
}

namespace rocdrill::scenarios {

struct VersionRow {
  Layer layer = Layer::silicon;
  std::string what;      ///< "amdgpu"
  std::string version;   ///< "6.10.5"; in brackets why there is none
  std::string reported;  ///< file or command that says so
};

struct Versions {
  std::vector<VersionRow> rows;  ///< silicon first
  compat::Verdict verdict;       ///< of driver and user space
};

/// As the node reports them to its user.
Versions versions_of(sim::Node& node);

}  // namespace rocdrill::scenarios
