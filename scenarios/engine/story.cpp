#include "scenarios/engine/story.hpp"

#include <algorithm>

namespace rocdrill::scenarios {
namespace {

/// Where the present boot begins, with what was done to the node while it was off.
EventId first_of_boot(const Timeline& timeline) {
  EventId first = 1;
  for (const EventId id : timeline.find({.kind_prefix = "power."})) {
    if (timeline.at(id).kind == "power.reboot") first = id;
  }
  return first;
}

bool caused_from_below(const Timeline& timeline, EventId id) {
  const Layer layer = timeline.layer_of(id);
  for (const EventId cause : timeline.cause_chain(id)) {
    if (cause == id || timeline.layer_of(cause) >= layer || timeline.layer_of(cause) == Layer::host)
      continue;
    if (timeline.at(cause).severity == Severity::error) return true;
  }
  return false;
}

/// What another layer did, where that is all that explains the error: the code that waves run, or a
/// variable of the environment that a layer below obeyed without a complaint. Else no_event.
EventId blamed_elsewhere(const Timeline& timeline, EventId id) {
  const auto chain = timeline.cause_chain(id);
  const Layer layer = timeline.layer_of(id);
  // The way from power-on to a layer is no explanation of what goes wrong there.
  const bool by_itself = timeline.head(chain.back()).kind.starts_with("power.");
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    const EventId cause = *at;
    const EventView event = timeline.head(cause);
    if (event.kind == "fault.injected" || event.layer == Layer::host) continue;
    const bool above = event.layer > layer;
    const bool below = event.layer < layer && !by_itself && event.severity == Severity::warning;
    return above || below ? cause : no_event;
  }
  return no_event;
}

}  // namespace

std::string_view name(LayerState state) {
  switch (state) {
    case LayerState::ok:
      return "ok";
    case LayerState::warning:
      return "warning";
    case LayerState::fault:
      return "fault";
    case LayerState::affected:
      return "affected";
    case LayerState::not_reached:
      return "not reached";
    case LayerState::unmodelled:
      return "not modelled";
  }
  return "";
}

void Judge::see(const Timeline& timeline, const EventView& head) {
  if (head.kind == "fault.injected") return;  // nobody on the node sees that
  // The first error tells most; among harmless events the last.
  const bool tells = telling_ == no_event || head.severity > worst_ ||
                     (head.severity == worst_ && worst_ < Severity::error);
  if (!tells || (worst_ == Severity::error && head.severity == Severity::unmodelled)) return;
  telling_ = head.id;
  worst_ = std::max(worst_, head.severity);
  switch (head.severity) {
    case Severity::error:
      state_ =
          caused_from_below(timeline, head.id) || blamed_elsewhere(timeline, head.id) != no_event
              ? LayerState::affected
              : LayerState::fault;
      break;
    case Severity::unmodelled:
      state_ = LayerState::unmodelled;
      break;
    case Severity::warning:
      state_ = LayerState::warning;
      break;
    default:
      state_ = LayerState::ok;
  }
}

void Judge::blame(EventId event) {
  if (worst_ == Severity::error) return;
  telling_ = event;
  worst_ = Severity::error;
  state_ = LayerState::fault;
}

void StoryIndex::extend(const Timeline& timeline) {
  while (seen_ < timeline.size()) {
    const EventView head = timeline.head(++seen_);
    if (head.kind == "power.reboot") {
      reboots_.push_back(head.id);
      judges_.fill({});
    }
    if (head.layer == Layer::host) continue;
    const auto layer = static_cast<std::size_t>(head.layer) - 1;
    std::vector<Point>& points = points_[layer];
    const bool same_boot = !points.empty() && points.back().id >= boot_of(head.id);
    judges_[layer].see(timeline, head);
    points.push_back({head.id,
                      {judges_[layer].state(), judges_[layer].telling(),
                       (same_boot ? points.back().moment.events : 0) + 1}});
    if (head.severity != Severity::error) continue;
    if (const EventId blamed = blamed_elsewhere(timeline, head.id); blamed != no_event) {
      const auto other = static_cast<std::size_t>(timeline.layer_of(blamed)) - 1;
      judges_[other].blame(blamed);
      if (!points_[other].empty())
        points_[other].push_back({head.id,
                                  {judges_[other].state(), judges_[other].telling(),
                                   points_[other].back().moment.events}});
    }
  }
}

StoryIndex::Moment StoryIndex::at(Layer layer, EventId now) const {
  const std::vector<Point>& points = points_[static_cast<std::size_t>(layer) - 1];
  const auto after = std::ranges::upper_bound(points, now, {}, &Point::id);
  if (after == points.begin() || std::prev(after)->id < boot_of(now)) return {};
  return std::prev(after)->moment;
}

EventId StoryIndex::top_symptom(EventId now) const {
  for (auto layer = all_layers.rbegin(); layer != all_layers.rend(); ++layer) {
    const Moment moment = at(*layer, now);
    if (moment.state == LayerState::fault || moment.state == LayerState::affected)
      return moment.telling;
  }
  return no_event;
}

EventId StoryIndex::boot_of(EventId now) const {
  const auto after = std::ranges::upper_bound(reboots_, now);
  return after == reboots_.begin() ? 1 : *std::prev(after);
}

std::vector<LayerStory> tell(const Timeline& timeline, std::uint64_t until_ns) {
  std::vector<LayerStory> stories;
  for (const Layer layer : all_layers) stories.push_back({.layer = layer, .events = {}});
  for (EventId id = first_of_boot(timeline); id <= timeline.size(); ++id) {
    if (timeline.time_of(id) > until_ns) break;
    const Layer layer = timeline.layer_of(id);
    if (layer != Layer::host) stories[static_cast<std::size_t>(layer) - 1].events.push_back(id);
  }
  std::array<Judge, all_layers.size()> judges;
  for (std::size_t n = 0; n < stories.size(); ++n)
    for (const EventId id : stories[n].events) judges[n].see(timeline, timeline.head(id));
  for (const LayerStory& story : stories) {
    for (const EventId id : story.events) {
      if (timeline.head(id).severity != Severity::error) continue;
      if (const EventId blamed = blamed_elsewhere(timeline, id); blamed != no_event)
        judges[static_cast<std::size_t>(timeline.layer_of(blamed)) - 1].blame(blamed);
    }
  }
  for (std::size_t n = 0; n < stories.size(); ++n) {
    stories[n].state = judges[n].state();
    stories[n].telling = judges[n].telling();
  }
  return stories;
}

EventId top_symptom(const Timeline& timeline) {
  EventId top = no_event;
  for (EventId id = first_of_boot(timeline); id <= timeline.size(); ++id) {
    if (timeline.at(id).severity != Severity::error) continue;
    if (top == no_event || timeline.layer_of(id) >= timeline.layer_of(top)) top = id;
  }
  return top;
}

std::vector<EventId> explain(const Timeline& timeline, EventId event) {
  if (event == no_event) return {};
  auto chain = timeline.cause_chain(event);
  std::ranges::reverse(chain);
  return chain;
}

std::string sentence(const EventView& event) {
  const std::string asked = event.text(field::asked);
  const std::string got = event.text(field::got);
  const std::string did = event.text(field::did);
  std::string text;
  if (!asked.empty()) text = "asked for " + asked;
  if (!got.empty()) text += (text.empty() ? "got " : ", got ") + got;
  if (!did.empty()) text += (text.empty() ? "" : ": ") + did;
  return text;
}

}  // namespace rocdrill::scenarios
