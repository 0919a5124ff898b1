// A timeline told layer by layer: which layer is how, why, and what led to the top symptom. All
// of it is computed from the events and their causes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/timeline.hpp"

namespace rocdrill::scenarios {

enum class LayerState : std::uint8_t {
  ok,           ///< it did what it was asked to
  warning,      ///< it works, with something unusual
  fault,        ///< it failed, and nothing below it did
  affected,     ///< it failed because of a layer below
  not_reached,  ///< nobody asked it for anything
  unmodelled,   ///< the request ended at something that the simulator does not model
};
std::string_view name(LayerState state);  ///< "not reached"

struct LayerStory {
  Layer layer = Layer::silicon;
  LayerState state = LayerState::not_reached;
  std::vector<EventId> events;  ///< of this layer, in order
  /// The event that decides the state: the first error, else the last event; no_event if none.
  EventId telling = no_event;
};

/// Silicon first. Looks at events up to `until_ns`, from the last power on.
std::vector<LayerStory> tell(const Timeline& timeline, std::uint64_t until_ns = UINT64_MAX);

/// The last error of the highest layer that has one; no_event if nothing went wrong.
EventId top_symptom(const Timeline& timeline);
/// From the first cause (the fault) up to `event`.
std::vector<EventId> explain(const Timeline& timeline, EventId event);
/// "asked X, got Y: Z" of an event's fields, as far as it has them.
std::string sentence(const EventView& event);

}  // namespace rocdrill::scenarios
