// What `rocdrill run --trace` recorded, as a history: calls and packets of programs become events.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "stack/timeline.hpp"

namespace rocdrill::gui {

/// Whether a file is a trace and no history of a node.
bool is_trace(std::string_view text);
/// The error: what is wrong in which line, and what to do. A call that fails is a warning (programs
/// ask for what is not there), a queue that fails an error; nothing else is judged.
std::expected<Timeline, std::string> history_of_trace(std::string_view text, std::string_view file);

}  // namespace rocdrill::gui
