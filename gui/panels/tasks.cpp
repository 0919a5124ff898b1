#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

LayerState state_of(scenarios::TaskStatus status) {
  switch (status) {
    case scenarios::TaskStatus::passed:
      return LayerState::ok;
    case scenarios::TaskStatus::failed:
      return LayerState::fault;
    case scenarios::TaskStatus::open:
      break;
  }
  return LayerState::not_reached;
}

/// A line that can be chosen: a circle, full if it is.
bool choice(Ui& ui, const std::string& id, const std::string& text, bool chosen) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float indent = ui.px(22);
  const ImVec2 size =
      ui.fonts.small->CalcTextSizeA(ui.fonts.small->FontSize, FLT_MAX, room - indent, text.c_str());
  bool hovered = false;
  const bool pressed = ui.area(id, room, size.y + ui.px(6), hovered);
  if (hovered) ui.fill({at.x, at.y, room, size.y + ui.px(6)}, ui.colours.hover, ui.px(2));
  const ImVec2 centre{at.x + ui.px(8), at.y + ui.px(3) + ui.fonts.small->FontSize / 2 + 1};
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 colour = rgba(chosen ? ui.colours.accent : ui.colours.dim);
  draw->AddCircle(centre, ui.px(5), colour, 20, 1.25F);
  if (chosen) draw->AddCircleFilled(centre, ui.px(3), colour, 16);
  draw->AddText(ui.fonts.small, ui.fonts.small->FontSize, {at.x + indent, at.y + ui.px(3)},
                rgba(ui.colours.text), text.c_str(), nullptr, room - indent);
  return pressed;
}

/// Nine numbers to press.
void draw_layers(Ui& ui, const TaskView& task, const State& state) {
  const auto picked = state.picked_layer.find(task.number);
  ui.text(ui.tr("tasks.layer"), ui.colours.dim, ui.fonts.small);
  for (const Layer layer : all_layers) {
    const std::string id(name(layer));
    const bool chosen = picked != state.picked_layer.end() && picked->second == id;
    if (ui.button(fmt::format("task.{}.layer.{}", task.number, id),
                  std::to_string(static_cast<int>(layer)), chosen, true, ui.tr("layer." + id)))
      ui.want(intent::PickLayer{task.number, id});
    ImGui::SameLine(0, ui.px(2));
  }
  ImGui::NewLine();
  if (picked != state.picked_layer.end())
    ui.text(ui.tr("layer." + picked->second), ui.colours.text, ui.fonts.small);
}

void draw_task(Ui& ui, const TaskView& task, const State& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui.state_glyph({at.x + ui.px(8), at.y + ui.fonts.text->FontSize / 2 + 1}, state_of(task.status));
  ImGui::SetCursorScreenPos({at.x + ui.px(22), at.y});
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(0);
  ui.text(fmt::format("{}. {} ({})", task.number, task.ask, task.points), ui.colours.text,
          ui.fonts.text);
  ImGui::PopTextWrapPos();
  const auto part = state.picked_part.find(task.number);
  if (task.asks_layer) draw_layers(ui, task, state);
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    const ChoiceView& one = task.choices[i];
    const bool chosen =
        task.asks_layer ? part != state.picked_part.end() && part->second == one.answer : one.given;
    if (!choice(ui, fmt::format("task.{}.choice.{}", task.number, i), one.text, chosen)) continue;
    if (task.asks_layer) {
      ui.want(intent::PickPart{task.number, one.answer});
    } else {
      ui.want(intent::Answer{task.number, one.answer});
    }
  }
  if (!task.open_because.empty()) ui.wrapped(task.open_because, ui.colours.dim, ui.fonts.small);
  for (const std::string& hint : task.hints) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({from.x + ui.px(10), from.y});
    ImGui::BeginGroup();
    ui.wrapped(hint, ui.colours.text, ui.fonts.small);
    ImGui::EndGroup();
    ui.fill({from.x, from.y, ui.px(3), ImGui::GetItemRectSize().y}, ui.colours.accent);
  }
  ImGui::EndGroup();
  ui.gap(6);
}

