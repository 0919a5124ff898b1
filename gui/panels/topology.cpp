#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.hpp"

namespace rocdrill::gui {
namespace {

constexpr float facts_width = 304;
constexpr std::size_t most_in_a_row = 4;

/// Where the boxes are: GPUs in one or two rows, sockets at the left, the mesh between the rows.
struct Picture {
  std::vector<Rect> sockets;
  std::vector<Rect> gpus;
  std::vector<int> row;  ///< of each GPU: 0 or 1
  bool two_rows = false;
};

/// The second row: GPUs of the upper half of the sockets, or of the GPUs where there is one.
int row_of(const TopologyView& view, std::size_t gpu) {
  if (view.sockets.size() > 1) return view.gpus[gpu].socket * 2 >= view.sockets.size() ? 1 : 0;
  return view.gpus.size() > most_in_a_row && gpu * 2 >= view.gpus.size() ? 1 : 0;
}

Picture picture_of(const Ui& ui, const TopologyView& view, const Rect& area) {
  Picture picture;
  std::size_t in_row[2] = {0, 0};
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    picture.row.push_back(row_of(view, i));
    ++in_row[picture.row.back()];
  }
  picture.two_rows = in_row[1] > 0;
  const float socket_width = ui.px(136);
  const float bus = ui.px(28);  // room for the PCIe line of a row
  const float mesh = picture.two_rows ? std::clamp(area.h * 0.28F, ui.px(24), ui.px(320)) : 0;
  const float rows = picture.two_rows ? 2 : 1;
  const float height =
      std::floor(std::clamp((area.h - rows * bus - mesh) / rows, ui.px(48), ui.px(172)));
  const float left = area.x + socket_width + ui.px(24);
  const std::size_t columns = std::max<std::size_t>({in_row[0], in_row[1], 1});
  const float gap = ui.px(12);
  const float width = std::floor(std::min(
      (area.right() - left - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
      ui.px(344)));
  const float top[2] = {area.y + bus, area.y + bus + height + mesh};
  std::size_t placed[2] = {0, 0};
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    const int row = picture.row[i];
    const float x = left + static_cast<float>(placed[row]++) * (width + gap);
    picture.gpus.push_back({x, top[row], std::max(width, 1.0F), height});
  }
  // One socket stands beside all rows, two or more share them.
  const float all = top[picture.two_rows ? 1 : 0] + height + (picture.two_rows ? bus : 0) - area.y;
  const auto count = static_cast<float>(std::max<std::size_t>(view.sockets.size(), 1));
  const float each = std::floor((all - gap * (count - 1)) / count);
  for (std::size_t i = 0; i < view.sockets.size(); ++i) {
    picture.sockets.push_back(
        {area.x, area.y + static_cast<float>(i) * (each + gap), socket_width, each});
  }
  return picture;
}

void draw_frame(Ui& ui, const Rect& box, bool chosen, bool hovered, Rgb edge) {
  ui.fill(box,
          chosen    ? ui.colours.chosen
          : hovered ? ui.colours.hover
                    : ui.colours.inset,
          ui.px(6));
  ImGui::GetWindowDrawList()->AddRect({box.x, box.y}, {box.right(), box.bottom()},
                                      rgba(chosen ? ui.colours.accent : edge), ui.px(6), 0,
                                      chosen ? ui.px(2) : 1.0F);
}

void draw_socket(Ui& ui, const Rect& box, const SocketBox& socket, std::size_t index, bool chosen) {
  ImGui::SetCursorScreenPos({box.x, box.y});
  bool hovered = false;
  if (ui.area(fmt::format("topology.cpu.{}", index), box.w, box.h, hovered))
    ui.want(intent::ChooseItem{static_cast<int>(index)});
  draw_frame(ui, box, chosen, hovered, ui.colours.hairline);
  const float x = box.x + ui.px(12);
  float y = box.y + ui.px(10);
  const float room = box.w - ui.px(24);
  ui.text_at({x, y}, socket.title, ui.colours.text, ui.fonts.bold, room);
  y += ui.fonts.bold->FontSize + ui.px(6);
  if (!socket.cores.empty()) {
    ui.text_at({x, y}, fmt::format("{} {}", socket.cores, ui.tr("topology.cores")), ui.colours.dim,
               ui.fonts.small, room);
    y += ui.fonts.small->FontSize + ui.px(4);
  }
  ui.text_at({x, y}, socket.memory, ui.colours.dim, ui.fonts.small, room);
}

/// One cell per XCD; those of a partition hang together, every other one is an outline.
void draw_cells(Ui& ui, const GpuBox& gpu, float x, float y, float room) {
  const float size = ui.px(12);
  const Rgb colour = colour_of(ui.colours, gpu.state);
  const bool divided = gpu.partitions.size() > 1;
  const float right = x + room;
  for (std::size_t p = 0; p < gpu.partitions.size(); ++p) {
    const std::uint64_t cells = gpu.partitions[p].xccs;
    for (std::uint64_t i = 0; i < cells && x + size <= right; ++i) {
      const Rect cell{x, y, size, size};
      if (divided && p % 2 == 1) {
        ImGui::GetWindowDrawList()->AddRect({cell.x + 1, cell.y + 1},
                                            {cell.right() - 1, cell.bottom() - 1}, rgba(colour),
                                            ui.px(2), 0, std::max(ui.px(2), 1.0F));
      } else {
        ui.fill(cell, colour, ui.px(2));
      }
      const bool joined = divided && i + 1 < cells;
      if (joined) ui.fill({cell.right(), y + size / 2 - 1, ui.px(4), ui.px(2)}, colour);
      x += size + ui.px(4);
    }
  }
}

void draw_gpu(Ui& ui, const Rect& box, const GpuBox& gpu, std::size_t item, bool chosen) {
  ImGui::SetCursorScreenPos({box.x, box.y});
  bool hovered = false;
  if (ui.area("topology.gpu." + gpu.bdf, box.w, box.h, hovered))
    ui.want(intent::ChooseItem{static_cast<int>(item)});
  const bool there = gpu.state == LayerState::ok;
  draw_frame(ui, box, chosen, hovered,
             there ? ui.colours.hairline : colour_of(ui.colours, gpu.state));
  const float x = box.x + ui.px(12);
  const float room = box.w - ui.px(24);
  float y = box.y + ui.px(8);
  const float used = ui.text_at({x, y}, there ? gpu.title : gpu.product, ui.colours.text,
                                ui.fonts.bold, room - ui.px(16));
  ui.state_glyph({box.right() - ui.px(16), y + ui.fonts.bold->FontSize / 2 + 1}, gpu.state);
  if (there) {
    const float beside = x + used + ui.px(8);
    ui.text_at({beside, y + ui.px(2)}, gpu.target, ui.colours.dim, ui.fonts.small,
               box.right() - ui.px(28) - beside);
  }
  const float line = ui.fonts.small->FontSize + ui.px(4);
  const auto add = [&](std::string_view text, Rgb colour) {
    if (y + line > box.bottom() - ui.px(4)) return;
    ui.text_at({x, y}, text, colour, ui.fonts.small, room);
    y += line;
  };
  y += ui.fonts.bold->FontSize + ui.px(6);
  if (!there) add(ui.tr(gpu.state_word), colour_of(ui.colours, gpu.state));
  const bool divided = gpu.partitions.size() > 1;
  if (there && !gpu.mode.empty()) {
    ui.text_right(box.right() - ui.px(12), y, gpu.mode, divided ? ui.colours.text : ui.colours.dim,
                  ui.fonts.small);
  }
  if (there) add(gpu.product, ui.colours.dim);
  if (there && y + line * 2 < box.bottom()) {
    y += ui.px(2);
    draw_cells(ui, gpu, x, y, room);
    y += ui.px(18);
    const std::uint64_t xccs = divided ? gpu.partitions[0].xccs : gpu.xccs;
    const std::uint64_t units = divided ? gpu.partitions[0].compute_units : gpu.compute_units;
    const std::string times =
        divided ? fmt::format("{} \xC3\x97 ", gpu.partitions.size()) : std::string();
    add(xccs > 1 ? fmt::format("{}{} XCD, {} CU", times, xccs, units)
                 : fmt::format("{}{} CU", times, units),
        ui.colours.text);
    add(divided ? times + gpu.partitions[0].memory : gpu.memory, ui.colours.text);
  }
  add(gpu.errors == 0 ? gpu.bdf : fmt::format("{}: {}", ui.tr("topology.errors"), gpu.errors),
      gpu.errors == 0 ? ui.colours.dim : ui.colours.warning);
}

/// From the sockets to the GPUs; a link that the driver does not use is broken.
void draw_pcie(Ui& ui, const TopologyView& view, const Picture& picture) {
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    const GpuBox& gpu = view.gpus[i];
    const Rect& box = picture.gpus[i];
    const bool below = picture.two_rows && picture.row[i] == 1;
    const float y = below ? box.bottom() + ui.px(12) : box.y - ui.px(12);
    const float x = std::round(box.x + box.w / 2);
    const float edge = below ? box.bottom() : box.y;
    const float start =
        gpu.socket < picture.sockets.size() ? picture.sockets[gpu.socket].right() : box.x;
    const bool used = gpu.state == LayerState::ok;
    ui.line({start, y}, {x, y}, ui.colours.dim);
    if (used) {
      ui.line({x, std::min(y, edge)}, {x, std::max(y, edge)}, ui.colours.dim);
    } else {
      const float r = ui.px(3);
      const float middle = (y + edge) / 2;
      const Rgb colour = colour_of(ui.colours, gpu.state);
      ui.line({x - r, middle - r}, {x + r, middle + r}, colour, 1.5F * ui.scale);
      ui.line({x - r, middle + r}, {x + r, middle - r}, colour, 1.5F * ui.scale);
    }
    const bool first = i == 0 || picture.row[i - 1] != picture.row[i];
    if (first) {
      const std::string label = gpu.pcie.empty() ? "PCIe" : "PCIe  " + gpu.pcie;
      ui.text_at({box.x + ui.px(4), below ? y + ui.px(3) : y - ui.px(16)}, label, ui.colours.dim,
                 ui.fonts.small, box.w - ui.px(8));
    }
  }
}

