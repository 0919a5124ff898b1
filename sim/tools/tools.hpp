// The commands of a simulated node. Each reads or changes the node's state through the same doors
// as everything else; none knows what is wrong with the node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/node.hpp"

namespace rocdrill::sim::tools {

struct ToolInfo {
  std::string_view name;
  std::string_view usage;  ///< "modprobe [-r] [-n] [-v] NAME [KEY=VALUE...]"
  std::string_view does;   ///< one sentence
  bool changes_state = false;
  bool needs_root = false;  ///< for what it changes; what it shows needs no root
};

/// Every command, by name.
std::vector<ToolInfo> all();

/// Runs a command line whose words are split already, as Node::set_command_runner wants it.
///
/// Of a shell's work it does: `VAR=VALUE` before a command, `*` in absolute paths, `$(uname -r)`,
/// `|`, and `>`, `>>` with an absolute path. Any other shell operator is refused. An unknown
/// command ends with 127 and found == false; an option that the real command has and this one does
/// not ends with 2, a message and an `unmodelled` event.
CommandResult run_command(Node& node, const std::vector<std::string>& argv,
                          const ProcessSpec& spec);

/// The same for words that a real shell has split: nothing in them is an operator.
CommandResult run_words_as(Node& node, const std::vector<std::string>& words,
                           const ProcessSpec& spec, std::string input);

}  // namespace rocdrill::sim::tools
