// ps, kill. Texts: procps 4 and bash. Only programs that are of interest here are processes of the
// node: those that hold a GPU, and the tool itself.
#include <algorithm>
#include <charconv>
#include <csignal>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

std::string user_name(const Call& call, std::uint32_t uid) {
  const auto user = find_user(call.node.os.files, uid);
  return user ? user->name : std::to_string(uid);
}

int run_ps(Call& call) {
  // "aux" and "-ef" list everybody's; other choices of columns are not modelled.
  for (const std::string& word : call.args) {
    if (word != "aux" && word != "-ef" && word != "-e" && word != "-A")
      return call.refuse_option(word);
  }
  const bool all = !call.args.empty();
  call.print("{:<8} {:>7} {}\n", "USER", "PID", "COMMAND");
  for (const auto& [pid, process] : call.node.os.processes) {
    if (all || process.uid == call.spec.identity.uid)
      call.print("{:<8} {:>7} {}\n", user_name(call, process.uid), pid, process.command);
  }
  return 0;
}

/// Of "KILL", "SIGKILL" and "9". Only those by which a process ends.
std::optional<int> signal_number(std::string_view name) {
  struct Signal {
    std::string_view name;
    std::string_view number;
    int value;
  };
  constexpr Signal signals[] = {
      {"HUP", "1", SIGHUP}, {"INT", "2", SIGINT}, {"KILL", "9", SIGKILL}, {"TERM", "15", SIGTERM}};
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (const Signal& each : signals) {
    if (name == each.name || name == each.number) return each.value;
  }
  return std::nullopt;
}

/// "-9", "-KILL", "-s KILL", "-n 9" at the front of `words`, which goes; nullopt for another one.
std::optional<int> take_signal(std::vector<std::string>& words) {
  if (words.empty() || !words[0].starts_with('-') || words[0] == "--") {
    if (!words.empty() && words[0] == "--") words.erase(words.begin());
    return SIGTERM;
  }
  const bool apart = (words[0] == "-s" || words[0] == "-n") && words.size() > 1;
  const auto signal =
      signal_number(apart ? std::string_view(words[1]) : std::string_view(words[0]).substr(1));
  if (signal) words.erase(words.begin(), words.begin() + (apart ? 2 : 1));
  return signal;
}

int end_process(Call& call, const std::string& word, int signal) {
  int pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error != std::errc{} || end != word.data() + word.size())
    return call.fail(1, "bash: kill: {}: arguments must be process or job IDs\n", word);
  auto& processes = call.node.os.processes;
  const auto process = processes.find(pid);
  if (process == processes.end() && call.node.signal_program(pid, signal)) return 0;
  if (process == processes.end()) return call.fail(1, "bash: kill: ({}) - No such process\n", pid);
  if (!call.root() && process->second.uid != call.spec.identity.uid)
    return call.fail(1, "bash: kill: ({}) - Operation not permitted\n", pid);
  // A real program ends by the real signal, and its entry with it.
  if (call.node.signal_program(pid, signal)) return 0;
  call.node.os.journal.record(Layer::host, Severity::info, "process.ended", process->second.command,
                              {{"pid", std::int64_t{pid}}}, call.command_event());
  call.node.kernel.kfd.detach(pid);
  processes.erase(process);
  return 0;
}

int run_kill(Call& call) {
  std::vector<std::string> words(call.args.begin(), call.args.end());
  const auto signal = take_signal(words);
  if (!signal) return call.refuse_option(words.front());
  if (words.empty())
    return call.fail(2,
                     "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ...\n");
  int code = 0;
  for (const std::string& word : words) code = std::max(code, end_process(call, word, *signal));
  return code;
}

int run_pkill(Call& call) {
  std::vector<std::string> words(call.args.begin(), call.args.end());
  const auto signal = take_signal(words);
  if (!signal || words.size() != 1) return call.refuse("'" + call.line() + "'");
  std::vector<int> pids;
  const int own = call.process().pid();
  for (const auto& [pid, process] : call.node.os.processes) {
    const bool may = call.root() || process.uid == call.spec.identity.uid;
    if (pid != own && may && process.command.find(words[0]) != std::string::npos)
      pids.push_back(pid);
  }
  for (const int pid : pids) end_process(call, std::to_string(pid), *signal);
  return pids.empty() ? 1 : 0;
}

constexpr Tool table[] = {
    {{"ps", "ps [aux | -ef]", "Lists the processes that hold something of the node."}, run_ps},
    {{"kill", "kill [-TERM | -KILL | -INT | -HUP] PID...", "Ends processes.", true}, run_kill},
    {{"pkill", "pkill [-9] NAME", "Ends processes by name.", true}, run_pkill},
};

}  // namespace

std::span<const Tool> process_tools() { return table; }

}  // namespace rocdrill::sim::tools