/// The hive: every direct xGMI link, those of the chosen GPU stressed.
void draw_xgmi(Ui& ui, const TopologyView& view, const Picture& picture) {
  const auto draw = [&](std::size_t from, std::size_t to, bool stressed) {
    const auto end_of = [&](std::size_t gpu) {
      const Rect& box = picture.gpus[gpu];
      const bool below = picture.two_rows && picture.row[gpu] == 1;
      return ImVec2{box.x + box.w / 2, below ? box.y : box.bottom()};
    };
    const ImVec2 a = end_of(from);
    const ImVec2 b = end_of(to);
    const float bend = picture.two_rows ? ui.px(64) : ui.px(48);
    const auto out = [&](std::size_t gpu) {
      return picture.two_rows && picture.row[gpu] == 1 ? -bend : bend;
    };
    ImGui::GetWindowDrawList()->AddBezierCubic(
        a, {a.x, a.y + out(from)}, {b.x, b.y + out(to)}, b,
        stressed ? rgba(ui.colours.accent) : rgba(ui.colours.dim, 0.35F),
        stressed ? 2 * ui.scale : 1.0F, 32);
  };
  const std::size_t chosen =
      view.chosen >= view.sockets.size() ? view.chosen - view.sockets.size() : SIZE_MAX;
  for (const bool stressed : {false, true}) {
    for (std::size_t from = 0; from < view.gpus.size(); ++from) {
      for (const std::size_t to : view.gpus[from].peers) {
        const bool of_chosen = from == chosen || to == chosen;
        if (from < to && of_chosen == stressed) draw(from, to, stressed);
      }
    }
  }
}

