#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr float label_room = 128;
constexpr float tick_room = 72;

void draw_filter(Ui& ui, const State& state, bool focus) {
  Filter filter = state.filter;
  const char* layer = filter.layer ? ui.tr(fmt::format("layer.{}", name(*filter.layer)))
                                   : ui.tr("filter.every-layer");
  if (ui.begin_combo("filter.layer", layer, ui.px(144))) {
    if (ui.option("filter.layer.all", ui.tr("filter.every-layer"), !filter.layer)) {
      filter.layer.reset();
      ui.want(intent::SetFilter{filter});
    }
    for (auto one = all_layers.rbegin(); one != all_layers.rend(); ++one) {
      const std::string id(name(*one));
      if (ui.option("filter.layer." + id, ui.tr("layer." + id), filter.layer == *one)) {
        filter.layer = *one;
        ui.want(intent::SetFilter{filter});
      }
    }
    ui.end_combo();
  }
  ImGui::SameLine();
  const auto severity_word = [&](std::optional<Severity> severity) {
    return ui.tr(severity ? fmt::format("severity.{}", name(*severity))
                          : std::string("filter.every-severity"));
  };
  if (ui.begin_combo("filter.severity", severity_word(filter.at_least), ui.px(144))) {
    for (const auto severity : {std::optional<Severity>(), std::optional(Severity::warning),
                                std::optional(Severity::error)}) {
      const std::string id = severity ? std::string(name(*severity)) : "all";
      if (ui.option("filter.severity." + id, severity_word(severity),
                    filter.at_least == severity)) {
        filter.at_least = severity;
        ui.want(intent::SetFilter{filter});
      }
    }
    ui.end_combo();
  }
  ImGui::SameLine();
  if (ui.input("filter.text", ui.tr("filter.hint"), filter.contains, ui.px(168), focus))
    ui.want(intent::SetFilter{filter});
  if (!filter.empty()) {
    ImGui::SameLine();
    if (ui.button("filter.clear", ui.tr("filter.clear"))) ui.want(intent::SetFilter{});
  }
}

/// A button with a drawn symbol: bar and triangles.
void transport(Ui& ui, const char* id, int triangles, bool left, bool bar, const char* tip,
               Intent wanted) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float size = ImGui::GetFrameHeight();
  bool hovered = false;
  if (ui.area(id, size, size, hovered)) ui.want(std::move(wanted));
  if (hovered) {
    ui.fill({at.x, at.y, size, size}, ui.colours.hover, ui.px(4));
    ui.tip(tip);
  }
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 colour = rgba(ui.colours.text);
  const ImVec2 centre{at.x + size / 2, at.y + size / 2};
  const float r = std::round(size * 0.2F);
  if (triangles == 0) {  // pause
    for (const float x : {-0.9F, 0.3F})
      draw->AddRectFilled({centre.x + x * r, centre.y - r},
                          {centre.x + (x + 0.6F) * r, centre.y + r}, colour);
  }
  const float way = left ? -1.0F : 1.0F;
  for (int i = 0; i < triangles; ++i) {
    const float x =
        centre.x + (static_cast<float>(i) - static_cast<float>(triangles - 1) / 2) * r * 1.2F;
    draw->AddTriangleFilled({x - way * r * 0.6F, centre.y - r}, {x - way * r * 0.6F, centre.y + r},
                            {x + way * r * 0.8F, centre.y}, colour);
  }
  if (bar) {
    const float x = centre.x + way * r * 1.1F;
    draw->AddRectFilled({x - 1, centre.y - r}, {x + 1, centre.y + r}, colour);
  }
  ImGui::SameLine(0, ui.px(2));
}

