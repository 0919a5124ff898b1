#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

LayerState state_of(checks::Status status) {
  switch (status) {
    case checks::Status::pass:
      return LayerState::ok;
    case checks::Status::fail:
      return LayerState::fault;
    case checks::Status::not_modelled:
      return LayerState::unmodelled;
    case checks::Status::not_reached:
      break;
  }
  return LayerState::not_reached;
}

void draw_ticket(Ui& ui, const Rect& area, const BriefView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::BeginChild("ticket", {area.w, area.h});
  if (view.title.empty()) ui.wrapped(ui.tr("brief.none"), ui.colours.dim, ui.fonts.small);
  ui.wrapped(view.title, ui.colours.text, ui.fonts.bold);
  ui.gap(4);
  for (const std::string& paragraph : view.paragraphs) {
    ui.wrapped(paragraph, ui.colours.text, ui.fonts.small);
    if (!paragraph.starts_with("From:")) ui.gap(4);
  }
  ImGui::EndChild();
}

void draw_why(Ui& ui, const Rect& area, const std::vector<WhyRow>& why, bool hidden, float row) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ui.heading("why.title");
  float y = ImGui::GetCursorScreenPos().y;
  if (hidden || why.empty()) {
    ImGui::SetCursorScreenPos({area.x, y});
    ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
    ui.text(ui.tr(hidden ? "why.hidden" : "why.nothing"), ui.colours.dim, ui.fonts.small);
    ImGui::PopTextWrapPos();
    return;
  }
  for (std::size_t i = 0; i < why.size() && y + row <= area.bottom() + 1; ++i) {
    const WhyRow& one = why[i];
    ImGui::SetCursorScreenPos({area.x, y});
    bool hovered = false;
    if (ui.area(fmt::format("why.{}", i), area.w, row, hovered)) ui.want(intent::GoTo{one.event});
    if (hovered || one.current)
      ui.fill({area.x - ui.px(8), y, area.w + ui.px(16), row},
              one.current ? ui.colours.chosen : ui.colours.hover, ui.px(2));
    const float text_y = y + std::round((row - ui.fonts.small->FontSize) / 2);
    const Rgb colour =
        one.severity >= Severity::warning ? colour_of(ui.colours, one.severity) : ui.colours.dim;
    // A line of dots: the chain, from the symptom down.
    const float dot_x = std::round(area.x + ui.px(4)) + 0.5F;
    const float dot_y = std::round(y + row / 2);
    if (i + 1 < why.size()) ui.line({dot_x, dot_y}, {dot_x, dot_y + row}, ui.colours.dim);
    ImGui::GetWindowDrawList()->AddCircleFilled({dot_x + 0.5F, dot_y}, ui.px(4), rgba(colour), 16);
    const std::string number =
        one.layer == Layer::host ? "-" : std::to_string(static_cast<int>(one.layer));
    ui.text_at({area.x + ui.px(18), text_y}, number, ui.colours.dim, ui.fonts.small, FLT_MAX);
    const float used = ui.text_at({area.x + ui.px(34), text_y}, one.kind, ui.colours.text,
                                  ui.fonts.small, area.w - ui.px(34));
    const float subject = area.x + ui.px(34) + used + ui.px(8);
    ui.text_at({subject, text_y}, one.subject, ui.colours.dim, ui.fonts.small,
               area.right() - subject);
    if (hovered) {
      ui.tip(one.kind + " " + one.subject + (one.sentence.empty() ? "" : "\n" + one.sentence));
    }
    y += row;
  }
}

/// All checks if they fit, else the steps of the bring-up script.
std::vector<std::size_t> shown_checks(const std::vector<CheckRow>& checks, std::size_t fits) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks.size() <= fits || (checks[i].step > 0 && shown.size() < fits)) shown.push_back(i);
  }
  return shown;
}

}  // namespace

void draw_checks(Ui& ui, const Rect& area, const BriefView& view, float row) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ui.heading("checks.title");
  float y = ImGui::GetCursorScreenPos().y;
  if (!view.checks_known) {
    ui.text_at({area.x, y}, ui.tr(view.checks_asked ? "checks.running" : "checks.press"),
               ui.colours.dim, ui.fonts.small, area.w);
    return;
  }
  const auto fits = static_cast<std::size_t>(std::max((area.bottom() - y + 1) / row, 0.0F));
  for (const std::size_t i : shown_checks(view.checks, fits)) {
    const CheckRow& check = view.checks[i];
    ImGui::SetCursorScreenPos({area.x, y});
    bool hovered = false;
    if (ui.area(fmt::format("check.{}", i), area.w, row, hovered))
      ui.want(intent::ChooseLayer{check.layer});
    if (hovered)
      ui.fill({area.x - ui.px(8), y, area.w + ui.px(16), row}, ui.colours.hover, ui.px(2));
    const float text_y = y + std::round((row - ui.fonts.small->FontSize) / 2);
    ui.state_glyph({area.x + ui.px(6), std::round(y + row / 2)}, state_of(check.status));
    ui.text_at({area.x + ui.px(20), text_y}, check.title,
               check.status == checks::Status::not_reached ? ui.colours.dim : ui.colours.text,
               ui.fonts.small, area.w - ui.px(20));
    if (hovered && !check.evidence.empty())
      ui.tip(check.evidence + (check.next.empty() ? "" : "\n$ " + check.next));
    y += row;
  }
}

void draw_brief(Ui& ui, const Rect& rect, const BriefView& view, const std::vector<WhyRow>& why,
                bool hidden) {
  if (ui.begin_pane(Pane::brief, rect)) {
    const Rect area{rect.x + ui.px(16), rect.y + ui.px(12), rect.w - ui.px(32), rect.h - ui.px(28)};
    const float row = ui.fonts.small->FontSize + ui.px(7);
    const float head = ui.fonts.small->FontSize + ui.px(10);
    const float gap = ui.px(12);
    const float chain =
        head + row * (hidden ? 2 : std::clamp<float>(static_cast<float>(why.size()), 1, 10));
    float checks = head + row * (view.checks_known ? static_cast<float>(view.checks.size()) : 20);
    const float most = std::max(area.h - chain - 2 * gap - head, 0.0F);
    checks = std::min(checks, std::max(most * 0.5F, std::min(most - row * 4, head + row * 6)));
    float ticket = area.h - chain - checks - 2 * gap;
    float y = area.y;
    if (ticket > head + row) {
      ImGui::SetCursorScreenPos({area.x, y});
      ui.heading("brief.title");
      draw_ticket(ui, {area.x, y + head - ui.px(4), area.w, ticket - head + ui.px(4)}, view);
    } else {
      ticket = 0;
    }
    y += ticket + gap;
    ui.line({rect.x, y - gap / 2}, {rect.right() - 1, y - gap / 2}, ui.colours.hairline);
    draw_why(ui, {area.x, y, area.w, std::min(chain, area.bottom() - y)}, why, hidden, row);
    y += chain + gap;
    if (y + head + row <= area.bottom() + 1) {
      ui.line({rect.x, y - gap / 2}, {rect.right() - 1, y - gap / 2}, ui.colours.hairline);
      draw_checks(ui, {area.x, y, area.w, area.bottom() - y}, view, row);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
