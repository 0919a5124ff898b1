#include "cli/command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace rocdrill::cli {
namespace {

void fail_with(const scenarios::Diagnostics& problems, int exit_code) {
  throw Failure{exit_code, scenarios::text(problems)};
}

sim::NodeSpec with_code_objects(const scenarios::DataPath& data, sim::NodeSpec spec) {
  const bool needs = !spec.torch.version.empty() || !spec.apps.empty();
  const auto loaded = scenarios::load_code_objects(data, spec);
  if (!loaded) fail_with(loaded.error(), exit_invalid);
  if (!*loaded && needs) {
    throw Failure{exit_unavailable,
                  "the node's programs need device code, and no code_objects folder was found\n"
                  "  build it: ./dev rocdrill list   or point ROCDRILL_DATA at an installation\n"};
  }
  return spec;
}

[[noreturn]] void unknown(std::string_view what, const std::string& id,
                          const std::vector<std::string>& known, std::string_view see) {
  const std::string hint = scenarios::did_you_mean(id, known);
  throw Failure{exit_usage,
                fmt::format("there is no {} {}{}\n  see: rocdrill {}\n", what,
                            scenarios::in_quotes(id), hint.empty() ? "" : "; " + hint, see)};
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::ranges::find(list, item) != list.end();
}

}  // namespace

scenarios::DataPath data_path(const po::variables_map& arguments) {
  std::optional<std::filesystem::path> option;
  if (arguments.count("data") != 0) option = arguments["data"].as<std::string>();
  auto found = scenarios::DataPath::find(scenarios::data_places(option));
  if (!found) fail_with(found.error(), exit_unavailable);
  return *found;
}

scenarios::LoadedDrill load_drill(const po::variables_map& arguments, const std::string& id) {
  const auto data = data_path(arguments);
  if (!contains(data.list_drills(), id)) unknown("drill", id, data.list_drills(), "list");
  auto loaded = scenarios::load_drill(data, id, scenarios::built_in_knowledge());
  if (!loaded) fail_with(loaded.error(), exit_invalid);
  loaded->node = with_code_objects(data, std::move(loaded->node));
  return std::move(*loaded);
}

sim::NodeSpec load_node(const po::variables_map& arguments, const std::string& id) {
  const auto data = data_path(arguments);
  if (!contains(data.list_nodes(), id)) unknown("node", id, data.list_nodes(), "node list");
  auto loaded = scenarios::load_node(data, id, scenarios::built_in_knowledge());
  if (!loaded) fail_with(loaded.error(), exit_invalid);
  return with_code_objects(data, std::move(*loaded));
}

DrillRun run_drill(const po::variables_map& arguments, const std::string& id, bool healthy) {
  scenarios::LoadedDrill loaded = load_drill(arguments, id);
  scenarios::RunOptions options = run_options(arguments);
  options.healthy = healthy;
  DrillRun run{scenarios::resolve(loaded.drill, loaded.node, options.seed), nullptr};
  run.node = scenarios::run_drill(run.drill, std::move(loaded.node), options);
  return run;
}

std::unique_ptr<sim::Node> boot_node(const po::variables_map& arguments, const std::string& id,
                                     const std::vector<sim::FaultUse>& faults) {
  auto node = scenarios::make_node(load_node(arguments, id), run_options(arguments));
  for (const sim::FaultUse& use : faults) put_in(*node, use);
  node->boot();
  return node;
}

void put_in(sim::Node& node, const sim::FaultUse& use) {
  try {
    node.prepare(use);
    node.inject(use);
  } catch (const std::invalid_argument& error) {
    throw Failure{exit_usage, std::string(error.what()) + "\n"};
  }
}

void add_run_options(po::options_description& options) {
  options.add_options()("seed", po::value<std::uint64_t>()->default_value(1)->value_name("N"),
                        "values of the drill's variables and of the node's ids")(
      "threads", po::value<unsigned>()->default_value(1)->value_name("N"),
      "threads; the history does not depend on them");
}

scenarios::RunOptions run_options(const po::variables_map& arguments) {
  scenarios::RunOptions options;
  options.seed = arguments["seed"].as<std::uint64_t>();
  options.threads = arguments["threads"].as<unsigned>();
  if (options.threads < 1 || options.threads > 64)
    throw Failure{exit_usage, "--threads must be 1 to 64\n"};
  return options;
}

std::string required(const po::variables_map& arguments, const char* name) {
  if (arguments.count(name) != 0) return arguments[name].as<std::string>();
  throw Failure{exit_usage, fmt::format("{} is missing\n", name)};
}

std::uint64_t parse_time(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {  // said below
  }
  const std::string unit = text.substr(used);
  const double scale = unit.empty() || unit == "s" ? 1e9 : unit == "ms" ? 1e6 : 0;
  if (!(value >= 0) || scale == 0 || value * scale > 1e18) {
    throw Failure{exit_usage, fmt::format("{} takes a virtual time such as 2.5s or 800ms, not {}\n",
                                          option, scenarios::in_quotes(text))};
  }
  return static_cast<std::uint64_t>(std::llround(value * scale));
}

bool flag(const po::variables_map& arguments, const char* name) {
  return arguments.count(name) != 0;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_json(Json json) {
  Json out = {{"schema_version", json_schema_version}};
  out.update(json);
  print(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json to_json(const EventView& event) {
  Json fields = Json::object();
  for (const Field& field : event.fields) {
    std::visit([&](const auto& value) { fields[std::string(field.key)] = value; }, field.value);
  }
  return {{"id", event.id},
          {"time_ns", event.time_ns},
          {"layer", name(event.layer)},
          {"severity", name(event.severity)},
          {"kind", event.kind},
          {"subject", event.subject},
          {"cause", event.cause},
          {"fields", std::move(fields)}};
}

}  // namespace rocdrill::cli
