// What the parts of systemctl share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {

inline std::string with_suffix(const std::string& unit) {
  return unit.find('.') == std::string::npos ? unit + ".service" : unit;
}

/// "running", "exited", "failed", "dead".
std::string_view sub_state(const UnitState& state);

/// What list-units and list-unit-files were asked for.
struct UnitListing {
  std::vector<std::string> patterns;  ///< none: everything
  std::vector<std::string> states;    ///< of --state=; none: all
  bool failed = false;
  bool all = false;  ///< inactive ones too
  bool legend = true;
};
std::vector<std::string> split_states(const std::string& list);
int list_units(Call& call, const UnitListing& how);
int list_unit_files(Call& call, const UnitListing& how);

}  // namespace rocdrill::sim::tools
