// python3 -c SCRIPT and pip, for the builds of the version of PyTorch that the node has.
#include "sim/frameworks/torch.hpp"
#include "sim/tools/call.hpp"
#include "sim/tools/python.hpp"
#include "sim/wheel.hpp"

namespace rocdrill::sim::tools {
namespace {

int end(Call& call, const Python::Stop& stop, int line) {
  call.event = stop.event;
  if (stop.kind == Python::Stop::Kind::waits_for_ever) return call.wait_for_ever();
  if (stop.kind == Python::Stop::Kind::abort) return call.fail(134, "{}\n", stop.text);
  if (stop.kind == Python::Stop::Kind::exception) {
    return call.fail(
        1, "Traceback (most recent call last):\n  File \"<string>\", line {}, in <module>\n{}\n",
        line, stop.text);
  }
  if (stop.event == no_event) return call.refuse("'" + stop.text + "'");
  return call.fail(2, "{}: rocdrill does not model what this asks for: {}\n", call.name, stop.text);
}

int run_python(Call& call) {
  const auto options = parse(call, {{"-c", true}}, true);
  if (!options) return 2;
  if (!options->has("-c")) return call.refuse("anything but -c");
  Python python(call.node, call.spec);
  for (const Statement& statement : split_script(*options->value("-c"))) {
    const auto done = python.run(statement.text);
    call.out = python.out;
    if (!done) return end(call, done.error(), statement.line);
  }
  return 0;
}

/// The wheels that an index has under the node's version of torch.
std::optional<WheelKind> kind_of_index(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  const std::string_view name = url.substr(url.rfind('/') + 1);
  if (name.starts_with("rocm")) return WheelKind::rocm;
  if (name == "cpu") return WheelKind::cpu;
  if (name == "simple" || name.starts_with("cu")) return WheelKind::cuda;  // PyPI has CUDA's
  return std::nullopt;
}

/// What "torch" or "torch==VERSION" means: a local version names the build, else the index decides.
std::optional<WheelKind> wanted_wheel(Call& call, const Options& options) {
  const TorchSpec& torch = call.node.spec().torch;
  const std::string plain = torch.version.substr(0, torch.version.find('+'));
  const auto index = kind_of_index(options.value_or("--index-url", "https://pypi.org/simple"));
  std::optional<WheelKind> kind;
  for (auto at = options.operands.begin() + 1; at != options.operands.end(); ++at) {
    if (torch.version.empty() || !index) break;
    for (const WheelKind each : {WheelKind::rocm, WheelKind::cuda, WheelKind::cpu}) {
      if (*at == "torch==" + wheel_build(torch, each).version) kind = each;
    }
    if (*at == "torch" || *at == "torch==" + plain) kind = index;
    if (!kind) break;
  }
  if (!kind) call.refuse(fmt::format("'{}'", fmt::join(options.operands, " ")));
  return kind;
}

std::optional<frameworks::TorchBuild> installed_torch(Call& call) {
  const auto text =
      call.process().read_file(call.node.torch_directory(call.process()) + "/version.py");
  return text ? frameworks::read_version_file(*text) : std::nullopt;
}

int no_permission(Call& call) {
  return call.fail(
      1,
      "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '{}'\n"
      "Check the permissions.\n\n",
      call.node.spec().torch.directory);
}

int install(Call& call, const Options& options) {
  const auto kind = wanted_wheel(call, options);
  if (!kind) return 2;
  const TorchSpec& torch = call.node.spec().torch;
  const std::string version = wheel_build(torch, *kind).version;
  const auto present = installed_torch(call);
  const std::string& asked = options.operands[1];
  // Another build of the version that is there satisfies whoever does not name the build.
  if (present && !options.has("--force-reinstall") &&
      (asked.find('+') == std::string::npos || present->version == version)) {
    call.print("Requirement already satisfied: {} in {} ({})\n", asked, parent(torch.directory),
               present->version);
    return 0;
  }
  if (!may_change_directory(call.node, call.spec.identity, torch.directory))
    return no_permission(call);
  const std::string wheel = "torch==" + version;
  const EventId event =
      call.node.os.journal.record(Layer::framework, Severity::info, "pip.installed", wheel,
                                  {{field::see, "pip show torch"}}, call.command_event());
  unpack_wheel(call.node, *kind, event);
  call.print("Collecting {}\nInstalling collected packages: torch\n", asked);
  if (present)
    call.print(
        "  Attempting uninstall: torch\n    Found existing installation: torch {0}\n    "
        "Uninstalling torch-{0}:\n      Successfully uninstalled torch-{0}\n",
        present->version);
  call.print("Successfully installed torch-{}\n", version);
  return 0;
}

int uninstall(Call& call, const Options& options) {
  const auto present = installed_torch(call);
  if (options.operands[1] != "torch") return call.refuse("'" + options.operands[1] + "'");
  if (!present) {
    call.complain("WARNING: Skipping torch as it is not installed.\n");
    return 0;
  }
  if (!may_change_directory(call.node, call.spec.identity, call.node.spec().torch.directory))
    return no_permission(call);
  call.node.os.remove_file(call.node.spec().torch.directory, call.command_event());
  call.print(
      "Found existing installation: torch {0}\nUninstalling torch-{0}:\n"
      "  Successfully uninstalled torch-{0}\n",
      present->version);
  return 0;
}

int run_pip(Call& call) {
  const auto options = parse(call, {{"--force-reinstall"},
                                    {"--no-cache-dir"},
                                    {"--no-deps"},
                                    {"--index-url", true},
                                    {"-i", true, "--index-url"},
                                    {"-y"},
                                    {"--yes", false, "-y"},
                                    {"-U"},
                                    {"--upgrade", false, "-U"}});
  if (!options) return 2;
  const auto& words = options->operands;
  const auto present = installed_torch(call);
  if (call.in_container() && !words.empty() && (words[0] == "install" || words[0] == "uninstall"))
    return call.refuse("changing what a container's image has");
  if (words.size() >= 2 && words[0] == "install") return install(call, *options);
  if (words.size() == 2 && words[0] == "uninstall") return uninstall(call, *options);
  if (words.size() == 1 && words[0] == "list") {
    call.print("Package Version\n------- -------------\n");
    if (present) call.print("torch   {}\n", present->version);
    return 0;
  }
  if (words.size() != 2 || words[0] != "show")
    return call.refuse(words.empty() ? "no command" : "command '" + words[0] + "'");
  if (words[1] != "torch" || !present)
    return call.fail(1, "WARNING: Package(s) not found: {}\n", words[1]);
  call.print("Name: torch\nVersion: {}\nLocation: {}\n", present->version,
             parent(call.node.torch_directory(call.process())));
  return 0;
}

constexpr std::string_view python_does = "Runs statements about torch; others are refused.";
constexpr Tool table[] = {
    {{"python3", "python3 -c SCRIPT", python_does}, run_python},
    {{"python", "python -c SCRIPT", python_does}, run_python},
    {{"pip",
      "pip install [--force-reinstall] [--index-url URL] torch[==VERSION] | pip uninstall torch | pip show torch | pip list",
      "Installs a build of PyTorch; the index decides which.", true, true},
     run_pip},
};

}  // namespace

std::span<const Tool> python_tools() { return table; }

}  // namespace rocdrill::sim::tools