void draw_debrief(Ui& ui, const DebriefView& debrief) {
  ui.heading("debrief.title");
  for (const std::string& paragraph : paragraphs_of(debrief.chain)) {
    ui.wrapped(paragraph, ui.colours.text, ui.fonts.small);
    ui.gap(4);
  }
  ui.text("$ " + debrief.command, ui.colours.accent, ui.fonts.mono);
  ui.wrapped(debrief.shows, ui.colours.text, ui.fonts.small);
  ui.gap(4);
  ui.heading("debrief.look-alikes");
  for (const std::string& one : debrief.look_alikes) {
    ui.wrapped(one, ui.colours.text, ui.fonts.small);
    ui.gap(2);
  }
  ui.heading("debrief.sources");
  for (const std::string& one : debrief.sources) ui.wrapped(one, ui.colours.dim, ui.fonts.small);
}

void draw_buttons(Ui& ui, const Rect& area, const TasksView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  if (ui.button("tasks.check", ui.tr("tasks.check"), false, !view.busy)) ui.want(intent::Check{});
  ImGui::SameLine(0, ui.px(4));
  if (ui.button("tasks.hint", ui.tr("tasks.hint"), false, !view.busy)) ui.want(intent::Hint{});
  ImGui::SameLine(0, ui.px(4));
  if (ui.button("tasks.undo", ui.tr("tasks.undo"), false, !view.busy)) ui.want(intent::Undo{});
  ImGui::SameLine(0, ui.px(4));
  if (ui.button("tasks.restart", ui.tr("tasks.restart"))) ui.want(intent::Restart{});
  const std::string points =
      fmt::format("{} / {} {}", view.brief.points, view.brief.possible, ui.tr("tasks.points"));
  const std::string said = view.busy ? ui.tr("tasks.busy") : view.message;
  const float y = area.y + ImGui::GetFrameHeight() + ui.px(6);
  ui.text_at({area.x, y}, points, ui.colours.dim, ui.fonts.small, FLT_MAX);
  const float x = area.x + ui.width_of(points, ui.fonts.small) + ui.px(16);
  if (view.brief.repaired && said.empty()) {
    ui.text_at({x, y}, ui.tr("tasks.repaired"), ui.colours.ok, ui.fonts.small, area.right() - x);
  } else {
    ui.text_at({x, y}, said, ui.colours.text, ui.fonts.small, area.right() - x);
  }
}

}  // namespace

void draw_tasks(Ui& ui, const Rect& rect, const TasksView& view, const State& state) {
  if (ui.begin_pane(Pane::tasks, rect)) {
    const Rect area{rect.x + ui.px(16), rect.y + ui.px(12), rect.w - ui.px(32), rect.h - ui.px(24)};
    const float buttons = ImGui::GetFrameHeight() + ui.fonts.small->FontSize + ui.px(10);
    draw_buttons(ui, {area.x, area.bottom() - buttons, area.w, buttons}, view);
    ui.line({rect.x, area.bottom() - buttons - ui.px(10)},
            {rect.right() - 1, area.bottom() - buttons - ui.px(10)}, ui.colours.hairline);
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::BeginChild("tasks.text", {area.w + ui.px(8), area.h - buttons - ui.px(20)});
    if (view.brief.debrief.known) draw_debrief(ui, view.brief.debrief);
    if (view.brief.debrief.known) ui.gap(8);
    ui.wrapped(view.brief.title, ui.colours.text, ui.fonts.bold);
    ui.gap(2);
    for (const std::string& paragraph : view.brief.paragraphs) {
      ui.wrapped(paragraph, ui.colours.text, ui.fonts.small);
      if (!paragraph.starts_with("From:")) ui.gap(4);
    }
    ui.gap(4);
    ui.heading("tasks.title");
    for (const TaskView& task : view.brief.tasks) draw_task(ui, task, state);
    ImGui::EndChild();
    ui.widgets.note("tasks.text", area);
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
