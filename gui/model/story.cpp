#include "gui/model/story.hpp"

#include <algorithm>

namespace rocdrill::gui {

std::string_view name(Layout layout) {
  switch (layout) {
    case Layout::drills:
      return "drills";
    case Layout::replay:
      return "replay";
    case Layout::practice:
      return "practice";
    case Layout::queues:
      return "queues";
    case Layout::topology:
      return "topology";
    case Layout::waves:
      return "waves";
    case Layout::compare:
      return "compare";
  }
  return "";
}

std::optional<Layout> layout_from_name(std::string_view text) {
  for (const Layout layout : all_layouts) {
    if (name(layout) == text) return layout;
  }
  return std::nullopt;
}

Story::Story(const Timeline& timeline) : timeline_(&timeline) { extend(); }

void Story::extend() {
  states_.extend(*timeline_);
  while (seen_ < timeline_->size()) {
    const EventView head = timeline_->head(++seen_);
    Lane& lane = lanes_[static_cast<std::size_t>(head.layer)];
    lane.events.push_back(head.id);
    const bool warning = head.severity == Severity::warning;
    const bool error = head.severity == Severity::error;
    const bool unmodelled = head.severity == Severity::unmodelled;
    lane.warnings.push_back(lane.warnings.back() + (warning ? 1 : 0));
    lane.errors.push_back(lane.errors.back() + (error ? 1 : 0));
    lane.unmodelled.push_back(lane.unmodelled.back() + (unmodelled ? 1 : 0));
    if (!head.subject.starts_with("pid ") || !head.subject.contains(" queue ")) continue;
    auto queue = queue_of_.find(head.subject);
    if (queue == queue_of_.end()) {
      queue = queue_of_.emplace(head.subject, queues_.size()).first;
      queues_.push_back({std::string(head.subject), {}});
    }
    queues_[queue->second].events.push_back(head.id);
  }
}

void Story::compare_with(const Timeline& healthy) {
  const auto differs = first_divergence(
      *timeline_, healthy, [](const EventView& event) { return event.kind == "fault.injected"; });
  deviation_ = differs ? differs->in_first : no_event;
}

std::optional<Severity> Story::worst(Layer layer, EventId first, EventId last) const {
  const Lane& lane = lanes_[static_cast<std::size_t>(layer)];
  const auto from =
      static_cast<std::size_t>(std::ranges::lower_bound(lane.events, first) - lane.events.begin());
  const auto until =
      static_cast<std::size_t>(std::ranges::upper_bound(lane.events, last) - lane.events.begin());
  if (from >= until) return std::nullopt;
  if (lane.errors[until] > lane.errors[from]) return Severity::error;
  if (lane.unmodelled[until] > lane.unmodelled[from]) return Severity::unmodelled;
  if (lane.warnings[until] > lane.warnings[from]) return Severity::warning;
  return Severity::info;
}

const std::vector<EventId>& Story::matching(const Filter& filter) const {
  if (filter == filter_ && filtered_ == seen_) return matching_;
  filter_ = filter;
  filtered_ = seen_;
  matching_ = timeline_->find(
      {.layer = filter.layer, .at_least = filter.at_least, .contains = filter.contains});
  return matching_;
}

}  // namespace rocdrill::gui
