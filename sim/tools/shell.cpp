// What is between the words of a command line and a tool: the little of a shell's work that the
// node does itself.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "sim/tools/call.hpp"
#include "sim/tools/program.hpp"

namespace rocdrill::sim::tools {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view null_device = "/dev/null";
constexpr std::string_view refused_operators[] = {"&&", "||", ";",  "&", "<",
                                                  "<<", "2>", "&>", "(", ")"};

bool needs_a_shell(const std::string& word) {
  return std::ranges::find(refused_operators, word) != std::end(refused_operators) ||
         word.find("$(") != std::string::npos;
}

CommandResult refuse(Node& node, std::string_view what) {
  return {2,
          {},
          fmt::format("bash: {} is not modelled by rocdrill\n", what),
          node.os.journal.unmodelled(Layer::host, fmt::format("shell: {}", what), "exit status 2",
                                     no_event),
          true};
}

/// Where the output of a pipeline goes.
struct Output {
  std::string file;  ///< "" for the caller
  bool append = false;
  bool drop_errors = false;
  bool join_errors = false;
  bool syntax_error = false;
};

/// Takes "> FILE", ">> FILE", "2>/dev/null" and "2>&1" out of the words.
Output take_redirections(Words& words) {
  Output output;
  Words rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "2>/dev/null") {
      output.drop_errors = true;
    } else if (word == "2>&1") {
      output.join_errors = true;
    } else if (word == ">" || word == ">>") {
      output.append = word == ">>";
      output.syntax_error = ++i >= words.size();
      if (!output.syntax_error) output.file = words[i];
    } else if (word.starts_with(">/") || word.starts_with(">>/")) {
      output.append = word[1] == '>';
      output.file = word.substr(output.append ? 2 : 1);
    } else {
      rest.push_back(word);
    }
  }
  words = std::move(rest);
  return output;
}

/// "bash: FILE: reason" if the file cannot be opened for writing.
std::string why_not_writable(Node& node, const std::string& file, const ProcessSpec& spec) {
  const auto stat = node.os.files.stat(file);
  int error = 0;
  if (stat) {
    error = stat->type == FileType::directory    ? EISDIR
            : permitted(*stat, spec.identity, 2) ? 0
                                                 : EACCES;
  } else if (stat.error().error != ENOENT || !node.os.files.exists(parent(file))) {
    error = stat.error().error;
  } else {
    error = may_change_directory(node, spec.identity, file) ? 0 : EACCES;
  }
  return error == 0 ? std::string() : fmt::format("bash: {}: {}\n", file, errno_text(error));
}

CommandResult failed(int exit_code, std::string message) {
  return {exit_code, {}, std::move(message), no_event, true};
}

/// Why the command is not even started, if its output cannot go where it should.
std::optional<CommandResult> refuse_output(Node& node, const Output& output,
                                           const ProcessSpec& spec) {
  if (output.syntax_error) return failed(2, "bash: syntax error near unexpected token `newline'\n");
  if (output.file.empty() || output.file == null_device) return std::nullopt;
  if (!spec.root.empty()) return refuse(node, "writing a file in a container");
  if (!output.file.starts_with('/')) return refuse(node, "a redirection to a relative path");
  if (std::string why = why_not_writable(node, output.file, spec); !why.empty())
    return failed(1, std::move(why));
  if (is_virtual(output.file)) return refuse(node, "writing to " + output.file);
  return std::nullopt;
}

void store(Node& node, const Output& output, const std::string& text, const ProcessSpec& spec,
           EventId event) {
  FileTree& files = node.os.files;
  const bool made = !files.exists(output.file);
  const std::string before = output.append ? files.text(output.file) : std::string();
  if (!files.store(output.file, before + text, event)) return;
  if (made)
    static_cast<void>(files.chown(output.file, spec.identity.uid, spec.identity.gid, event));
}

/// Paths that match an absolute pattern with '*', in order; the pattern itself if none does.
Words expand(Process& process, const std::string& pattern) {
  Words paths{""};
  for (std::size_t at = 1; at <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    const std::string part = pattern.substr(at, end - at);
    Words next;
    for (const std::string& path : paths) {
      if (part.find('*') == std::string::npos) {
        if (process.lstat(path + "/" + part)) next.push_back(path + "/" + part);
        continue;
      }
      const auto names = process.list(path.empty() ? "/" : path);
      if (!names) continue;
      std::string escaped;  // '*' is the only pattern
      for (const char c : part)
        escaped += c == '?' || c == '[' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      for (const std::string& name : *names) {
        if (fnmatch(escaped.c_str(), name.c_str(), FNM_PERIOD) == 0)
          next.push_back(path + "/" + name);
      }
    }
    paths = std::move(next);
    at = end + 1;
  }
  return paths.empty() ? Words{pattern} : paths;
}

Words expand_all(Node& node, const Words& words, const ProcessSpec& spec) {
  std::unique_ptr<Process> process;
  Words out;
  for (const std::string& word : words) {
    if (!word.starts_with('/') || word.find('*') == std::string::npos) {
      out.push_back(word);
      continue;
    }
    if (!process) process = node.access.spawn(spec);
    for (std::string& path : expand(*process, word)) out.push_back(std::move(path));
  }
  return out;
}

