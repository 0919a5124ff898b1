#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

// A terminal is dark in every palette: programs choose their colours for that.
constexpr Rgb ground = 0x15181C;
constexpr Rgb ink = 0xE4E7EB;
constexpr Rgb caret = 0x82AEFF;
constexpr Rgb quiet = 0x9BA4AF;

void draw_row(Ui& ui, const TerminalView& view, int row, ImVec2 at, float w, float h) {
  ImFont* font = ui.fonts.mono;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float text_y = std::round(at.y + (h - font->FontSize) / 2);
  for (int column = 0; column < view.columns; ++column) {
    const TerminalCell& cell = view.at(row, column);
    if (cell.width == 0) continue;
    Rgb front = cell.own_foreground ? ink : cell.foreground;
    Rgb back = cell.own_background ? ground : cell.background;
    if (cell.reverse) std::swap(front, back);
    const float x = at.x + static_cast<float>(column) * w;
    if (back != ground) draw->AddRectFilled({x, at.y}, {x + w * cell.width, at.y + h}, rgba(back));
    if (cell.character == U' ') continue;
    std::string text;
    append_utf8(text, cell.character);
    draw->AddText(font, font->FontSize, {x, text_y}, rgba(front), text.c_str());
    if (cell.bold)  // one pixel wider
      draw->AddText(font, font->FontSize, {x + 0.5F, text_y}, rgba(front), text.c_str());
  }
}

}  // namespace

void draw_terminal(Ui& ui, const Rect& rect, const TerminalView& view, bool focused) {
  if (ui.begin_pane(Pane::terminal, rect)) {
    ui.fill({rect.x, rect.y, rect.w - 1, rect.h - 1}, ground);
    const float head = ui.px(28);
    const float text_y = rect.y + ui.px(9);
    ui.text_at({rect.x + ui.px(16), text_y}, ui.tr("terminal.title"), focused ? caret : quiet,
               ui.fonts.small, rect.w / 2);
    std::string note = ui.tr(focused ? "terminal.leave" : "terminal.enter");
    if (view.scrolled > 0) note = ui.tr("terminal.scrolled");
    if (!view.running && !view.ended.empty())
      note = ui.tr("terminal.ended") + (" (" + view.ended + ")");
    ui.text_right(rect.right() - ui.px(16), text_y, note, quiet, ui.fonts.small);

    ImFont* font = ui.fonts.mono;
    const float w = font->GetCharAdvance('M');
    const float h = std::round(font->FontSize * 1.3F);
    const Rect area{rect.x + ui.px(16), rect.y + head, rect.w - ui.px(32),
                    rect.h - head - ui.px(8)};
    const int columns = std::max(static_cast<int>(area.w / w), 2);
    const int rows = std::max(static_cast<int>(area.h / h), 1);
    if (columns != view.columns || rows != view.rows) ui.want(intent::TerminalSize{columns, rows});
    ImGui::SetCursorScreenPos({rect.x, rect.y});
    bool hovered = false;
    if (ui.area("terminal.screen", rect.w, rect.h, hovered)) ui.want(intent::FocusTerminal{true});
    if (hovered && ImGui::GetIO().MouseWheel != 0)
      ui.want(intent::TerminalScroll{static_cast<int>(std::round(ImGui::GetIO().MouseWheel * 3))});
    ImGui::PushClipRect({area.x - 1, area.y}, {area.right() + 1, area.bottom()}, true);
    for (int row = 0; row < std::min(rows, view.rows); ++row)
      draw_row(ui, view, row, {area.x, area.y + static_cast<float>(row) * h}, w, h);
    if (view.cursor_row >= 0 && view.running) {
      const float x = area.x + static_cast<float>(view.cursor_column) * w;
      const float y = area.y + static_cast<float>(view.cursor_row) * h;
      ImDrawList* draw = ImGui::GetWindowDrawList();
      if (focused) {
        draw->AddRectFilled({x, y + 1}, {x + ui.px(2), y + h - 1}, rgba(caret));
      } else {
        draw->AddRect({x, y + 1}, {x + w, y + h - 1}, rgba(quiet));
      }
    }
    ImGui::PopClipRect();
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
