// What the loaders ask the rest of the program about: which faults, products and checks exist.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fault.hpp"

namespace rocdrill::scenarios {

struct Knowledge {
  /// nullptr: there is no such fault.
  std::function<const sim::FaultInfo*(std::string_view id)> fault;
  std::function<bool(std::string_view product)> known_product;
  /// For "did you mean"; may be empty.
  std::vector<std::string> fault_ids;
  std::vector<std::string> products;
  /// Ids of the bring-up checks that `check_passes` may name, and names of the commands that the
  /// node has; empty: not checked.
  std::vector<std::string> checks;
  std::vector<std::string> commands;
};

/// The faults that are linked in, the products of the catalogue, the bring-up checks and the
/// commands of the simulated node.
Knowledge built_in_knowledge();

}  // namespace rocdrill::scenarios
