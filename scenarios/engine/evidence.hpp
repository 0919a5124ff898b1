// What an operator sees on a node: the commands that show how a layer is, and which of their lines
// tell of an event.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/host.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::scenarios {

struct EvidenceLine {
  std::string text;
  bool telling = false;  ///< mentions what the event is about
};

/// What a command printed, standard output before standard error.
struct Evidence {
  std::string command;
  int exit_code = 0;
  std::vector<EvidenceLine> lines;
};

/// Runs `command` (words as a shell splits them) in the session of the node's user. nullopt if it
/// is no command, or none that the node has. `about` says which lines are telling; nullptr: none.
std::optional<Evidence> look(Host& host, std::string_view command, const EventView* about);

/// The commands that an operator would type to see how a layer is, the most telling first.
std::span<const std::string_view> looks_at(Layer layer);

}  // namespace rocdrill::scenarios
