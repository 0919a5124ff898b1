#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr std::uint32_t most_tabs = 16;

/// Kernel, workgroup and the waves of it.
void draw_waves_row(Ui& ui, const Rect& area, const WaveView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y + ui.px(4)});
  if (ui.link("waves.kernel", view.kernel, ui.fonts.bold)) ui.want(intent::GoTo{view.launched});
  const float x = area.x + ui.width_of(view.kernel, ui.fonts.bold) + ui.px(16);
  const float used = ui.text_at({x, area.y + ui.px(5)},
                                fmt::format("{}   {} {} / {}", view.file, ui.tr("waves.workgroup"),
                                            view.workgroup, view.workgroups),
                                ui.colours.dim, ui.fonts.small, area.w * 0.5F);
  ImGui::SetCursorScreenPos({x + used + ui.px(24), area.y});
  for (std::uint32_t i = 0; i < std::min(view.waves, most_tabs); ++i) {
    if (i > 0) ImGui::SameLine(0, ui.px(4));
    const std::string label = i == 0 ? fmt::format("{} 0", ui.tr("waves.wave")) : std::to_string(i);
    if (ui.button(fmt::format("wave.{}", i), label, i == view.wave))
      ui.want(intent::ChooseGroup{static_cast<int>(i)});
  }
}

void draw_end(Ui& ui, const Rect& area, const WaveView& view) {
  const char* word = ui.tr("waves.completed");
  Rgb colour = ui.colours.ok;
  switch (view.end) {
    case WaveTrace::End::completed:
      break;
    case WaveTrace::End::exception:
      word = ui.tr("waves.exception");
      colour = ui.colours.fault;
      break;
    case WaveTrace::End::unmodelled:
      word = ui.tr("waves.unmodelled");
      colour = ui.colours.unmodelled;
      break;
    case WaveTrace::End::endless:
      word = ui.tr("waves.endless");
      colour = ui.colours.fault;
      break;
    case WaveTrace::End::cut:
      word = ui.tr("waves.cut");
      colour = ui.colours.dim;
      break;
  }
  const std::string text =
      view.end_text.empty() ? std::string(word) : fmt::format("{}: {}", word, view.end_text);
  ui.text_at({area.x, area.y}, text, colour, ui.fonts.text, area.w);
}

/// Where it stands, how to go on, and how it ends.
void draw_step(Ui& ui, const Rect& area, const WaveView& view) {
  const auto button = [&](const char* id, const char* label, std::size_t to, bool possible) {
    if (ui.button(id, label, false, possible)) ui.want(intent::ChooseItem{static_cast<int>(to)});
    ImGui::SameLine(0, ui.px(4));
  };
  const std::size_t last = view.steps - 1;
  ImGui::SetCursorScreenPos({area.x, area.y});
  button("waves.first", "|<", 0, view.step > 0);
  button("waves.back", "<", view.step == 0 ? 0 : view.step - 1, view.step > 0);
  button("waves.step", ">", std::min(view.step + 1, last), view.step < last);
  button("waves.last", ">|", last, view.step < last);
  const float x = ImGui::GetCursorScreenPos().x + ui.px(8);
  const float y = area.y + ImGui::GetStyle().FramePadding.y;
  const float used = ui.text_at(
      {x, y}, fmt::format("{} {} / {}", ui.tr("waves.instruction"), view.step + 1, view.steps),
      ui.colours.text, ui.fonts.text, FLT_MAX);
  const float rest = x + used + ui.px(24);
  if (view.at_end) draw_end(ui, {rest, y, area.right() - rest, 0}, view);
}

