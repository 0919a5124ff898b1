// systemctl, as far as the node has what it asks about: power. Units are not modelled, so whatever
// asks about one is refused by name: an invented "active (running)" would be a symptom that nobody
// derived.
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_systemctl(Call& call) {
  const auto options = parse(call, {{"--no-pager"}, {"-q"}, {"--quiet", false, "-q"}});
  if (!options) return 2;
  if (options->operands != std::vector<std::string>{"reboot"}) {
    return call.refuse(options->operands.empty() ? std::string("the list of units")
                                                 : fmt::format("'{}'", options->operands.front()));
  }
  CommandResult result = run_words(call.node, {"reboot"}, call.spec, {});
  call.err = std::move(result.err);
  call.event = result.event;
  return result.exit_code;
}

constexpr Tool table[] = {
    {{"systemctl", "systemctl reboot", "Reboots; units are not modelled.", true, true},
     run_systemctl},
};

}  // namespace

std::span<const Tool> systemd_tools() { return table; }

}  // namespace rocdrill::sim::tools
