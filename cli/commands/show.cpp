#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {
namespace {

/// The ticket, as the trainee gets it: neither the faults nor the solution.
int run(const po::variables_map& arguments) {
  const auto loaded = load_drill(arguments, required(arguments, "drill"));
  const auto options = run_options(arguments);
  const scenarios::Drill drill = scenarios::resolve(loaded.drill, loaded.node, options.seed).drill;
  if (flag(arguments, "json")) {
    Json tasks = Json::array();
    for (const scenarios::DrillTask& task : drill.tasks) {
      Json one = {{"kind", scenarios::name(task.kind)},
                  {"ask", task.ask},
                  {"points", task.points},
                  {"hints", task.hints.size()}};
      if (const auto* answer = std::get_if<scenarios::Answer>(&task.check))
        one["choices"] = answer->choices;
      tasks.push_back(std::move(one));
    }
    print_json({{"id", drill.id},
                {"title", drill.title},
                {"difficulty", drill.difficulty},
                {"minutes", drill.minutes},
                {"node", drill.node},
                {"objectives", drill.objectives},
                {"prerequisites", drill.prerequisites},
                {"seed", options.seed},
                {"brief", drill.brief},
                {"tasks", std::move(tasks)}});
    return exit_ok;
  }
  const std::size_t width = columns();
  std::string text = paint(drill.title, Colour::bold) + "\n";
  text += fmt::format("{} on node {}, level {} of 5, {} minutes\n\n", drill.id, drill.node,
                      drill.difficulty, drill.minutes);
  text += wrap(drill.brief, width, 2) + "\n";
  for (const scenarios::DrillTask& task : drill.tasks) {
    text += fmt::format("  [{:>2} points] ", task.points) + wrap(task.ask, width, 15).substr(15);
    if (const auto* answer = std::get_if<scenarios::Answer>(&task.check)) {
      text += wrap(fmt::format("choices: {}", fmt::join(answer->choices, " | ")), width, 15);
    }
  }
  text += "\nlook at the node:    rocdrill check --drill " + drill.id +
          "\nwatch it unfold:     rocdrill replay " + drill.id + "   (tells the answer)\n";
  print(text);
  return exit_ok;
}

}  // namespace

Command show_command() {
  Command command{.name = "show",
                  .usage = "show DRILL [--seed N] [--json]",
                  .summary = "a drill's ticket and tasks, without the answer",
                  .examples = {"rocdrill show stale-dkms", "rocdrill show double-filter --seed 7"},
                  .options = po::options_description("options"),
                  .positional = {"drill"},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
