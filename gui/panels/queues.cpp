#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

const char* word_of(const Ui& ui, SlotState state) {
  switch (state) {
    case SlotState::free:
      return ui.tr("slot.free");
    case SlotState::valid:
      return ui.tr("slot.valid");
    case SlotState::waiting:
      return ui.tr("slot.waiting");
    case SlotState::launched:
      return ui.tr("slot.launched");
    case SlotState::complete:
      return ui.tr("slot.complete");
    case SlotState::failed:
      return ui.tr("slot.failed");
  }
  return "";
}

Rgb colour_of(const Palette& colours, SlotState state) {
  switch (state) {
    case SlotState::free:
      return colours.dim;
    case SlotState::valid:
      return colours.text;
    case SlotState::waiting:
      return colours.warning;
    case SlotState::launched:
      return colours.accent;
    case SlotState::complete:
      return colours.ok;
    case SlotState::failed:
      return colours.fault;
  }
  return colours.text;
}

/// What fits into a cell of the ring.
std::string_view short_type(std::string_view type) {
  if (type == "KERNEL_DISPATCH") return "kernel";
  if (type == "AGENT_DISPATCH") return "agent";
  if (type == "BARRIER_AND") return "AND";
  if (type == "BARRIER_OR") return "OR";
  if (type == "VENDOR_SPECIFIC") return "vendor";
  return type;
}

void draw_tabs(Ui& ui, const QueueView& view) {
  for (std::size_t i = 0; i < view.queues.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, ui.px(4));
    if (ui.button(fmt::format("queue.{}", i), view.queues[i].name, i == view.chosen))
      ui.want(intent::ChooseGroup{static_cast<int>(i)});
  }
}

/// Indices and doorbell; then why the queue stands, or has failed.
void draw_status(Ui& ui, const Rect& area, const QueueView& view) {
  float x = area.x;
  const auto add = [&](const char* label, const std::string& value) {
    x += ui.text_at({x, area.y}, label, ui.colours.dim, ui.fonts.text, area.right() - x) + ui.px(6);
    x += ui.text_at({x, area.y}, value, ui.colours.text, ui.fonts.bold, area.right() - x) +
         ui.px(20);
  };
  add(ui.tr("queues.slots"), view.slots == 0 ? "?" : std::to_string(view.slots));
  add(ui.tr("queues.read"), view.read_known ? std::to_string(view.read_index) : "?");
  add(ui.tr("queues.write"), std::to_string(view.write_index));
  add(ui.tr("queues.doorbell"), view.doorbell);
  if (!view.failure.empty()) {
    ImGui::SetCursorScreenPos({x, area.y});
    if (ui.link("queue.failure",
                fmt::format("{}: {}", word_of(ui, SlotState::failed), view.failure)))
      ui.want(intent::GoTo{view.failed});
  } else if (!view.stands.empty()) {
    ui.text_at({x, area.y}, fmt::format("{}: {}", ui.tr("queues.stands"), view.stands),
               ui.colours.warning, ui.fonts.text, area.right() - x);
  }
}

void draw_caret(Ui& ui, float x, float y, bool down, const char* label) {
  const float r = ui.px(5);
  const float tip = down ? y + r : y - r;
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - r, y}, {x + r, y}, {x, tip},
                                                rgba(ui.colours.accent));
  ui.text_at({x + r + ui.px(4), down ? y - ui.px(6) : y - ui.px(8)}, label, ui.colours.accent,
             ui.fonts.small, FLT_MAX);
}

