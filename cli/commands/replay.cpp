#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/command.hpp"
#include "cli/story_text.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {
namespace {

Layer parse_layer(const std::string& text) {
  if (const auto layer = layer_from_name(text)) return *layer;
  std::string names;
  for (const Layer layer : all_layers) names += fmt::format(" {}", name(layer));
  throw Failure{exit_usage, fmt::format("there is no layer {}; one of:{}\n",
                                        scenarios::in_quotes(text), names)};
}

Json story_json(const Timeline& timeline, const scenarios::LayerStory& story) {
  Json events = Json::array();
  for (const EventId id : story.events) events.push_back(to_json(timeline.at(id)));
  return {{"layer", name(story.layer)},
          {"state", scenarios::name(story.state)},
          {"telling", story.telling},
          {"events", std::move(events)}};
}

void print_host_events(const Timeline& timeline, std::uint64_t until) {
  for (const EventId id : timeline.find({.layer = Layer::host, .until_ns = until})) {
    const EventView event = timeline.at(id);
    if (event.severity == Severity::debug) continue;
    print(paint(fmt::format("  {:>9}  {} {}\n", seconds(event.time_ns), event.kind,
                            printable(event.subject)),
                Colour::grey));
  }
}

int run(const po::variables_map& arguments) {
  const std::uint64_t until = arguments.count("at") != 0
                                  ? parse_time("--at", arguments["at"].as<std::string>())
                                  : UINT64_MAX;
  std::optional<Layer> only;
  if (arguments.count("layer") != 0) only = parse_layer(arguments["layer"].as<std::string>());
  const double pace = arguments["pace"].as<double>();
  if (!(pace >= 0) || pace > 60)
    throw Failure{exit_usage, "--pace takes seconds per layer, 0 to 60\n"};

  DrillRun run = run_drill(arguments, required(arguments, "drill"));
  sim::Node& node = *run.node;
  const auto stories = scenarios::tell(node.os.timeline, until);
  const scenarios::Drill& drill = run.drill.drill;
  if (flag(arguments, "json")) {
    Json layers = Json::array();
    for (const auto& story : stories) {
      if (!only || story.layer == *only) layers.push_back(story_json(node.os.timeline, story));
    }
    print_json({{"drill", drill.id},
                {"node", node.spec().id},
                {"seed", run.drill.seed},
                {"layers", std::move(layers)}});
    return exit_ok;
  }
  const std::size_t width = columns();
  const EventId top = scenarios::top_symptom(node.os.timeline);
  print(paint(drill.title, Colour::bold) + fmt::format("\n{} on {} ({}), seed {}\n\n", drill.id,
                                                       node.spec().title, node.spec().id,
                                                       run.drill.seed));
  print(wrap(drill.brief, width, 2) + "\n" + paint("what was done to the machine\n", Colour::bold));
  print_host_events(node.os.timeline, until);
  print("\n" + paint("the stack, from the bottom\n", Colour::bold));
  for (const auto& story : stories) {
    if (only && story.layer != *only) continue;
    print(layer_text(node, story, width));
    std::fflush(stdout);
    if (pace > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pace));
  }
  if (top == no_event) {
    print("\nnothing is wrong with this node\n");
  } else {
    print(fmt::format(
        "\nwhy, step by step:   rocdrill explain {0}\nthe checks:          rocdrill check --drill {0}\n",
        drill.id));
  }
  return exit_ok;
}

}  // namespace

Command replay_command() {
  Command command{
      .name = "replay",
      .usage = "replay DRILL [--pace S] [--at T] [--layer L] [--seed N] [--json]",
      .summary = "a failure from the bottom up: what each layer asked for, got and did",
      .examples = {"rocdrill replay stale-dkms", "rocdrill replay stale-dkms --layer kernel",
                   "rocdrill replay firmware-missing --at 1.5s",
                   "rocdrill replay stale-dkms --json"},
      .options = po::options_description("options"),
      .positional = {"drill"},
      .run = run};
  // A person watches it layer by layer; a pipe gets it at once.
  const double pace = isatty(STDOUT_FILENO) == 1 ? 0.4 : 0.0;
  command.options.add_options()(
      "pace", po::value<double>()->default_value(pace, fmt::format("{}", pace))->value_name("S"),
      "seconds to pause after each layer")("at", po::value<std::string>()->value_name("T"),
                                           "the state at this virtual time (2.5s, 800ms)")(
      "layer", po::value<std::string>()->value_name("L"), "one layer, by name or number")(
      "json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
