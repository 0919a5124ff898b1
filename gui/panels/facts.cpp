#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {

Rect draw_title(Ui& ui, const Rect& rect, const char* key) {
  const Rect area{rect.x + ui.px(24), rect.y + ui.px(12), rect.w - ui.px(48), rect.h - ui.px(24)};
  ImGui::SetCursorScreenPos({area.x, area.y});
  ui.heading(key);
  return {area.x, area.y + ui.px(24), area.w, area.h - ui.px(24)};
}

void draw_nothing(Ui& ui, const Rect& area, std::string_view why) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
  ui.text(why, ui.colours.dim);
  ImGui::PopTextWrapPos();
}

void draw_form(Ui& ui, float right, float y, bool expert) {
  const char* form = ui.tr(expert ? "stack.expert" : "stack.beginner");
  ImGui::SetCursorScreenPos({right - ui.width_of(form, ui.fonts.small), y});
  if (ui.link("form", form, ui.fonts.small)) ui.want(intent::ToggleExpert{});
}

void draw_facts(Ui& ui, const std::string& id, const Rect& area, std::string_view title,
                const std::vector<Fact>& facts) {
  ui.text_at({area.x, area.y}, title, ui.colours.text, ui.fonts.bold, area.w);
  const float top = area.y + ui.fonts.bold->FontSize + ui.px(8);
  if (area.bottom() - top < ui.px(16) || area.w < ui.px(48)) return;
  ImGui::SetCursorScreenPos({area.x, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  // Each title has a scroll position of its own.
  ImGui::BeginChild((id + "." + std::string(title)).c_str(), {area.w, area.bottom() - top});
  ui.widgets.note(id, {area.x, top, area.w, area.bottom() - top});
  const float row = ui.fonts.small->FontSize + ui.px(7);
  float label_width = 0;
  const auto label_of = [&](const Fact& fact) {
    return ui.words.has(fact.label) ? std::string_view(ui.tr(fact.label))
                                    : std::string_view(fact.label);
  };
  for (const Fact& fact : facts)
    label_width = std::max(label_width, ui.width_of(label_of(fact), ui.fonts.small));
  label_width = std::min(label_width + ui.px(16), std::round(area.w * 0.6F));
  const float right = area.x + area.w - ui.px(12);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(facts.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Fact& fact = facts[static_cast<std::size_t>(i)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ui.text_at(at, label_of(fact), ui.colours.dim, ui.fonts.small, label_width - ui.px(8));
      const float x = at.x + label_width;
      if (fact.link != no_event) {
        ImGui::SetCursorScreenPos({x, at.y});
        if (ui.link(id + "." + std::to_string(i), fact.text, ui.fonts.small))
          ui.want(intent::GoTo{fact.link});
      } else {
        ui.text_at({x, at.y}, fact.text, ui.colours.text, ui.fonts.small, right - x);
        const Rect line{at.x, at.y, right - at.x, row};
        if (ImGui::IsMouseHoveringRect({line.x, line.y}, {line.right(), line.bottom()}) &&
            ui.width_of(fact.text, ui.fonts.small) > right - x)
          ui.tip(fact.text);
      }
      ImGui::SetCursorScreenPos({at.x, at.y});
      ImGui::Dummy({area.w - ui.px(16), row});
    }
  }
  clipper.End();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace rocdrill::gui
