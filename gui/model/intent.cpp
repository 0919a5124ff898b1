#include "gui/model/intent.hpp"

#include <algorithm>
#include <cmath>

#include "gui/model/story.hpp"

namespace rocdrill::gui {
namespace {

constexpr double shortest_span = 8;  // events
constexpr double slowest = 0.25;
constexpr double fastest = 1024;

Span whole(const Story& story) {
  return {1, std::max(static_cast<double>(story.last()), 1 + shortest_span)};
}

/// Inside the timeline, no shorter than what can be told apart.
Span fitted(Span span, const Story& story) {
  const Span all = whole(story);
  const double length =
      std::clamp(span.length(), std::min(shortest_span, all.length()), all.length());
  const double middle = (span.first + span.last) / 2;
  const double first = std::clamp(middle - length / 2, all.first, all.last - length);
  return {first, first + length};
}

void go_to(EventId event, State& state, const Story& story) {
  state.now = std::clamp<EventId>(event, std::min<EventId>(1, story.last()), story.last());
  state.layer.reset();
  state.command.clear();
  state.played = 0;
  const auto at = static_cast<double>(state.now);
  if (at < state.span.first || at > state.span.last) {
    const double half = state.span.length() / 2;
    state.span = fitted({at - half, at + half}, story);
  }
}

void step(int by, State& state, const Story& story) {
  state.playing = false;
  if (state.filter.empty()) {
    const auto target = static_cast<std::int64_t>(state.now) + by;
    return go_to(static_cast<EventId>(std::max<std::int64_t>(target, 1)), state, story);
  }
  const auto& matching = story.matching(state.filter);
  auto at = by > 0 ? std::ranges::upper_bound(matching, state.now)
                   : std::ranges::lower_bound(matching, state.now);
  if (by < 0 && at == matching.begin()) return;
  if (by < 0) --at;
  if (at != matching.end()) go_to(*at, state, story);
}

void next_bookmark(bool forward, State& state, const Story& story) {
  if (state.bookmarks.empty()) return;
  auto at =
      forward ? state.bookmarks.upper_bound(state.now) : state.bookmarks.lower_bound(state.now);
  if (forward) {
    if (at == state.bookmarks.end()) at = state.bookmarks.begin();  // around
  } else {
    if (at == state.bookmarks.begin()) at = state.bookmarks.end();
    --at;
  }
  go_to(*at, state, story);
}

Layer layer_of_now(const State& state, const Story& story) {
  return state.now == no_event ? Layer::kernel : story.timeline().layer_of(state.now);
}

struct Apply {
  State& state;
  const Story& story;

