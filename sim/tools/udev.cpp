// udevadm: rules are read again by themselves; a node gets what they say when it appears, or when
// somebody triggers its event anew.
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int trigger(Call& call, const Options& options) {
  const std::string action = options.value_or("-c", "change");
  if (action != "change" && action != "add") return call.refuse("--action=" + action);
  if (!call.root())
    return call.fail(1, "Failed to write 'change' to '/sys/devices/uevent': Permission denied\n");
  call.command_event();
  call.node.access.devices().trigger(options.value_or("-s", ""));
  return 0;
}

int run_udevadm(Call& call) {
  const auto options = parse(call, {{"--reload-rules", false, "--reload"},
                                    {"--reload"},
                                    {"-R", false, "--reload"},
                                    {"-s", true},
                                    {"--subsystem-match", true, "-s"},
                                    {"-c", true},
                                    {"--action", true, "-c"}});
  if (!options) return 2;
  const auto& words = options->operands;
  if (words.size() != 1)
    return call.refuse(words.empty() ? "no command" : "'" + words.back() + "'");
  if (words[0] == "settle") return 0;
  if (words[0] == "trigger") return trigger(call, *options);
  if (words[0] == "control" && options->has("--reload")) {
    if (call.root()) return 0;
    return call.fail(1, "Failed to send reload request: Permission denied\n");
  }
  return call.refuse("command '" + words[0] + "'");
}

constexpr Tool table[] = {
    {{"udevadm",
      "udevadm control --reload | trigger [--subsystem-match=PATTERN] [--action=change|add] | settle",
      "Applies udev's rules to the nodes that are there.", true, true},
     run_udevadm},
};

}  // namespace

std::span<const Tool> udev_tools() { return table; }

}  // namespace rocdrill::sim::tools
