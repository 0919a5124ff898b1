// rocdrill completion prints a shell's script; that asks `rocdrill complete -- WORDS...`, which
// finds the candidates in the same tables that the commands are parsed with.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "sim/interpose/server/session.hpp"
#include "sim/silicon/catalogue.hpp"
#include "stack/layer.hpp"

namespace rocdrill::cli {
namespace {

constexpr std::string_view bash_script = R"script(# bash: eval "$(rocdrill completion bash)"
_rocdrill() {
  mapfile -t COMPREPLY < <(rocdrill complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
}
complete -o default -F _rocdrill rocdrill
)script";

constexpr std::string_view zsh_script = R"script(# zsh: eval "$(rocdrill completion zsh)"
_rocdrill() {
  local -a found
  local line
  for line in "${(@f)$(rocdrill complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( $#found )) && _describe rocdrill found || _files
}
compdef _rocdrill rocdrill
)script";

constexpr std::string_view fish_script = R"script(# fish: rocdrill completion fish | source
complete -c rocdrill -a '(set -l words (commandline -opc) (commandline -ct); rocdrill complete -- $words[2..-1] 2>/dev/null)'
)script";

int run_completion(const po::variables_map& arguments) {
  const std::string shell = required(arguments, "shell");
  if (shell == "bash") {
    print(std::string(bash_script));
  } else if (shell == "zsh") {
    print(std::string(zsh_script));
  } else if (shell == "fish") {
    print(std::string(fish_script));
  } else {
    const std::vector<std::string> known{"bash", "zsh", "fish"};
    throw Failure{exit_usage, fmt::format("no completion for {}; {}\n", scenarios::in_quotes(shell),
                                          scenarios::suggest(shell, known, "shells"))};
  }
  return exit_ok;
}

struct Candidate {
  std::string word;
  std::string meaning = {};
};
using Candidates = std::vector<Candidate>;

Candidates plain(const std::vector<std::string>& words) {
  Candidates found;
  for (const std::string& word : words) found.push_back({word});
  return found;
}

Candidates faults() {
  Candidates found;
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all())
    found.push_back({fault->info().id, fault->info().title});
  return found;
}

Candidates layers() {
  Candidates found;
  for (const Layer layer : all_layers)
    found.push_back({std::string(name(layer)), std::string(title(layer))});
  return found;
}

Candidates products() {
  Candidates found;
  for (const GpuProduct& product : silicon::all())
    found.push_back({std::string(product.product), std::string(product.gfx)});
  return found;
}

Candidates sessions() {
  Candidates found;
  for (const auto& session : interpose::running_sessions()) found.push_back({session.name});
  return found;
}

/// Of a value by the name of its option or argument; none: the shell offers files.
Candidates values_of(const std::string& what, const std::vector<std::string>& before,
                     const po::variables_map& arguments) {
  if (what == "drill" || what == "what") return plain(data_path(arguments).list_drills());
  if (what == "node") return plain(data_path(arguments).list_nodes());
  if (what == "fault" || what == "name") return faults();
  if (what == "layer") return layers();
  if (what == "product") return products();
  if (what == "session") return sessions();
  if (what == "shell") return plain({"bash", "zsh", "fish"});
  if (what != "name-or-id") return {};
  const std::string& action = before.front();  // of `rocdrill node`
  if (action == "inject" || action == "clear") return faults();
  if (action == "show" || action == "start") return plain(data_path(arguments).list_nodes());
  return sessions();
}

/// "node list | show NODE | start ..." is where a command's actions stand.
Candidates actions_of(const Command& command) {
  Candidates found;
  std::string usage = command.usage.substr(std::min(command.usage.size(), command.name.size()));
  while (!usage.empty()) {
    const std::size_t bar = usage.find('|');
    const std::string one = usage.substr(0, bar);
    const std::size_t begin = one.find_first_not_of(" \n[");
    if (begin != std::string::npos && std::islower(static_cast<unsigned char>(one[begin])) != 0)
      found.push_back({one.substr(begin, one.find_first_of(" \n]", begin) - begin)});
    usage.erase(0, bar == std::string::npos ? usage.size() : bar + 1);
  }
  return found;
}

const po::option_description* option_of(const Command& command, const std::string& word) {
  return word.starts_with("--") ? command.options.find_nothrow(word.substr(2), false) : nullptr;
}

bool takes_value(const po::option_description* option) {
  return option != nullptr && option->semantic()->max_tokens() > 0;
}

Candidates of_command(const Command& command, const std::vector<std::string>& words,
                      const po::variables_map& arguments) {
  const std::string& last = words.back();
  const std::string& previous = words.size() > 1 ? words[words.size() - 2] : last;
  if (words.size() > 1 && takes_value(option_of(command, previous)))
    return values_of(previous.substr(2), {}, arguments);
  if (last.starts_with('-')) {
    Candidates found;
    for (const auto& option : command.options.options())
      found.push_back({"--" + option->long_name(), option->description()});
    found.push_back({"--help", "usage"});
    return found;
  }
  std::vector<std::string> before;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (takes_value(option_of(command, words[i]))) {
      ++i;
    } else if (!words[i].starts_with('-')) {
      before.push_back(words[i]);
    }
  }
  if (before.size() >= command.positional.size()) return {};
  const std::string& what = command.positional[before.size()];
  return what == "action" ? actions_of(command) : values_of(what, before, arguments);
}

int run_complete(const po::variables_map& arguments) {
  auto words = arguments.count("words") != 0 ? arguments["words"].as<std::vector<std::string>>()
                                             : std::vector<std::string>{""};
  const std::vector<Command> commands = all_commands();
  Candidates found;
  if (words.size() == 1) {
    for (const Command& command : commands)
      if (!command.hidden) found.push_back({command.name, command.summary});
  } else {
    const auto command = std::ranges::find(commands, words.front(), &Command::name);
    words.erase(words.begin());
    if (command != commands.end()) found = of_command(*command, words, arguments);
  }
  for (const Candidate& candidate : found) {
    if (!candidate.word.starts_with(words.back())) continue;
    print(candidate.word + (candidate.meaning.empty() ? "" : "\t" + candidate.meaning) + "\n");
  }
  return exit_ok;
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .usage = "completion bash | zsh | fish",
          .summary = "the script that completes rocdrill's words in a shell",
          .examples = {"eval \"$(rocdrill completion bash)\"", "rocdrill completion fish | source"},
          .options = po::options_description("options"),
          .positional = {"shell"},
          .run = run_completion};
}

Command complete_command() {
  return {.name = "complete",
          .usage = "complete -- WORD...",
          .summary = "what the last word may become; for the scripts of rocdrill completion",
          .examples = {"rocdrill complete -- replay st"},
          .options = po::options_description("options"),
          .positional = {"words..."},
          .run = run_complete,
          .hidden = true};
}

}  // namespace rocdrill::cli
