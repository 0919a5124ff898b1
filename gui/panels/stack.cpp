#include <fmt/format.h>

#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

using scenarios::LayerState;

std::string state_word(const Ui& ui, LayerState state) {
  switch (state) {
    case LayerState::ok:
      return ui.tr("state.ok");
    case LayerState::warning:
      return ui.tr("state.warning");
    case LayerState::fault:
      return ui.tr("state.fault");
    case LayerState::affected:
      return ui.tr("state.affected");
    case LayerState::not_reached:
      return ui.tr("state.not-reached");
    case LayerState::unmodelled:
      return ui.tr("state.unmodelled");
  }
  return "";
}

void draw_row(Ui& ui, const Rect& row, const StackRow& layer, bool expert, float gutter) {
  const std::string id = fmt::format("stack.{}", name(layer.layer));
  ImGui::SetCursorScreenPos({row.x, row.y});
  bool hovered = false;
  if (ui.area(id, row.w, row.h, hovered)) ui.want(intent::ChooseLayer{layer.layer});
  if (layer.chosen || hovered) ui.fill(row, layer.chosen ? ui.colours.chosen : ui.colours.hover);
  if (layer.chosen) ui.fill({row.x, row.y, ui.px(3), row.h}, ui.colours.accent);

  const bool two_lines = expert && !layer.kind.empty();
  const float line = ui.fonts.text->FontSize;
  const float y = row.y + (two_lines ? ui.px(4) : std::round((row.h - line) / 2));
  const bool quiet = layer.state == LayerState::not_reached;
  ui.text_right(row.x + ui.px(26), y, std::to_string(static_cast<int>(layer.layer)), ui.colours.dim,
                ui.fonts.text);
  const std::string word = state_word(ui, layer.state);
  ImFont* font = layer.state == LayerState::fault ? ui.fonts.bold : ui.fonts.text;
  const float state_x = row.right() - gutter - ui.width_of(word, font);
  const float name_x = row.x + ui.px(36);
  ui.text_at({name_x, y}, ui.tr(fmt::format("layer.{}", name(layer.layer))),
             quiet ? ui.colours.dim : ui.colours.text, ui.fonts.text, state_x - ui.px(28) - name_x);
  ui.text_at({state_x, y}, word, colour_of(ui.colours, layer.state), font, FLT_MAX);
  ui.state_glyph({state_x - ui.px(14), y + line / 2 + 1}, layer.state);
  if (two_lines) {
    ui.text_at({name_x, y + line + ui.px(2)}, layer.kind + " " + layer.subject, ui.colours.dim,
               ui.fonts.small, row.right() - gutter - name_x);
  }
  if (hovered && !layer.kind.empty()) ui.tip(layer.kind + " " + layer.subject);
}

/// From the right edge of one row up or down to that of another.
void draw_arrow(Ui& ui, float x, float from_y, float to_y, float length) {
  const Rgb colour = ui.colours.affected;
  const float bend = x + length;
  ui.line({x, from_y}, {bend, from_y}, colour);
  ui.line({bend, to_y}, {bend, from_y}, colour);
  ui.line({x + 1, to_y}, {bend + 1, to_y}, colour);
  const float head = ui.px(4);
  ImGui::GetWindowDrawList()->AddTriangleFilled({x, to_y + 0.5F}, {x + head, to_y - head + 0.5F},
                                                {x + head, to_y + head + 0.5F}, rgba(colour));
}

void draw_versions(Ui& ui, const Rect& area, const StackView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ui.heading("stack.versions");
  float y = ImGui::GetCursorScreenPos().y;
  for (const VersionCell& cell : view.versions) {
    ui.state_glyph({area.x + ui.px(7), y + ui.fonts.small->FontSize / 2 + 1}, cell.state);
    ui.text_at({area.x + ui.px(24), y}, cell.what, ui.colours.text, ui.fonts.small, ui.px(76));
    ui.text_at({area.x + ui.px(96), y}, cell.version, ui.colours.dim, ui.fonts.small,
               area.w - ui.px(96));
    y += ui.fonts.small->FontSize + ui.px(5);
  }
  if (view.verdict.empty()) return;
  const bool bad = view.verdict == "unsupported";
  ImGui::SetCursorScreenPos({area.x, y + ui.px(2)});
  ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
  ui.text(fmt::format("{}: {}", ui.tr("stack.together"), ui.tr("verdict." + view.verdict)),
          bad ? ui.colours.fault : ui.colours.dim, ui.fonts.small);
  if (!view.reason.empty() && ImGui::IsItemHovered()) ui.tip(view.reason);
  ImGui::PopTextWrapPos();
}

