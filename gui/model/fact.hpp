// A line of a list of facts: what it is, and its value.
#pragma once

#include <string>

#include "stack/event.hpp"

namespace rocdrill::gui {

struct Fact {
  std::string label;  ///< a key of the strings ("topology.memory"), or the component's own word
  std::string text;
  EventId link = no_event;  ///< the event that it is about
};

}  // namespace rocdrill::gui