void draw_boxes(Ui& ui, const Rect& area, const TopologyView& view) {
  const Picture picture = picture_of(ui, view, area);
  draw_pcie(ui, view, picture);
  draw_xgmi(ui, view, picture);
  for (std::size_t i = 0; i < view.sockets.size(); ++i)
    draw_socket(ui, picture.sockets[i], view.sockets[i], i, view.chosen == i);
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    const std::size_t item = view.sockets.size() + i;
    draw_gpu(ui, picture.gpus[i], view.gpus[i], item, view.chosen == item);
  }
}

/// A square table with names at its edges; `text` of a cell has one or two lines.
template <class Text>
void draw_square(Ui& ui, const std::vector<std::string>& names, float cell, float height,
                 Text text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = at.x + ui.px(64);
  const float top = at.y + ui.fonts.small->FontSize + ui.px(8);
  const auto place = [&](std::size_t i) { return left + static_cast<float>(i) * cell; };
  for (std::size_t i = 0; i < names.size(); ++i)
    ui.text_at({place(i) + ui.px(6), at.y}, names[i], ui.colours.dim, ui.fonts.small, cell);
  for (std::size_t row = 0; row < names.size(); ++row) {
    const float y = top + static_cast<float>(row) * height;
    ui.line({at.x, y}, {place(names.size()), y}, ui.colours.hairline);
    ui.text_at({at.x, y + ui.px(2)}, names[row], ui.colours.dim, ui.fonts.small, ui.px(60));
    for (std::size_t column = 0; column < names.size(); ++column) {
      const auto [first, second, colour] = text(row, column);
      ui.text_at({place(column) + ui.px(6), y + ui.px(2)}, first, colour, ui.fonts.small,
                 cell - ui.px(8));
      ui.text_at({place(column) + ui.px(6), y + ui.px(3) + ui.fonts.small->FontSize}, second,
                 ui.colours.dim, ui.fonts.small, cell - ui.px(8));
    }
  }
  const float count = static_cast<float>(names.size());
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({place(names.size()) - at.x, top - at.y + count * height + ui.px(12)});
}

struct CellText {
  std::string first, second;
  Rgb colour;
};

