// Two runs of a node side by side, layer by layer: where each layer first does something else.
#pragma once

#include <vector>

#include "scenarios/engine/story.hpp"

namespace rocdrill::scenarios {

struct LayerDifference {
  Layer layer = Layer::host;
  LayerState first_state = LayerState::not_reached;  ///< at the end; of no meaning for Layer::host
  LayerState second_state = LayerState::not_reached;
  EventId in_first = no_event;  ///< no_event on the side whose events have ended
  EventId in_second = no_event;
  std::size_t events = 0;  ///< of this layer in the second run

  bool differs() const { return in_first != no_event || in_second != no_event; }
};

/// The operating system, then silicon and up. Two events are the same if kind, subject and the
/// fields asked, got, did and status are; an injected fault itself does not count.
std::vector<LayerDifference> compare(const Timeline& first, const Timeline& second);

}  // namespace rocdrill::scenarios
