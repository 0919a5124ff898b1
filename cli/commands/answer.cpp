// rocdrill answer: what a drill asks besides the state of its node.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/attach.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace rocdrill::cli {
namespace {

using Choices = std::vector<std::string>;

std::string layer_names() {
  std::string names(name(Layer::host));
  for (const Layer layer : all_layers) names += fmt::format(", {}", name(layer));
  return names;
}

int list(const interpose::Json& tasks) {
  for (const auto& task : tasks) {
    const Choices choices = task.at("choices");
    if (choices.empty()) continue;
    print(fmt::format("{}  {}\n", paint(task.at("task").get<std::string>(), Colour::bold),
                      printable(task.at("ask").get<std::string>())));
    for (std::size_t i = 0; i < choices.size(); ++i)
      print(fmt::format("  {:>2}  {}\n", i + 1, printable(choices[i])));
    if (task.at("asks_layer").get<bool>())
      print(fmt::format("      and --layer: one of {}\n", layer_names()));
    const std::string given = task.at("given");
    if (!given.empty()) print(fmt::format("      answered: {}\n", printable(given)));
    print("\n");
  }
  print("answer one:  rocdrill answer TASK NUMBER   (whether it is right: rocdrill check)\n");
  return exit_ok;
}

/// By its number in the list, or word for word.
std::string chosen(const Choices& choices, const std::string& word) {
  if (std::ranges::find(choices, word) != choices.end()) return word;
  std::size_t number = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec == std::errc{} && read.ptr == end && number >= 1 && number <= choices.size())
    return choices[number - 1];
  throw Failure{exit_usage, fmt::format("there is no choice {}: give a number from 1 to {}\n",
                                        scenarios::in_quotes(word), choices.size())};
}

int run(const po::variables_map& arguments) {
  const std::string session = session_folder(arguments);
  const auto brief = ask(session, {{"op", "brief"}});
  const auto& tasks = brief.at("tasks");
  if (arguments.count("task") == 0) return list(tasks);
  const std::string asked = arguments["task"].as<std::string>();
  std::vector<std::string> questions;
  for (const auto& task : tasks) {
    const Choices choices = task.at("choices");
    if (choices.empty()) continue;
    const std::string called = task.at("task");
    questions.push_back(called);
    if (called != asked) continue;
    const std::string choice = chosen(choices, required(arguments, "choice"));
    const bool layered = task.at("asks_layer");
    if (layered && arguments.count("layer") == 0)
      throw Failure{exit_usage,
                    fmt::format("it also asks for --layer: one of {}\n", layer_names())};
    const std::string layer = layered ? arguments["layer"].as<std::string>() : "";
    if (layered && !layer_from_name(layer))
      throw Failure{exit_usage, fmt::format("there is no layer {}; there are {}\n",
                                            scenarios::in_quotes(layer), layer_names())};
    ask(session, {{"op", "answer"}, {"task", asked}, {"choice", choice}, {"layer", layer}});
    print(fmt::format("answered: {}{}\n", layered ? layer + ": " : "", printable(choice)));
    return exit_ok;
  }
  throw Failure{exit_usage,
                fmt::format("the drill has no question {}; {}\n", scenarios::in_quotes(asked),
                            scenarios::suggest(asked, questions, "questions"))};
}

}  // namespace

Command answer_command() {
  Command command{
      .name = "answer",
      .usage = "answer [TASK CHOICE [--layer L]] [--session S]",
      .summary = "answers a question of the drill; without TASK: what is asked",
      .examples = {"rocdrill answer     (in rocdrill shell)", "rocdrill answer detect 2",
                   "rocdrill answer localise dkms --layer kernel"},
      .options = po::options_description("options"),
      .positional = {"task", "choice"},
      .run = run};
  command.options.add_options()("layer", po::value<std::string>()->value_name("L"),
                                "where a question asks for the layer, too")(
      "session", po::value<std::string>()->value_name("S"),
      "a running node; in its own shell this is the default");
  return command;
}

}  // namespace rocdrill::cli
