// ps, kill. Texts: procps 4 and bash. Only programs that are of interest here are processes of the
// node: those that hold a GPU, and the tool itself.
#include <algorithm>
#include <charconv>

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

/// "-9", "-KILL", "-TERM", "-s KILL": which of them it is makes no difference to who ends by
/// either.
bool is_signal(std::string_view word) {
  constexpr std::string_view known[] = {"-9",   "-15",      "-KILL", "-TERM", "-SIGKILL",
                                        "-INT", "-SIGTERM", "-HUP",  "-2",    "-1"};
  return std::ranges::find(known, word) != std::end(known);
}

int end_process(Call& call, const std::string& word) {
  int pid = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (error != std::errc{} || end != word.data() + word.size())
    return call.fail(1, "bash: kill: {}: arguments must be process or job IDs\n", word);
  auto& processes = call.node.os.processes;
  const auto process = processes.find(pid);
  if (process == processes.end()) return call.fail(1, "bash: kill: ({}) - No such process\n", pid);
  if (!call.root() && process->second.uid != call.spec.identity.uid)
    return call.fail(1, "bash: kill: ({}) - Operation not permitted\n", pid);
  call.node.os.journal.record(Layer::host, Severity::info, "process.ended", process->second.command,
                              {{"pid", std::int64_t{pid}}}, call.command_event());
  call.node.kernel.kfd.detach(pid);
  processes.erase(process);
  return 0;
}

int run_kill(Call& call) {
  std::size_t first = 0;
  if (!call.args.empty() && call.args[0] == "-s") first = 2;
  if (!call.args.empty() && is_signal(call.args[0])) first = 1;
  if (first < call.args.size() && call.args[first].starts_with('-'))
    return call.refuse_option(call.args[first]);
  if (first >= call.args.size())
    return call.fail(2,
                     "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ...\n");
  int code = 0;
  for (std::size_t i = first; i < call.args.size(); ++i)
    code = std::max(code, end_process(call, call.args[i]));
  return code;
}

int run_pkill(Call& call) {
  std::size_t first = 0;
  if (!call.args.empty() && is_signal(call.args[0])) first = 1;
  if (call.args.size() != first + 1 || call.args[first].starts_with('-'))
    return call.refuse("'" + call.line() + "'");
  std::vector<int> pids;
  const int own = call.process().pid();
  for (const auto& [pid, process] : call.node.os.processes) {
    const bool may = call.root() || process.uid == call.spec.identity.uid;
    if (pid != own && may && process.command.find(call.args[first]) != std::string::npos)
      pids.push_back(pid);
  }
  for (const int pid : pids) end_process(call, std::to_string(pid));
  return pids.empty() ? 1 : 0;
}

constexpr Tool table[] = {
    {{"ps", "ps [aux | -ef]", "Lists the processes that hold something of the node."}, run_ps},
    {{"kill", "kill [-9 | -TERM] PID...", "Ends processes.", true}, run_kill},
    {{"pkill", "pkill [-9] NAME", "Ends processes by name.", true}, run_pkill},
};

}  // namespace

std::span<const Tool> process_tools() { return table; }

}  // namespace rocdrill::sim::tools
