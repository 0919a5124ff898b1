// The environment of the job's shell: export, unset, env, printenv. `env NAME=VALUE COMMAND` and a
// session's exports reach programs through their ProcessSpec.
#include <algorithm>
#include <cctype>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

int run_export(Call& call) {
  if (call.args.empty() || call.args == std::vector<std::string>{"-p"}) {
    for (const auto& [name, value] : call.spec.environment)
      call.print("declare -x {}=\"{}\"\n", name, value);
    return 0;
  }
  int code = 0;
  for (const std::string& word : call.args) {
    if (word.starts_with('-')) return call.refuse_option(word);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (!is_name(name)) {
      code = call.fail(1, "bash: export: `{}': not a valid identifier\n", word);
    } else if (equals != std::string::npos) {
      call.node.os.set_environment(name, word.substr(equals + 1), call.command_event());
    }
  }
  return code;
}

int run_unset(Call& call) {
  int code = 0;
  for (const std::string& word : call.args) {
    if (word == "-v") continue;
    if (word.starts_with('-')) return call.refuse_option(word);
    if (is_name(word)) {
      call.node.os.unset_environment(word, call.command_event());
    } else {
      code = call.fail(1, "bash: unset: `{}': not a valid identifier\n", word);
    }
  }
  return code;
}

int run_env(Call& call) {
  const auto options = parse(
      call, {{"-i"}, {"--ignore-environment", false, "-i"}, {"-u", true}, {"--unset", true, "-u"}},
      true);
  if (!options) return 2;
  ProcessSpec spec = call.spec;
  if (options->has("-i")) spec.environment.clear();
  if (const auto name = options->value("-u")) {
    spec.environment.erase(*name);
    spec.environment_events.insert_or_assign(*name, call.command_event());
  }
  auto words = options->operands;
  const auto command = std::ranges::find_if(
      words, [](const std::string& word) { return word.find('=') == std::string::npos; });
  if (command != words.end()) {
    CommandResult result = run_words(call.node, words, std::move(spec), std::move(call.input));
    call.out = std::move(result.out);
    call.err = std::move(result.err);
    call.event = result.event;
    call.waits_for_ever = result.waits_for_ever;
    if (result.found) return result.exit_code;
    call.err = fmt::format("env: '{}': No such file or directory\n", *command);
    return 127;
  }
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    spec.environment.insert_or_assign(word.substr(0, equals), word.substr(equals + 1));
  }
  for (const auto& [name, value] : spec.environment) call.print("{}={}\n", name, value);
  return 0;
}

int run_printenv(Call& call) {
  const auto options = parse(call, {});
  if (!options) return 2;
  if (options->operands.empty()) return run_env(call);
  int code = 0;
  for (const std::string& name : options->operands) {
    const auto at = call.spec.environment.find(name);
    if (at == call.spec.environment.end())
      code = 1;
    else
      call.print("{}\n", at->second);
  }
  return code;
}

constexpr Tool table[] = {
    {{"export", "export NAME=VALUE...", "Sets variables of the job's shell.", true}, run_export},
    {{"unset", "unset NAME...", "Removes variables of the job's shell.", true}, run_unset},
    {{"env", "env [-i] [-u NAME] [NAME=VALUE...] [COMMAND...]",
      "Prints the environment, or runs a command in another one."},
     run_env},
    {{"printenv", "printenv [NAME...]", "Prints variables of the environment."}, run_printenv},
};

}  // namespace

std::span<const Tool> environment_tools() { return table; }

}  // namespace rocdrill::sim::tools
