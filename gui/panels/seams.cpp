// The seams between panes: they are dragged, and double clicked for the size that suits.
#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

std::string key_of(std::string_view id) {
  const auto all = actions();
  const auto action = std::ranges::find(all, id, &Action::id);
  return action == all.end() ? std::string() : text(action->chord);
}

std::string keys_of(Edge at) {
  switch (at) {
    case Edge::left:
      return key_of("left-seam-left") + ", " + key_of("left-seam-right");
    case Edge::right:
      return key_of("right-seam-left") + ", " + key_of("right-seam-right");
    case Edge::bottom:
      return key_of("lower-seam-up") + ", " + key_of("lower-seam-down");
  }
  return {};
}

}  // namespace

void draw_seams(Ui& ui, const std::vector<Seam>& all, float width, float height) {
  constexpr ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBackground;
  for (const Seam& seam : all) {
    const std::string id = "seam." + std::string(name(seam.pane));
    ImGui::SetNextWindowPos({seam.rect.x, seam.rect.y});
    ImGui::SetNextWindowSize({std::max(seam.rect.w, 1.0F), std::max(seam.rect.h, 1.0F)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::Begin(id.c_str(), nullptr, flags);
    ImGui::PopStyleVar(2);
    ImGui::SetCursorScreenPos({seam.rect.x, seam.rect.y});
    ImGui::InvisibleButton(id.c_str(), {std::max(seam.rect.w, 1.0F), std::max(seam.rect.h, 1.0F)});
    ui.widgets.note(id, true);
    const bool held = ImGui::IsItemActive();
    if (held || ImGui::IsItemHovered()) {
      const bool across = seam.at == Edge::bottom;
      ImGui::SetMouseCursor(across ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_ResizeEW);
      const float line = std::max(ui.px(2), 1.0F);
      ui.fill(across ? Rect{seam.rect.x, seam.rect.y + (seam.rect.h - line) / 2, seam.rect.w, line}
                     : Rect{seam.rect.x + (seam.rect.w - line) / 2, seam.rect.y, line, seam.rect.h},
              ui.colours.accent);
      const ImVec2 pointer = ImGui::GetIO().MousePos;
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        ui.want(intent::Resize{seam.pane, 0});
      } else if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) {
        const int size = size_at(seam, pointer.x, pointer.y, width, height, ui.scale);
        if (size != seam.size) ui.want(intent::Resize{seam.pane, size});
      } else if (!held) {
        ui.tip(keys_of(seam.at) + "\n" + ui.tr("seam.tip"));
      }
    }
    ImGui::End();
  }
}

}  // namespace rocdrill::gui