void draw_tools(Ui& ui, const Rect& rect, const State& state, const TimelineView& view,
                bool focus_filter) {
  ImGui::SetCursorScreenPos({rect.x + ui.px(12), rect.y + ui.px(8)});
  transport(ui, "timeline.first", 1, true, true, ui.tr("tip.first"), intent::GoTo{1});
  transport(ui, "timeline.back", 1, true, false, ui.tr("tip.back"), intent::Step{-1});
  transport(ui, "timeline.play", state.playing ? 0 : 2, false, false, ui.tr("tip.play"),
            intent::Play{});
  transport(ui, "timeline.step", 1, false, false, ui.tr("tip.step"), intent::Step{1});
  transport(ui, "timeline.last", 1, false, true, ui.tr("tip.last"), intent::GoTo{UINT32_MAX});
  ImGui::SameLine(0, ui.px(8));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui.text_at({at.x, at.y + ImGui::GetStyle().FramePadding.y}, fmt::format("{:g}/s", state.speed),
             ui.colours.dim, ui.fonts.text, FLT_MAX);
  ImGui::SetCursorScreenPos({at.x + ui.px(52), at.y});
  if (ui.button("timeline.deviation", ui.tr("timeline.deviation"), false, true,
                ui.tr("tip.deviation")))
    ui.want(intent::ToDeviation{});
  ImGui::SameLine();
  if (ui.button("timeline.symptom", ui.tr("timeline.symptom"), false, true, ui.tr("tip.symptom")))
    ui.want(intent::ToSymptom{});
  ImGui::SameLine(0, ui.px(16));
  draw_filter(ui, state, focus_filter);
  const float y = rect.y + ui.px(8) + ImGui::GetStyle().FramePadding.y;
  const std::string right = fmt::format("t = {}     {}", view.time, view.count);
  ui.text_right(rect.right() - ui.px(16), y, right, ui.colours.text, ui.fonts.text);
}

void draw_mark(Ui& ui, const TimelineMark& mark, float x, float y, float r) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float alpha = mark.matches ? 1.0F : 0.25F;
  const ImU32 colour = rgba(colour_of(ui.colours, mark.worst), alpha);
  const float w = std::max(1.5F, 1.75F * ui.scale);
  switch (mark.worst) {
    case Severity::error:
      draw->AddLine({x - r, y - r}, {x + r, y + r}, colour, w);
      draw->AddLine({x - r, y + r}, {x + r, y - r}, colour, w);
      break;
    case Severity::warning:
      draw->AddTriangle({x, y - r}, {x + r, y + r * 0.8F}, {x - r, y + r * 0.8F}, colour, w * 0.8F);
      break;
    case Severity::unmodelled:
      draw->AddCircle({x, y}, r, colour, 16, w * 0.8F);
      break;
    default:
      draw->AddCircleFilled({x, y}, r * 0.7F, colour, 12);
  }
}

void draw_lanes(Ui& ui, const Rect& area, const TimelineView& view, Layer shown) {
  const float labels = ui.px(label_room);
  const float lane = std::floor(area.h / static_cast<float>(view.lanes.size()));
  const float r = std::min(4 * ui.scale, lane / 2 - 2);
  float y = area.y;
  for (const TimelineLane& one : view.lanes) {
    const float middle = std::round(y + lane / 2);
    const bool chosen = one.layer == shown;
    const std::string number =
        one.layer == Layer::host ? "" : std::to_string(static_cast<int>(one.layer));
    const float text_y = middle - ui.fonts.small->FontSize / 2;
    ui.text_right(area.x + ui.px(12), text_y, number, ui.colours.dim, ui.fonts.small);
    ui.text_at({area.x + ui.px(20), text_y}, ui.tr(fmt::format("layer.{}", name(one.layer))),
               chosen ? ui.colours.accent : ui.colours.dim, ui.fonts.small, labels - ui.px(28));
    ui.line({area.x + labels, middle}, {area.right(), middle}, ui.colours.hairline);
    for (const TimelineMark& mark : one.marks) {
      if (mark.x < -r || mark.x > area.w - labels + r) continue;
      draw_mark(ui, mark, area.x + labels + mark.x, static_cast<float>(middle) + 0.5F, r);
    }
    y += lane;
  }
}

