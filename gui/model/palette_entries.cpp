#include "gui/model/palette_entries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::gui {
namespace {

void add_answers(const TaskView& task, const Strings& words, std::vector<PaletteEntry>& entries) {
  const auto add = [&](std::string id, const std::string& text, Intent intent) {
    entries.push_back({fmt::format("answer.{}.{}", task.number, id),
                       fmt::format("{} {}: {}", words["palette.answer"], task.number, text),
                       "",
                       {std::move(intent)}});
  };
  if (task.asks_layer) {
    for (const Layer layer : all_layers) {
      const std::string id(name(layer));
      add(id, words["layer." + id], intent::PickLayer{task.number, id});
    }
  }
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    const std::string& answer = task.choices[i].answer;
    if (task.asks_layer) {
      add(std::to_string(i), task.choices[i].text, intent::PickPart{task.number, answer});
    } else {
      add(std::to_string(i), task.choices[i].text, intent::Answer{task.number, answer});
    }
  }
}

void add_filters(const Strings& words, std::vector<PaletteEntry>& entries) {
  const auto add = [&](std::string_view id, const std::string& title, Filter filter) {
    entries.push_back({fmt::format("filter.{}", id),
                       fmt::format("{}: {}", words["palette.only"], title),
                       "",
                       {intent::SetFilter{std::move(filter)}}});
  };
  for (const Layer layer : all_layers)
    add(name(layer), words["layer." + std::string(name(layer))],
        {.layer = layer, .at_least = {}, .contains = {}});
  for (const Severity severity : {Severity::warning, Severity::error}) {
    add(name(severity), words["severity." + std::string(name(severity))],
        {.layer = {}, .at_least = severity, .contains = {}});
  }
}

}  // namespace

std::vector<PaletteEntry> palette_entries(std::string_view typed, const Strings& words,
                                          const std::vector<DrillRow>& drills,
                                          const std::vector<TaskView>& tasks) {
  std::vector<PaletteEntry> entries;
  for (const Action* action : matching_actions(typed, words)) {
    entries.push_back({std::string(action->id),
                       words["action." + std::string(action->id)],
                       text(action->chord),
                       {action->intent}});
  }
  std::vector<PaletteEntry> others;
  add_filters(words, others);
  for (const TaskView& task : tasks) add_answers(task, words, others);
  for (const DrillRow& drill : drills) {
    others.push_back({"open." + drill.id,
                      fmt::format("{}: {} ({})", words["palette.open"], drill.title, drill.id),
                      "",
                      {intent::OpenDrill{drill.id, false}}});
  }
  for (PaletteEntry& entry : others) {
    if (holds_words(entry.title, typed)) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace rocdrill::gui
