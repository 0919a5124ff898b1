// The timeline as it is drawn: one lane per layer, events in the order in which they happened. Time
// to make it depends on the width and not on the number of events.
#pragma once

#include <string>
#include <vector>

#include "gui/model/story.hpp"

namespace rocdrill::gui {

/// One event, or several that share a column of pixels.
struct TimelineMark {
  float x = 0;  ///< middle, pixels from the left
  EventId first = no_event;
  EventId last = no_event;
  Severity worst = Severity::info;
  bool matches = true;  ///< the filter lets one of them through
  bool single() const { return first == last; }
};

struct TimelineLane {
  Layer layer = Layer::host;
  std::vector<TimelineMark> marks;
};

struct TimelineTick {
  float x = 0;
  std::string time;  ///< "1.420 s"
};

struct TimelineView {
  std::vector<TimelineLane> lanes;  ///< framework first, the operating system last
  std::vector<TimelineTick> ticks;
  float now_x = 0;
  float deviation_x = -1;  ///< -1: not in view, or none
  std::vector<float> bookmarks;
  std::string count;  ///< "12 / 48"
  std::string time;   ///< of the last event
  std::size_t matching = 0;
  bool filtered = false;
};

/// `width` in pixels, at least 1; `spacing`: pixels that a single mark needs, `tick`: a tick's
/// text.
TimelineView timeline_view(const Story& story, const State& state, float width, float spacing,
                           float tick);
/// The event number under a pixel, and back.
double event_at(const State& state, float width, float x);
float x_of(const State& state, float width, double event);
/// "1.420 s"; "-" before power on.
std::string time_text(const Story& story, EventId event);

}  // namespace rocdrill::gui
