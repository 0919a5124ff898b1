#include "gui/model/arrange.hpp"

#include <algorithm>
#include <cmath>

namespace rocdrill::gui {
namespace {

constexpr float bar_height = 40;
constexpr float timeline_height = 248;

/// The rest of a window, from which panes are cut.
struct Rest {
  Rect rect;

  Rect top(float height) {
    height = std::clamp(std::round(height), 0.0F, rect.h);
    const Rect cut{rect.x, rect.y, rect.w, height};
    rect.y += height;
    rect.h -= height;
    return cut;
  }
  Rect bottom(float height) {
    height = std::clamp(std::round(height), 0.0F, rect.h);
    rect.h -= height;
    return {rect.x, rect.y + rect.h, rect.w, height};
  }
  Rect left(float width) {
    width = std::clamp(std::round(width), 0.0F, rect.w);
    const Rect cut{rect.x, rect.y, width, rect.h};
    rect.x += width;
    rect.w -= width;
    return cut;
  }
  Rect right(float width) {
    width = std::clamp(std::round(width), 0.0F, rect.w);
    rect.w -= width;
    return {rect.x + rect.w, rect.y, width, rect.h};
  }
};

Pane pane_of(Layout layout) {
  switch (layout) {
    case Layout::queues:
      return Pane::queues;
    case Layout::waves:
      return Pane::waves;
    case Layout::compare:
      return Pane::compare;
    default:
      return Pane::topology;
  }
}

}  // namespace

std::string_view name(Pane pane) {
  switch (pane) {
    case Pane::bar:
      return "bar";
    case Pane::drills:
      return "drills";
    case Pane::stack:
      return "stack";
    case Pane::detail:
      return "detail";
    case Pane::brief:
      return "brief";
    case Pane::timeline:
      return "timeline";
    case Pane::terminal:
      return "terminal";
    case Pane::tasks:
      return "tasks";
    case Pane::queues:
      return "queues";
    case Pane::topology:
      return "topology";
    case Pane::waves:
      return "waves";
    case Pane::compare:
      return "compare";
  }
  return "";
}

std::vector<Placed> arrange(Layout layout, float width, float height, float scale) {
  Rest rest{{0, 0, std::max(std::floor(width), 0.0F), std::max(std::floor(height), 0.0F)}};
  std::vector<Placed> panes{{Pane::bar, rest.top(bar_height * scale)}};
  // Wider windows give the outer columns some of their room.
  const float extra = std::clamp((rest.rect.w - 1280 * scale) / 4, 0.0F, 96 * scale);
  const float side = 272 * scale + extra / 2;
  switch (layout) {
    case Layout::drills:
      panes.push_back({Pane::drills, rest.rect});
      break;
    case Layout::replay: {
      const float lanes = std::min(timeline_height * scale, rest.rect.h / 2);
      panes.push_back({Pane::timeline, rest.bottom(lanes)});
      panes.push_back({Pane::stack, rest.left(side)});
      panes.push_back({Pane::brief, rest.right(304 * scale + extra)});
      panes.push_back({Pane::detail, rest.rect});
      break;
    }
    case Layout::queues:
    case Layout::topology:
    case Layout::waves:
    case Layout::compare: {
      const float lanes = std::min(timeline_height * scale, rest.rect.h / 2);
      panes.push_back({Pane::timeline, rest.bottom(lanes)});
      panes.push_back({pane_of(layout), rest.rect});
      break;
    }
    case Layout::practice:
      panes.push_back({Pane::stack, rest.left(side)});
      panes.push_back({Pane::tasks, rest.right(360 * scale + extra)});
      panes.push_back({Pane::terminal, rest.rect});
      break;
  }
  return panes;
}

}  // namespace rocdrill::gui