/// "$(uname -r)", which people type in every second command about kernels.
void substitute(Node& node, Words& words) {
  constexpr std::string_view pattern = "$(uname -r)";
  for (std::string& word : words) {
    for (std::size_t at; (at = word.find(pattern)) != std::string::npos;) {
      word.replace(at, pattern.size(), node.os.kernel_release);
    }
  }
}

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos ||
      std::isdigit(static_cast<unsigned char>(word[0])) != 0)
    return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::vector<Words> pipeline_of(const Words& words) {
  std::vector<Words> stages(1);
  for (const std::string& word : words) {
    if (word == "|") {
      stages.emplace_back();
    } else {
      stages.back().push_back(word);
    }
  }
  return stages;
}

std::string tool_name(const Node& node, const std::string& word) {
  const std::string_view folder = word.starts_with('/') ? parent(word) : std::string_view();
  for (const std::string_view bin : {"/bin", "/sbin", "/usr/bin", "/usr/sbin"}) {
    if (folder == bin) return std::string(basename(word));
  }
  return folder == node.rocm().prefix + "/bin" ? std::string(basename(word)) : word;
}

CommandResult run_pipeline(Node& node, std::vector<Words> stages, const ProcessSpec& spec) {
  CommandResult result;
  std::string errors;
  for (Words& words : stages) {
    if (words.empty()) return failed(2, "bash: syntax error near unexpected token `|'\n");
    result = run_words(node, std::move(words), spec, std::move(result.out));
    errors += result.err;
    if (!result.found || result.waits_for_ever) break;
  }
  result.err = std::move(errors);
  return result;
}

}  // namespace

CommandResult run_words(Node& node, Words words, ProcessSpec spec, std::string input) {
  std::vector<std::string> set;
  while (!words.empty() && is_assignment(words.front())) {
    const std::size_t equals = words.front().find('=');
    set.push_back(words.front().substr(0, equals));
    spec.environment.insert_or_assign(set.back(), words.front().substr(equals + 1));
    words.erase(words.begin());
  }
  if (words.empty()) return refuse(node, "a shell variable (use export)");
  if (!spec.root.empty())
    return run_contained(node, std::move(words), std::move(spec), std::move(input));
  const std::string name = tool_name(node, words.front());
  Call call(node, name, {words.begin() + 1, words.end()}, std::move(spec), std::move(input));
  for (const std::string& variable : set) {
    call.spec.environment_events.insert_or_assign(variable, call.command_event());
  }
  int exit_code = 127;
  if (name.starts_with('/')) {
    exit_code = run_program(call);
  } else {
    const auto tools = all_tools();
    const auto tool =
        std::ranges::find(tools, name, [](const Tool& each) { return each.info.name; });
    call.found = tool != tools.end();
    if (call.found) exit_code = tool->run(call);
    if (!call.found) call.err = fmt::format("{}: command not found\n", name);
    if (!call.found) exit_code = 127;
  }
  return {exit_code,  std::move(call.out), std::move(call.err),
          call.event, call.found,          call.waits_for_ever};
}

CommandResult run_command(Node& node, const Words& argv, const ProcessSpec& spec) {
  if (argv.empty()) return {};
  if (!node.powered() || node.os.kernel_release.empty()) {
    return failed(
        255, fmt::format("ssh: connect to host {} port 22: No route to host\n", node.os.hostname));
  }
  Words words = argv;
  substitute(node, words);
  for (const std::string& word : words) {
    if (needs_a_shell(word)) return refuse(node, fmt::format("'{}'", word));
  }
  const Output output = take_redirections(words);
  if (auto refusal = refuse_output(node, output, spec)) return std::move(*refusal);
  CommandResult result = run_pipeline(node, pipeline_of(expand_all(node, words, spec)), spec);
  if (output.drop_errors) result.err.clear();
  if (output.join_errors) result.out += std::exchange(result.err, {});
  if (output.file.empty()) return result;
  if (output.file != null_device) {
    const EventId event =
        node.os.journal.record(Layer::host, Severity::info, "command",
                               fmt::format("{}", fmt::join(argv, " ")), {}, no_event);
    store(node, output, result.out, spec, event);
  }
  result.out.clear();
  return result;
}

CommandResult run_words_as(Node& node, const Words& words, const ProcessSpec& spec,
                           std::string input) {
  if (words.empty()) return {};
  return run_words(node, words, spec, std::move(input));
}

std::vector<Tool> all_tools() {
  std::vector<Tool> list;
  for (const auto table :
       {boot_tools(),        collective_tools(),  dkms_tools(),     docker_tools(),
        environment_tools(), file_tools(),        identity_tools(), kubectl_tools(),
        list_tools(),        log_tools(),         module_tools(),   mount_tools(),
        network_tools(),     package_tools(),     pci_tools(),      permission_tools(),
        process_tools(),     python_tools(),      refused_tools(),  rocm_tools(),
        rocminfo_tools(),    secure_boot_tools(), session_tools(),  smi_tools(),
        systemd_tools(),     text_tools(),        udev_tools()}) {
    list.insert(list.end(), table.begin(), table.end());
  }
  std::ranges::sort(list, {}, [](const Tool& tool) { return tool.info.name; });
  return list;
}

std::vector<ToolInfo> all() {
  std::vector<ToolInfo> list;
  for (const Tool& tool : all_tools()) list.push_back(tool.info);
  return list;
}

}  // namespace rocdrill::sim::tools
