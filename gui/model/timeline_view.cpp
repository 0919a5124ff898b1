#include "gui/model/timeline_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rocdrill::gui {
namespace {

/// Room at both ends, so that the first and last mark are not cut.
double margin(float width) { return std::min(12.0, static_cast<double>(width) / 8); }

bool any_in(const std::vector<EventId>& sorted, EventId first, EventId last) {
  const auto at = std::ranges::lower_bound(sorted, first);
  return at != sorted.end() && *at <= last;
}

/// One mark per event that the lane has in view, or one per column where they would overlap.
TimelineLane lane_of(const Story& story, const State& state, Layer layer, float width,
                     float spacing, const std::vector<EventId>* matching) {
  TimelineLane lane{layer, {}};
  const auto& events = story.events_of(layer);
  const auto first_id = static_cast<EventId>(std::max(1.0, std::floor(state.span.first)));
  const auto last_id = static_cast<EventId>(std::max(1.0, std::ceil(state.span.last)));
  const double per_event = (width - 2 * margin(width)) / std::max(1.0, state.span.length());
  // Events of one column share a mark.
  const auto column = static_cast<EventId>(std::max(1.0, std::ceil(spacing / per_event)));
  auto at = std::ranges::lower_bound(events, first_id);
  while (at != events.end() && *at <= last_id) {
    const EventId begin = *at - (*at - 1) % column;
    const EventId end = begin + column - 1;
    const auto after = column == 1 ? at + 1 : std::ranges::upper_bound(at, events.end(), end);
    TimelineMark mark{.first = *at, .last = *(after - 1)};
    const double middle =
        mark.single() && column == 1 ? *at : begin + static_cast<double>(column - 1) / 2;
    mark.x = x_of(state, width, middle);
    mark.worst = *story.worst(layer, mark.first, mark.last);
    if (matching) mark.matches = any_in(*matching, mark.first, mark.last);
    lane.marks.push_back(mark);
    at = after;
  }
  return lane;
}

std::vector<TimelineTick> ticks_of(const Story& story, const State& state, float width,
                                   float room) {
  std::vector<TimelineTick> ticks;
  const Timeline& timeline = story.timeline();
  if (timeline.empty()) return ticks;
  const auto first = static_cast<EventId>(std::max(1.0, std::ceil(state.span.first)));
  const auto last =
      std::min(static_cast<EventId>(std::max(1.0, std::floor(state.span.last))), story.last());
  float free_from = -1;
  const EventId stride =
      std::max<EventId>(1, static_cast<EventId>(state.span.length() * room / (4 * width)));
  std::uint64_t before = UINT64_MAX;
  for (EventId id = first; id <= last; id += stride) {
    const std::uint64_t time = timeline.time_of(id);
    const float x = x_of(state, width, id);
    if (time == before || x < free_from || x + room > width) continue;
    ticks.push_back({x, time_text(story, id)});
    free_from = x + room;
    before = time;
  }
  return ticks;
}

}  // namespace

double event_at(const State& state, float width, float x) {
  const double edge = margin(width);
  return state.span.first +
         (x - edge) / std::max(1.0, width - 2 * edge) * std::max(1.0, state.span.length());
}

float x_of(const State& state, float width, double event) {
  const double edge = margin(width);
  return static_cast<float>(edge + (event - state.span.first) / std::max(1.0, state.span.length()) *
                                       (width - 2 * edge));
}

std::string time_text(const Story& story, EventId event) {
  if (event == no_event || event > story.last()) return "-";
  return fmt::format("{:.3f} s", static_cast<double>(story.timeline().time_of(event)) / 1e9);
}

TimelineView timeline_view(const Story& story, const State& state, float width, float spacing,
                           float tick) {
  TimelineView view;
  width = std::max(width, 1.0F);
  const std::vector<EventId>* matching = nullptr;
  if (!state.filter.empty()) matching = &story.matching(state.filter);
  for (auto layer = all_layers.rbegin(); layer != all_layers.rend(); ++layer)
    view.lanes.push_back(lane_of(story, state, *layer, width, spacing, matching));
  view.lanes.push_back(lane_of(story, state, Layer::host, width, spacing, matching));
  view.ticks = ticks_of(story, state, width, tick);
  view.now_x = x_of(state, width, state.now);
  const auto in_view = [&](EventId id) {
    return id != no_event && id >= state.span.first && id <= state.span.last;
  };
  if (in_view(story.deviation())) view.deviation_x = x_of(state, width, story.deviation());
  for (const EventId id : state.bookmarks) {
    if (in_view(id)) view.bookmarks.push_back(x_of(state, width, id));
  }
  view.count = fmt::format("{} / {}", state.now, story.last());
  view.time = time_text(story, state.now);
  view.filtered = matching != nullptr;
  view.matching = matching ? matching->size() : story.last();
  return view;
}

}  // namespace rocdrill::gui
