// A timeline told layer by layer: which layer is how, why, and what led to the top symptom. All
// of it is computed from the events and their causes.
#pragma once

#include <array>
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

/// How a layer is, judged event by event.
class Judge {
 public:
  /// The layer's next event; `head` may lack its fields.
  void see(const Timeline& timeline, const EventView& head);
  /// An event of the layer, harmless to look at, that made another layer fail.
  void blame(EventId event);
  EventId telling() const { return telling_; }
  LayerState state() const { return state_; }

 private:
  EventId telling_ = no_event;
  Severity worst_ = Severity::debug;
  LayerState state_ = LayerState::not_reached;
};

/// How every layer was at any moment, found in logarithmic time. Built once, extended as the
/// timeline grows.
class StoryIndex {
 public:
  struct Moment {
    LayerState state = LayerState::not_reached;
    EventId telling = no_event;
    std::size_t events = 0;  ///< of this layer since power on
  };
  /// Takes note of the events that were added.
  void extend(const Timeline& timeline);
  /// After event `now` has happened, since the last power on before it. Not for Layer::host.
  Moment at(Layer layer, EventId now) const;
  /// The decisive error of the highest layer that has one; no_event if nothing has gone wrong.
  EventId top_symptom(EventId now) const;
  /// Power-on of the boot that `now` is in; 1 for the first.
  EventId boot_of(EventId now) const;

 private:
  struct Point {
    EventId id = no_event;
    Moment moment;
  };
  std::array<std::vector<Point>, all_layers.size()> points_;
  std::array<Judge, all_layers.size()> judges_;
  std::vector<EventId> reboots_;
  EventId seen_ = no_event;
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
