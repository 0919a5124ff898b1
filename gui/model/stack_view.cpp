#include "gui/model/stack_view.hpp"

#include <algorithm>

namespace rocdrill::gui {
namespace {

bool in_trouble(LayerState state) {
  return state == LayerState::fault || state == LayerState::affected;
}

/// The next other layer whose error the event goes back to, else the faulty one that it goes back
/// to: a kernel's bug is no error before silicon stumbles over it.
std::optional<Layer> broken_by(const Story& story, EventId now, EventId event) {
  const Timeline& timeline = story.timeline();
  const Layer layer = timeline.layer_of(event);
  std::optional<Layer> faulty;
  for (const EventId cause : timeline.cause_chain(event)) {
    const Layer other = timeline.layer_of(cause);
    if (other == Layer::host || other == layer) continue;
    if (timeline.head(cause).severity == Severity::error) return other;
    if (!faulty && story.states().at(other, now).state == LayerState::fault) faulty = other;
  }
  return faulty;
}

std::vector<VersionCell> version_cells(const scenarios::Versions& versions,
                                       const std::vector<StackRow>& rows) {
  std::vector<VersionCell> cells;
  for (const auto& [what, layer] :
       {std::pair{"microcode", Layer::firmware}, std::pair{"amdgpu", Layer::kernel},
        std::pair{"ROCr", Layer::runtime}}) {
    const auto row = std::ranges::find(versions.rows, what, &scenarios::VersionRow::what);
    const auto state = std::ranges::find(rows, layer, &StackRow::layer);
    if (row != versions.rows.end()) cells.push_back({row->what, row->version, state->state});
  }
  return cells;
}

}  // namespace

Layer shown_layer(const Story& story, const State& state) {
  if (state.layer) return *state.layer;
  if (state.now != no_event) {
    const Layer layer = story.timeline().layer_of(state.now);
    // At the end of the story, what broke matters more than who noticed last.
    if (layer != Layer::host && state.now < story.last()) return layer;
  }
  for (const Layer layer : all_layers) {
    if (story.states().at(layer, state.now).state == LayerState::fault) return layer;
  }
  if (state.now == no_event) return Layer::silicon;
  const Layer layer = story.timeline().layer_of(state.now);
  return layer == Layer::host ? Layer::kernel : layer;
}

StackView stack_view(const Story& story, const State& state, const scenarios::Versions* versions) {
  StackView view;
  const Layer shown = shown_layer(story, state);
  const Timeline& timeline = story.timeline();
  for (auto layer = all_layers.rbegin(); layer != all_layers.rend(); ++layer) {
    const auto moment = story.states().at(*layer, state.now);
    StackRow row{.layer = *layer,
                 .state = moment.state,
                 .telling = moment.telling,
                 .chosen = *layer == shown,
                 .current = state.now != no_event && timeline.layer_of(state.now) == *layer,
                 .events = moment.events,
                 .subject = {},
                 .kind = {}};
    if (moment.telling != no_event) {
      const EventView head = timeline.head(moment.telling);
      row.kind = head.kind;
      row.subject = head.subject;
      if (in_trouble(moment.state)) {
        if (const auto from = broken_by(story, state.now, moment.telling))
          view.arrows.push_back({*from, *layer});
      }
    }
    view.rows.push_back(std::move(row));
  }
  if (versions) {
    view.versions = version_cells(*versions, view.rows);
    view.verdict = compat::name(versions->verdict.support);
    view.reason = versions->verdict.reason;
  }
  return view;
}

}  // namespace rocdrill::gui