/// What is under the pointer: drag moves now, the wheel zooms around the pointer.
void interact(Ui& ui, const Rect& area, const Story& story, const State& state) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  bool hovered = false;
  ui.area("timeline.lanes", area.w, area.h, hovered);
  const float x = ImGui::GetIO().MousePos.x - area.x;
  const double event = event_at(state, area.w, x);
  if (ImGui::IsItemActive() && ImGui::IsMousePosValid()) {
    const double last = story.last();
    ui.want(intent::GoTo{
        static_cast<EventId>(std::clamp(std::round(event), 1.0, std::max(last, 1.0)))});
  }
  if (!hovered) return;
  if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) {
    if (ImGui::GetIO().KeyShift) {
      ui.want(intent::Pan{-0.1 * wheel});
    } else {
      ui.want(intent::Zoom{std::pow(0.8, wheel), event});
    }
  }
  const auto id = static_cast<EventId>(std::max(std::round(event), 0.0));
  if (ImGui::IsItemActive() || id < 1 || id > story.last()) return;
  const EventView head = story.timeline().head(id);
  ui.tip(fmt::format("{}  {}  {}\n{} {}", id, time_text(story, id),
                     ui.tr(fmt::format("layer.{}", name(head.layer))), head.kind, head.subject));
}

}  // namespace

void draw_timeline(Ui& ui, const Rect& rect, const Story& story, const State& state,
                   bool focus_filter) {
  if (ui.begin_pane(Pane::timeline, rect)) {
    const float tools = ui.px(16) + ImGui::GetFrameHeight();
    const float ticks = ui.fonts.small->FontSize + ui.px(10);
    const Rect area{rect.x + ui.px(16), rect.y + tools, rect.w - ui.px(32), rect.h - tools - ticks};
    const float labels = ui.px(label_room);
    const float width = std::max(area.w - labels, 1.0F);
    const TimelineView view = timeline_view(story, state, width, 9 * ui.scale, ui.px(tick_room));
    draw_tools(ui, rect, state, view, focus_filter);
    if (area.h > ui.px(40)) {
      const float left = area.x + labels;
      ImGui::PushClipRect({area.x - ui.px(8), rect.y}, {rect.right() - 1, rect.bottom() - 1}, true);
      if (view.deviation_x >= 0) {
        // From the first difference on, this run is not the healthy one.
        const float x = std::clamp(left + view.deviation_x, left, area.right());
        ImGui::GetWindowDrawList()->AddRectFilled({x, area.y}, {area.right(), area.bottom()},
                                                  rgba(ui.colours.fault, 0.06F));
        ui.line({x, area.y}, {x, area.bottom()}, ui.colours.fault);
      }
      draw_lanes(ui, area, view, shown_layer(story, state));
      for (const float x : view.bookmarks) {
        const float at = std::round(left + x);
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {at - ui.px(4), area.y}, {at + ui.px(5), area.y}, {at + 0.5F, area.y + ui.px(7)},
            rgba(ui.colours.accent));
      }
      for (const TimelineTick& tick : view.ticks) {
        ui.line({std::round(left + tick.x), area.bottom()},
                {std::round(left + tick.x), area.bottom() + ui.px(4)}, ui.colours.dim);
        ui.text_at({left + tick.x + ui.px(8), area.bottom() + ui.px(3)}, tick.time, ui.colours.dim,
                   ui.fonts.small, FLT_MAX);
      }
      const float now = std::round(left + view.now_x);
      if (state.now != no_event && now >= left && now <= area.right()) {
        ui.fill({now, area.y, std::max(1.0F, ui.px(1.5F)), area.h + ui.px(6)}, ui.colours.accent);
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {now - ui.px(5), area.bottom() + ui.px(9)}, {now + ui.px(6), area.bottom() + ui.px(9)},
            {now + 0.5F, area.bottom()}, rgba(ui.colours.accent));
      }
      ImGui::PopClipRect();
      interact(ui, {left, area.y, width, area.h}, story, state);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
