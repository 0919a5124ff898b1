#include "gui/app/workspace.hpp"

namespace rocdrill::gui {

Workspace::Workspace(WorkspaceOptions options) : options_(std::move(options)) {
  static const Timeline nothing;
  story_ = std::make_unique<Story>(nothing);
  background_ = std::make_unique<Background>(nullptr);
  state_ = opened(*story_);
}

Workspace::~Workspace() = default;

void Workspace::advance(double seconds) {
  gui::advance(state_, *story_, seconds);
  if (practice_) practice_->poll();
  if (attached_) follow();
}

void Workspace::settle() {
  background_->wait();
  if (practice_) practice_->settle();
}

const std::vector<DrillRow>& Workspace::drills() {
  if (!drills_read_) drills_ = read_drills(options_.data);
  drills_read_ = true;
  if (drills_sorted_ != state_.sort) sort_drills(drills_, static_cast<DrillColumn>(state_.sort));
  drills_sorted_ = state_.sort;
  return drills_;
}

std::vector<PaletteEntry> Workspace::entries(const Strings& words) const {
  const bool practised = state_.layout == Layout::practice && practice_;
  return palette_entries(state_.palette, words, drills_,
                         practised ? practice_brief().tasks : std::vector<TaskView>());
}

void Workspace::draw_overlay(Ui& ui, float width, float height, const SettingsView& settings) {
  switch (state_.overlay) {
    case Overlay::palette:
      drills();
      draw_palette(ui, width, height, state_, entries(ui.words));
      break;
    case Overlay::keys:
      draw_keys(ui, width, height);
      break;
    case Overlay::settings:
      draw_settings(ui, width, height, settings);
      break;
    case Overlay::none:
      break;
  }
}

Intents Workspace::draw(Ui& ui, float width, float height, const SettingsView& settings) {
  Intents others = keys(ui.words);
  if (state_.layout == Layout::practice && !practice_) start_practice(ui.words);
  scale_ = ui.scale;
  placed_ = arrange(state_.layout, width, height, scale_, state_.sizes);
  for (const Placed& placed : placed_) draw_pane(ui, placed);
  if (state_.overlay == Overlay::none && notice_.empty())
    draw_seams(ui, seams(placed_, scale_), width, height);
  draw_overlay(ui, width, height, settings);
  if (!notice_.empty()) draw_notice(ui, width, height, notice_);
  const Intents more = apply(std::exchange(ui.intents, {}));
  others.insert(others.end(), more.begin(), more.end());
  return others;
}

}  // namespace rocdrill::gui
