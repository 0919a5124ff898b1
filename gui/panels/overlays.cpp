#include <fmt/format.h>

#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

/// A window over the others, in the middle and near the top; end with ImGui::End().
Rect begin_overlay(Ui& ui, const char* id, float width, float height, float wanted_w,
                   float wanted_h) {
  ImGui::GetBackgroundDrawList();
  const float w = std::min(ui.px(wanted_w), width - ui.px(32));
  const float h = std::min(ui.px(wanted_h), height - ui.px(64));
  const Rect rect{std::round((width - w) / 2), std::round(std::min(ui.px(72), (height - h) / 2)),
                  std::max(w, 1.0F), std::max(h, 1.0F)};
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.w, rect.h});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(12)));
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar(3);
  ImGui::PushFont(ui.fonts.text);
  ui.widgets.note(id, rect);
  return rect;
}

void end_overlay() {
  ImGui::PopFont();
  ImGui::End();
}

void draw_entry(Ui& ui, const PaletteEntry& entry, float width, bool chosen) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float row = ui.fonts.text->FontSize + ui.px(8);
  bool hovered = false;
  if (ui.area("palette." + entry.id, width, row, hovered)) {
    ui.want(intent::Show{Overlay::none});
    for (const Intent& intent : entry.intents) ui.want(intent);
  }
  if (chosen || hovered)
    ui.fill({at.x - ui.px(8), at.y, width + ui.px(16), row},
            chosen ? ui.colours.chosen : ui.colours.hover, ui.px(3));
  if (chosen) ImGui::SetScrollHereY(0.5F);
  const float key = entry.key.empty() ? 0 : ui.px(128);
  ui.text_at({at.x, at.y + ui.px(4)}, entry.title, ui.colours.text, ui.fonts.text, width - key);
  ui.text_right(at.x + width, at.y + ui.px(4), entry.key, ui.colours.dim, ui.fonts.text);
}

}  // namespace

void draw_palette(Ui& ui, float width, float height, const State& state,
                  const std::vector<PaletteEntry>& entries) {
  begin_overlay(ui, "palette", width, height, 560, 440);
  std::string typed = state.palette;
  if (ui.input("palette.text", ui.tr("palette.hint"), typed, -1, true))
    ui.want(intent::Type{typed});
  ui.gap(4);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(8), 0));
  ImGui::BeginChild("actions", {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  if (entries.empty()) ui.text(ui.tr("palette.nothing"), ui.colours.dim);
  const int last = std::max(static_cast<int>(entries.size()) - 1, 0);
  const int chosen = std::min(state.choice, last);
  const float room = ImGui::GetContentRegionAvail().x;
  for (int i = 0; i < static_cast<int>(entries.size()); ++i)
    draw_entry(ui, entries[static_cast<std::size_t>(i)], room, i == chosen);
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  end_overlay();
}

void draw_settings(Ui& ui, float width, float height, const SettingsView& view) {
  begin_overlay(ui, "settings", width, height, 480, 176);
  ui.text(ui.tr("settings.title"), ui.colours.text, ui.fonts.large);
  ui.gap(8);
  const float column = ImGui::GetCursorPosX() + ui.px(104);
  const auto label = [&](const char* key) {
    ImGui::AlignTextToFramePadding();
    ui.text(ui.tr(key), ui.colours.dim);
    ImGui::SameLine(column);
  };
  label("settings.palette");
  for (const Palette& one : palettes()) {
    const std::string name(one.name);
    if (ui.button("settings.palette." + name, ui.tr("palette." + name), name == view.palette))
      ui.want(intent::SetPalette{name});
    ImGui::SameLine(0, ui.px(4));
  }
  ImGui::NewLine();
  label("settings.size");
  if (ui.button("settings.smaller", "\xE2\x88\x92", false, view.font_size > 11))
    ui.want(intent::SetFontSize{view.font_size - 1});
  ImGui::SameLine();
  ui.text(fmt::format("{} px", view.font_size), ui.colours.text);
  ImGui::SameLine();
  if (ui.button("settings.bigger", "+", false, view.font_size < 32))
    ui.want(intent::SetFontSize{view.font_size + 1});
  label("settings.language");
  for (const auto& [code, title] :
       {std::pair("en", "English"), std::pair("zh", "\xE4\xB8\xAD\xE6\x96\x87")}) {
    // Only the Chinese font has the Chinese name.
    const bool shown = view.language == "zh" || std::string_view(code) == "en";
    if (ui.button(std::string("settings.language.") + code, shown ? title : "Chinese",
                  view.language == code))
      ui.want(intent::SetLanguage{code});
    ImGui::SameLine(0, ui.px(4));
  }
  ImGui::NewLine();
  ui.gap(4);
  if (!view.file.empty()) ui.wrapped(view.file, ui.colours.dim, ui.fonts.small);
  end_overlay();
}

void draw_notice(Ui& ui, float width, float height, const std::string& text) {
  begin_overlay(ui, "notice", width, height, 560, 160);
  ui.wrapped(text, ui.colours.text);
  ui.gap(4);
  ui.text(ui.tr("notice.close"), ui.colours.dim, ui.fonts.small);
  end_overlay();
}

void draw_keys(Ui& ui, float width, float height) {
  const auto all = actions();
  const float row = ui.fonts.text->FontSize + ui.px(6);
  const std::size_t half = (all.size() + 1) / 2;
  const float rows = row * static_cast<float>(half) / ui.scale;
  const Rect rect = begin_overlay(ui, "keys", width, height, 880, rows + 60);
  ui.text(ui.tr("keys.title"), ui.colours.text, ui.fonts.large);
  ui.gap(4);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float column = std::floor((rect.w - ui.px(32) - ui.px(32)) / 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float x = top.x + (i < half ? 0 : column + ui.px(32));
    const float y = top.y + row * static_cast<float>(i < half ? i : i - half);
    ui.text_at({x, y}, ui.tr("action." + std::string(all[i].id)), ui.colours.text, ui.fonts.text,
               column - ui.px(120));
    ui.text_right(x + column, y, text(all[i].chord), ui.colours.dim, ui.fonts.text);
  }
  end_overlay();
}

}  // namespace rocdrill::gui
