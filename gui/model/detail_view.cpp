#include "gui/model/detail_view.hpp"

#include <algorithm>

#include "gui/model/timeline_view.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::size_t most_commands = 5;

/// Of the layer: the last event, if it is of this layer, else the one that decides its state.
EventId told_event(const Story& story, const State& state, Layer layer) {
  if (!state.layer && state.now != no_event && state.now < story.last() &&
      story.timeline().layer_of(state.now) == layer) {
    return state.now;
  }
  return story.states().at(layer, state.now).telling;
}

void add_command(std::vector<std::string>& commands, std::string command) {
  if (command.empty() || commands.size() == most_commands) return;
  if (std::ranges::find(commands, command) == commands.end())
    commands.push_back(std::move(command));
}

void tell(const Story& story, const EventView& event, DetailView& view) {
  view.time = time_text(story, event.id);
  view.what = std::string(event.kind) + " " + std::string(event.subject);
  const auto add = [&](const char* label, std::string text, bool mono) {
    if (!text.empty()) view.rows.push_back({label, std::move(text), no_event, mono});
  };
  add("detail.asked", event.text(field::asked), true);
  add("detail.got", event.text(field::got), true);
  add("detail.did", event.text(field::did), false);
  add("detail.status", event.text(field::status), true);
  if (event.cause != no_event) {
    const EventView cause = story.timeline().head(event.cause);
    view.rows.push_back({"detail.because",
                         std::string(cause.kind) + " " + std::string(cause.subject) + " (" +
                             std::string(title(cause.layer)) + ")",
                         event.cause, false});
  }
  view.shows = event.text(field::shows);
  add_command(view.commands, event.text(field::see));
}

}  // namespace

DetailView detail_view(const Story& story, const State& state, std::size_t most_events) {
  DetailView view;
  view.layer = shown_layer(story, state);
  view.state = story.states().at(view.layer, state.now).state;
  view.event = told_event(story, state, view.layer);
  if (view.event != no_event) tell(story, story.timeline().at(view.event), view);
  for (const std::string_view command : scenarios::looks_at(view.layer))
    add_command(view.commands, std::string(command));
  if (std::ranges::find(view.commands, state.command) != view.commands.end()) {
    view.command = state.command;
  } else if (!view.commands.empty()) {
    view.command = view.commands.front();
  }
  view.events = latest(story, story.events_of(view.layer), state.now, most_events);
  for (EventRow& row : view.events) row.current = row.id == view.event;
  return view;
}

std::vector<EventRow> latest(const Story& story, const std::vector<EventId>& events, EventId now,
                             std::size_t most) {
  std::vector<EventRow> rows;
  const auto until = std::ranges::upper_bound(events, now);
  const auto from =
      until - std::min<std::ptrdiff_t>(until - events.begin(), static_cast<std::ptrdiff_t>(most));
  for (auto at = from; at != until; ++at) {
    const EventView head = story.timeline().head(*at);
    rows.push_back({*at, time_text(story, *at), head.severity, std::string(head.kind),
                    std::string(head.subject), *at == now});
  }
  return rows;
}

std::vector<WhyRow> why_view(const Story& story, const State& state) {
  std::vector<WhyRow> rows;
  const EventId top = story.states().top_symptom(state.now);
  if (top == no_event) return rows;
  for (const EventId id : story.timeline().cause_chain(top)) {
    const EventView event = story.timeline().at(id);
    if (!rows.empty() && rows.back().layer == event.layer && rows.back().kind == event.kind)
      continue;
    rows.push_back({id, event.layer, event.severity, std::string(event.kind),
                    std::string(event.subject), scenarios::sentence(event), id == state.now});
  }
  return rows;
}

}  // namespace rocdrill::gui
