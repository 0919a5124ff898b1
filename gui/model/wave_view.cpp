#include "gui/model/wave_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>

namespace rocdrill::gui {
namespace {

/// "s4" before "s12" before "m0", "vcc_lo", "vcc_hi" before "v0".
std::pair<int, unsigned> order_of(const std::string& name) {
  const bool numbered = name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])) != 0;
  const auto number = [&] { return static_cast<unsigned>(std::stoul(name.substr(1))); };
  if (numbered && name[0] == 's') return {0, number()};
  if (numbered && name[0] == 'v') return {2, number()};
  return {1, name.ends_with("_hi") ? 1u : 0u};
}

std::vector<RegisterRow> registers_at(const WaveTrace& trace, std::size_t step) {
  std::map<std::string, std::pair<const RegisterChange*, std::size_t>> last;
  for (std::size_t i = 0; i <= step; ++i)
    for (const RegisterChange& change : trace.steps[i].changed) last[change.name] = {&change, i};
  const int lane = std::countr_zero(trace.steps[step].exec | 1ull << 63);
  std::vector<RegisterRow> rows;
  for (const auto& [name, seen] : last) {
    const auto& [change, when] = seen;
    RegisterRow row{.name = name, .value = {}, .changed = when == step && step > 0};
    row.value = fmt::format(
        "{:#x}", change->lanes[change->vector ? static_cast<std::size_t>(lane) : std::size_t{0}]);
    row.differs = change->vector && std::ranges::any_of(change->lanes, [&](std::uint32_t value) {
                    return value != change->lanes[0];
                  });
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, [](const RegisterRow& a, const RegisterRow& b) {
    return std::pair(order_of(a.name), a.name) < std::pair(order_of(b.name), b.name);
  });
  return rows;
}

std::vector<WaveView::LdsRow> lds_at(const WaveTrace& trace, std::size_t step) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> words;  // offset: value, step
  for (std::size_t i = 0; i <= step; ++i)
    for (const auto& [offset, value] : trace.steps[i].lds) words[offset] = {value, i};
  std::vector<WaveView::LdsRow> rows;
  for (const auto& [offset, word] : words) {
    const std::uint32_t row = offset / 16 * 16;
    if (rows.empty() || rows.back().offset != row) {
      rows.push_back({.offset = row, .words = {}});
      rows.back().words.fill("00000000");
    }
    const std::size_t column = offset % 16 / 4;
    rows.back().words[column] = fmt::format("{:08x}", word.first);
    rows.back().changed[column] = word.second == step && step > 0;
  }
  return rows;
}

void fill(const WaveTrace& trace, const State& state, WaveView& view) {
  view.workgroup = trace.workgroup;
  view.workgroups = trace.workgroups;
  view.wave = trace.wave;
  view.waves = trace.waves;
  view.lds_bytes = trace.lds_bytes;
  view.steps = trace.steps.size();
  view.end = trace.end;
  view.end_text = trace.end_text;
  // Where it stands, until somebody chooses.
  const auto item = state.item.find(Layout::waves);
  const std::size_t last = trace.steps.size() - 1;
  view.step =
      item == state.item.end() ? last : std::min(static_cast<std::size_t>(item->second), last);
  view.at_end = view.step == last;
  const WaveStep& now = trace.steps[view.step];
  view.exec = now.exec;
  view.scc = now.scc;
  std::map<std::uint64_t, std::size_t> visits;
  for (std::size_t i = 0; i < view.step; ++i) ++visits[trace.steps[i].va];
  std::map<std::uint64_t, int> steps;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto at = static_cast<int>(i);
    int& step = steps.try_emplace(trace.steps[i].va, at).first->second;
    if (i <= view.step || static_cast<std::size_t>(step) <= view.step) step = at;
  }
  for (const WaveTrace::Line& line : trace.code) {
    const bool current = line.va == now.va;
    if (current) view.current = view.code.size();
    const auto seen = visits.find(line.va);
    view.code.push_back({fmt::format("{:#x}", line.va), line.text, current,
                         seen == visits.end() ? 0 : seen->second,
                         steps.contains(line.va) ? steps[line.va] : -1});
  }
  view.registers = registers_at(trace, view.step);
  view.lds = lds_at(trace, view.step);
}

}  // namespace

WaveView wave_view(const KernelDispatchSeen* dispatch, const WaveTrace* trace, bool has_node,
                   const State& state) {
  WaveView view;
  if (!has_node) {
    view.state = WaveView::State::no_node;
    return view;
  }
  if (!dispatch) return view;
  view.kernel = dispatch->kernel;
  view.file = dispatch->file;
  view.launched = dispatch->launched;
  view.state = WaveView::State::looking;
  if (!trace) return view;
  view.problem = trace->problem;
  view.state = WaveView::State::failed;
  if (!view.problem.empty() || trace->steps.empty()) return view;
  view.state = WaveView::State::ready;
  fill(*trace, state, view);
  return view;
}

}  // namespace rocdrill::gui
