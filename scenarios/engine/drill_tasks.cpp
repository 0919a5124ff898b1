// Tasks, penalties, wrong fixes and the debrief of a drill file.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/engine/template_reader.hpp"

namespace rocdrill::scenarios {
namespace {

constexpr std::array task_kinds{DrillTask::Kind::detect, DrillTask::Kind::localise,
                                DrillTask::Kind::root_cause, DrillTask::Kind::mitigate};

std::string absolute_path(const Value& value, TemplateReader& reader) {
  std::string path = reader.text(value);
  if (!path.empty() && !path.starts_with('/') && !path.starts_with("${")) {
    value.complain("must be an absolute path");
  }
  return path;
}

StateCheck read_check(const Value& value, TemplateReader& reader) {
  static const std::vector<std::string> kinds{"check_passes", "file_absent", "file_present",
                                              "command"};
  StateCheck check;
  check.mark = value.mark();
  MapReader map(value);
  const Value passes = map.optional(kinds[0]);
  const Value absent = map.optional(kinds[1]);
  const Value present = map.optional(kinds[2]);
  const Value command = map.optional(kinds[3]);
  const int given = bool(passes) + bool(absent) + bool(present) + bool(command);
  if (given != 1 && value.is_map()) {
    value.complain("must name exactly one thing to check",
                   "check_passes, file_absent, file_present or command");
  }
  if (passes) check.subject = reader.text(passes);
  if (absent) check.kind = StateCheck::Kind::file_absent;
  if (present) check.kind = StateCheck::Kind::file_present;
  if (absent || present) check.subject = absolute_path(absent ? absent : present, reader);
  if (command) {
    check.kind = StateCheck::Kind::command;
    check.command = reader.command(command);
    check.exit = static_cast<int>(map.optional("exit").integer(0, 255));
    if (const Value contains = map.optional("contains")) check.contains = reader.text(contains);
  }
  return check;
}

/// One check, or a list of checks that must all hold.
std::vector<StateCheck> read_checks(const Value& value, TemplateReader& reader) {
  std::vector<StateCheck> checks;
  if (!value) return checks;
  if (!value.is_list()) return {read_check(value, reader)};
  for (const Value& item : value.list()) checks.push_back(read_check(item, reader));
  if (checks.empty()) value.complain("must not be empty");
  return checks;
}

std::optional<Layer> read_layer(const Value& value) {
  if (!value) return std::nullopt;
  std::vector<std::string> names;
  names.reserve(all_layers.size());
  for (const Layer layer : all_layers) names.emplace_back(name(layer));
  const std::string word = value.choice(names);
  return word.empty() ? std::nullopt : layer_from_name(word);
}

Answer read_answer(const Value& value, DrillTask::Kind kind, TemplateReader& reader) {
  Answer answer;
  MapReader map(value);
  const bool localise = kind == DrillTask::Kind::localise;
  answer.layer = read_layer(localise ? map.required("layer") : map.optional("layer"));
  const Value choices = map.required("choices");
  answer.choices = reader.texts(choices);
  if (choices.is_list() && answer.choices.size() < 2) {
    choices.complain("must offer at least two answers");
  }
  const Value correct = map.required("correct");
  answer.correct = reader.text(correct);
  const bool offered = std::ranges::find(answer.choices, answer.correct) != answer.choices.end();
  if (correct.is_scalar() && choices.is_list() && !offered) {
    correct.complain(
        fmt::format("is {}, which is not among the choices", in_quotes(answer.correct)),
        did_you_mean(answer.correct, answer.choices));
  }
  return answer;
}

std::vector<Hint> read_hints(const Value& value, int points, TemplateReader& reader) {
  std::vector<Hint> hints;
  int total = 0;
  for (const Value& item : value.list()) {
    MapReader map(item);
    Hint hint;
    hint.text = reader.text(map.required("text"));
    const Value cost = map.required("cost");
    hint.cost = static_cast<int>(cost.integer(0, 100));
    hint.when = read_checks(map.optional("when"), reader);
    if (cost && !hints.empty() && hint.cost < hints.back().cost) {
      cost.complain("must not be less than that of the hint before",
                    "hints escalate: the last one gives most and costs most");
    }
    total += hint.cost;
    hints.push_back(std::move(hint));
  }
  if (total > points) {
    value.complain(fmt::format("cost {} points together, but the task gives {}", total, points));
  }
  return hints;
}

DrillTask read_task(const Value& value, DrillTask::Kind kind, TemplateReader& reader) {
  DrillTask task;
  task.kind = kind;
  MapReader map(value);
  task.ask = reader.text(map.required("ask"));
  task.points = static_cast<int>(map.required("points").integer(1, 100));
  task.hints = read_hints(map.optional("hints"), task.points, reader);
  const Value check = map.required("check");
  MapReader either(check);
  const Value answer = either.optional("answer");
  const Value state = either.optional("state");
  if (check.is_map() && bool(answer) == bool(state)) {
    check.complain("must hold either 'answer' or 'state'");
  }
  if (state) {
    task.check = read_checks(state, reader);
  } else if (answer) {
    task.check = read_answer(answer, kind, reader);
  }
  return task;
}

}  // namespace

std::vector<DrillTask> read_tasks(const Value& tasks, TemplateReader& reader) {
  std::vector<DrillTask> read;
  if (!tasks) return read;
  MapReader map(tasks);
  for (const DrillTask::Kind kind : task_kinds) {
    if (const Value task = map.optional(name(kind))) read.push_back(read_task(task, kind, reader));
  }
  return read;
}

std::vector<Penalty> read_penalties(const Value& penalties, TemplateReader& reader) {
  std::vector<Penalty> read;
  for (const Value& item : penalties.list()) {
    MapReader map(item);
    Penalty penalty;
    penalty.command = reader.command(map.required("command"));
    penalty.points = static_cast<int>(map.required("points").integer(1, 100));
    penalty.why = reader.text(map.required("why"));
    read.push_back(std::move(penalty));
  }
  return read;
}

std::vector<WrongFix> read_wrong(const Value& wrong, TemplateReader& reader) {
  std::vector<WrongFix> read;
  for (const Value& item : wrong.list()) {
    MapReader map(item);
    WrongFix fix;
    const Value name = map.required("name");
    fix.name = reader.text(name);
    if (std::ranges::find(read, fix.name, &WrongFix::name) != read.end() && name) {
      name.complain(fmt::format("repeats {}", in_quotes(fix.name)));
    }
    const Value commands = map.required("commands");
    fix.commands = reader.commands(commands);
    if (commands.is_list() && fix.commands.empty()) commands.complain("must not be empty");
    fix.why = reader.text(map.required("why"));
    read.push_back(std::move(fix));
  }
  return read;
}

Debrief read_debrief(const Value& debrief, TemplateReader& reader) {
  Debrief read;
  if (!debrief) return read;
  MapReader map(debrief);
  read.chain = reader.text(map.required("chain"));
  if (const Value discriminator = map.required("discriminator")) {
    MapReader inner(discriminator);
    read.discriminator = reader.command(inner.required("command"));
    read.discriminator_shows = reader.text(inner.required("shows"));
  }
  read.look_alikes = reader.texts(map.required("look_alikes"));
  for (const Value& source : map.required("sources").list()) {
    std::string url = source.text();
    if (source.is_scalar() && !url.starts_with("https://")) {
      source.complain(fmt::format("must be a URL, not {}", in_quotes(url)), "https://...");
    }
    read.sources.push_back(std::move(url));
  }
  return read;
}

}  // namespace rocdrill::scenarios