/// Heading, rows and arrows; gives back where they end. `below`: room that is kept free.
float draw_rows(Ui& ui, const Rect& rect, const StackView& view, bool expert, float below) {
  ImGui::SetCursorScreenPos({rect.x + ui.px(16), rect.y + ui.px(12)});
  ui.heading("stack.title");
  const char* form = ui.tr(expert ? "stack.expert" : "stack.beginner");
  ImGui::SetCursorScreenPos(
      {rect.right() - ui.px(16) - ui.width_of(form, ui.fonts.small), rect.y + ui.px(12)});
  if (ui.link("stack.form", form, ui.fonts.small)) ui.want(intent::ToggleExpert{});

  const float top = rect.y + ui.px(36);
  const float fits = (rect.h - ui.px(36) - below) / static_cast<float>(view.rows.size());
  const float height = std::floor(std::clamp(fits, ui.px(24), ui.px(44)));
  const float gutter = ui.px(36);
  const auto row_of = [&](std::size_t i) {
    return Rect{rect.x, top + height * static_cast<float>(i), rect.w - 1, height};
  };
  for (std::size_t i = 0; i < view.rows.size(); ++i)
    draw_row(ui, row_of(i), view.rows[i], expert && height >= ui.px(38), gutter);
  const auto middle = [&](Layer layer) {
    const auto at = std::ranges::find(view.rows, layer, &StackRow::layer);
    const Rect row = row_of(static_cast<std::size_t>(at - view.rows.begin()));
    return std::round(row.y + row.h / 2);
  };
  for (const CauseArrow& arrow : view.arrows) {
    // Those that lead down stand outside of those that lead up.
    const bool down = arrow.to < arrow.from;
    draw_arrow(ui, rect.right() - gutter + ui.px(8),
               middle(arrow.from) + (down ? ui.px(4) : -ui.px(4)),
               middle(arrow.to) + (down ? -ui.px(3) : ui.px(3)), ui.px(down ? 18 : 12));
  }
  return top + height * static_cast<float>(view.rows.size());
}

}  // namespace

void draw_stack(Ui& ui, const Rect& rect, const StackView& view, bool expert) {
  if (ui.begin_pane(Pane::stack, rect)) {
    const float strip = view.versions.empty() ? 0 : ui.px(132);
    const float below = draw_rows(ui, rect, view, expert, strip) + ui.px(16);
    if (strip > 0 && below + ui.px(96) < rect.bottom())
      draw_versions(ui, {rect.x + ui.px(16), below, rect.w - ui.px(32), strip}, view);
  }
  ui.end_pane();
}

void draw_practice_stack(Ui& ui, const Rect& rect, const StackView* stack, const BriefView& brief,
                         bool expert) {
  if (ui.begin_pane(Pane::stack, rect)) {
    const Rect area{rect.x + ui.px(16), rect.y + ui.px(12), rect.w - ui.px(32), rect.h - ui.px(28)};
    const float row = ui.fonts.small->FontSize + ui.px(7);
    float y = area.y;
    if (stack) {
      y = draw_rows(ui, rect, *stack, expert, row * 8) + ui.px(16);
    } else {
      ImGui::SetCursorScreenPos({area.x, y});
      ui.heading("stack.title");
      ImGui::SetCursorScreenPos({area.x, ImGui::GetCursorScreenPos().y});
      ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
      ui.text(ui.tr("stack.hidden"), ui.colours.dim, ui.fonts.small);
      ImGui::PopTextWrapPos();
      y = ImGui::GetCursorScreenPos().y + ui.px(16);
    }
    ui.line({rect.x, y - ui.px(8)}, {rect.right() - 1, y - ui.px(8)}, ui.colours.hairline);
    draw_checks(ui, {area.x, y, area.w, area.bottom() - y}, brief, row);
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
