#include "gui/model/arrange.hpp"

#include <algorithm>
#include <cmath>

namespace rocdrill::gui {
namespace {

constexpr float bar_height = 40;
constexpr float timeline_height = 248;
constexpr float least_middle = 200;  ///< that a chosen size leaves for the pane in the middle

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

std::vector<Placed> arrange(Layout layout, float width, float height, float scale,
                            const PaneSizes& sizes) {
  Rest rest{{0, 0, std::max(std::floor(width), 0.0F), std::max(std::floor(height), 0.0F)}};
  std::vector<Placed> panes{{Pane::bar, rest.top(bar_height * scale)}};
  // Wider windows give the outer columns some of their room.
  const float extra = std::clamp((rest.rect.w - 1280 * scale) / 4, 0.0F, 96 * scale);
  const auto chosen = [&](Pane pane, float fallback) {
    const auto size = sizes.find(pane);
    return size == sizes.end() ? fallback : static_cast<float>(size->second) * scale;
  };
  /// What somebody has chosen leaves room for the pane in the middle; what suits needs no limit.
  const auto column = [&](Pane pane, float fallback) {
    const float most = std::max(rest.rect.w - least_middle * scale, least_pane * scale);
    return sizes.contains(pane) ? std::min(chosen(pane, fallback), most) : fallback;
  };
  const auto timeline = [&] {
    const float most = sizes.contains(Pane::timeline)
                           ? std::max(rest.rect.h - least_middle * scale, least_pane * scale)
                           : rest.rect.h / 2;
    panes.push_back({Pane::timeline,
                     rest.bottom(std::min(chosen(Pane::timeline, timeline_height * scale), most))});
  };
  switch (layout) {
    case Layout::drills:
      panes.push_back({Pane::drills, rest.rect});
      break;
    case Layout::replay:
      timeline();
      panes.push_back({Pane::stack, rest.left(column(Pane::stack, 272 * scale + extra / 2))});
      panes.push_back({Pane::brief, rest.right(column(Pane::brief, 304 * scale + extra))});
      panes.push_back({Pane::detail, rest.rect});
      break;
    case Layout::queues:
    case Layout::topology:
    case Layout::waves:
    case Layout::compare:
      timeline();
      panes.push_back({pane_of(layout), rest.rect});
      break;
    case Layout::practice:
      panes.push_back({Pane::stack, rest.left(column(Pane::stack, 272 * scale + extra / 2))});
      panes.push_back({Pane::tasks, rest.right(column(Pane::tasks, 360 * scale + extra))});
      panes.push_back({Pane::terminal, rest.rect});
      break;
  }
  return panes;
}

std::vector<Seam> seams(const std::vector<Placed>& panes, float scale) {
  std::vector<Seam> all;
  const float half = std::round(3 * scale);
  const auto size = [&](float pixels) { return static_cast<int>(std::lround(pixels / scale)); };
  for (const auto& [pane, r] : panes) {
    if (r.w < 1 || r.h < 1) continue;
    if (pane == Pane::stack) {
      all.push_back({pane, Edge::left, {r.right() - half, r.y, 2 * half, r.h}, size(r.w)});
    } else if (pane == Pane::brief || pane == Pane::tasks) {
      all.push_back({pane, Edge::right, {r.x - half, r.y, 2 * half, r.h}, size(r.w)});
    } else if (pane == Pane::timeline) {
      all.push_back({pane, Edge::bottom, {r.x, r.y - half, r.w, 2 * half}, size(r.h)});
    }
  }
  return all;
}

int size_at(const Seam& seam, float pointer_x, float pointer_y, float width, float height,
            float scale) {
  const float pixels = seam.at == Edge::left    ? pointer_x
                       : seam.at == Edge::right ? width - pointer_x
                                                : height - pointer_y;
  return std::clamp(static_cast<int>(std::lround(pixels / scale)), least_pane, most_pane);
}

}  // namespace rocdrill::gui