void draw_code(Ui& ui, const Rect& area, const WaveView& view) {
  ui.fill(area, ui.colours.inset, ui.px(4));
  ui.widgets.note("waves.code", area);
  const float row = ui.fonts.mono->FontSize + ui.px(4);
  const auto fits = static_cast<std::size_t>(std::max(0.0F, (area.h - ui.px(12)) / row));
  const std::size_t shown = std::min(fits, view.code.size());
  const std::size_t before = view.current > shown / 2 ? view.current - shown / 2 : 0;
  const std::size_t from = std::min(before, view.code.size() - shown);
  const float digit = ui.width_of("0", ui.fonts.mono);
  float y = area.y + ui.px(6);
  for (std::size_t i = from; i < from + shown; ++i, y += row) {
    const WaveView::Line& line = view.code[i];
    const Rect box{area.x, y, area.w, row};
    ImGui::SetCursorScreenPos({box.x, box.y});
    bool hovered = false;
    if (ui.area(fmt::format("waves.line.{}", i), box.w, box.h, hovered) && line.step >= 0)
      ui.want(intent::ChooseItem{line.step});
    if (line.current) {
      const bool wrong = view.at_end && (view.end == WaveTrace::End::exception ||
                                         view.end == WaveTrace::End::endless);
      ui.fill(box, ui.colours.chosen);
      ui.fill({box.x, box.y, ui.px(3), box.h}, wrong ? ui.colours.fault : ui.colours.accent);
    } else if (hovered && line.step >= 0) {
      ui.fill(box, ui.colours.hover);
    }
    const float text_y = y + ui.px(2);
    const float address = area.x + ui.px(10);
    ui.text_at({address, text_y}, line.address, ui.colours.dim, ui.fonts.mono, digit * 8);
    if (line.visits > 1)
      ui.text_right(address + digit * 13, text_y, fmt::format("x{}", line.visits), ui.colours.dim,
                    ui.fonts.mono);
    const float x = address + digit * 15;
    ui.text_at({x, text_y}, line.text, line.step >= 0 ? ui.colours.text : ui.colours.dim,
               ui.fonts.mono, area.right() - ui.px(8) - x);
  }
}

/// Lane 0 at the upper left, 8 in a row.
float draw_exec(Ui& ui, const Rect& area, const WaveView& view) {
  ui.text_at({area.x, area.y}, "EXEC", ui.colours.dim, ui.fonts.small, area.w);
  const float top = area.y + ui.px(20);
  const float step = ui.px(17);
  ui.widgets.note("waves.exec", {area.x, top, step * 8, step * 8});
  for (int lane = 0; lane < 64; ++lane) {
    const bool active = (view.exec >> lane & 1) != 0;
    const Rect cell{area.x + static_cast<float>(lane % 8) * step,
                    top + static_cast<float>(lane / 8) * step, step - ui.px(3), step - ui.px(3)};
    ui.fill(cell, active ? ui.colours.accent : ui.colours.inset, ui.px(2));
    if (!active)
      ImGui::GetWindowDrawList()->AddRect({cell.x, cell.y}, {cell.right(), cell.bottom()},
                                          rgba(ui.colours.hairline), ui.px(2));
    if (ImGui::IsMouseHoveringRect({cell.x, cell.y}, {cell.right(), cell.bottom()}))
      ui.tip(fmt::format("{} {}", ui.tr("waves.lane"), lane));
  }
  float y = top + step * 8 + ui.px(4);
  ui.text_at({area.x, y}, fmt::format("{:#018x}", view.exec), ui.colours.text, ui.fonts.mono,
             area.w);
  y += ui.fonts.mono->FontSize + ui.px(6);
  ui.text_at({area.x, y}, fmt::format("scc {}", view.scc ? 1 : 0), ui.colours.text, ui.fonts.mono,
             area.w);
  return y + ui.fonts.mono->FontSize + ui.px(12);
}

