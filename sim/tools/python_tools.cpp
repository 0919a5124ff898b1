// python3 -c SCRIPT and pip, for the wheel that the node has.
#include "sim/device_code.hpp"
#include "sim/frameworks/torch.hpp"
#include "sim/libraries/rocblas.hpp"
#include "sim/tools/call.hpp"
#include "sim/tools/python.hpp"

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

/// The wheel's files, as the node's description has them.
void unpack_torch(Node& node, EventId event) {
  const NodeSpec& spec = node.spec();
  const TorchSpec& torch = spec.torch;
  FileTree& files = node.os.files;
  files.write(torch.directory + "/version.py",
              fmt::format("__version__ = '{}'\ncuda = None\nhip = '{}'\n", torch.version,
                          torch.hip_version),
              event);
  files.write(torch_fat_binary(spec), make_fat_binary(spec, "saxpy", torch.targets), event);
  const std::string blas = torch.directory + "/" + std::string(frameworks::torch_rocblas);
  const auto known = spec.code_objects.find("matmul");
  if (known == spec.code_objects.end()) return;
  for (const std::string& target : torch.targets) {
    const std::string gfx = target.substr(0, target.find(':'));
    const auto kernels = known->second.find(gfx);
    if (kernels == known->second.end()) continue;
    files.write(blas + "/" + libraries::tensile_index(gfx), "tensile index " + gfx + "\n", event);
    files.write(blas + "/" + libraries::tensile_kernels(gfx), kernels->second, event);
  }
}

int install(Call& call, const Options& options) {
  const TorchSpec& torch = call.node.spec().torch;
  const std::string wheel = "torch==" + torch.version;
  for (auto at = options.operands.begin() + 1; at != options.operands.end(); ++at) {
    if (torch.version.empty() || (*at != wheel && *at != "torch"))
      return call.refuse("'" + *at + "'");
  }
  const std::string_view site = parent(torch.directory);
  const bool present = call.process().exists(torch.directory + "/version.py");
  if (present && !options.has("--force-reinstall")) {
    call.print("Requirement already satisfied: {} in {} ({})\n", options.operands[1], site,
               torch.version);
    return 0;
  }
  if (!may_change_directory(call.node, call.spec.identity, torch.directory)) {
    return call.fail(
        1,
        "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '{}'\n"
        "Check the permissions.\n\n",
        torch.directory);
  }
  const EventId event =
      call.node.os.journal.record(Layer::framework, Severity::info, "pip.installed", wheel,
                                  {{field::see, "pip show torch"}}, call.command_event());
  unpack_torch(call.node, event);
  call.print(
      "Collecting {}\nInstalling collected packages: torch\nSuccessfully installed torch-{}\n",
      options.operands[1], torch.version);
  return 0;
}

int run_pip(Call& call) {
  const auto options = parse(call, {{"--force-reinstall"},
                                    {"--no-cache-dir"},
                                    {"--no-deps"},
                                    {"-U"},
                                    {"--upgrade", false, "-U"}});
  if (!options) return 2;
  const auto& words = options->operands;
  const TorchSpec& torch = call.node.spec().torch;
  if (words.size() >= 2 && words[0] == "install") return install(call, *options);
  if (words.size() != 2 || words[0] != "show")
    return call.refuse(words.empty() ? "no command" : "command '" + words[0] + "'");
  if (words[1] != "torch" || torch.version.empty() ||
      !call.process().exists(torch.directory + "/version.py")) {
    return call.fail(1, "WARNING: Package(s) not found: {}\n", words[1]);
  }
  call.print("Name: torch\nVersion: {}\nLocation: {}\n", torch.version, parent(torch.directory));
  return 0;
}

constexpr std::string_view python_does = "Runs statements about torch; others are refused.";
constexpr Tool table[] = {
    {{"python3", "python3 -c SCRIPT", python_does}, run_python},
    {{"python", "python -c SCRIPT", python_does}, run_python},
    {{"pip", "pip install [--force-reinstall] torch==VERSION | pip show torch",
      "Installs the node's wheel anew.", true, true},
     run_pip},
};

}  // namespace

std::span<const Tool> python_tools() { return table; }

}  // namespace rocdrill::sim::tools
