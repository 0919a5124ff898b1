#include "gui/panels/panels.hpp"

namespace rocdrill::gui {

void draw_bar(Ui& ui, const Rect& rect, const BarView& view) {
  const bool room = ui.begin_pane(Pane::bar, rect);
  if (room) {
    const float middle = rect.y + (rect.h - ui.fonts.text->FontSize) / 2;
    float x = rect.x + ui.px(16);
    x += ui.text_at({x, middle}, "rocdrill", ui.colours.text, ui.fonts.bold, FLT_MAX) + ui.px(16);

    // Layouts in the middle, what helps at the right; the title has what is left between.
    float tabs = 0;
    for (const Layout layout : all_layouts)
      tabs += ui.width_of(ui.tr("layout." + std::string(name(layout))), ui.fonts.text) + ui.px(20);
    const char* commands = ui.tr("bar.commands");
    const float help = ui.width_of(commands, ui.fonts.small) + ui.px(24) +
                       ui.width_of(ui.tr("bar.keys"), ui.fonts.small) + ui.px(24);
    const float right = rect.right() - ui.px(16);
    const float tabs_x = right - help - ui.px(24) - tabs;
    const float title_room = tabs_x - x - ui.px(24);
    if (title_room > ui.px(80)) {
      const float used =
          ui.text_at({x, middle}, view.title, ui.colours.text, ui.fonts.text, title_room * 0.66F);
      const float small = rect.y + (rect.h - ui.fonts.small->FontSize) / 2;
      ui.text_at({x + used + ui.px(12), small + 1}, view.node, ui.colours.dim, ui.fonts.small,
                 title_room - used - ui.px(12));
    }
    ImGui::SetCursorScreenPos(
        {std::max(tabs_x, x), rect.y + std::round((rect.h - ImGui::GetFrameHeight()) / 2)});
    for (const Layout layout : all_layouts) {
      const bool possible = layout == Layout::practice ? view.practice
                            : layout == Layout::drills ? true
                                                       : view.replay;
      const std::string id = "bar." + std::string(name(layout));
      if (ui.button(id, ui.tr("layout." + std::string(name(layout))), view.layout == layout,
                    possible, possible ? "" : ui.tr("bar.no-drill")))
        ui.want(intent::ChooseLayout{layout});
      ImGui::SameLine(0, ui.px(4));
    }
    const float small = rect.y + std::round((rect.h - ui.fonts.small->FontSize) / 2);
    ImGui::SetCursorScreenPos({right - help + ui.px(24), small});
    if (ui.link("bar.commands", commands, ui.fonts.small)) ui.want(intent::Show{Overlay::palette});
    ImGui::SetCursorScreenPos({right - ui.width_of(ui.tr("bar.keys"), ui.fonts.small), small});
    if (ui.link("bar.keys", ui.tr("bar.keys"), ui.fonts.small))
      ui.want(intent::Show{Overlay::keys});
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
