#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "scenarios/engine/versions.hpp"

namespace rocdrill::cli {
namespace {

int run(const po::variables_map& arguments) {
  const bool has_node = arguments.count("node") != 0;
  if (has_node == (arguments.count("drill") != 0)) {
    throw Failure{exit_usage, "say which node: --node N or --drill D\n"};
  }
  std::unique_ptr<sim::Node> node =
      has_node ? boot_node(arguments, arguments["node"].as<std::string>())
               : std::move(run_drill(arguments, arguments["drill"].as<std::string>()).node);
  const auto [rows, verdict] = scenarios::versions_of(*node);
  if (flag(arguments, "json")) {
    Json list = Json::array();
    for (const scenarios::VersionRow& row : rows) {
      list.push_back({{"layer", name(row.layer)},
                      {"what", row.what},
                      {"version", row.version},
                      {"reported", row.reported}});
    }
    print_json({{"node", node->spec().id},
                {"versions", std::move(list)},
                {"verdict",
                 {{"driver_and_user_space", compat::name(verdict.support)},
                  {"reason", verdict.reason},
                  {"fidelity", name(verdict.fidelity)}}}});
    return exit_ok;
  }
  for (const scenarios::VersionRow& row : rows) {
    print(fmt::format("{} {:<16} {:<10} {:<34} {}\n", static_cast<int>(row.layer), title(row.layer),
                      row.what, row.version, paint(row.reported, Colour::grey)));
  }
  const Colour colour = verdict.support == compat::Support::supported     ? Colour::green
                        : verdict.support == compat::Support::unsupported ? Colour::red
                                                                          : Colour::grey;
  print(fmt::format("\ndriver and ROCm {}: {}\n", node->spec().rocm.version,
                    paint(compat::name(verdict.support), colour)));
  if (!verdict.reason.empty()) print(wrap(verdict.reason, columns(), 2));
  return exit_ok;
}

}  // namespace

Command versions_command() {
  Command command{
      .name = "versions",
      .usage = "versions (--node N | --drill D) [--json]",
      .summary = "each layer's version, where it is reported, and whether they go together",
      .examples = {"rocdrill versions --node mi300x-8", "rocdrill versions --drill stale-dkms"},
      .options = po::options_description("options"),
      .positional = {},
      .run = run};
  command.options.add_options()("node", po::value<std::string>()->value_name("N"),
                                "a healthy node of this kind")(
      "drill", po::value<std::string>()->value_name("D"), "the node of this drill")(
      "json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
