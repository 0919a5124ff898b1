// What every panel draws with: fonts, colours, words, and thin wrappers around Dear ImGui's widgets
// that note where each widget is, by a stable id, so that tests and keys can press it.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <string_view>

#include "gui/model/arrange.hpp"
#include "gui/model/intent.hpp"
#include "gui/model/palette.hpp"
#include "gui/model/strings.hpp"

namespace rocdrill::gui {

struct Fonts {
  ImFont* text = nullptr;   ///< 15
  ImFont* small = nullptr;  ///< 13
  ImFont* large = nullptr;  ///< 20
  ImFont* bold = nullptr;   ///< 15
  ImFont* mono = nullptr;   ///< 13
};

/// Where the widgets of the last frame are.
class Widgets {
 public:
  struct Entry {
    Rect rect;
    bool enabled = true;
  };
  void begin_frame() { entries_.clear(); }
  void note(const std::string& id, bool enabled);  ///< the last item of Dear ImGui
  void note(const std::string& id, const Rect& rect) { entries_[id] = {rect, true}; }
  const std::map<std::string, Entry, std::less<>>& all() const { return entries_; }
  const Entry* find(std::string_view id) const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

class Ui {
 public:
  Ui(const Fonts& fonts, const Palette& colours, const Strings& words, float scale,
     Widgets& widgets, Intents& intents)
      : fonts(fonts),
        colours(colours),
        words(words),
        scale(scale),
        widgets(widgets),
        intents(intents) {}

  const Fonts& fonts;
  const Palette& colours;
  const Strings& words;
  float scale;
  Widgets& widgets;
  Intents& intents;

  float px(float at_scale_1) const;  ///< whole pixels
  void want(Intent intent) { intents.push_back(std::move(intent)); }
  const char* tr(std::string_view key) const { return words[key]; }

  // --- text ---
  void text(std::string_view text, Rgb colour, ImFont* font = nullptr);
  /// Breaks at the pane's right edge.
  void wrapped(std::string_view text, Rgb colour, ImFont* font = nullptr);
  /// At a place, cut with "…" in the middle to fit `width`; returns the width drawn.
  float text_at(ImVec2 at, std::string_view text, Rgb colour, ImFont* font, float width);
  void text_right(float right, float y, std::string_view text, Rgb colour, ImFont* font);
  float width_of(std::string_view text, ImFont* font) const;
  /// "STACK": a section's small heading.
  void heading(std::string_view key);
  void gap(float height);

  // --- widgets; true when pressed ---
  bool button(const std::string& id, std::string_view label, bool chosen = false,
              bool enabled = true, std::string_view tip = {});
  bool link(const std::string& id, std::string_view label, ImFont* font = nullptr);
  /// An invisible one at the cursor; draw over it after.
  bool area(const std::string& id, float width, float height, bool& hovered);
  bool input(const std::string& id, const char* hint, std::string& text, float width,
             bool focus = false);
  bool begin_combo(const std::string& id, const char* shown, float width);
  bool option(const std::string& id, const char* label, bool chosen);
  void end_combo() { ImGui::EndCombo(); }
  void tip(std::string_view text) const;

  // --- shapes ---
  void state_glyph(ImVec2 centre, scenarios::LayerState state) const;
  void fill(const Rect& rect, Rgb colour, float rounding = 0) const;
  void line(ImVec2 from, ImVec2 to, Rgb colour, float width = 1) const;

  /// A pane with its background and hairlines; false where there is no room for it. end_pane() in
  /// either case.
  bool begin_pane(Pane pane, const Rect& rect, bool scrolls = false);
  void end_pane();
};

ImU32 rgba(Rgb colour, float alpha = 1);
/// Dear ImGui's own style in the palette's colours.
void apply_style(const Palette& palette, float scale);
/// `text` cut in the middle with "…" to be no wider than `width`.
std::string shortened(std::string_view text, ImFont* font, float width);

}  // namespace rocdrill::gui
