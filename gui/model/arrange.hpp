// Where the panes of a layout are. Pixels; every edge lies on the grid of whole pixels.
#pragma once

#include <vector>

#include "gui/model/state.hpp"

namespace rocdrill::gui {

struct Rect {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;

  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool contains(float px, float py) const {
    return px >= x && px < right() && py >= y && py < bottom();
  }
};

enum class Pane : std::uint8_t {
  bar,
  drills,
  stack,
  detail,
  brief,
  timeline,
  terminal,
  tasks,
  queues,
  topology,
  waves,
  compare
};
std::string_view name(Pane pane);

struct Placed {
  Pane pane = Pane::bar;
  Rect rect;
};

/// The panes share the window without gaps or overlaps; hairlines are drawn inside them. `scale`: 1
/// at a font size of 15 pixels. A window that is too small shows what fits, from the left and the
/// top; a rectangle never is negative.
std::vector<Placed> arrange(Layout layout, float width, float height, float scale);

}  // namespace rocdrill::gui
