#include "gui/panels/ui.hpp"

#include <algorithm>
#include <cmath>

namespace rocdrill::gui {

ImU32 rgba(Rgb colour, float alpha) {
  return IM_COL32((colour >> 16) & 0xFF, (colour >> 8) & 0xFF, colour & 0xFF,
                  static_cast<int>(alpha * 255 + 0.5F));
}

namespace {

ImVec4 vec4(Rgb colour) { return ImGui::ColorConvertU32ToFloat4(rgba(colour)); }

/// Bytes of the UTF-8 character that begins here.
std::size_t character(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() &&
         (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80)
    ++length;
  return length;
}

float measured(std::string_view text, ImFont* font) {
  if (text.empty()) return 0;
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

}  // namespace

std::string shortened(std::string_view text, ImFont* font, float width) {
  if (measured(text, font) <= width) return std::string(text);
  const std::string_view dots = "\xE2\x80\xA6";
  const float room = width - measured(dots, font);
  if (room <= 0) return {};
  // Take characters from both ends in turn.
  std::size_t head = 0;
  std::size_t tail = text.size();
  float used = 0;
  bool front = true;
  while (head < tail) {
    std::size_t from = head;
    std::size_t length = character(text, head);
    if (!front) {
      from = tail - 1;
      while (from > head && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) --from;
      length = tail - from;
    }
    const float more = measured(text.substr(from, length), font);
    if (used + more > room) break;
    used += more;
    (front ? head += length : tail -= length);
    front = !front;
  }
  return std::string(text.substr(0, head)) + std::string(dots) + std::string(text.substr(tail));
}

void apply_style(const Palette& palette, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = {16 * scale, 12 * scale};
  style.FramePadding = {8 * scale, 4 * scale};
  style.ItemSpacing = {8 * scale, 4 * scale};
  style.ItemInnerSpacing = {8 * scale, 4 * scale};
  style.ScrollbarSize = std::round(10 * scale);
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.PopupRounding = 4 * scale;
  style.FrameRounding = 4 * scale;
  style.ScrollbarRounding = 4 * scale;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.FrameBorderSize = 0;
  style.PopupBorderSize = 1;
  style.DisabledAlpha = 0.5F;
  ImVec4* colours = style.Colors;
  colours[ImGuiCol_Text] = vec4(palette.text);
  colours[ImGuiCol_TextDisabled] = vec4(palette.dim);
  colours[ImGuiCol_WindowBg] = vec4(palette.pane);
  colours[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
  colours[ImGuiCol_PopupBg] = vec4(palette.pane);
  colours[ImGuiCol_Border] = vec4(palette.hairline);
  colours[ImGuiCol_FrameBg] = vec4(palette.inset);
  colours[ImGuiCol_FrameBgHovered] = vec4(palette.hover);
  colours[ImGuiCol_FrameBgActive] = vec4(palette.hover);
  colours[ImGuiCol_Button] = vec4(palette.inset);
  colours[ImGuiCol_ButtonHovered] = vec4(palette.hover);
  colours[ImGuiCol_ButtonActive] = vec4(palette.chosen);
  colours[ImGuiCol_Header] = vec4(palette.chosen);
  colours[ImGuiCol_HeaderHovered] = vec4(palette.hover);
  colours[ImGuiCol_HeaderActive] = vec4(palette.chosen);
  colours[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  colours[ImGuiCol_ScrollbarGrab] = vec4(palette.hairline);
  colours[ImGuiCol_ScrollbarGrabHovered] = vec4(palette.dim);
  colours[ImGuiCol_ScrollbarGrabActive] = vec4(palette.dim);
  colours[ImGuiCol_CheckMark] = vec4(palette.accent);
  colours[ImGuiCol_TextSelectedBg] = vec4(palette.chosen);
  colours[ImGuiCol_Separator] = vec4(palette.hairline);
  colours[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, 0.35F);
}

void Widgets::note(const std::string& id, bool enabled) {
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  entries_[id] = {{low.x, low.y, high.x - low.x, high.y - low.y}, enabled};
}

const Widgets::Entry* Widgets::find(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

float Ui::px(float at_scale_1) const { return std::round(at_scale_1 * scale); }

void Ui::text(std::string_view text, Rgb colour, ImFont* font) {
  ImGui::PushFont(font ? font : fonts.text);
  ImGui::PushStyleColor(ImGuiCol_Text, rgba(colour));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void Ui::wrapped(std::string_view text, Rgb colour, ImFont* font) {
  ImGui::PushTextWrapPos(0);
  this->text(text, colour, font);
  ImGui::PopTextWrapPos();
}

float Ui::text_at(ImVec2 at, std::string_view text, Rgb colour, ImFont* font, float width) {
  const std::string shown = shortened(text, font, width);
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, {std::round(at.x), std::round(at.y)},
                                      rgba(colour), shown.c_str());
  return width_of(shown, font);
}

void Ui::text_right(float right, float y, std::string_view text, Rgb colour, ImFont* font) {
  text_at({right - width_of(text, font), y}, text, colour, font, FLT_MAX);
}

float Ui::width_of(std::string_view text, ImFont* font) const { return measured(text, font); }

void Ui::heading(std::string_view key) {
  text(tr(key), colours.dim, fonts.small);
  gap(2);
}

void Ui::gap(float height) { ImGui::Dummy({0, px(height)}); }

bool Ui::button(const std::string& id, std::string_view label, bool chosen, bool enabled,
                std::string_view tip_text) {
  ImGui::PushStyleColor(ImGuiCol_Button, rgba(chosen ? colours.chosen : colours.inset));
  ImGui::PushStyleColor(ImGuiCol_Text, rgba(!enabled ? colours.dim
                                            : chosen ? colours.accent
                                                     : colours.text));
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button((std::string(label) + "##" + id).c_str());
  ImGui::EndDisabled();
  ImGui::PopStyleColor(2);
  widgets.note(id, enabled);
  if (!tip_text.empty() && ImGui::IsItemHovered()) tip(tip_text);
  return pressed;
}

bool Ui::link(const std::string& id, std::string_view label, ImFont* font) {
  ImFont* used = font ? font : fonts.text;
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown = shortened(label, used, room);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  bool hovered = false;
  const float width = std::max(width_of(shown, used), 1.0F);
  const bool pressed = area(id, width, used->FontSize, hovered);
  text_at(at, shown, colours.accent, used, FLT_MAX);
  if (hovered) {
    line({at.x, at.y + used->FontSize}, {at.x + width, at.y + used->FontSize}, colours.accent);
    if (shown != label) tip(label);
  }
  return pressed;
}

bool Ui::area(const std::string& id, float width, float height, bool& hovered) {
  const bool pressed =
      ImGui::InvisibleButton(id.c_str(), {std::max(width, 1.0F), std::max(height, 1.0F)});
  hovered = ImGui::IsItemHovered();
  widgets.note(id, true);
  return pressed;
}

namespace {

int grow(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    auto* text = static_cast<std::string*>(data->UserData);
    text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = text->data();
  }
  return 0;
}

}  // namespace

bool Ui::input(const std::string& id, const char* hint, std::string& text, float width,
               bool focus) {
  if (focus) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  const bool changed =
      ImGui::InputTextWithHint(("##" + id).c_str(), hint, text.data(), text.capacity() + 1,
                               ImGuiInputTextFlags_CallbackResize, grow, &text);
  widgets.note(id, true);
  return changed;
}

bool Ui::begin_combo(const std::string& id, const char* shown, float width) {
  ImGui::SetNextItemWidth(width);
  const bool open = ImGui::BeginCombo(("##" + id).c_str(), shown, ImGuiComboFlags_HeightLargest);
  if (!open) widgets.note(id, true);
  return open;
}

bool Ui::option(const std::string& id, const char* label, bool chosen) {
  const bool pressed = ImGui::Selectable((std::string(label) + "##" + id).c_str(), chosen);
  widgets.note(id, true);
  return pressed;
}

void Ui::tip(std::string_view text) const {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(px(420));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void Ui::state_glyph(ImVec2 centre, scenarios::LayerState state) const {
  using scenarios::LayerState;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 colour = rgba(colour_of(colours, state));
  const float r = 6 * scale;
  const float w = 1.75F * scale;
  const auto at = [&](float x, float y) { return ImVec2(centre.x + x * r, centre.y + y * r); };
  switch (state) {
    case LayerState::ok: {
      const ImVec2 tick[3] = {at(-0.75F, 0.05F), at(-0.2F, 0.6F), at(0.8F, -0.6F)};
      draw->AddPolyline(tick, 3, colour, 0, w);
      break;
    }
    case LayerState::warning:
      draw->AddTriangle(at(0, -0.95F), at(0.95F, 0.75F), at(-0.95F, 0.75F), colour, w);
      draw->AddLine(at(0, -0.25F), at(0, 0.25F), colour, w);
      break;
    case LayerState::fault: {
      draw->AddCircleFilled(centre, r * 1.15F, colour, 24);
      const ImU32 on = rgba(colours.pane);
      draw->AddLine(at(-0.45F, -0.45F), at(0.45F, 0.45F), on, w);
      draw->AddLine(at(-0.45F, 0.45F), at(0.45F, -0.45F), on, w);
      break;
    }
    case LayerState::affected:
      draw->AddLine(at(-0.65F, -0.65F), at(0.65F, 0.65F), colour, w);
      draw->AddLine(at(-0.65F, 0.65F), at(0.65F, -0.65F), colour, w);
      break;
    case LayerState::unmodelled:
      draw->AddCircle(centre, r, colour, 24, w);
      draw->AddLine(at(-0.4F, 0), at(0.4F, 0), colour, w);
      break;
    case LayerState::not_reached:
      draw->AddLine(at(-0.6F, 0), at(0.6F, 0), colour, w);
      break;
  }
}

void Ui::fill(const Rect& rect, Rgb colour, float rounding) const {
  ImGui::GetWindowDrawList()->AddRectFilled({rect.x, rect.y}, {rect.right(), rect.bottom()},
                                            rgba(colour), rounding);
}

void Ui::line(ImVec2 from, ImVec2 to, Rgb colour, float width) const {
  // Filled rectangles for straight ones: no blur.
  if (width == 1 && (from.x == to.x || from.y == to.y)) {
    const ImVec2 low{std::floor(std::min(from.x, to.x)), std::floor(std::min(from.y, to.y))};
    const ImVec2 high{std::floor(std::max(from.x, to.x)), std::floor(std::max(from.y, to.y))};
    ImGui::GetWindowDrawList()->AddRectFilled(
        low, {from.x == to.x ? low.x + 1 : high.x, from.y == to.y ? low.y + 1 : high.y},
        rgba(colour));
    return;
  }
  ImGui::GetWindowDrawList()->AddLine(from, to, rgba(colour), width);
}

bool Ui::begin_pane(Pane pane, const Rect& rect, bool scrolls) {
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({std::max(rect.w, 1.0F), std::max(rect.h, 1.0F)});
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                           ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
  if (!scrolls) flags |= ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));  // panels place what they draw
  ImGui::Begin(std::string(name(pane)).c_str(), nullptr, flags);
  ImGui::PopStyleVar();
  ImGui::PushFont(fonts.text);
  widgets.note("pane." + std::string(name(pane)), rect);
  const bool room = rect.w >= px(64) && rect.h >= px(24);
  // Hairlines at the right and lower edge.
  line({rect.right() - 1, rect.y}, {rect.right() - 1, rect.bottom()}, colours.hairline);
  line({rect.x, rect.bottom() - 1}, {rect.right(), rect.bottom() - 1}, colours.hairline);
  return room;
}

void Ui::end_pane() {
  ImGui::PopFont();
  ImGui::End();
}

}  // namespace rocdrill::gui
