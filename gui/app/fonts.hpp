// Fonts of Debian's packages, loaded at the sizes of the window: 13, 15 and 20 pixels, scaled.
#pragma once

#include <string>
#include <vector>

#include "gui/panels/ui.hpp"

namespace rocdrill::gui {

struct FontFile {
  std::string path;     ///< the first that exists of the candidates; "" if none does
  std::string package;  ///< to install
  int face = 0;
};

/// Inter, else Noto Sans, else DejaVu Sans.
FontFile sans_font(bool bold);
/// JetBrains Mono, else Noto Sans Mono, else DejaVu Sans Mono.
FontFile mono_font();
/// WenQuanYi Micro Hei, else Noto Sans CJK.
FontFile chinese_font();

/// Replaces the fonts of the current Dear ImGui context. `problems` gets a sentence for each font
/// that is missing; Dear ImGui's built-in one stands in.
/// `words`: all characters of the language are loaded.
Fonts load_fonts(float scale, bool chinese, const Strings& words,
                 std::vector<std::string>& problems);

}  // namespace rocdrill::gui
