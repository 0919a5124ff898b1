#include <fmt/format.h>

#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr float layers_width = 416;
constexpr float detail_height = 96;

float row_height(const Ui& ui) { return ui.fonts.small->FontSize + ui.px(6); }

struct Areas {
  Rect layers;
  Rect rows;
  Rect first_detail;
  Rect second_detail;
};

Areas areas_of(const Ui& ui, const Rect& rect) {
  const Rect area{rect.x + ui.px(24), rect.y + ui.px(36), rect.w - ui.px(48), rect.h - ui.px(48)};
  const float left = std::min(ui.px(layers_width), area.w / 3);
  const float x = area.x + left + ui.px(24);
  const float width = std::max(area.right() - x, 0.0F);
  const float below = std::min(ui.px(detail_height), area.h / 3);
  const float half = std::floor(width / 2);
  return {{area.x, area.y, left, area.h},
          {x, area.y, width, area.h - below - ui.px(8)},
          {x, area.bottom() - below, half - ui.px(12), below},
          {x + half, area.bottom() - below, width - half, below}};
}

/// What a layer did first that it did not do in the other run: one line for each of them.
void draw_layers(Ui& ui, const Rect& area, const CompareView& view) {
  ui.text_at({area.x, area.y}, ui.tr("compare.layers"), ui.colours.dim, ui.fonts.small, area.w);
  const float top = area.y + ui.px(24);
  const float height = std::floor(std::min(
      ui.px(46),
      (area.bottom() - top) / static_cast<float>(std::max<std::size_t>(view.layers.size(), 1))));
  if (height < ui.px(16)) return;
  for (std::size_t i = 0; i < view.layers.size(); ++i) {
    const CompareLayer& layer = view.layers[i];
    const Rect row{area.x, top + static_cast<float>(i) * height, area.w, height};
    ImGui::SetCursorScreenPos({row.x, row.y});
    bool hovered = false;
    const bool pressed =
        ui.area(fmt::format("compare.{}", name(layer.layer)), row.w, row.h, hovered);
    if (pressed && layer.in_first != no_event) ui.want(intent::GoTo{layer.in_first});
    if (hovered) ui.fill(row, ui.colours.hover, ui.px(2));
    ui.line({row.x, row.y}, {row.right(), row.y}, ui.colours.hairline);
    const float y = row.y + ui.px(5);
    const std::string number =
        layer.layer == Layer::host ? "" : std::to_string(static_cast<int>(layer.layer));
    ui.text_at({row.x, y}, number, ui.colours.dim, ui.fonts.small, ui.px(12));
    ui.text_at({row.x + ui.px(16), y}, ui.tr(fmt::format("layer.{}", name(layer.layer))),
               layer.differs ? ui.colours.text : ui.colours.dim, ui.fonts.small, ui.px(104));
    if (layer.layer != Layer::host) {
      ui.state_glyph({row.x + ui.px(132), y + ui.px(8)}, layer.first);
      ui.state_glyph({row.x + ui.px(154), y + ui.px(8)}, layer.second);
    }
    const float x = row.x + ui.px(176);
    if (!layer.differs) {
      ui.text_at({x, y}, ui.tr("compare.same"), ui.colours.dim, ui.fonts.small, row.right() - x);
      continue;
    }
    const auto shown = [&](const std::string& text) {
      return text.empty() ? std::string(ui.tr("compare.no-more")) : text;
    };
    ui.text_at({x, y}, shown(layer.first_text), ui.colours.text, ui.fonts.small, row.right() - x);
    if (row.h >= ui.px(36))
      ui.text_at({x, y + row_height(ui) - ui.px(2)}, shown(layer.second_text), ui.colours.dim,
                 ui.fonts.small, row.right() - x);
  }
}

void draw_event(Ui& ui, const Rect& cell, const EventRow& event, bool same) {
  if (event.id == no_event) return;
  const Rgb colour = event.severity >= Severity::warning ? colour_of(ui.colours, event.severity)
                     : same                              ? ui.colours.dim
                                                         : ui.colours.text;
  const float y = cell.y + ui.px(3);
  ui.text_at({cell.x + ui.px(6), y}, event.time, ui.colours.dim, ui.fonts.small, ui.px(56));
  const float x = cell.x + ui.px(66);
  ui.text_at({x, y}, event.kind + "  " + event.subject, colour, ui.fonts.small,
             cell.right() - ui.px(4) - x);
}

