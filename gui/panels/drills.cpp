#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::array columns{"drills.title", "drills.difficulty", "drills.minutes", "drills.node"};

/// Left edges of the columns, and of the buttons.
std::array<float, 5> edges(const Ui& ui, const Rect& area) {
  const float buttons = area.right() - ui.px(184);
  const float node = std::max(area.x + area.w * 0.52F, area.x + ui.px(400));
  return {area.x, node - ui.px(176), node - ui.px(80), node, buttons};
}

void draw_head(Ui& ui, const Rect& area, const std::array<float, 5>& x, int sort) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::SetCursorScreenPos({x[i], area.y});
    bool hovered = false;
    const char* title = ui.tr(columns[i]);
    const float width = ui.width_of(title, ui.fonts.small);
    if (ui.area(fmt::format("drills.sort.{}", i), width, ui.fonts.small->FontSize, hovered))
      ui.want(intent::Sort{static_cast<int>(i)});
    const bool chosen = static_cast<int>(i) == sort;
    ui.text_at({x[i], area.y}, title, chosen || hovered ? ui.colours.accent : ui.colours.dim,
               ui.fonts.small, FLT_MAX);
  }
}

void draw_difficulty(Ui& ui, float x, float y, int difficulty) {
  for (int i = 0; i < 5; ++i) {
    const Rect box{x + static_cast<float>(i) * ui.px(12), y, ui.px(8), ui.px(8)};
    ui.fill(box, i < difficulty ? ui.colours.dim : ui.colours.hairline, ui.px(2));
  }
}

}  // namespace

void draw_drills(Ui& ui, const Rect& rect, const std::vector<DrillRow>& drills,
                 const State& state) {
  if (ui.begin_pane(Pane::drills, rect)) {
    const float width = std::min(rect.w - ui.px(64), ui.px(1280));
    const Rect area{std::round(rect.x + (rect.w - width) / 2), rect.y + ui.px(32), width,
                    rect.h - ui.px(48)};
    ui.text_at({area.x, area.y}, ui.tr("drills.heading"), ui.colours.text, ui.fonts.large, area.w);
    ui.text_at({area.x, area.y + ui.px(30)}, ui.tr("drills.help"), ui.colours.dim, ui.fonts.text,
               area.w);
    const auto x = edges(ui, area);
    float y = area.y + ui.px(72);
    draw_head(ui, {area.x, y, area.w, 0}, x, state.sort);
    y += ui.px(24);
    const float row = ui.px(40);
    if (drills.empty())
      ui.text_at({area.x, y}, ui.tr("drills.none"), ui.colours.dim, ui.fonts.text, area.w);
    const int chosen =
        std::clamp(state.choice, 0, std::max(static_cast<int>(drills.size()) - 1, 0));
    // The chosen one stays in view.
    const int fits = std::max(static_cast<int>((area.bottom() - y) / row), 1);
    const int first = std::max(0, chosen - fits + 1);
    for (int i = first; i < static_cast<int>(drills.size()) && i < first + fits; ++i) {
      const DrillRow& drill = drills[static_cast<std::size_t>(i)];
      const Rect line{area.x - ui.px(16), y, area.w + ui.px(32), row};
      ui.line({line.x, y}, {line.right(), y}, ui.colours.hairline);
      ImGui::SetCursorScreenPos({line.x, y});
      bool hovered = false;
      if (ui.area("drill." + drill.id, x[4] - line.x - ui.px(8), row, hovered))
        ui.want(i == chosen ? Intent(intent::OpenDrill{drill.id, false})
                            : Intent(intent::Choose{i}));
      if (hovered || i == chosen)
        ui.fill({line.x, y + 1, line.w, row - 1},
                i == chosen ? ui.colours.chosen : ui.colours.hover);
      const float text_y = y + std::round((row - ui.fonts.text->FontSize) / 2);
      ui.text_at({x[0], text_y}, drill.title,
                 drill.problem.empty() ? ui.colours.text : ui.colours.fault, ui.fonts.text,
                 x[1] - x[0] - ui.px(24));
      if (drill.problem.empty()) {
        draw_difficulty(ui, x[1], y + std::round(row / 2) - ui.px(4), drill.difficulty);
        ui.text_at({x[2], text_y}, fmt::format("{} min", drill.minutes), ui.colours.dim,
                   ui.fonts.text, FLT_MAX);
        ui.text_at({x[3], text_y}, drill.node, ui.colours.dim, ui.fonts.text,
                   x[4] - x[3] - ui.px(16));
        ImGui::SetCursorScreenPos({x[4], y + std::round((row - ImGui::GetFrameHeight()) / 2)});
        if (ui.button("drill.replay." + drill.id, ui.tr("layout.replay")))
          ui.want(intent::OpenDrill{drill.id, false});
        ImGui::SameLine(0, ui.px(8));
        if (ui.button("drill.practice." + drill.id, ui.tr("layout.practice")))
          ui.want(intent::OpenDrill{drill.id, true});
      } else {
        ui.text_at({x[1], text_y}, drill.problem, ui.colours.fault, ui.fonts.small,
                   area.right() - x[1]);
      }
      y += row;
    }
    if (!drills.empty() && drills[static_cast<std::size_t>(chosen)].problem.empty()) {
      const DrillRow& drill = drills[static_cast<std::size_t>(chosen)];
      y += ui.px(24);
      if (y + ui.px(24) < area.bottom())
        ui.text_at({area.x, y}, ui.tr("drills.objectives"), ui.colours.dim, ui.fonts.small, area.w);
      for (const std::string& objective : drill.objectives) {
        y += ui.px(24);
        if (y + ui.px(20) < area.bottom())
          ui.text_at({area.x, y}, objective, ui.colours.text, ui.fonts.text, area.w);
      }
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
