#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/story_text.hpp"
#include "cli/terminal.hpp"
#include "scenarios/engine/compare.hpp"

namespace rocdrill::cli {
namespace {

using scenarios::LayerDifference;

std::string event_text(const Timeline& timeline, EventId id) {
  if (id == no_event) return "(nothing more)";
  const EventView event = timeline.at(id);
  const std::string sentence = scenarios::sentence(event);
  return printable(
      fmt::format("{} {}{}{}", event.kind, event.subject, sentence.empty() ? "" : ": ", sentence));
}

std::string row_text(const Timeline& healthy, const Timeline& here, const LayerDifference& row,
                     std::size_t width) {
  const std::string state =
      row.layer == Layer::host ? std::string(3, ' ') : badge(row.second_state);
  if (!row.differs()) {
    return fmt::format("  {:<16} {}\n", title(row.layer),
                       paint(fmt::format("the same, {} events", row.events), Colour::grey));
  }
  std::string text = fmt::format("  {:<16} {}\n", paint(title(row.layer), Colour::bold),
                                 row.layer == Layer::host ? "" : state);
  text += wrap("healthy: " + event_text(healthy, row.in_first), width, 6);
  text += wrap("here:    " + event_text(here, row.in_second), width, 6);
  return text;
}

Json row_json(const Timeline& healthy, const Timeline& here, const LayerDifference& row) {
  const auto side = [](const Timeline& timeline, EventId id) {
    return id == no_event ? Json() : to_json(timeline.at(id));
  };
  Json json{{"layer", name(row.layer)}, {"differs", row.differs()}, {"events", row.events}};
  if (row.layer != Layer::host) {
    json["healthy_state"] = scenarios::name(row.first_state);
    json["state"] = scenarios::name(row.second_state);
  }
  json["healthy"] = side(healthy, row.in_first);
  json["here"] = side(here, row.in_second);
  return json;
}

/// The event of the faulty run at which the two part; the marker of the fault is none of it.
EventId where_they_part(const Timeline& healthy, const Timeline& here) {
  const auto found = first_divergence(
      healthy, here, [](const EventView& event) { return event.kind == "fault.injected"; });
  return found ? found->in_second : no_event;
}

int run(const po::variables_map& arguments) {
  const std::string id = required(arguments, "drill");
  const DrillRun faulty = run_drill(arguments, id);
  const DrillRun twin = run_drill(arguments, id, true);
  const Timeline& here = faulty.node->os.timeline;
  const Timeline& healthy = twin.node->os.timeline;
  const auto layers = scenarios::compare(healthy, here);
  const bool differ = std::ranges::any_of(layers, &LayerDifference::differs);
  const EventId first = where_they_part(healthy, here);
  if (flag(arguments, "json")) {
    Json rows = Json::array();
    for (const LayerDifference& row : layers) rows.push_back(row_json(healthy, here, row));
    print_json({{"drill", id},
                {"node", faulty.node->spec().id},
                {"seed", faulty.drill.seed},
                {"equal", !differ},
                {"first", first == no_event ? Json() : to_json(here.at(first))},
                {"layers", std::move(rows)}});
    return differ ? exit_failed : exit_ok;
  }
  print(fmt::format("{} on {}, seed {}, against the same node without the fault\n\n", id,
                    faulty.node->spec().id, faulty.drill.seed));
  const std::size_t width = columns();
  for (const LayerDifference& row : layers) print(row_text(healthy, here, row, width));
  if (first != no_event) {
    print(fmt::format("\nthey part at {} in: {}\n", seconds(here.at(first).time_ns),
                      title(here.layer_of(first))));
    print(wrap(event_text(here, first), width, 2));
  }
  if (!differ) print("\nno layer does anything else\n");
  return differ ? exit_failed : exit_ok;
}

}  // namespace

Command diff_command() {
  Command command{
      .name = "diff",
      .usage = "diff DRILL [--seed N] [--json]",
      .summary = "where each layer parts from the same node without the fault; exit 1",
      .examples = {"rocdrill diff stale-dkms", "rocdrill diff xnack-mismatch --json | jq .first"},
      .options = po::options_description("options"),
      .positional = {"drill"},
      .run = run};
  command.options.add_options()("json", "machine-readable");
  add_run_options(command.options);
  return command;
}

}  // namespace rocdrill::cli
