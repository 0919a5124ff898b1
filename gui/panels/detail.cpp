#include <fmt/format.h>

#include <algorithm>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr float label_width = 72;
constexpr float line_gap = 4;

void draw_rows(Ui& ui, const Rect& area, const DetailView& view) {
  for (const DetailRow& row : view.rows) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui.text_at({area.x, at.y}, ui.tr(row.label), ui.colours.dim, ui.fonts.text, ui.px(label_width));
    ImGui::SetCursorScreenPos({area.x + ui.px(label_width + 8), at.y});
    if (row.link != no_event) {
      if (ui.link("detail.because", row.text)) ui.want(intent::GoTo{row.link});
    } else {
      ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
      ui.text(row.text, ui.colours.text, row.mono ? ui.fonts.mono : nullptr);
      ImGui::PopTextWrapPos();
    }
    ImGui::SetCursorScreenPos({area.x, ImGui::GetCursorScreenPos().y + ui.px(line_gap)});
  }
}

/// The commands as tabs, as far as they fit; true if one was pressed.
void draw_commands(Ui& ui, const Rect& area, const DetailView& view) {
  float x = area.x;
  const float y = ImGui::GetCursorScreenPos().y;
  const float least = ui.px(72);
  for (std::size_t i = 0; i < view.commands.size(); ++i) {
    const std::string& command = view.commands[i];
    const float room = area.right() - x;
    if (room < least) break;
    const std::string shown =
        shortened(command, ui.fonts.text, std::min(room - ui.px(16), ui.px(200)));
    ImGui::SetCursorScreenPos({x, y});
    if (ui.button(fmt::format("evidence.{}", i), shown, command == view.command, true,
                  shown == command ? "" : command))
      ui.want(intent::ChooseEvidence{command});
    x = ImGui::GetItemRectMax().x + ui.px(4);
  }
  ImGui::SetCursorScreenPos({area.x, y + ImGui::GetFrameHeight() + ui.px(4)});
}

void draw_lines(Ui& ui, const EvidenceView& evidence) {
  ImGui::PushFont(ui.fonts.mono);
  const scenarios::Evidence& shown = evidence.evidence;
  ui.text("$ " + shown.command, ui.colours.accent, ui.fonts.mono);
  if (shown.lines.empty()) ui.text(ui.tr("evidence.silent"), ui.colours.dim, ui.fonts.small);
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const auto telling = std::ranges::find(shown.lines, true, &scenarios::EvidenceLine::telling);
  if (ImGui::IsWindowAppearing() && telling != shown.lines.end()) {
    const auto above = static_cast<float>(telling - shown.lines.begin());
    ImGui::SetScrollY(std::max(above * line - ImGui::GetWindowHeight() / 3, 0.0F));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.lines.size()), line);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const scenarios::EvidenceLine& one = shown.lines[static_cast<std::size_t>(i)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (one.telling) {
        const float left = ImGui::GetWindowPos().x;
        ui.fill({left, at.y - 1, ImGui::GetWindowSize().x, line}, ui.colours.chosen);
        ui.fill({left, at.y - 1, ui.px(3), line}, ui.colours.accent);
      }
      ui.text(one.text.empty() ? " " : one.text, ui.colours.text, ui.fonts.mono);
    }
  }
  clipper.End();
  if (shown.exit_code != 0) {
    ui.text(fmt::format("{} {}", ui.tr("evidence.exit"), shown.exit_code), ui.colours.dim,
            ui.fonts.small);
  }
  ImGui::PopFont();
}

void draw_evidence(Ui& ui, const Rect& area, const EvidenceView& evidence) {
  ui.fill(area, ui.colours.inset, ui.px(4));
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(3)));
  // Each command has a scroll position of its own.
  ImGui::BeginChild(("evidence." + evidence.evidence.command).c_str(), {area.w, area.h}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_HorizontalScrollbar);
  ui.widgets.note("evidence.text", area);
  switch (evidence.state) {
    case EvidenceView::State::ready:
      draw_lines(ui, evidence);
      break;
    case EvidenceView::State::looking:
      ui.text(ui.tr("evidence.looking"), ui.colours.dim, ui.fonts.small);
      break;
    case EvidenceView::State::not_there:
      ui.wrapped(ui.tr("evidence.no-command"), ui.colours.dim, ui.fonts.small);
      break;
    case EvidenceView::State::none:
      ui.wrapped(ui.tr("evidence.none"), ui.colours.dim, ui.fonts.small);
      break;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
}