/// A row for each GPU, a column for each counter that any of them has.
void draw_errors(Ui& ui, const TopologyView& view) {
  if (view.counters.empty()) return;
  ui.heading("topology.counters");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float row = ui.fonts.small->FontSize + ui.px(8);
  const float first = ui.px(112);
  std::vector<float> right;  // of each column
  float x = at.x + first;
  for (const std::string& name : view.counters) {
    x += std::max(ui.width_of(name, ui.fonts.small), ui.px(40)) + ui.px(24);
    right.push_back(x);
    ui.text_right(x, at.y, name, ui.colours.dim, ui.fonts.small);
  }
  float y = at.y + row;
  for (const auto& [title, counts] : view.errors) {
    ui.line({at.x, y}, {x, y}, ui.colours.hairline);
    ui.text_at({at.x, y + ui.px(3)}, title, ui.colours.dim, ui.fonts.small, first);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool some = counts[i] != "0" && counts[i] != "-";
      ui.text_right(right[i], y + ui.px(3), counts[i], some ? ui.colours.warning : ui.colours.text,
                    ui.fonts.small);
    }
    y += row;
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({x - at.x, y - at.y + ui.px(12)});
}

void draw_tables(Ui& ui, const Rect& area, const TopologyView& view) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::BeginChild("topology.tables", {area.w, area.h}, false,
                    ImGuiWindowFlags_HorizontalScrollbar);
  ui.widgets.note("topology.tables", area);
  ui.heading("topology.links");
  const float two_lines = ui.fonts.small->FontSize * 2 + ui.px(5);
  const float across = static_cast<float>(std::max<std::size_t>(view.nodes.size(), 1));
  const float cell = std::clamp(std::floor((area.w - ui.px(80)) / across), ui.px(76), ui.px(136));
  draw_square(ui, view.nodes, cell, two_lines, [&](std::size_t from, std::size_t to) {
    const LinkCell& link = view.links[from][to];
    if (from == to) return CellText{"-", "", ui.colours.dim};
    if (link.type.empty()) return CellText{};
    return CellText{link.type + " " + link.weight, link.bandwidth, ui.colours.text};
  });
  ui.heading("topology.distances");
  std::vector<std::string> numa;
  for (std::size_t i = 0; i < view.distances.size(); ++i) numa.push_back(fmt::format("CPU {}", i));
  draw_square(ui, numa, ui.px(76), ui.fonts.small->FontSize + ui.px(8),
              [&](std::size_t from, std::size_t to) {
                return CellText{view.distances[from][to], "", ui.colours.text};
              });
  draw_errors(ui, view);
  ImGui::EndChild();
}

/// What there is to say where KFD has no nodes; gives back the height that it took.
float draw_missing(Ui& ui, const Rect& area, const TopologyView& view) {
  if (view.missing.empty()) return 0;
  float x = area.x;
  x += ui.text_at({x, area.y}, fmt::format("{}: {}", ui.tr("topology.missing"), view.missing),
                  ui.colours.affected, ui.fonts.text, area.w - ui.px(80)) +
       ui.px(12);
  if (view.because != no_event) {
    ImGui::SetCursorScreenPos({x, area.y});
    if (ui.link("topology.because", ui.tr("topology.because"))) ui.want(intent::GoTo{view.because});
  }
  return ui.fonts.text->FontSize + ui.px(12);
}

const char* empty_text(const Ui& ui, const TopologyView& view) {
  if (view.state == TopologyView::State::no_node) return ui.tr("topology.no-node");
  if (view.state == TopologyView::State::looking) return ui.tr("topology.looking");
  return view.items() == 0 ? ui.tr("topology.off") : nullptr;
}

}  // namespace

void draw_topology(Ui& ui, const Rect& rect, const TopologyView& view, bool expert) {
  if (ui.begin_pane(Pane::topology, rect)) {
    Rect area = draw_title(ui, rect, "topology.title");
    draw_form(ui, area.right(), rect.y + ui.px(12), expert);
    if (const char* empty = empty_text(ui, view)) {
      draw_nothing(ui, area, empty);
    } else {
      const float facts = std::min(ui.px(facts_width), area.w / 3);
      const Rect right{area.right() - facts, area.y, facts, area.h};
      area.w -= facts + ui.px(24);
      const float used = draw_missing(ui, area, view);
      area.y += used;
      area.h -= used;
      if (expert && !view.nodes.empty()) {
        draw_tables(ui, area, view);
      } else if (area.h > 0) {
        draw_boxes(ui, area, view);
      }
      ui.line({right.x - ui.px(12), right.y}, {right.x - ui.px(12), right.bottom()},
              ui.colours.hairline);
      draw_facts(ui, "topology.facts", right, view.chosen_title, view.facts);
    }
  }
  ui.end_pane();
}

}  // namespace rocdrill::gui
