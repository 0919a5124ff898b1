#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "cli/command.hpp"

namespace rocdrill::cli {
namespace {

scenarios::Diagnostics problems_of(const scenarios::DataPath& data, const std::string& file,
                                   const scenarios::Knowledge& knowledge) {
  const std::filesystem::path path(file);
  // A drill lies in a folder of its own; everything else is a node.
  if (path.filename() == "drill.yaml") {
    auto loaded = scenarios::load_drill_file(data, path, knowledge);
    return loaded ? scenarios::Diagnostics{} : loaded.error();
  }
  auto loaded = scenarios::load_node_file(path, knowledge);
  return loaded ? scenarios::Diagnostics{} : loaded.error();
}

int run(const po::variables_map& arguments) {
  const auto data = data_path(arguments);
  const auto knowledge = scenarios::built_in_knowledge();
  std::vector<std::string> files;
  if (arguments.count("files") != 0) files = arguments["files"].as<std::vector<std::string>>();
  if (files.empty()) {
    for (const std::string& id : data.list_drills()) files.push_back(data.drill_file(id).string());
    for (const std::string& id : data.list_nodes()) files.push_back(data.node_file(id).string());
  }
  Json list = Json::array();
  std::size_t invalid = 0;
  for (const std::string& file : files) {
    const auto problems = problems_of(data, file, knowledge);
    invalid += problems.empty() ? 0 : 1;
    if (!flag(arguments, "json")) std::cerr << scenarios::text(problems);
    for (const scenarios::Diagnostic& problem : problems) {
      list.push_back({{"file", problem.file},
                      {"line", problem.line},
                      {"column", problem.column},
                      {"message", problem.message},
                      {"hint", problem.hint}});
    }
  }
  if (flag(arguments, "json")) {
    print_json({{"files", files.size()}, {"invalid", invalid}, {"problems", std::move(list)}});
  } else {
    print(fmt::format("{} file{} valid, {} invalid\n", files.size() - invalid,
                      files.size() - invalid == 1 ? "" : "s", invalid));
  }
  return invalid == 0 ? exit_ok : exit_invalid;
}

}  // namespace

Command validate_command() {
  Command command{.name = "validate",
                  .usage = "validate [FILE...] [--json]",
                  .summary = "checks drill and node files; without arguments all that are shipped",
                  .examples = {"rocdrill validate", "rocdrill validate my-drill/drill.yaml"},
                  .options = po::options_description("options"),
                  .positional = {"files..."},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
