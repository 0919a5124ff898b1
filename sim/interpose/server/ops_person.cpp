// What people and the commands of the node ask.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "sim/fault.hpp"
#include "sim/interpose/server/connection.hpp"
#include "sim/interpose/session_index.hpp"
#include "sim/tools/tools.hpp"

namespace rocdrill::interpose {
namespace {

namespace fs = std::filesystem;

/// Readers and editors: the real program on the node's files is the better one, where there is one.
constexpr std::array prefer_real = {"awk",      "cat",    "chgrp",    "chmod",
                                    "chown",    "cp",     "diff",     "echo",
                                    "env",      "false",  "find",     "grep",
                                    "groups",   "head",   "hostname", "id",
                                    "less",     "ln",     "ls",       "lsmod",
                                    "lspci",    "mkdir",  "mv",       "nano",
                                    "printenv", "pwd",    "readlink", "realpath",
                                    "rm",       "rmdir",  "rocm-smi", "rocm_agent_enumerator",
                                    "rocminfo", "sed",    "sh",       "sleep",
                                    "sort",     "stat",   "strace",   "tail",
                                    "tee",      "test",   "touch",    "true",
                                    "uname",    "uniq",   "vim",      "wc",
                                    "which",    "whoami", "xargs"};
/// They only make sense inside the shell.
constexpr std::array builtins = {"cd", "export", "unset"};

/// Where this machine has the program, or "".
std::string on_this_machine(std::string_view name) {
  for (const char* folder : {"/usr/bin", "/bin", "/usr/sbin", "/sbin"}) {
    const fs::path path = fs::path(folder) / name;
    if (::access(path.c_str(), X_OK) == 0) return path.string();
  }
  return {};
}

bool real_is_better(std::string_view name) {
  return std::ranges::find(prefer_real, name) != prefer_real.end() &&
         !on_this_machine(name).empty();
}

bool is_builtin(std::string_view name) {
  return std::ranges::find(builtins, name) != builtins.end();
}

bool is_node_command(std::string_view name) {
  const auto tools = sim::tools::all();
  return std::ranges::find(tools, name, &sim::tools::ToolInfo::name) != tools.end() &&
         !is_builtin(name);
}

/// Variables that a job template or a person sets for the stack.
bool concerns_the_stack(std::string_view name) {
  if (name == "LD_LIBRARY_PATH" || name == "PYTHONPATH") return true;
  constexpr std::array prefixes = {"AMD_",     "CUDA_",    "GPU_",     "HCC_",      "HIP_",
                                   "HSA_",     "HSAKMT_",  "MIOPEN_",  "NCCL_",     "OMP_",
                                   "PYTORCH_", "RCCL_",    "ROCBLAS_", "ROCM_",     "ROCPROFILER_",
                                   "ROCR_",    "TENSILE_", "TORCH_",   "HIPBLASLT_"};
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Json result_reply(const CommandResult& result) {
  return {
      {"errno", 0},        {"exit", result.exit_code}, {"out", result.out},
      {"err", result.err}, {"found", result.found},    {"waits_for_ever", result.waits_for_ever}};
}

std::string identity_text(const Identity& who) {
  return fmt::format("{}:{}:{}:{}", who.user, who.uid, who.gid, fmt::join(who.groups, ","));
}

}  // namespace

/// bin/: one link per command of the node, to the program that asks the server to run it.
void NodeServer::link_commands() {
  const fs::path bin = session_.path() / "bin";
  for (const sim::tools::ToolInfo& tool : sim::tools::all()) {
    if (is_builtin(tool.name) || real_is_better(tool.name)) continue;
    fs::create_symlink(options_.tool, bin / tool.name);
  }
  fs::create_symlink(options_.tool, bin / program_runner);
  if (!options_.rocdrill.empty()) fs::create_symlink(options_.rocdrill, bin / "rocdrill");
  for (const char* library : {"librocdrill_preload.so", "librocdrill_engine.so"})
    fs::create_symlink(options_.libraries / library, session_.path() / "lib" / library);
}

/// The session's environment follows what the person's shell exports.
void NodeServer::adopt_environment(const Json& request) {
  const auto given = request.find("env");
  if (given == request.end() || !given->is_object()) return;
  sim::Os& os = node_.os;
  for (const auto& [name, value] : given->items()) {
    if (!concerns_the_stack(name) || !value.is_string()) continue;
    const auto at = os.session_environment.find(name);
    const auto text = value.get<std::string>();
    if (at != os.session_environment.end() && at->second == text) continue;
    os.set_environment(name, text,
                       os.journal.record(Layer::host, Severity::info, "environment.set", name,
                                         {{"value", std::string_view(text)}}, no_event));
  }
  std::vector<std::string> gone;
  for (const auto& [name, value] : os.session_environment) {
    if (concerns_the_stack(name) && !given->contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) {
    os.unset_environment(name, os.journal.record(Layer::host, Severity::info, "environment.unset",
                                                 name, {}, no_event));
  }
}

ProcessSpec NodeServer::spec_of(const Json& request) {
  ProcessSpec spec;
  spec.identity = identity_of(request);
  spec.environment = node_.os.session_environment;
  spec.environment_events = node_.os.environment_events;
  spec.cwd = request.value("cwd", std::string());
  return spec;
}

Json NodeServer::run_command(const Json& request, const Asker& who) {
  auto words = request.at("argv").get<std::vector<std::string>>();
  if (words.empty()) return {{"errno", EINVAL}, {"error", "no command"}};
  if (words.front() == "sudo") return elevate(request, who);
  const ProcessSpec spec = spec_of(request);
  const bool torch = std::ranges::any_of(
      words, [](const std::string& word) { return word.find("torch") != std::string::npos; });
  if ((words.front() == "python3" || words.front() == "python") && !torch) {
    if (const std::string real = on_this_machine(words.front()); !real.empty()) {
      words.front() = real;
      return {{"errno", 0}, {"exec", words}};
    }
  }
  return run_in_node(words, spec, request);
}

Json NodeServer::run_in_node(const std::vector<std::string>& words, const ProcessSpec& spec,
                             const Json& request) {
  if (before_change_) before_change_(words);
  const int boots = node_.os.boots;
  const CommandResult result =
      sim::tools::run_words_as(node_, words, spec, request.value("input", std::string()));
  node_.run();  // what it scheduled (a reboot)
  Json reply = result_reply(result);
  const bool rebooted = node_.os.boots != boots;
  if (rebooted) {
    kill_clients();
    reply["err"] = result.err + "rocdrill: the node has rebooted; you are logged in again\n";
  }
  // A login makes a shell with the groups of the database.
  if (rebooted || (result.exit_code == 0 && (words.front() == "su" || words.front() == "newgrp"))) {
    reply["exec"] = {"bash"};
    reply["identity"] = identity_text(node_.os.session);
  }
  return reply;
}

/// sudo: commands of the node run in the node; anything else is the real program, as root.
Json NodeServer::elevate(const Json& request, const Asker&) {
  auto words = request.at("argv").get<std::vector<std::string>>();
  const ProcessSpec spec = spec_of(request);
  // The first word that is neither an option of sudo (-u takes a value) nor an assignment.
  std::size_t at = 1;
  bool other_user = false;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "-u" || word == "--user") {
      other_user = true;
      at += 2;
    } else if (word.starts_with('-') || word.find('=') != std::string::npos) {
      ++at;
    } else {
      break;
    }
  }
  const std::string command = at < words.size() ? words[at] : "";
  const std::string base = fs::path(command).filename().string();
  const bool in_node = command.empty() || (is_node_command(base) && !real_is_better(base));
  if (in_node || other_user) {
    if (at < words.size()) words[at] = base;
    return run_in_node(words, spec, request);
  }
  // Whether the person may: the node's sudo decides, with a command that does nothing.
  const CommandResult may = sim::tools::run_words_as(node_, {"sudo", "true"}, spec, {});
  if (may.exit_code != 0) return result_reply(may);
  if (before_change_) before_change_(words);
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return {{"errno", 0}, {"exec", rest}, {"identity", "root:0:0:"}};
}

Json NodeServer::log(const Json& request) {
  const auto since = request.value("since", std::uint64_t{0});
  std::string lines;
  const Timeline& timeline = node_.os.timeline;
  for (std::size_t id = since + 1; id <= timeline.size(); ++id)
    lines += Timeline::to_json_line(timeline.at(static_cast<EventId>(id))) + "\n";
  return {{"errno", 0},
          {"lines", std::move(lines)},
          {"last", timeline.size()},
          {"held", node_.kernel.kfd.held_version()}};
}

Json NodeServer::status() {
  Json clients = Json::array();
  for (const auto& [pid, client] : clients_) {
    Json vram = Json::object();
    for (const kernel::KfdNode& gpu : node_.kernel.kfd.nodes())
      vram[std::to_string(gpu.gpu_id)] = node_.kernel.kfd.used_vram(gpu.gpu_id);
    clients.push_back(
        {{"pid", pid}, {"command", client->command}, {"vram_bytes", std::move(vram)}});
  }
  return {{"errno", 0},
          {"name", session_.name()},
          {"path", session_.path().string()},
          {"server_pid", ::getpid()},
          {"node", node_.spec().id},
          {"hostname", node_.os.hostname},
          {"kernel", node_.os.kernel_release},
          {"live_sysfs", live_sysfs()},
          {"events", node_.os.timeline.size()},
          {"open_devices", node_.kernel.kfd.open_files()},
          {"queues", node_.kernel.kfd.doorbells_in_use()},
          {"gpus", node_.kernel.kfd.nodes().size()},
          {"clients", std::move(clients)}};
}

Json NodeServer::inject(const Json& request) {
  sim::FaultUse use{request.at("id").get<std::string>(), {}};
  for (const auto& [name, value] : request.at("parameters").items()) {
    if (value.is_boolean()) {
      use.parameters[name] = value.get<bool>();
    } else if (value.is_number_integer()) {
      use.parameters[name] = value.get<std::int64_t>();
    } else {
      use.parameters[name] = value.get<std::string>();
    }
  }
  try {
    node_.prepare(use);
    const EventId event = node_.inject(use);
    return {{"errno", 0}, {"event", event}};
  } catch (const std::invalid_argument& error) {
    return {{"errno", EINVAL}, {"error", error.what()}};
  }
}

Json NodeServer::clear(const Json& request) {
  try {
    return {{"errno", 0}, {"event", node_.clear(request.at("id").get<std::string>())}};
  } catch (const std::invalid_argument& error) {
    return {{"errno", EINVAL}, {"error", error.what()}};
  }
}

void NodeServer::add_handlers() {
  handle("run",
         [this](const Json& request, const Asker& who) { return run_command(request, who); });
  handle("log", [this](const Json& request, const Asker&) { return log(request); });
  handle("status", [this](const Json&, const Asker&) { return status(); });
  handle("inject", [this](const Json& request, const Asker&) { return inject(request); });
  handle("clear", [this](const Json& request, const Asker&) { return clear(request); });
  handle("stop", [this](const Json&, const Asker&) -> Json {
    stop();
    return {{"errno", 0}};
  });
}

}  // namespace rocdrill::interpose