  void operator()(const intent::GoTo& go) const {
    state.playing = false;
    go_to(go.event, state, story);
  }
  void operator()(const intent::Step& by) const { step(by.by, state, story); }
  void operator()(const intent::Play&) const {
    if (!state.playing && state.now >= story.last()) go_to(1, state, story);
    state.playing = !state.playing;
  }
  void operator()(const intent::Faster& change) const {
    state.speed = std::clamp(state.speed * (change.faster ? 2 : 0.5), slowest, fastest);
  }
  void operator()(const intent::Zoom& zoom) const {
    const double around = zoom.around > 0 ? zoom.around : static_cast<double>(state.now);
    const double factor = std::clamp(zoom.factor, 0.01, 100.0);
    // What is under the pointer stays there.
    state.span = fitted({around - (around - state.span.first) * factor,
                         around + (state.span.last - around) * factor},
                        story);
  }
  void operator()(const intent::Pan& pan) const {
    const double by = pan.by * state.span.length();
    state.span = fitted({state.span.first + by, state.span.last + by}, story);
  }
  void operator()(const intent::ShowAll&) const { state.span = whole(story); }
  void operator()(const intent::ToDeviation&) const {
    state.playing = false;
    if (story.deviation() != no_event) go_to(story.deviation(), state, story);
  }
  void operator()(const intent::ToSymptom&) const {
    state.playing = false;
    const EventId top = story.states().top_symptom(story.last());
    if (top != no_event) go_to(top, state, story);
  }
  void operator()(const intent::ToCause&) const {
    if (state.now == no_event) return;
    const EventId cause = story.timeline().cause_of(state.now);
    state.playing = false;
    if (cause != no_event) go_to(cause, state, story);
  }
  void operator()(const intent::ToEffect&) const {
    if (state.now == no_event) return;
    const auto effects = story.timeline().effects_of(state.now);
    state.playing = false;
    if (!effects.empty()) go_to(effects.front(), state, story);
  }
  void operator()(const intent::Bookmark&) const {
    if (state.now == no_event) return;
    if (state.bookmarks.erase(state.now) == 0) state.bookmarks.insert(state.now);
  }
  void operator()(const intent::ToBookmark& to) const { next_bookmark(to.forward, state, story); }
  void operator()(const intent::SetFilter& set) const { state.filter = set.filter; }
  void operator()(const intent::ChooseLayer& choose) const {
    state.layer = choose.layer;
    state.command.clear();
  }
  void operator()(const intent::NextLayer& next) const {
    const auto at = static_cast<int>(state.layer.value_or(layer_of_now(state, story)));
    state.layer =
        static_cast<Layer>(std::clamp(at + next.by, 1, static_cast<int>(all_layers.size())));
    state.command.clear();
  }
  void operator()(const intent::ChooseEvidence& choose) const { state.command = choose.command; }
  void operator()(const intent::ChooseLayout& choose) const { state.layout = choose.layout; }
  void operator()(const intent::ChooseItem& choose) const {
    state.item[state.layout] = std::max(choose.item, 0);
  }
  void operator()(const intent::ChooseGroup& choose) const {
    state.group[state.layout] = std::max(choose.group, 0);
    state.item.erase(state.layout);
  }
  void operator()(const intent::ToggleExpert&) const { state.expert = !state.expert; }
  void operator()(const intent::Resize& resize) const {
    if (resize.size <= 0) {
      state.sizes.erase(resize.pane);
    } else {
      state.sizes[resize.pane] = std::clamp(resize.size, least_pane, most_pane);
    }
  }
  void operator()(const intent::DefaultSizes&) const { state.sizes.clear(); }
  void operator()(const intent::Show& show) const {
    state.overlay = state.overlay == show.overlay ? Overlay::none : show.overlay;
    state.palette.clear();
    state.choice = 0;
  }
  void operator()(const intent::Type& type) const {
    state.palette = type.text;
    state.choice = 0;
  }
  void operator()(const intent::Choose& choose) const { state.choice = std::max(choose.line, 0); }
  void operator()(const intent::PickLayer& pick) const {
    state.picked_layer[pick.task] = pick.layer;
  }
  void operator()(const intent::PickPart& pick) const { state.picked_part[pick.task] = pick.part; }
  void operator()(const intent::Sort& sort) const { state.sort = sort.column; }
  void operator()(const intent::FocusTerminal& focus) const { state.terminal = focus.focus; }
  void operator()(const intent::Reveal&) const { state.debrief = true; }
  void operator()(const auto&) const {}  // the application's
};

}  // namespace

void apply(const Intent& intent, State& state, const Story& story) {
  std::visit(Apply{state, story}, intent);
}

void advance(State& state, const Story& story, double seconds) {
  if (!state.playing) return;
  const double total = state.played + std::max(seconds, 0.0) * state.speed;
  const double whole_events = std::floor(total);
  const auto left = static_cast<double>(story.last() - std::min(state.now, story.last()));
  if (whole_events >= 1) {
    go_to(state.now + static_cast<EventId>(std::min(whole_events, left)), state, story);
  }
  state.played = total - whole_events;
  if (state.now >= story.last()) state.playing = false;
}

State opened(const Story& story) {
  State state;
  state.span = whole(story);
  state.now = story.last();
  return state;
}

}  // namespace rocdrill::gui
