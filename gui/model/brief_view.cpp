#include "gui/model/brief_view.hpp"

#include <algorithm>

#include "sim/host/files.hpp"

namespace rocdrill::gui {
namespace {

bool is_header(const std::string& line) {
  const std::size_t colon = line.find(": ");
  return colon != std::string::npos && colon > 0 && colon <= 10 && line.find(' ') == colon + 1 &&
         line.front() >= 'A' && line.front() <= 'Z';
}

/// Of a list: "- amdgpu is in lsmod".
bool is_item(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string::npos && line.substr(first).starts_with("- ");
}

TaskView task_view(const scenarios::DrillTask& task, const Progress& progress, int number) {
  TaskView view{.number = number,
                .kind = task.kind,
                .ask = task.ask,
                .open_because = {},
                .points = task.points,
                .choices = {},
                .hints = {}};
  const auto result = std::ranges::find(progress.results, task.kind, &scenarios::TaskResult::kind);
  if (result != progress.results.end()) {
    view.status = result->status;
    view.open_because = result->open_because;
  }
  if (const auto* answer = std::get_if<scenarios::Answer>(&task.check)) {
    view.asks_layer = answer->layer.has_value();
    const auto given = progress.answers.find(task.kind);
    for (const std::string& choice : answer->choices) {
      const bool chosen = given != progress.answers.end() &&
                          (given->second == choice || given->second.ends_with("/" + choice));
      view.choices.push_back({choice, choice, chosen});
    }
  }
  for (const auto& [kind, text] : progress.hints) {
    if (kind == task.kind) view.hints.push_back(text);
  }
  return view;
}

}  // namespace

std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs;
  bool open = false;  // the last paragraph may go on
  for (const std::string& line : sim::lines_of(text)) {
    if (line.empty()) {
      open = false;
    } else if (open && !is_header(line) && !is_item(line)) {
      paragraphs.back() += " " + line.substr(line.find_first_not_of(' '));
    } else {
      paragraphs.push_back(line);
      open = !is_header(line);
    }
  }
  return paragraphs;
}

BriefView brief_view(const scenarios::Drill& drill, const std::string& node,
                     const std::vector<checks::Result>* checks, const Progress& progress) {
  BriefView view;
  view.id = drill.id;
  view.title = drill.title;
  view.node = node;
  view.paragraphs = paragraphs_of(drill.brief);
  for (const scenarios::DrillTask& task : drill.tasks) {
    view.tasks.push_back(task_view(task, progress, static_cast<int>(view.tasks.size()) + 1));
    view.possible += task.points;
    if (view.tasks.back().status == scenarios::TaskStatus::passed) view.points += task.points;
  }
  view.hint_cost = progress.hint_cost;
  view.points = std::max(view.points - view.hint_cost, 0);
  view.repaired = progress.repaired;
  if (checks) {
    view.checks_known = true;
    for (const checks::Result& result : *checks)
      view.checks.push_back(
          {result.title, result.layer, result.step, result.status, result.evidence, result.next});
    // A check of a lower layer may need one of a higher layer first.
    std::ranges::stable_sort(view.checks, {}, &CheckRow::layer);
  }
  if (progress.revealed || progress.repaired) {
    view.debrief = {true,
                    drill.debrief.chain,
                    {},
                    drill.debrief.discriminator_shows,
                    drill.debrief.look_alikes,
                    drill.debrief.sources};
    for (const std::string& word : drill.debrief.discriminator)
      view.debrief.command += (view.debrief.command.empty() ? "" : " ") + word;
  }
  return view;
}

}  // namespace rocdrill::gui
