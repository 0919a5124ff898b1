// The fat binaries of a node's programs: what they hold, and building them anew.
#pragma once

#include <string>
#include <vector>

#include "sim/node_spec.hpp"
#include "stack/event.hpp"

namespace rocdrill::sim {

class Node;

/// Target IDs of the code objects in a fat binary ("gfx90a:xnack+"), in file order; empty if it
/// is none.
std::vector<std::string> targets_in(const std::string& fat_binary);
/// What hipcc makes of `source` for these targets, from the spec's real code objects. Throws
/// std::runtime_error if one of them was not built.
std::string make_fat_binary(const NodeSpec& spec, const std::string& source,
                            const std::vector<std::string>& targets);
/// The same without the entries whose target `drop` names.
std::string without_targets(const std::string& fat_binary, const std::vector<std::string>& drop);

/// A release of the program `app`, built from `source` (a name in NodeSpec::code_objects) for the
/// targets that it is built for, takes the place of the one that is there.
void release(Node& node, const AppSpec& app, const std::string& source, EventId cause);

/// Files with device code that the node's user runs: the wheel's and the programs'.
std::vector<std::string> programs_of(const NodeSpec& spec);
std::string torch_fat_binary(const NodeSpec& spec);
/// The system's RCCL, and the one that the wheel of PyTorch brings.
std::string rccl_library(const NodeSpec& spec);
std::string torch_rccl_library(const NodeSpec& spec);

}  // namespace rocdrill::sim
