// Commands in a container: what its image has is found as files, and those of them that rocdrill
// supplies run in the container's process.
#include <algorithm>

#include "sim/tools/call.hpp"
#include "sim/tools/program.hpp"

namespace rocdrill::sim::tools {
namespace {

using Words = std::vector<std::string>;

/// Tools that look at the node through their process alone, and so see the container's view.
constexpr std::string_view through_the_process[] = {"amd-smi",
                                                    "cat",
                                                    "df",
                                                    "echo",
                                                    "env",
                                                    "false",
                                                    "getent",
                                                    "grep",
                                                    "groups",
                                                    "head",
                                                    "hipconfig",
                                                    "hostname",
                                                    "id",
                                                    "ls",
                                                    "lsmod",
                                                    "pip",
                                                    "printenv",
                                                    "python",
                                                    "python3",
                                                    "readlink",
                                                    "roc-obj-ls",
                                                    "rocm-smi",
                                                    "rocm_agent_enumerator",
                                                    "rocminfo",
                                                    "tail",
                                                    "test",
                                                    "true",
                                                    "uname",
                                                    "wc",
                                                    "whoami"};

/// Words as a shell splits them: blanks, quotes, backslashes. Operators that stand alone are words;
/// ";" at the end of a word is split off.
std::optional<Words> split(std::string_view line) {
  Words words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
    } else if (c == ' ' || c == '\t' || c == '\n' || c == ';') {
      if (open || !word.empty()) words.push_back(std::move(word));
      word.clear();
      open = false;
      if (c == ';' || c == '\n') words.emplace_back(";");
    } else {
      word += c;
    }
  }
  if (quote != 0) return std::nullopt;
  if (open || !word.empty()) words.push_back(std::move(word));
  return words;
}

/// sh -c "LINE": commands after each other, joined by ";" or "&&".
int run_line(Call& call) {
  if (call.args.size() < 2 || call.args[0] != "-c")
    return call.refuse("an interactive shell in a container (give it -c 'COMMAND')");
  const auto words = split(call.args[1]);
  if (!words)
    return call.fail(2, "{}: -c: unexpected EOF while looking for matching quote\n", call.name);
  int code = 0;
  Words command;
  bool skip = false;
  const auto perform = [&] {
    if (!command.empty() && !skip) {
      CommandResult result = run_command(call.node, command, call.spec);
      call.out += result.out;
      call.err += result.found ? result.err
                               : fmt::format("{}: line 1: {}: command not found\n", call.name,
                                             command.front());
      call.event = result.event;
      call.waits_for_ever = result.waits_for_ever;
      code = result.exit_code;
    }
    command.clear();
  };
  for (const std::string& word : *words) {
    if (word != ";" && word != "&&") {
      command.push_back(word);
      continue;
    }
    perform();
    skip = word == "&&" && code != 0;
  }
  perform();
  return code;
}

/// Where the program lies, as execvp() looks for it.
std::string program_of(Process& process, const std::string& name) {
  if (name.find('/') != std::string::npos) return process.exists(name) ? name : std::string();
  std::string folders = process.env("PATH");
  std::ranges::replace(folders, ':', ' ');
  for (const std::string& folder : words_of(folders)) {
    const std::string path = join(folder, name);
    const auto stat = process.stat(path);
    if (stat && stat->type == FileType::regular && (stat->mode & 0111) != 0) return path;
  }
  return {};
}

/// What stays until it is stopped.
bool waits(const Call& call) {
  if (call.name == "sleep") return true;
  return call.name == "tail" && std::ranges::find(call.args, "-f") != call.args.end();
}

int run_program_of(Call& call, const std::string& path) {
  const auto& apps = call.node.spec().apps;
  if (std::ranges::find(apps, path, &AppSpec::path) != apps.end()) return run_program(call);
  const std::string name(basename(path));
  call.name = name;
  if (name == "sh" || name == "bash") return run_line(call);
  if (waits(call)) return call.wait_for_ever();
  const bool sees_the_view =
      std::ranges::find(through_the_process, name) != std::end(through_the_process);
  const auto tools = all_tools();
  const auto tool = std::ranges::find(tools, name, [](const Tool& each) { return each.info.name; });
  if (tool == tools.end() || !sees_the_view) return call.refuse("this program in a container");
  return tool->run(call);
}

}  // namespace

CommandResult run_contained(Node& node, Words words, ProcessSpec spec, std::string input) {
  const std::string name = words.front();
  Call call(node, name, {words.begin() + 1, words.end()}, std::move(spec), std::move(input));
  const std::string path = program_of(call.process(), name);
  call.found = !path.empty();
  const int code = call.found ? run_program_of(call, path) : 127;
  return {code,       std::move(call.out), std::move(call.err),
          call.event, call.found,          call.waits_for_ever};
}

}  // namespace rocdrill::sim::tools
