// One command of a drill, split into words as a POSIX shell splits it.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::scenarios {

struct CommandError {
  std::size_t offset = 0;  ///< byte of the line
  std::string message;
  std::string hint;
};

/// Blanks separate, quotes and backslashes protect (POSIX XCU 2.2). What needs a shell (pipes,
/// redirections, lists, substitutions, variables, patterns, comments) is refused: the node runs
/// commands, not scripts. `${name}` is a variable of the drill and stays as it is.
std::expected<std::vector<std::string>, CommandError> split_command(std::string_view line);

}  // namespace rocdrill::scenarios
