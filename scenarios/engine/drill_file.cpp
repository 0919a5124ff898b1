// drill.yaml, top to bottom, as a table of keys.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "scenarios/engine/template_reader.hpp"
#include "stack/backend.hpp"

namespace rocdrill::scenarios {
namespace {

constexpr std::int64_t current_schema = 1;
constexpr std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> capability_names() {
  std::vector<std::string> names;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const std::string_view known = rocdrill::name(static_cast<Capability>(1u << bit));
    if (known != "unknown") names.emplace_back(known);
  }
  return names;
}

/// The type of a value that a file writes without saying: 5, true, or text.
ParameterValue typed(const YamlNode& scalar) {
  if (const auto number = as_integer(scalar)) return *number;
  if (const auto flag = as_flag(scalar)) return *flag;
  return scalar.text;
}

Choose read_choose(const Value& value) {
  Choose choose;
  for (const Value& item : value.list()) {
    if (!item.is_scalar()) {
      item.complain(
          fmt::format("must be text, a number or a flag, not {}", describe(*item.node())));
      continue;
    }
    choose.values.push_back(typed(*item.node()));
    if (choose.values.back().index() != choose.values.front().index()) {
      item.complain("has another type than the first one", "put all of them in quotes");
    }
    if (!references(item.node()->text).empty()) {
      item.complain("refers to a variable", "only {text: ...} may do so");
    }
  }
  if (value.is_list() && value.node()->items.empty()) value.complain("must not be empty");
  if (choose.values.empty()) choose.values.emplace_back();
  return choose;
}

IntegerRange read_range(const Value& value) {
  const std::vector<Value> bounds = value.list();
  if (!value.is_list()) return {};
  if (bounds.size() != 2) {
    value.complain("must be a list of the lowest and the highest value", "integer: [1, 7]");
    return {};
  }
  const std::int64_t low = bounds[0].integer(-most_integer, most_integer);
  const std::int64_t high = bounds[1].integer(-most_integer, most_integer);
  if (low > high) {
    value.complain(fmt::format("is empty: {} is greater than {}", low, high));
    return {};
  }
  return {low, high};
}

Variable read_variable(const YamlKey& key, const Value& value, TemplateReader& reader) {
  static const std::vector<std::string> kinds{"choose", "integer", "gpu", "text"};
  static const std::vector<std::string> any{"any"};
  Variable variable{key.text, IntegerRange{}, value.problems().source().mark(key.offset)};
  if (!is_variable_name(key.text)) {
    value.problems().add(key.offset,
                         fmt::format("{} is no name for a variable", in_quotes(key.text)),
                         "use lower-case letters, digits and '_', a letter first");
  }
  MapReader map(value);
  const Value choose = map.optional(kinds[0]);
  const Value integer = map.optional(kinds[1]);
  const Value gpu = map.optional(kinds[2]);
  const Value text = map.optional(kinds[3]);
  if (value.is_map() && bool(choose) + bool(integer) + bool(gpu) + bool(text) != 1) {
    value.complain("must have exactly one of choose, integer, gpu, text");
  }
  if (choose) variable.source = read_choose(choose);
  if (integer) variable.source = read_range(integer);
  if (gpu && !gpu.choice(any).empty()) variable.source = AnyGpu{};
  if (text) variable.source = Text{reader.text(text)};
  return variable;
}

std::vector<Variable> read_vars(const Value& value, TemplateReader& reader) {
  std::vector<Variable> variables;
  Problems& problems = value.problems();
  for (const auto& [key, entry] : value.entries()) {
    if (variables.size() == max_variables) {
      problems.add(key.offset, fmt::format("more than {} variables", max_variables));
      break;
    }
    variables.push_back(read_variable(key, entry, reader));
  }
  const std::vector<std::string> cycle = find_cycle(variables);
  if (!cycle.empty()) {
    std::string chain = cycle.front();
    for (std::size_t i = 1; i < cycle.size(); ++i) chain += " -> " + cycle[i];
    const auto entries = value.entries();
    const auto first = std::ranges::find(entries, cycle.front(),
                                         [](const auto& entry) { return entry.first.text; });
    problems.add(first->first.offset, "these variables need each other: " + chain,
                 "give one of them a value of its own");
    return variables;
  }
  for (const auto& [name, size] : largest_values(variables)) {
    if (size <= max_value_size) continue;
    value.complain(
        fmt::format("gives {} a value of more than {} bytes", in_quotes(name), max_value_size));
    break;  // those that refer to it are too large as well
  }
  return variables;
}

std::optional<std::uint64_t> parse_duration(std::string_view text) {
  constexpr std::pair<std::string_view, std::uint64_t> units[] = {{"ns", 1},
                                                                  {"us", 1'000},
                                                                  {"ms", 1'000'000},
                                                                  {"s", 1'000'000'000},
                                                                  {"min", 60'000'000'000},
                                                                  {"h", 3'600'000'000'000}};
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number > 1'000'000) return std::nullopt;
  for (const auto& [unit, ns] : units) {
    if (std::string_view(end, text.data() + text.size()) == unit) return number * ns;
  }
  return std::nullopt;
}

FaultTime read_time(const Value& value) {
  FaultTime at;
  const std::string text = value.text();
  if (text.empty() || text == "boot") return at;
  if (text.starts_with("time ")) {
    if (const auto ns = parse_duration(std::string_view(text).substr(5))) {
      return {FaultTime::Kind::time, *ns, {}};
    }
  }
  if (text.starts_with("trigger ") && text.size() > 8) {
    return {FaultTime::Kind::trigger, 0, text.substr(8)};
  }
  value.complain(fmt::format("cannot be {}", in_quotes(text)),
                 "boot, time <number><ns|us|ms|s|min|h> or trigger <kind of event>");
  return at;
}

DrillFault read_fault(const Value& value, TemplateReader& reader) {
  DrillFault fault;
  MapReader map(value);
  const Value kind = map.required("kind");
  fault.use.id = kind.text();
  fault.mark = kind.mark();
  fault.at = read_time(map.optional("at"));
  for (const auto& [key, parameter] : map.optional("params").entries()) {
    if (!parameter.is_scalar()) {
      parameter.complain(
          fmt::format("must be text, a number or a flag, not {}", describe(*parameter.node())));
      continue;
    }
    reader.note(parameter);
    fault.use.parameters[key.text] = typed(*parameter.node());
    fault.parameter_marks[key.text] = parameter.mark();
  }
  return fault;
}

Workload read_workload(const Value& value, TemplateReader& reader) {
  static const std::vector<std::string> words{"none", "torch", "torchrun", "hip-app"};
  Workload workload;
  workload.mark = value.mark();
  if (value.is_map()) {
    MapReader map(value);
    if (const Value app = map.required("hip-app")) {
      workload.kind = Workload::Kind::hip_app;
      workload.path = reader.text(app);
    }
    return workload;
  }
  const std::string word = value.choice(words);
  if (word == "torch") workload.kind = Workload::Kind::torch;
  if (word == "torchrun") workload.kind = Workload::Kind::torchrun;
  if (word == "hip-app") value.complain("must say which program", "hip-app: /srv/job/saxpy");
  return workload;
}

std::optional<Control> read_control(const Value& value) {
  static const std::vector<std::string> words{"healthy", "works-as-configured"};
  if (!value) return std::nullopt;
  return value.choice(words) == words[1] ? Control::works_as_configured : Control::healthy;
}

void check_schema(const Value& value) {
  if (!value) return;
  const std::int64_t schema = value.integer(0, most_integer);
  if (schema == current_schema || !value.is_scalar() || !as_integer(*value.node())) return;
  value.complain(fmt::format("is {}, but this rocdrill reads {}", schema, current_schema));
}

void read_identity(MapReader& map, Drill& drill, std::string_view folder, TemplateReader& reader) {
  const Value id = map.required("id");
  drill.id = id.text();
  if (!drill.id.empty() && drill.id != folder) {
    id.complain(
        fmt::format("is {}, but the folder is called {}", in_quotes(drill.id), in_quotes(folder)),
        "rename one of the two");
  }
  drill.title = reader.text(map.required("title"));
  drill.difficulty = static_cast<int>(map.required("difficulty").integer(1, 5));
  drill.minutes = static_cast<int>(map.required("minutes").integer(1, 240));
  drill.objectives = reader.texts(map.required("objectives"));
  drill.prerequisites = map.optional("prerequisites").texts();
  const Value node = map.required("node");
  drill.node = node.text();
  drill.node_mark = node.mark();
  static const std::vector<std::string> known = capability_names();
  for (const Value& item : map.optional("requires").list()) {
    drill.capabilities.push_back(item.choice(known));
  }
}

/// What a drill with a fault must have, and a control must not.
void check_kind(const Drill& drill, const Value& root, const Value& faults, const Value& solve,
                const Value& no_fault) {
  if (drill.no_fault) {
    if (drill.tasks.empty()) root.complain("has no tasks", "ask at least 'detect'");
    if (!drill.faults.empty()) faults.complain("must be empty in a drill with 'no_fault'");
    if (!drill.solve.empty()) solve.complain("must be empty in a drill with 'no_fault'");
    return;
  }
  if (!root.is_map() || no_fault) return;
  if (drill.faults.empty()) {
    root.complain("has no faults", "add 'faults', or 'no_fault: healthy' for a control drill");
  }
  if (drill.solve.empty()) {
    root.complain("has no 'solve'", "add the commands that mend the node");
  }
  for (const auto kind : {DrillTask::Kind::detect, DrillTask::Kind::localise,
                          DrillTask::Kind::root_cause, DrillTask::Kind::mitigate}) {
    const bool there = std::ranges::find(drill.tasks, kind, &DrillTask::kind) != drill.tasks.end();
    if (!there) root.complain(fmt::format("has no task '{}'", name(kind)), "add it to 'tasks'");
  }
}

void read_root(const Value& root, Drill& drill, std::string_view folder, TemplateReader& reader) {
  MapReader map(root);
  check_schema(map.required("schema"));
  read_identity(map, drill, folder, reader);
  drill.vars = read_vars(map.optional("vars"), reader);
  const Value faults = map.optional("faults");
  for (const Value& item : faults.list()) drill.faults.push_back(read_fault(item, reader));
  const Value no_fault = map.optional("no_fault");
  drill.no_fault = read_control(no_fault);
  if (const Value workload = map.required("workload")) {
    drill.workload = read_workload(workload, reader);
  }
  drill.brief = reader.text(map.required("brief"));
  const Value tasks = map.required("tasks");
  drill.tasks = read_tasks(tasks, reader);
  drill.penalties = read_penalties(map.optional("penalties"), reader);
  const Value solve = map.optional("solve");
  drill.solve = reader.commands(solve);
  drill.wrong = read_wrong(map.optional("wrong"), reader);
  drill.debrief = read_debrief(map.required("debrief"), reader);
  check_kind(drill, root, faults, solve, no_fault);
}

}  // namespace

Drill read_drill(std::string file, std::string text, std::string_view folder,
                 Diagnostics& problems_out) {
  const Source source(std::move(file), std::move(text));
  Problems problems(source);
  Drill drill;
  drill.file = source.file();
  if (const auto tree = parse_yaml(source, problems)) {
    TemplateReader reader(problems);
    read_root(Value(&*tree, tree->offset, "", problems), drill, folder, reader);
    reader.check_names(drill.vars);
    drill.programs = reader.programs();
  }
  const Diagnostics found = problems.take();
  problems_out.insert(problems_out.end(), found.begin(), found.end());
  return drill;
}

Loaded<Drill> parse_drill(std::string file, std::string text, std::string_view folder) {
  Diagnostics problems;
  Drill drill = read_drill(std::move(file), std::move(text), folder, problems);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return drill;
}

}  // namespace rocdrill::scenarios
