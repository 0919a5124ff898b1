// dkms, for the one package that the node has. Texts: dkms 3.0; usage errors end with 1.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

using kernel::Dkms;

struct Target {
  std::string module;
  std::string version;
  std::string kernel;
};

/// "amdgpu/VERSION" or -m and -v.
Target target_of(const Call& call, const Options& options, std::size_t operand) {
  Target target{options.value_or("-m", ""), options.value_or("-v", ""),
                options.value_or("-k", call.node.os.kernel_release)};
  if (options.operands.size() > operand) {
    const std::string& word = options.operands[operand];
    const std::size_t slash = word.find('/');
    target.module = word.substr(0, slash);
    if (slash != std::string::npos) target.version = word.substr(slash + 1);
  }
  return target;
}

/// dkms prints what went wrong to standard error.
int finish(Call& call, const Dkms::Outcome& outcome) {
  for (const std::string& line : lines_of(outcome.output)) {
    const bool wrong = outcome.exit_code != 0 && (!call.err.empty() || line.starts_with("Error!"));
    (wrong ? call.err : call.out) += line + "\n";
  }
  if (outcome.exit_code != 0) call.event = outcome.event;
  return outcome.exit_code;
}

int status(Call& call, const Options& options) {
  const Target target = target_of(call, options, 1);
  const Dkms::Outcome outcome = call.node.kernel.dkms.status();
  if (outcome.exit_code != 0) return finish(call, outcome);
  for (const std::string& line : lines_of(outcome.output)) {
    // "amdgpu/6.10.5, 6.8.0-55-generic, x86_64: installed" or "amdgpu/6.10.5: added"
    const std::string subject =
        target.module + (target.version.empty() ? "/" : "/" + target.version);
    if (!target.module.empty() && !line.starts_with(subject)) continue;
    if (target.module.empty() && !target.version.empty() &&
        !line.starts_with("amdgpu/" + target.version))
      continue;
    if (options.has("-k") && line.find(", " + target.kernel + ", ") == std::string::npos) continue;
    call.out += line + "\n";
  }
  return 0;
}

int change(Call& call, const std::string& verb, const Options& options) {
  Dkms& dkms = call.node.kernel.dkms;
  Target target = target_of(call, options, 1);
  if (target.module.empty() || target.version.empty()) {
    // Since 3.0 a module with a single version need not name it.
    const auto versions = dkms.versions();
    if (target.module != "amdgpu" || versions.size() != 1) {
      return call.fail(1,
                       "Error! Arguments <module> and <module-version> are not specified.\n"
                       "Usage: {} <module>/<module-version> or\n"
                       "       {} -m <module>/<module-version> or\n"
                       "       {} -m <module> -v <module-version>\n",
                       verb, verb, verb);
    }
    target.version = versions.front();
  }
  if (target.module != "amdgpu") {
    return call.fail(3, "Error! The module/version combo: {}-{} is not located in the DKMS tree.\n",
                     target.module, target.version);
  }
  if ((verb == "remove" || verb == "unbuild") && !options.has("--all"))
    return call.refuse("'" + verb + "' without --all");
  const EventId cause = call.command_event();
  if (verb == "add") return finish(call, dkms.add(target.version, cause));
  if (verb == "build") return finish(call, dkms.build(target.version, target.kernel, cause));
  if (verb == "install") return finish(call, dkms.install(target.version, target.kernel, cause));
  if (verb == "uninstall")
    return finish(call, dkms.uninstall(target.version, target.kernel, cause));
  if (verb == "unbuild") return finish(call, dkms.unbuild(target.version, cause));
  return finish(call, dkms.remove(target.version, cause));
}

int run_dkms(Call& call) {
  if (call.node.spec().driver.dkms_version.empty()) {
    call.found = false;  // nothing brought dkms along
    return 127;
  }
  const auto options = parse(call, {{"-m", true}, {"-v", true}, {"-k", true}, {"--all"}});
  if (!options) return 2;
  if (options->operands.empty()) return call.fail(1, "Error! No action specified.\n");
  const std::string& verb = options->operands.front();
  if (verb == "status") return status(call, *options);
  constexpr std::string_view verbs[] = {"add",    "autoinstall", "build",    "install",
                                        "remove", "unbuild",     "uninstall"};
  if (std::ranges::find(verbs, verb) == std::end(verbs))
    return call.refuse("action '" + verb + "'");
  if (!call.root()) return call.fail(1, "Error! You must be root to use this command.\n");
  if (verb != "autoinstall") return change(call, verb, *options);
  return finish(
      call, call.node.kernel.dkms.autoinstall(options->value_or("-k", call.node.os.kernel_release),
                                              call.command_event()));
}

constexpr Tool table[] = {
    {{"dkms",
      "dkms status|add|build|install|uninstall|unbuild --all|remove --all|autoinstall [amdgpu/VERSION | -m amdgpu -v VERSION] [-k RELEASE]",
      "Shows, builds, installs and removes the out-of-tree driver.", true, true},
     run_dkms},
};

}  // namespace

std::span<const Tool> dkms_tools() { return table; }

}  // namespace rocdrill::sim::tools
