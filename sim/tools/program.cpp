// A HIP program of the node, started by its path: how the shell sees what became of it.
#include "sim/tools/program.hpp"

#include <algorithm>

#include "sim/app.hpp"

namespace rocdrill::sim::tools {
namespace {

int report(Call& call, const HipFailure& failure) {
  call.event = failure.event;
  if (failure.unmodelled) {
    return call.fail(
        2, "{}: rocdrill does not model what this program asks for (see the history)\n", call.name);
  }
  if (failure.waits_for_ever) return call.wait_for_ever();
  if (!failure.abort_text.empty()) {
    return call.fail(134, "{}\nAborted (core dumped)\n", failure.abort_text);
  }
  const std::string text = rocdrill::text(failure.error, call.rocm().major());
  return call.fail(1, "error: '{}'({})\n", text, static_cast<int>(failure.error));
}

}  // namespace

int run_program(Call& call) {
  const auto stat = call.process().stat(call.name);
  if (!stat) {
    call.event = stat.error().event;
    return call.fail(127, "bash: {}: {}\n", call.name, errno_text(stat.error().error));
  }
  if (stat->type == FileType::directory)
    return call.fail(126, "bash: {}: Is a directory\n", call.name);
  if ((stat->mode & 0111) == 0 || !permitted(*stat, call.spec.identity, 1)) {
    return call.fail(126, "bash: {}: Permission denied\n", call.name);
  }
  const auto& apps = call.node.spec().apps;
  const auto app = std::ranges::find(apps, call.name, &AppSpec::path);
  if (app == apps.end()) return call.refuse("running this file");
  if (!call.args.empty()) return call.refuse("an argument of this program");
  const auto hip = call.node.open_hip(call.process());
  if (!hip)
    return call.fail(
        127,
        "{}: error while loading shared libraries: libamdhip64.so: cannot open shared object file: No such file or directory\n",
        call.name);
  const auto ran = run_app(*hip, call.node.os.journal, app->path, app->source);
  return ran ? 0 : report(call, ran.error());
}

}  // namespace rocdrill::sim::tools