void draw_ring(Ui& ui, const Rect& area, const QueueView& view) {
  const auto count = static_cast<float>(view.ring.size());
  const float gap = ui.px(4);
  const float width = std::floor(std::min((area.w - gap * (count - 1)) / count, ui.px(120)));
  const float height = area.h - ui.px(40);
  const float top = area.y + ui.px(20);
  for (std::size_t i = 0; i < view.ring.size(); ++i) {
    const RingCell& cell = view.ring[i];
    const Rect box{area.x + static_cast<float>(i) * (width + gap), top, width, height};
    ImGui::SetCursorScreenPos({box.x, box.y});
    bool hovered = false;
    if (ui.area(fmt::format("queue.packet.{}", cell.index), box.w, box.h, hovered))
      ui.want(intent::ChooseItem{static_cast<int>(cell.index)});
    ui.fill(box,
            cell.chosen ? ui.colours.chosen
            : hovered   ? ui.colours.hover
                        : ui.colours.inset,
            ui.px(4));
    const Rgb colour = colour_of(ui.colours, cell.state);
    if (cell.state != SlotState::free) ui.fill({box.x, box.y, box.w, ui.px(3)}, colour, ui.px(2));
    if (cell.chosen)
      ImGui::GetWindowDrawList()->AddRect({box.x, box.y}, {box.right(), box.bottom()},
                                          rgba(ui.colours.accent), ui.px(4), 0, 1.5F * ui.scale);
    const float x = box.x + ui.px(8);
    float y = box.y + ui.px(8);
    const float room = box.w - ui.px(12);
    ui.text_at({x, y}, std::to_string(cell.index), ui.colours.text, ui.fonts.bold, room);
    y += ui.fonts.bold->FontSize + ui.px(3);
    ui.text_at({x, y}, short_type(cell.type), ui.colours.text, ui.fonts.small, room);
    y += ui.fonts.small->FontSize + ui.px(3);
    ui.text_at({x, y}, word_of(ui, cell.state), colour, ui.fonts.small, room);
    if (hovered && !cell.type.empty())
      ui.tip(fmt::format("{}  {} {}", cell.type, ui.tr("queues.slot"), cell.slot));
    if (view.read_known && cell.index == view.read_index)
      draw_caret(ui, box.x + ui.px(10), area.y + ui.px(12), true, ui.tr("queues.read"));
    if (cell.index == view.write_index)
      draw_caret(ui, box.x + ui.px(10), area.bottom() - ui.px(8), false, ui.tr("queues.write"));
  }
}

/// A column with a title; gives back where its content begins.
Rect column(Ui& ui, const Rect& area, std::string_view title) {
  ui.text_at({area.x, area.y}, title, ui.colours.dim, ui.fonts.small, area.w);
  const float used = ui.fonts.small->FontSize + ui.px(8);
  return {area.x, area.y + used, area.w, area.h - used};
}