void draw_rows(Ui& ui, const Rect& area, const CompareView& view) {
  const float half = std::floor(area.w / 2);
  ui.text_at({area.x + ui.px(6), area.y}, view.first_title, ui.colours.text, ui.fonts.bold,
             half - ui.px(16));
  ui.text_at({area.x + half + ui.px(6), area.y}, view.second_title, ui.colours.text, ui.fonts.bold,
             half - ui.px(16));
  const float height = row_height(ui);
  float y = area.y + ui.px(24);
  for (std::size_t i = 0; i < view.rows.size(); ++i, y += height) {
    const CompareRow& row = view.rows[i];
    const Rect line{area.x, y, area.w, height};
    const Rect first{area.x, y, half - ui.px(6), height};
    const Rect second{area.x + half, y, area.w - half, height};
    if (row.first.id != no_event) {
      ImGui::SetCursorScreenPos({line.x, line.y});
      bool hovered = false;
      if (ui.area(fmt::format("compare.row.{}", row.first.id), line.w, line.h, hovered))
        ui.want(intent::GoTo{row.first.id});
      if (hovered) ui.fill(line, ui.colours.hover);
    }
    if (row.current) ui.fill(line, ui.colours.chosen);
    if (!row.same) {
      // A bar at the side that has the event.
      const Rect& own = row.first.id != no_event ? first : second;
      if (!row.current) ui.fill(own, ui.colours.inset, ui.px(2));
      ui.fill({own.x, own.y, ui.px(3), own.h}, ui.colours.fault);
    }
    draw_event(ui, first, row.first, row.same);
    draw_event(ui, second, row.second, row.same);
  }
  ui.line({area.x + half - ui.px(3), area.y}, {area.x + half - ui.px(3), area.bottom()},
          ui.colours.hairline);
}

void draw_detail(Ui& ui, const Rect& area, const std::vector<DetailRow>& rows) {
  float y = area.y + ui.px(8);
  ui.line({area.x, area.y}, {area.right(), area.y}, ui.colours.hairline);
  for (const DetailRow& row : rows) {
    if (y + row_height(ui) > area.bottom()) return;
    ui.text_at({area.x + ui.px(6), y}, ui.tr(row.label), ui.colours.dim, ui.fonts.small, ui.px(56));
    ui.text_at({area.x + ui.px(66), y}, row.text, ui.colours.text, ui.fonts.small,
               area.w - ui.px(66));
    y += row_height(ui);
  }
}

}  // namespace

std::size_t compare_rows(const Ui& ui, const Rect& rect) {
  const float room = areas_of(ui, rect).rows.h - ui.px(24);
  return static_cast<std::size_t>(std::max(0.0F, room / row_height(ui)));
}

void draw_compare(Ui& ui, const Rect& rect, const CompareView& view) {
  if (ui.begin_pane(Pane::compare, rect)) {
    ImGui::SetCursorScreenPos({rect.x + ui.px(24), rect.y + ui.px(12)});
    ui.heading("compare.title");
    const Areas areas = areas_of(ui, rect);
    if (!view.ready) {
      ImGui::SetCursorScreenPos({areas.layers.x, areas.layers.y});
      ImGui::PushTextWrapPos(rect.w - ui.px(24));
      ui.text(ui.tr("compare.nothing"), ui.colours.dim);
      ImGui::PopTextWrapPos();
    } else {
      const std::string count = fmt::format("{} {} / {}", ui.tr("compare.differences"),
                                            view.difference, view.differences);
      ui.text_right(rect.right() - ui.px(24), rect.y + ui.px(12), count, ui.colours.dim,
                    ui.fonts.small);
      draw_layers(ui, areas.layers, view);
      draw_rows(ui, areas.rows, view);
      draw_detail(ui, areas.first_detail, view.first_detail);
      draw_detail(ui, areas.second_detail, view.second_detail);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