void draw_registers(Ui& ui, const Rect& area, const WaveView& view) {
  ui.text_at({area.x, area.y}, ui.tr("waves.registers"), ui.colours.dim, ui.fonts.small, area.w);
  const Rect inside{area.x, area.y + ui.px(20), area.w, area.h - ui.px(20)};
  if (inside.h < ui.px(24) || inside.w < ui.px(80)) return;
  ImGui::SetCursorScreenPos({inside.x, inside.y});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("waves.registers", {inside.w, inside.h});
  ui.widgets.note("waves.registers", inside);
  const float row = ui.fonts.mono->FontSize + ui.px(4);
  const float width = ui.px(184);
  const auto columns = static_cast<std::size_t>(std::max(1.0F, (inside.w - ui.px(12)) / width));
  const std::size_t rows = (view.registers.size() + columns - 1) / columns;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < view.registers.size(); ++i) {
    const RegisterRow& one = view.registers[i];
    const float x = at.x + static_cast<float>(i / rows) * width;
    const float y = at.y + static_cast<float>(i % rows) * row;
    if (one.changed) ui.fill({x, y, width - ui.px(8), row}, ui.colours.chosen, ui.px(2));
    const Rgb colour = one.changed ? ui.colours.accent : ui.colours.text;
    ui.text_at({x + ui.px(4), y + ui.px(2)}, one.name, ui.colours.dim, ui.fonts.mono, ui.px(60));
    ui.text_at({x + ui.px(64), y + ui.px(2)}, one.value + (one.differs ? " ..." : ""), colour,
               ui.fonts.mono, width - ui.px(76));
  }
  ImGui::Dummy({inside.w - ui.px(16), static_cast<float>(rows) * row});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_lds(Ui& ui, const Rect& area, const WaveView& view) {
  ui.text_at({area.x, area.y}, fmt::format("LDS  {} {}", view.lds_bytes, ui.tr("waves.bytes")),
             ui.colours.dim, ui.fonts.small, area.w);
  const float row = ui.fonts.mono->FontSize + ui.px(3);
  float y = area.y + ui.px(20);
  if (view.lds.empty()) {
    ui.text_at({area.x, y}, ui.tr("waves.lds-zero"), ui.colours.dim, ui.fonts.small, area.w);
    return;
  }
  const float digit = ui.width_of("0", ui.fonts.mono);
  // The changed row is in view.
  std::size_t from = 0;
  const auto fits = static_cast<std::size_t>(std::max(0.0F, (area.bottom() - y) / row));
  for (std::size_t i = 0; i < view.lds.size(); ++i)
    if (std::ranges::any_of(view.lds[i].changed, std::identity{}) && i >= fits) from = i - fits + 1;
  for (std::size_t i = from; i < std::min(from + fits, view.lds.size()); ++i, y += row) {
    const WaveView::LdsRow& line = view.lds[i];
    ui.text_at({area.x, y}, fmt::format("{:#06x}", line.offset), ui.colours.dim, ui.fonts.mono,
               FLT_MAX);
    for (std::size_t word = 0; word < 4; ++word) {
      ui.text_at({area.x + digit * (8 + 9 * static_cast<float>(word)), y}, line.words[word],
                 line.changed[word] ? ui.colours.accent : ui.colours.text, ui.fonts.mono, FLT_MAX);
    }
  }
}

void draw_wave(Ui& ui, Rect area, const WaveView& view) {
  draw_waves_row(ui, area, view);
  area.y += ui.px(34);
  draw_step(ui, area, view);
  area.y += ui.px(36);
  area.h -= ui.px(70);
  if (area.h < ui.px(60)) return;
  const float code = std::floor(area.w * 0.46F);
  draw_code(ui, {area.x, area.y, code, area.h}, view);
  const Rect right{area.x + code + ui.px(24), area.y, area.w - code - ui.px(24), area.h};
  const float exec = ui.px(152);
  const float below = draw_exec(ui, {right.x, right.y, exec, right.h}, view);
  const Rect registers{right.x + exec + ui.px(16), right.y, right.w - exec - ui.px(16),
                       view.lds_bytes == 0 ? right.h : below - right.y - ui.px(8)};
  draw_registers(ui, registers, view);
  if (view.lds_bytes > 0 && below + ui.px(48) < right.bottom())
    draw_lds(ui, {right.x, below, right.w, right.bottom() - below}, view);
}

const char* empty_text(const Ui& ui, const WaveView& view) {
  switch (view.state) {
    case WaveView::State::no_node:
      return ui.tr("waves.no-node");
    case WaveView::State::untold:
      return ui.tr("waves.untold");
    case WaveView::State::no_dispatch:
      return ui.tr("waves.no-dispatch");
    case WaveView::State::looking:
      return ui.tr("waves.looking");
    case WaveView::State::failed:
      return ui.tr("waves.failed");
    case WaveView::State::ready:
      break;
  }
  return nullptr;
}

}  // namespace

void draw_waves(Ui& ui, const Rect& rect, const WaveView& view) {
  if (ui.begin_pane(Pane::waves, rect)) {
    const Rect area = draw_title(ui, rect, "waves.title");
    if (const char* empty = empty_text(ui, view)) {
      draw_nothing(
          ui, area,
          view.problem.empty() ? std::string(empty) : fmt::format("{} {}", empty, view.problem));
    } else {
      draw_wave(ui, area, view);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
