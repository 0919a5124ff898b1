// Where the panes of a layout are, and the seams between them that can be dragged. Pixels; every
// edge lies on the grid of whole pixels.
#pragma once

#include <map>
#include <vector>

#include "gui/model/pane.hpp"
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

struct Placed {
  Pane pane = Pane::bar;
  Rect rect;
};

/// The panes share the window without gaps or overlaps; hairlines are drawn inside them. `scale`: 1
/// at a font size of 15 pixels. `sizes`: of State. A window that is too small shows what fits, from
/// the left and the top; a rectangle never is negative.
std::vector<Placed> arrange(Layout layout, float width, float height, float scale,
                            const PaneSizes& sizes = {});

/// The line between a pane whose size can be chosen and the rest.
struct Seam {
  Pane pane = Pane::stack;
  Edge at = Edge::left;  ///< of the window: left and right have a width, bottom a height
  Rect rect;             ///< where the pointer takes hold of it
  int size = 0;          ///< of the pane now, in pixels at scale 1
};
std::vector<Seam> seams(const std::vector<Placed>& panes, float scale);
/// The pane's size if its seam were at the pointer, in pixels at scale 1.
int size_at(const Seam& seam, float pointer_x, float pointer_y, float width, float height,
            float scale);

}  // namespace rocdrill::gui
