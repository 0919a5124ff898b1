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

void judge(const Timeline& timeline, LayerStory& story) {
  Severity worst = Severity::debug;
  for (const EventId id : story.events) {
    const EventView event = timeline.at(id);
    if (event.kind == "fault.injected") continue;  // nobody on the node sees that
    if (story.telling == no_event || event.severity > worst ||
        (event.severity == worst && worst < Severity::error)) {
      // The first error tells most; among harmless events the last.
      if (worst == Severity::error && event.severity == Severity::unmodelled) continue;
      story.telling = id;
      worst = std::max(worst, event.severity);
    }
  }
  if (story.telling == no_event) return;
  switch (timeline.at(story.telling).severity) {
    case Severity::error:
      story.state =
          caused_from_below(timeline, story.telling) ? LayerState::affected : LayerState::fault;
      break;
    case Severity::unmodelled:
      story.state = LayerState::unmodelled;
      break;
    case Severity::warning:
      story.state = LayerState::warning;
      break;
    default:
      story.state = LayerState::ok;
  }
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

std::vector<LayerStory> tell(const Timeline& timeline, std::uint64_t until_ns) {
  std::vector<LayerStory> stories;
  for (const Layer layer : all_layers) stories.push_back({.layer = layer, .events = {}});
  for (EventId id = first_of_boot(timeline); id <= timeline.size(); ++id) {
    if (timeline.time_of(id) > until_ns) break;
    const Layer layer = timeline.layer_of(id);
    if (layer != Layer::host) stories[static_cast<std::size_t>(layer) - 1].events.push_back(id);
  }
  for (LayerStory& story : stories) judge(timeline, story);
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
