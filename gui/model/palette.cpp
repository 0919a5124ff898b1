#include "gui/model/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rocdrill::gui {
namespace {

constexpr std::array all_palettes{
    Palette{.name = "light",
            .window = 0xEEEFF1,
            .pane = 0xFFFFFF,
            .inset = 0xF5F6F7,
            .hairline = 0xDDE0E4,
            .hover = 0xEEF1F5,
            .chosen = 0xE4ECF7,
            .text = 0x1F2328,
            .dim = 0x5C6470,
            .accent = 0x2456A6,
            .ok = 0x1A7442,
            .warning = 0x7D5A00,
            .fault = 0xB91C1C,
            .affected = 0xA34A00,
            .unmodelled = 0x6D43A8},
    Palette{.name = "dark",
            .window = 0x101214,
            .pane = 0x191C20,
            .inset = 0x121417,
            .hairline = 0x2D3238,
            .hover = 0x22272D,
            .chosen = 0x24324A,
            .text = 0xE4E7EB,
            .dim = 0x9BA4AF,
            .accent = 0x82AEFF,
            .ok = 0x5DC389,
            .warning = 0xE0B546,
            .fault = 0xFF7D74,
            .affected = 0xF0A463,
            .unmodelled = 0xC3A6F2},
    // Blue, orange and grey differ for every kind of colour vision; lightness does the rest.
    Palette{.name = "colour-blind",
            .window = 0xEEEFF1,
            .pane = 0xFFFFFF,
            .inset = 0xF5F6F7,
            .hairline = 0xDDE0E4,
            .hover = 0xEEF1F5,
            .chosen = 0xE6E9EE,
            .text = 0x1B1F24,
            .dim = 0x5C6470,
            .accent = 0x30363D,
            .ok = 0x0B62B0,
            .warning = 0x7A5C12,
            .fault = 0xAD4300,
            .affected = 0x8A5A2B,
            .unmodelled = 0x525A66},
};

double linear(Rgb channel) {
  const double value = channel / 255.0;
  return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(Rgb colour) {
  return 0.2126 * linear(colour >> 16) + 0.7152 * linear((colour >> 8) & 0xFF) +
         0.0722 * linear(colour & 0xFF);
}

}  // namespace

std::span<const Palette> palettes() { return all_palettes; }

const Palette& palette(std::string_view name) {
  const auto found = std::ranges::find(all_palettes, name, &Palette::name);
  return found == all_palettes.end() ? all_palettes.front() : *found;
}

Rgb colour_of(const Palette& palette, scenarios::LayerState state) {
  switch (state) {
    case scenarios::LayerState::ok:
      return palette.ok;
    case scenarios::LayerState::warning:
      return palette.warning;
    case scenarios::LayerState::fault:
      return palette.fault;
    case scenarios::LayerState::affected:
      return palette.affected;
    case scenarios::LayerState::unmodelled:
      return palette.unmodelled;
    case scenarios::LayerState::not_reached:
      break;
  }
  return palette.dim;
}

Rgb colour_of(const Palette& palette, Severity severity) {
  switch (severity) {
    case Severity::error:
      return palette.fault;
    case Severity::warning:
      return palette.warning;
    case Severity::unmodelled:
      return palette.unmodelled;
    case Severity::debug:
    case Severity::info:
      break;
  }
  return palette.dim;
}

double contrast(Rgb first, Rgb second) {
  const double a = luminance(first);
  const double b = luminance(second);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

}  // namespace rocdrill::gui
