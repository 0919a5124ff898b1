// What can be chosen in the layouts that look into a run, and the step to the next one.
#include <algorithm>

#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

WaveView Workspace::waves() {
  const auto dispatch = dispatch_before(*story_, state_.now);
  const auto group = state_.group.find(Layout::waves);
  std::optional<std::uint32_t> wave;
  if (group != state_.group.end()) wave = static_cast<std::uint32_t>(group->second);
  WaveView view = wave_view(dispatch ? &*dispatch : nullptr,
                            dispatch ? background_->wave(*dispatch, wave) : nullptr,
                            background_->has_node(), state_);
  if (view.state == WaveView::State::no_dispatch && kernel_dispatched(*story_, state_.now))
    view.state = WaveView::State::untold;
  return view;
}

Workspace::Place Workspace::item() {
  if (state_.layout == Layout::topology) {
    const TopologyView view =
        topology_view(background_->topology(state_.now), background_->has_node(), state_);
    return {static_cast<int>(view.chosen), static_cast<int>(view.items())};
  }
  if (state_.layout == Layout::waves) {
    const WaveView view = waves();
    return {static_cast<int>(view.step), static_cast<int>(view.steps)};
  }
  if (state_.layout == Layout::queues) {
    const QueueView view = queue_view(*story_, state_, ring_cells, 0);
    if (view.queues.empty()) return {};
    return {static_cast<int>(view.packet),
            static_cast<int>(std::max(view.write_index, view.packet + 1))};
  }
  return {};
}

Workspace::Place Workspace::group() {
  if (state_.layout == Layout::queues) {
    const QueueView view = queue_view(*story_, state_, ring_cells, 0);
    return {static_cast<int>(view.chosen), static_cast<int>(view.queues.size())};
  }
  if (state_.layout == Layout::waves) {
    const WaveView view = waves();
    return {static_cast<int>(view.wave), static_cast<int>(view.waves)};
  }
  return {};
}

bool Workspace::choose_next(const Intent& intent) {
  if (const auto* next = std::get_if<intent::NextGroup>(&intent)) {
    const auto [now, count] = group();
    if (count > 0)
      gui::apply(intent::ChooseGroup{std::clamp(now + next->by, 0, count - 1)}, state_, *story_);
    return true;
  }
  if (const auto* next = std::get_if<intent::NextItem>(&intent);
      next && state_.layout == Layout::compare) {
    const Comparison* both = comparison();
    const EventId to = both ? next_difference(*both, state_.now, next->by > 0) : no_event;
    if (to != no_event) gui::apply(intent::GoTo{to}, state_, *story_);
    return true;
  }
  if (const auto* next = std::get_if<intent::NextItem>(&intent)) {
    const auto [now, count] = item();
    if (count > 0) state_.item[state_.layout] = std::clamp(now + next->by, 0, count - 1);
    return true;
  }
  return false;
}

}  // namespace rocdrill::gui
