// A timeline with what is needed to look at it at any moment: states of the layers, positions of
// the events per layer, the first difference from a healthy run.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/state.hpp"
#include "scenarios/engine/story.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::gui {

/// host = 0 and the nine layers.
inline constexpr std::size_t lane_count = all_layers.size() + 1;

class Story {
 public:
  /// `timeline` must outlive it and may grow; see extend().
  explicit Story(const Timeline& timeline);
  /// Takes note of events that were added.
  void extend();
  /// The run that this one is compared with.
  void compare_with(const Timeline& healthy);

  const Timeline& timeline() const { return *timeline_; }
  EventId last() const { return seen_; }
  const scenarios::StoryIndex& states() const { return states_; }
  /// First event that the healthy run does not have; no_event if there is none, or no such run.
  EventId deviation() const { return deviation_; }

  /// Numbers of a layer's events, in order.
  const std::vector<EventId>& events_of(Layer layer) const {
    return lanes_[static_cast<std::size_t>(layer)].events;
  }
  /// The worst severity among a layer's events in [first, last]; nullopt if there are none.
  std::optional<Severity> worst(Layer layer, EventId first, EventId last) const;

  /// The events of a hardware queue, in order.
  struct QueueEvents {
    std::string name;  ///< "pid 1000 queue 0"
    std::vector<EventId> events;
  };
  /// In the order in which the queues first appear.
  const std::vector<QueueEvents>& queues() const { return queues_; }

  /// Numbers of the events that the filter lets through, in order; kept for the next call. Not for
  /// an empty filter.
  const std::vector<EventId>& matching(const Filter& filter) const;

 private:
  struct Lane {
    std::vector<EventId> events;
    /// Of the first i events: how many are at least a warning, an error.
    std::vector<std::uint32_t> warnings{0};
    std::vector<std::uint32_t> errors{0};
    std::vector<std::uint32_t> unmodelled{0};
  };
  const Timeline* timeline_;
  scenarios::StoryIndex states_;
  std::array<Lane, lane_count> lanes_;
  std::vector<QueueEvents> queues_;
  std::map<std::string, std::size_t, std::less<>> queue_of_;
  EventId seen_ = no_event;
  EventId deviation_ = no_event;
  mutable Filter filter_;
  mutable EventId filtered_ = no_event;  ///< up to this event
  mutable std::vector<EventId> matching_;
};

}  // namespace rocdrill::gui
