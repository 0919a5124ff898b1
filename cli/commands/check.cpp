#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::cli {
namespace {

Colour colour_of(checks::Status status) {
  switch (status) {
    case checks::Status::pass:
      return Colour::green;
    case checks::Status::fail:
      return Colour::red;
    case checks::Status::not_modelled:
      return Colour::blue;
    case checks::Status::not_reached:
      break;
  }
  return Colour::grey;
}

std::string text_of(const checks::Result& result, std::size_t width) {
  const std::string step = result.step > 0 ? fmt::format("{}.", result.step) : "  ";
  std::string text = fmt::format(
      "{} {:<22} {}  {}\n", step, result.id,
      paint(fmt::format("{:<12}", checks::name(result.status)), colour_of(result.status)),
      result.title);
  if (result.status == checks::Status::pass) return text;
  if (result.status == checks::Status::not_reached) {
    text.pop_back();
    return text + paint(fmt::format(" ({})\n", printable(result.evidence)), Colour::grey);
  }
  text += wrap(printable(result.evidence), width, 6);
  if (!result.next.empty()) text += "      next: " + paint(result.next, Colour::bold) + "\n";
  return text;
}

int run(const po::variables_map& arguments) {
  const bool has_node = arguments.count("node") != 0;
  if (has_node == (arguments.count("drill") != 0)) {
    throw Failure{
        exit_usage,
        "say which node: --node N or --drill D\n  see: rocdrill node list; rocdrill list\n"};
  }
  std::unique_ptr<sim::Node> node =
      has_node ? boot_node(arguments, arguments["node"].as<std::string>())
               : std::move(run_drill(arguments, arguments["drill"].as<std::string>()).node);
  const auto results = checks::run(*node, scenarios::deployment_of(node->spec()));
  const checks::Result* failed = checks::first_failure(results);
  if (flag(arguments, "json")) {
    Json list = Json::array();
    for (const checks::Result& result : results) {
      list.push_back({{"id", result.id},
                      {"step", result.step},
                      {"layer", name(result.layer)},
                      {"title", result.title},
                      {"status", checks::name(result.status)},
                      {"evidence", result.evidence},
                      {"next", result.next}});
    }
    print_json({{"node", node->spec().id},
                {"first_failure", failed ? Json(failed->id) : Json()},
                {"checks", std::move(list)}});
  } else {
    const std::size_t width = columns();
    for (const checks::Result& result : results) print(text_of(result, width));
    print(failed ? "\n" + paint(fmt::format("first failure: {} ({})\n", failed->title,
                                            title(failed->layer)),
                                Colour::red)
                 : paint("\nno check failed\n", Colour::green));
  }
  return failed ? exit_failed : exit_ok;
}

}  // namespace

Command check_command() {
  Command command{
      .name = "check",
      .usage = "check (--node N | --drill D) [--seed N] [--json]",
      .summary = "the bring-up checks, layer by layer; exit 1 if one fails",
      .examples = {"rocdrill check --node mi300x-8", "rocdrill check --drill stale-dkms"},
      .options = po::options_description("options"),
      .positional = {},
      .run = run};
  command.options.add_options()("node", po::value<std::string>()->value_name("N"),
                                "a healthy node of this kind")(
      "drill", po::value<std::string>()->value_name("D"), "the node of this drill, with its fault")(
      "json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
