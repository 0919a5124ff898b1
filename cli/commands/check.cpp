#include <fmt/format.h>

#include "cli/attach.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/interpose/session_index.hpp"
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

checks::Status status_of(const std::string& name) {
  for (const checks::Status status : {checks::Status::pass, checks::Status::fail,
                                      checks::Status::not_reached, checks::Status::not_modelled}) {
    if (name == checks::name(status)) return status;
  }
  return checks::Status::not_modelled;
}

Json json_of(const std::vector<checks::Result>& results) {
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
  return list;
}

void print_checks(const std::vector<checks::Result>& results) {
  const std::size_t width = columns();
  for (const checks::Result& result : results) print(text_of(result, width));
  const checks::Result* failed = checks::first_failure(results);
  print(failed ? "\n" + paint(fmt::format("first failure: {} ({})\n", failed->title,
                                          title(failed->layer)),
                              Colour::red)
               : paint("\nno check failed\n", Colour::green));
}

/// On the node that this shell is on, or that --session names.
int check_running(const po::variables_map& arguments) {
  const std::string session = session_folder(arguments);
  interpose::Json request{{"op", "check"}};
  // What the person exports counts in the node's own shell; any other has nothing to do with it.
  const char* here = std::getenv(interpose::session_variable);
  if (here && session == here) request["env"] = own_environment();
  const auto reply = ask(session, std::move(request));
  std::vector<checks::Result> results;
  for (const auto& one : reply.at("checks")) {
    results.push_back(
        {.id = one.at("id"),
         .step = one.at("step"),
         .layer = layer_from_name(one.at("layer").get<std::string>()).value_or(Layer::host),
         .title = one.at("title"),
         .status = status_of(one.at("status")),
         .evidence = one.at("evidence"),
         .next = one.at("next")});
  }
  const bool passed = reply.at("passed");
  if (flag(arguments, "json")) {
    Json out{{"node", reply.at("node").get<std::string>()},
             {"first_failure", Json::parse(reply.at("first_failure").dump())},
             {"passed", passed},
             {"checks", json_of(results)}};
    if (reply.contains("tasks")) out["tasks"] = Json::parse(reply.at("tasks").dump());
    print_json(std::move(out));
    return passed ? exit_ok : exit_failed;
  }
  print_checks(results);
  if (!reply.contains("tasks")) return passed ? exit_ok : exit_failed;
  print("\n" + paint("tasks of " + reply.at("drill").get<std::string>(), Colour::bold) + "\n");
  for (const auto& task : reply.at("tasks")) {
    const std::string status = task.at("status");
    const bool asked = task.at("answer");
    const std::string shown = asked && status == "open" ? "question" : status;
    print(fmt::format(
        "  {}  {}\n",
        paint(fmt::format("{:<9}", shown), status == "passed" ? Colour::green : Colour::yellow),
        printable(task.at("ask").get<std::string>())));
    if (const std::string why = task.at("open_because"); !why.empty())
      print(fmt::format("             {}\n", printable(why)));
  }
  print(passed ? paint("\nthe node is repaired\n", Colour::green)
               : paint("\nnot repaired yet\n", Colour::red));
  return passed ? exit_ok : exit_failed;
}

int run(const po::variables_map& arguments) {
  const bool has_node = arguments.count("node") != 0;
  const bool has_drill = arguments.count("drill") != 0;
  if (!has_node && !has_drill) {
    if (arguments.count("fault") != 0)
      throw Failure{
          exit_usage,
          "--fault goes with --node or --drill; for a running node: rocdrill node inject\n"};
    if (arguments.count("session") != 0 || on_a_node()) return check_running(arguments);
    throw Failure{exit_usage,
                  "say which node: --node N or --drill D, or --session S for one that runs\n"
                  "  see: rocdrill node list; rocdrill list\n"};
  }
  const std::unique_ptr<sim::Node> node =
      std::move(make_attached_node(arguments, attach_request(arguments)).node);
  const auto results = checks::run(*node, scenarios::deployment_of(node->spec()));
  const checks::Result* failed = checks::first_failure(results);
  if (flag(arguments, "json")) {
    print_json({{"node", node->spec().id},
                {"first_failure", failed ? Json(failed->id) : Json()},
                {"checks", json_of(results)}});
  } else {
    print_checks(results);
  }
  return failed ? exit_failed : exit_ok;
}

}  // namespace

Command check_command() {
  Command command{
      .name = "check",
      .usage = "check (--node N | --drill D | [--session S]) [--fault F...] [--seed N] [--json]",
      .summary = "the bring-up checks, layer by layer; exit 1 if one fails",
      .examples = {"rocdrill check --node mi300x-8", "rocdrill check --drill stale-dkms",
                   "rocdrill check --node mi210 --fault kernel-null-pointer",
                   "rocdrill check            (in rocdrill shell: is it repaired?)"},
      .options = po::options_description("options"),
      .positional = {},
      .run = run};
  command.options.add_options()("node", po::value<std::string>()->value_name("N"),
                                "a healthy node of this kind")(
      "drill", po::value<std::string>()->value_name("D"), "the node of this drill, with its fault")(
      "fault", po::value<std::vector<std::string>>()->value_name("F"),
      "put this fault in: ID[=VALUE][,KEY=VALUE...]; may be repeated")(
      "session", po::value<std::string>()->value_name("S"),
      "a running node; in its own shell this is the default")("json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
