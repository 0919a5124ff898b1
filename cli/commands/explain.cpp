#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/story_text.hpp"
#include "cli/terminal.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::cli {
namespace {

/// The top symptom, or what a failing check has found where no layer reports an error.
EventId symptom(sim::Node& node) {
  const EventId top = scenarios::top_symptom(node.os.timeline);
  if (top != no_event) return top;
  const auto results = checks::run(node, scenarios::deployment_of(node.spec()));
  const checks::Result* failed = checks::first_failure(results);
  return failed ? failed->event : no_event;
}

int run(const po::variables_map& arguments) {
  DrillRun run = run_drill(arguments, required(arguments, "drill"));
  const Timeline& timeline = run.node->os.timeline;
  const auto chain = scenarios::explain(timeline, symptom(*run.node));
  if (flag(arguments, "json")) {
    Json events = Json::array();
    for (const EventId id : chain) events.push_back(to_json(timeline.at(id)));
    print_json(
        {{"drill", run.drill.drill.id}, {"seed", run.drill.seed}, {"chain", std::move(events)}});
    return exit_ok;
  }
  if (chain.empty()) {
    print("nothing is wrong: no layer reports an error, no check fails\n");
    return exit_ok;
  }
  const std::size_t width = columns();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const EventView event = timeline.at(chain[i]);
    const bool error = event.severity == Severity::error;
    print(fmt::format("{} {:<14} {}\n", paint(i == 0 ? " *" : "->", Colour::grey),
                      title(event.layer),
                      paint(printable(fmt::format("{} {}", event.kind, event.subject)),
                            error ? Colour::red : Colour::bold)));
    const std::string sentence = scenarios::sentence(event);
    if (!sentence.empty()) print(wrap(printable(sentence), width, 18));
    if (const std::string shows = event.text(field::shows); !shows.empty()) {
      print(std::string(18, ' ') + paint("sees: ", Colour::blue) +
            printable(shows.substr(0, shows.find('\n'))) + "\n");
    }
  }
  return exit_ok;
}

}  // namespace

Command explain_command() {
  Command command{.name = "explain",
                  .usage = "explain DRILL [--seed N] [--json]",
                  .summary = "the chain of causes from the fault to the top symptom",
                  .examples = {"rocdrill explain stale-dkms",
                               "rocdrill explain xnack-mismatch --json | jq '.chain[].kind'"},
                  .options = po::options_description("options"),
                  .positional = {"drill"},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
