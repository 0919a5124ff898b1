#include "gui/model/compare_view.hpp"

#include <algorithm>
#include <functional>

#include "gui/model/timeline_view.hpp"

namespace rocdrill::gui {
namespace {

/// How far events of one run are looked for in the other before they count as its own.
constexpr std::size_t most_ahead = 256;

constexpr std::array fields{field::asked, field::got, field::did, field::status};
constexpr std::array labels{"detail.asked", "detail.got", "detail.did", "detail.status"};

/// What makes two events the same, as a number.
std::size_t key_of(const EventView& event) {
  std::string text = std::string(name(event.layer)) + '\n' + std::string(event.kind) + '\n' +
                     std::string(event.subject);
  for (const std::string_view key : fields) text += '\n' + event.text(key);
  return std::hash<std::string>{}(text);
}

std::vector<std::size_t> keys_of(const Timeline& timeline) {
  std::vector<std::size_t> keys;
  keys.reserve(timeline.size());
  for (EventId id = 1; id <= timeline.size(); ++id) keys.push_back(key_of(timeline.at(id)));
  return keys;
}

/// How many of `from` come before `wanted`; most_ahead if it is not near.
std::size_t distance_to(const std::vector<std::size_t>& from, std::size_t at, std::size_t wanted) {
  const std::size_t end = std::min(from.size(), at + most_ahead);
  for (std::size_t i = at; i < end; ++i)
    if (from[i] == wanted) return i - at;
  return most_ahead;
}

std::string text_of(const Story& story, EventId id) {
  if (id == no_event) return {};
  const EventView head = story.timeline().head(id);
  return std::string(head.kind) + " " + std::string(head.subject);
}

EventRow row_of(const Story& story, EventId id) {
  if (id == no_event) return {};
  const EventView head = story.timeline().head(id);
  return {
      id,   time_text(story, id), head.severity, std::string(head.kind), std::string(head.subject),
      false};
}

std::vector<DetailRow> detail_of(const Story& story, EventId id) {
  std::vector<DetailRow> rows;
  if (id == no_event) return rows;
  const EventView event = story.timeline().at(id);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (std::string text = event.text(fields[i]); !text.empty())
      rows.push_back({labels[i], std::move(text), no_event, true});
  }
  return rows;
}

CompareLayer layer_of(const Comparison& comparison, Layer layer) {
  CompareLayer row{.layer = layer, .first_text = {}, .second_text = {}};
  if (layer != Layer::host) {
    row.first = comparison.first().states().at(layer, comparison.first().last()).state;
    row.second = comparison.second().states().at(layer, comparison.second().last()).state;
  }
  const Comparison::Pair pair = comparison.divergence(layer);
  row.in_first = pair.first;
  row.in_second = pair.second;
  row.differs = pair.first != no_event || pair.second != no_event;
  row.first_text = text_of(comparison.first(), pair.first);
  row.second_text = text_of(comparison.second(), pair.second);
  return row;
}

}  // namespace

Comparison::Comparison(const Story& first, const Story& second) : first_(first), second_(second) {
  const auto a = keys_of(first.timeline());
  const auto b = keys_of(second.timeline());
  std::size_t i = 0;
  std::size_t j = 0;
  const auto id = [](std::size_t index) { return static_cast<EventId>(index + 1); };
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      pairs_.push_back({id(i++), id(j++)});
      continue;
    }
    // Of the two next events, that whose twin is further away is the run's own.
    const std::size_t in_b = i < a.size() ? distance_to(b, j, a[i]) : most_ahead;
    const std::size_t in_a = j < b.size() ? distance_to(a, i, b[j]) : most_ahead;
    differences_.push_back(pairs_.size());
    if (j == b.size() || (i < a.size() && in_b >= in_a)) {
      pairs_.push_back({id(i++), no_event});
    } else {
      pairs_.push_back({no_event, id(j++)});
    }
  }
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
    if (pairs_[pair].first != no_event) pair_of_.push_back(pair);
  const auto marker = [](const EventView& event) { return event.kind == "fault.injected"; };
  const auto by_layer = divergences_by_layer(first.timeline(), second.timeline(), marker);
  for (std::size_t lane = 0; lane < lane_count; ++lane)
    if (by_layer[lane]) diverged_[lane] = {by_layer[lane]->in_first, by_layer[lane]->in_second};
}

std::size_t Comparison::at(EventId now) const {
  if (now == no_event || pair_of_.empty()) return 0;
  return pair_of_[std::min<std::size_t>(now, pair_of_.size()) - 1];
}

CompareView compare_view(const Comparison* comparison, const State& state, std::size_t most_rows) {
  CompareView view;
  if (!comparison) return view;
  view.ready = true;
  for (auto layer = all_layers.rbegin(); layer != all_layers.rend(); ++layer)
    view.layers.push_back(layer_of(*comparison, *layer));
  view.layers.push_back(layer_of(*comparison, Layer::host));
  const auto& pairs = comparison->pairs();
  view.differences = comparison->differences().size();
  if (pairs.empty()) return view;
  const std::size_t now = comparison->at(state.now);
  view.difference = static_cast<std::size_t>(
      std::ranges::upper_bound(comparison->differences(), now) - comparison->differences().begin());
  const std::size_t shown = std::min(most_rows, pairs.size());
  const std::size_t from = std::min(now > shown / 2 ? now - shown / 2 : 0, pairs.size() - shown);
  for (std::size_t i = from; i < from + shown; ++i) {
    view.rows.push_back({row_of(comparison->first(), pairs[i].first),
                         row_of(comparison->second(), pairs[i].second), pairs[i].same(), i == now});
  }
  view.first_detail = detail_of(comparison->first(), pairs[now].first);
  view.second_detail = detail_of(comparison->second(), pairs[now].second);
  return view;
}

EventId next_difference(const Comparison& comparison, EventId now, bool forward) {
  const auto& pairs = comparison.pairs();
  const auto& all = comparison.differences();
  const std::size_t here = comparison.at(now);
  const auto event_of = [&](std::size_t pair) {
    while (pair > 0 && pairs[pair].first == no_event) --pair;
    return pairs[pair].first;
  };
  if (forward) {
    for (auto at = std::ranges::upper_bound(all, here); at != all.end(); ++at)
      if (event_of(*at) > now) return event_of(*at);
    return no_event;
  }
  for (auto at = std::ranges::lower_bound(all, here); at != all.begin();) {
    --at;
    if (const EventId event = event_of(*at); event != no_event && event < now) return event;
  }
  return no_event;
}

}  // namespace rocdrill::gui
