// A node's story as text: what replay and explain print.
#pragma once

#include <string>

#include "cli/terminal.hpp"
#include "scenarios/engine/story.hpp"
#include "sim/node.hpp"

namespace rocdrill::cli {

Colour colour_of(scenarios::LayerState state);
/// "● fault", with a glyph and a word besides the colour.
std::string badge(scenarios::LayerState state);
/// A layer's heading, what it asked, got and did, why, and what an operator sees.
std::string layer_text(sim::Node& node, const scenarios::LayerStory& story, std::size_t width);
/// What the commands that an event names print on this node; the telling lines only.
std::string evidence_text(sim::Node& node, const EventView& event, std::size_t indent);

}  // namespace rocdrill::cli