void draw_events(Ui& ui, const Rect& area, const DetailView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ui.heading("detail.events");
  const float row = ui.fonts.small->FontSize + ui.px(6);
  float y = ImGui::GetCursorScreenPos().y;
  const auto fits = static_cast<std::size_t>(std::max(0.0F, (area.bottom() - y) / row));
  const std::size_t from = view.events.size() > fits ? view.events.size() - fits : 0;
  for (std::size_t i = from; i < view.events.size(); ++i) {
    const EventRow& event = view.events[i];
    ImGui::SetCursorScreenPos({area.x, y});
    bool hovered = false;
    if (ui.area(fmt::format("event.{}", event.id), area.w, row, hovered))
      ui.want(intent::GoTo{event.id});
    if (hovered || event.current)
      ui.fill({area.x - ui.px(8), y, area.w + ui.px(16), row},
              event.current ? ui.colours.chosen : ui.colours.hover, ui.px(2));
    const float text_y = y + ui.px(3);
    ui.text_right(area.x + ui.px(64), text_y, event.time, ui.colours.dim, ui.fonts.small);
    const Rgb colour = event.severity >= Severity::warning ? colour_of(ui.colours, event.severity)
                                                           : ui.colours.text;
    const float kind_x = area.x + ui.px(label_width + 8);
    const float used =
        ui.text_at({kind_x, text_y}, event.kind, colour, ui.fonts.small, area.right() - kind_x);
    const float subject_x = std::max(kind_x + used + ui.px(16), kind_x + ui.px(184));
    ui.text_at({subject_x, text_y}, event.subject, ui.colours.dim, ui.fonts.small,
               area.right() - subject_x);
    y += row;
  }
}

}  // namespace

void draw_detail(Ui& ui, const Rect& rect, const DetailView& view, const EvidenceView& evidence) {
  if (ui.begin_pane(Pane::detail, rect)) {
    const Rect area{rect.x + ui.px(24), rect.y + ui.px(12), rect.w - ui.px(48), rect.h - ui.px(28)};
    const char* title = ui.tr(fmt::format("layer.{}", name(view.layer)));
    const float used = ui.text_at({area.x, area.y}, title, ui.colours.text, ui.fonts.large, area.w);
    ui.state_glyph({area.x + used + ui.px(20), area.y + ui.fonts.large->FontSize / 2 + 1},
                   view.state);
    if (view.event != no_event) {
      ui.text_right(area.right(), area.y + ui.px(5), "t = " + view.time, ui.colours.dim,
                    ui.fonts.text);
    }
    float y = area.y + ui.fonts.large->FontSize + ui.px(10);
    ImGui::SetCursorScreenPos({area.x, y});
    if (view.event == no_event) {
      ImGui::PushTextWrapPos(area.right() - ImGui::GetWindowPos().x);
      ui.text(ui.tr("detail.nothing"), ui.colours.dim);
      ImGui::PopTextWrapPos();
    } else {
      ui.text_at({area.x, y}, view.what, ui.colours.dim, ui.fonts.mono, area.w);
      ImGui::SetCursorScreenPos({area.x, y + ui.fonts.mono->FontSize + ui.px(12)});
      draw_rows(ui, area, view);
    }
    ui.gap(8);
    ImGui::SetCursorScreenPos({area.x, ImGui::GetCursorScreenPos().y});
    if (evidence.present) {
      ui.text_right(area.right(), ImGui::GetCursorScreenPos().y, ui.tr("evidence.present"),
                    ui.colours.dim, ui.fonts.small);
    }
    ui.heading("detail.evidence");
    draw_commands(ui, area, view);
    y = ImGui::GetCursorScreenPos().y;
    const float row = ui.fonts.small->FontSize + ui.px(6);
    const float left = area.bottom() - y;
    // The evidence comes first; the list of events has a third of the room at most.
    float events =
        view.events.empty()
            ? 0
            : ui.px(24) + row * static_cast<float>(std::min<std::size_t>(view.events.size(), 8));
    events = std::min(events, left / 3);
    if (events < ui.px(24) + row) events = 0;
    const float evidence_height = left - events - (events > 0 ? ui.px(16) : 0);
    if (evidence_height > ui.px(24))
      draw_evidence(ui, {area.x, y, area.w, evidence_height}, evidence);
    if (events > 0) draw_events(ui, {area.x, area.bottom() - events, area.w, events}, view);
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
