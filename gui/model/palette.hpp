// Colours by meaning. State colours are the only saturated ones; all text has a contrast of at
// least 4.5 to 1 on its background.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scenarios/engine/story.hpp"

namespace rocdrill::gui {

/// 0xRRGGBB.
using Rgb = std::uint32_t;

struct Palette {
  std::string_view name;  ///< "light", "dark", "colour-blind"
  Rgb window;             ///< behind the panes
  Rgb pane;
  Rgb inset;     ///< evidence, input fields
  Rgb hairline;  ///< between panes, grid
  Rgb hover;
  Rgb chosen;  ///< background of what is selected
  Rgb text;
  Rgb dim;     ///< labels, what matters less
  Rgb accent;  ///< playhead, links, what can be pressed
  Rgb ok;
  Rgb warning;
  Rgb fault;
  Rgb affected;
  Rgb unmodelled;
};

std::span<const Palette> palettes();
/// The first one for an unknown name.
const Palette& palette(std::string_view name);

Rgb colour_of(const Palette& palette, scenarios::LayerState state);
Rgb colour_of(const Palette& palette, Severity severity);

/// WCAG 2 contrast ratio, 1 to 21.
double contrast(Rgb first, Rgb second);

}  // namespace rocdrill::gui
