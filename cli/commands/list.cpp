#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {
namespace {

int run(const po::variables_map& arguments) {
  const auto data = data_path(arguments);
  Json drills = Json::array();
  std::string text;
  std::string problems;
  for (const std::string& id : data.list_drills()) {
    auto loaded = scenarios::load_drill(data, id, scenarios::built_in_knowledge());
    if (!loaded) {
      problems += scenarios::text(loaded.error());
      continue;
    }
    const scenarios::Drill& drill = loaded->drill;
    drills.push_back({{"id", drill.id},
                      {"title", drill.title},
                      {"node", drill.node},
                      {"difficulty", drill.difficulty},
                      {"minutes", drill.minutes}});
    text += fmt::format("{:<28} {:<16} {}{}  {:>3} min  {}\n", drill.id, drill.node,
                        std::string(drill.difficulty, '*'), std::string(5 - drill.difficulty, '.'),
                        drill.minutes, drill.title);
  }
  if (flag(arguments, "json")) {
    print_json({{"drills", std::move(drills)}});
  } else {
    print(paint(fmt::format("{:<28} {:<16} {}  {:>7}  {}\n", "DRILL", "NODE", "LEVEL", "TIME",
                            "TITLE"),
                Colour::bold) +
          text);
  }
  if (!problems.empty()) throw Failure{exit_invalid, problems};
  return exit_ok;
}

}  // namespace

Command list_command() {
  Command command{.name = "list",
                  .usage = "list [--json]",
                  .summary = "the drills there are",
                  .examples = {"rocdrill list", "rocdrill list --json | jq -r '.drills[].id'"},
                  .options = po::options_description("options"),
                  .positional = {},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
