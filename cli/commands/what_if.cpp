#include <fmt/format.h>

#include "cli/attach.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "scenarios/engine/branch.hpp"
#include "scenarios/engine/command_line.hpp"
#include "scenarios/engine/story.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::cli {
namespace {

using scenarios::Branch;
using scenarios::Intervention;

std::string joined(const scenarios::Command& command) {
  std::string line;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_of(" '\"\\;|&$") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return line;
}

std::vector<std::string> list_of(const po::variables_map& arguments, const char* option) {
  return arguments.count(option) != 0 ? arguments[option].as<std::vector<std::string>>()
                                      : std::vector<std::string>{};
}

Intervention intervention_of(const po::variables_map& arguments,
                             const scenarios::ResolvedDrill& drill) {
  Intervention what;
  if (arguments.count("at") != 0)
    what.at_ns = parse_time("--at", arguments["at"].as<std::string>());
  for (const std::string& fault : list_of(arguments, "fault"))
    what.faults.push_back(parse_fault(fault));
  if (flag(arguments, "solve")) what.commands = drill.drill.solve;
  for (const std::string& line : list_of(arguments, "do")) {
    const auto words = scenarios::split_command(line);
    if (!words) {
      throw Failure{exit_usage, fmt::format("--do {}: {}\n  {}\n", scenarios::in_quotes(line),
                                            words.error().message, words.error().hint)};
    }
    what.commands.push_back(*words);
  }
  if (what.faults.empty() && what.commands.empty()) {
    throw Failure{exit_usage,
                  "say what is done otherwise: --do COMMAND, --fault F, or --solve\n"
                  "  for example: rocdrill what-if stale-dkms --do 'sudo modprobe amdgpu'\n"};
  }
  return what;
}

/// The bring-up checks of both, which have the same ids in the same order.
struct Checks {
  std::vector<checks::Result> before, after;
};

const char* id_of(const checks::Result* failed) { return failed ? failed->id.c_str() : nullptr; }

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

void print_commands(const Intervention& what, const Branch& branch) {
  for (const sim::FaultUse& use : what.faults) print(fmt::format("  fault {}\n", use.id));
  for (std::size_t i = 0; i < what.commands.size(); ++i) {
    const CommandResult& result = branch.results[i];
    print(fmt::format("  $ {}\n", printable(joined(what.commands[i]))));
    if (result.exit_code == 0) continue;
    print(fmt::format("      {} {}\n",
                      paint(fmt::format("exit {}", result.exit_code), Colour::yellow),
                      printable(last_line(result.err.empty() ? result.out : result.err))));
  }
}

void print_checks(const Checks& checks) {
  print(
      paint(fmt::format("\n{:<24} {:<14} {}\n", "check", "as it was", "with this"), Colour::bold));
  for (std::size_t i = 0; i < checks.before.size(); ++i) {
    const checks::Result& after = checks.after[i];
    const bool changed = checks.before[i].status != after.status;
    const Colour colour = !changed                               ? Colour::grey
                          : after.status == checks::Status::pass ? Colour::green
                                                                 : Colour::red;
    print(fmt::format("{:<24} {:<14} {}\n", after.id, checks::name(checks.before[i].status),
                      paint(checks::name(after.status), colour)));
  }
}

/// What the workload, and everything else after the moment, met.
void print_errors(const Timeline& timeline, EventId from, EventId until) {
  std::string text;
  for (EventId id = from + 1; id <= until; ++id) {
    const EventView event = timeline.at(id);
    if (event.severity != Severity::error) continue;
    text += fmt::format("  {:>9}  {:<14} {}\n", seconds(event.time_ns), title(event.layer),
                        printable(fmt::format("{} {}", event.kind, event.subject)));
  }
  print(text.empty() ? "\nafter it, no layer reports an error\n" : "\nerrors after it\n" + text);
}

Json check_json(const Checks& checks) {
  Json list = Json::array();
  for (std::size_t i = 0; i < checks.before.size(); ++i) {
    list.push_back({{"id", checks.after[i].id},
                    {"before", checks::name(checks.before[i].status)},
                    {"after", checks::name(checks.after[i].status)}});
  }
  return list;
}

int run(const po::variables_map& arguments) {
  const std::string id = required(arguments, "drill");
  const DrillRun original = run_drill(arguments, id);
  const Intervention what = intervention_of(arguments, original.drill);
  Branch branch;
  try {
    branch = scenarios::branch(original.drill, original.node->spec(), run_options(arguments), what);
  } catch (const std::invalid_argument& error) {
    throw Failure{exit_usage, std::string(error.what()) + "\n"};
  }
  const auto deployment = scenarios::deployment_of(original.node->spec());
  const auto until = static_cast<EventId>(branch.node->os.timeline.size());
  const Checks checks{checks::run(*original.node, deployment),
                      checks::run(*branch.node, deployment)};
  const checks::Result* before = checks::first_failure(checks.before);
  const checks::Result* after = checks::first_failure(checks.after);
  if (flag(arguments, "json")) {
    Json commands = Json::array();
    for (std::size_t i = 0; i < what.commands.size(); ++i) {
      commands.push_back({{"argv", what.commands[i]},
                          {"exit_code", branch.results[i].exit_code},
                          {"out", branch.results[i].out},
                          {"err", branch.results[i].err}});
    }
    Json events = Json::array();
    for (EventId event = branch.from + 1; event <= until; ++event)
      events.push_back(to_json(branch.node->os.timeline.at(event)));
    print_json({{"drill", id},
                {"seed", original.drill.seed},
                {"at_ns", branch.at_ns},
                {"commands", std::move(commands)},
                {"first_failure_before", before ? Json(id_of(before)) : Json()},
                {"first_failure", after ? Json(id_of(after)) : Json()},
                {"checks", check_json(checks)},
                {"events", std::move(events)}});
    return after ? exit_failed : exit_ok;
  }
  print(
      fmt::format("{}, seed {}: what if, at {}\n", id, original.drill.seed, seconds(branch.at_ns)));
  print_commands(what, branch);
  print_errors(branch.node->os.timeline, branch.from, until);
  print_checks(checks);
  print(after ? paint(fmt::format("\nfirst failure: {} ({})\n", after->title, title(after->layer)),
                      Colour::red)
              : paint("\nno check failed\n", Colour::green));
  return after ? exit_failed : exit_ok;
}

}  // namespace

Command what_if_command() {
  Command command{
      .name = "what-if",
      .usage = "what-if DRILL [--at T] [--fault F]... [--do COMMAND]... [--solve] [--json]",
      .summary = "the drill once more, with something done otherwise from some moment on",
      .examples = {"rocdrill what-if stale-dkms --do 'sudo modprobe amdgpu'",
                   "rocdrill what-if stale-dkms --solve",
                   "rocdrill what-if healthy-mi300x --fault nomodeset --do 'sudo reboot'",
                   "rocdrill what-if firmware-missing --at 0.5s --fault nomodeset"},
      .options = po::options_description("options"),
      .positional = {"drill"},
      .run = run};
  command.options.add_options()("at", po::value<std::string>()->value_name("T"),
                                "virtual time (2.5s, 800ms); without it, after the workload")(
      "fault", po::value<std::vector<std::string>>()->value_name("F"),
      "put this fault in: ID[=VALUE][,KEY=VALUE...]; may be repeated")(
      "do", po::value<std::vector<std::string>>()->value_name("COMMAND"),
      "then run this as the node's user; may be repeated")(
      "solve", "then the drill's own solution")("json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