void draw_packet(Ui& ui, const Rect& area, const QueueView& view, bool expert) {
  const Rect inside = column(ui, area, fmt::format("{} {}", ui.tr("queues.packet"), view.packet));
  if (view.fields.empty()) {
    ImGui::SetCursorScreenPos({inside.x, inside.y});
    ImGui::PushTextWrapPos(inside.right() - ImGui::GetWindowPos().x);
    ui.text(ui.tr("queues.no-packet"), ui.colours.dim, ui.fonts.small);
    ImGui::PopTextWrapPos();
    return;
  }
  ImGui::SetCursorScreenPos({inside.x, inside.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("queue.fields", {inside.w, inside.h});
  ui.widgets.note("queue.fields", inside);
  const float row = ui.fonts.small->FontSize + ui.px(6);
  const float name_x = inside.x + (expert ? ui.px(88) : 0);
  const float value_x = name_x + ui.px(144);
  const auto add = [&](const std::string& bits, std::string_view name, std::string_view text) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (expert) ui.text_at(at, bits, ui.colours.dim, ui.fonts.small, ui.px(84));
    ui.text_at({name_x, at.y}, name, ui.colours.dim, ui.fonts.small, value_x - name_x - ui.px(4));
    ui.text_at({value_x, at.y}, text, ui.colours.text, ui.fonts.small,
               inside.right() - ui.px(12) - value_x);
    ImGui::Dummy({inside.w - ui.px(16), row});
  };
  if (!view.kernel.empty()) add("", ui.tr("queues.kernel"), view.kernel);
  for (const PacketField& one : view.fields)
    if (expert || one.main) add(one.bits, one.name, one.text);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

void draw_signals(Ui& ui, const Rect& area, const QueueView& view, bool expert) {
  const Rect inside = column(ui, area, ui.tr("queues.signals"));
  const float row = ui.fonts.small->FontSize + ui.px(6);
  float y = inside.y;
  const auto line = [&](const char* label, const std::string& text, Rgb colour) {
    if (text.empty() || y + row > inside.bottom()) return;
    ui.text_at({inside.x + ui.px(16), y}, label, ui.colours.dim, ui.fonts.small, ui.px(112));
    ui.text_at({inside.x + ui.px(132), y}, text, colour, ui.fonts.small,
               inside.right() - inside.x - ui.px(132));
    y += row;
  };
  if (view.signals.empty())
    ui.text_at({inside.x, y}, ui.tr("queues.no-signals"), ui.colours.dim, ui.fonts.small, inside.w);
  for (const SignalRow& signal : view.signals) {
    if (y + row * 2 > inside.bottom()) return;
    const float used =
        ui.text_at({inside.x, y}, signal.name, ui.colours.text, ui.fonts.bold, ui.px(40));
    ui.text_at({inside.x + used + ui.px(8), y + ui.px(1)}, "= " + signal.value, ui.colours.text,
               ui.fonts.text, ui.px(120));
    if (expert)
      ui.text_right(inside.right(), y + ui.px(2), signal.handle, ui.colours.dim, ui.fonts.mono);
    y += row + ui.px(4);
    line(ui.tr("queues.decremented"), joined(signal.decremented_by), ui.colours.text);
    line(ui.tr("queues.waits"), joined(signal.waited_for_by), ui.colours.warning);
    y += ui.px(6);
  }
}

void draw_events(Ui& ui, const Rect& area, const QueueView& view) {
  const Rect inside = column(ui, area, ui.tr("queues.events"));
  const float row = ui.fonts.small->FontSize + ui.px(6);
  const auto fits = static_cast<std::size_t>(std::max(0.0F, inside.h / row));
  const std::size_t from = view.events.size() > fits ? view.events.size() - fits : 0;
  float y = inside.y;
  for (std::size_t i = from; i < view.events.size(); ++i) {
    const EventRow& event = view.events[i];
    ImGui::SetCursorScreenPos({inside.x, y});
    bool hovered = false;
    if (ui.area(fmt::format("queue.event.{}", event.id), inside.w, row, hovered))
      ui.want(intent::GoTo{event.id});
    if (hovered || event.current)
      ui.fill({inside.x - ui.px(8), y, inside.w + ui.px(12), row},
              event.current ? ui.colours.chosen : ui.colours.hover, ui.px(2));
    const Rgb colour = event.severity >= Severity::warning
                           ? gui::colour_of(ui.colours, event.severity)
                           : ui.colours.text;
    ui.text_at({inside.x, y + ui.px(2)}, event.time, ui.colours.dim, ui.fonts.small, ui.px(64));
    ui.text_at({inside.x + ui.px(68), y + ui.px(2)}, event.kind + " " + event.subject, colour,
               ui.fonts.small, inside.w - ui.px(68));
    y += row;
  }
}

void draw_queue(Ui& ui, Rect area, const QueueView& view, bool expert) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  draw_tabs(ui, view);
  const float tabs = ImGui::GetFrameHeight() + ui.px(12);
  area.y += tabs;
  area.h -= tabs;
  if (view.packets) {
    draw_status(ui, area, view);
    area.y += ui.px(30);
    area.h -= ui.px(30);
    const float ring = std::min(ui.px(112), area.h);
    if (ring > ui.px(80)) draw_ring(ui, {area.x, area.y, area.w, ring}, view);
    area.y += ring + ui.px(12);
    area.h -= ring + ui.px(12);
  } else {
    ui.text_at({area.x, area.y}, ui.tr("queues.errors-only"), ui.colours.dim, ui.fonts.text,
               area.w);
    area.y += ui.px(30);
    area.h -= ui.px(30);
  }
  if (area.h < ui.px(40)) return;
  const float gap = ui.px(24);
  const float third = std::floor((area.w - 2 * gap) / 3);
  if (view.packets) {
    draw_packet(ui, {area.x, area.y, third, area.h}, view, expert);
    draw_signals(ui, {area.x + third + gap, area.y, third, area.h}, view, expert);
  }
  draw_events(ui, {area.x + 2 * (third + gap), area.y, third, area.h}, view);
}

}  // namespace

void draw_queues(Ui& ui, const Rect& rect, const QueueView& view, bool expert) {
  if (ui.begin_pane(Pane::queues, rect)) {
    const Rect area = draw_title(ui, rect, "queues.title");
    draw_form(ui, area.right(), rect.y + ui.px(12), expert);
    if (view.queues.empty()) {
      draw_nothing(ui, area, ui.tr("queues.none"));
    } else {
      draw_queue(ui, area, view, expert);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
