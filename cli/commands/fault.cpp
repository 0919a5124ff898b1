#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/fault.hpp"

namespace rocdrill::cli {
namespace {

std::string value_text(const sim::ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? "\"\"" : *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "false";
}

Json to_json(const sim::FaultInfo& info) {
  Json parameters = Json::array();
  for (const sim::ParameterInfo& parameter : info.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default", value_text(parameter.fallback)},
                          {"meaning", parameter.meaning},
                          {"choices", parameter.choices}});
  }
  return {{"id", info.id},
          {"layer", name(info.layer)},
          {"title", info.title},
          {"changes", info.changes},
          {"parameters", std::move(parameters)},
          {"sources", info.sources},
          {"surgical", info.surgical}};
}

int list(const po::variables_map& arguments) {
  Json faults = Json::array();
  std::string text;
  std::string surgical;
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
    const sim::FaultInfo& info = fault->info();
    faults.push_back(to_json(info));
    (info.surgical ? surgical : text) +=
        fmt::format("{:<28} {} {:<14} {}\n", info.id, static_cast<int>(info.layer),
                    title(info.layer), info.title);
  }
  text += "\n" +
          paint("surgical: one call, doorbell or packet; rocdrill node clear takes it back",
                Colour::bold) +
          "\n" + surgical;
  if (flag(arguments, "json")) {
    print_json({{"faults", std::move(faults)}});
  } else {
    print(text);
  }
  return exit_ok;
}

int show(const po::variables_map& arguments, const std::string& id) {
  const sim::Fault* fault = sim::FaultRegistry::instance().find(id);
  if (!fault) {
    std::vector<std::string> ids;
    for (const sim::Fault* each : sim::FaultRegistry::instance().all())
      ids.push_back(each->info().id);
    throw Failure{exit_usage, fmt::format("there is no fault {}\n  {}\n", scenarios::in_quotes(id),
                                          scenarios::suggest(id, ids, "faults"))};
  }
  const sim::FaultInfo& info = fault->info();
  if (flag(arguments, "json")) {
    print_json({{"fault", to_json(info)}});
    return exit_ok;
  }
  std::string text = paint(info.title, Colour::bold) + "\n";
  text += fmt::format("  id         {}\n  layer      {} {}\n  changes    {}\n", info.id,
                      static_cast<int>(info.layer), title(info.layer), info.changes);
  for (const sim::ParameterInfo& parameter : info.parameters) {
    text += fmt::format("  parameter  {} = {}: {}", parameter.name, value_text(parameter.fallback),
                        parameter.meaning);
    text += parameter.choices.empty() ? "\n"
                                      : fmt::format(" ({})\n", fmt::join(parameter.choices, " | "));
  }
  for (const std::string& source : info.sources) text += "  source     " + source + "\n";
  print(text);
  return exit_ok;
}

int run(const po::variables_map& arguments) {
  const std::string what = required(arguments, "action");
  if (what == "list") return list(arguments);
  if (what == "show") return show(arguments, required(arguments, "name"));
  throw Failure{exit_usage, "fault list, or fault show NAME\n"};
}

}  // namespace

Command fault_command() {
  Command command{.name = "fault",
                  .usage = "fault list | show NAME [--json]",
                  .summary = "the faults that a node can have",
                  .examples = {"rocdrill fault list", "rocdrill fault show stale-dkms"},
                  .options = po::options_description("options"),
                  .positional = {"action", "name"},
                  .run = run};
  command.options.add_options()("json", "machine-readable");
  return command;
}

}  // namespace rocdrill::cli
