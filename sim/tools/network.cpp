// ip: the interfaces and their addresses. Format: iproute2 6.1.
#include "sim/host/network.hpp"
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int run_ip(Call& call) {
  const auto options = parse(call, {{"-br"}, {"-brief", false, "-br"}, {"-4"}});
  if (!options) return 2;
  const auto& words = options->operands;
  if (words.size() != 1 || (words[0] != "a" && words[0] != "addr" && words[0] != "address"))
    return call.refuse("anything but 'ip [-br] addr'");
  std::size_t index = 0;
  for (const Interface& each : interfaces(call.node.os.files)) {
    const bool loopback = each.name == "lo";
    ++index;
    if (options->has("-br")) {
      call.print("{:<16} {:<14} {}/{} \n", each.name, loopback ? "UNKNOWN" : "UP", each.address,
                 each.prefix);
      continue;
    }
    call.print("{}: {}: <{}> mtu {} qdisc {} state {} group default qlen 1000\n", index, each.name,
               loopback ? "LOOPBACK,UP,LOWER_UP" : "BROADCAST,MULTICAST,UP,LOWER_UP",
               loopback ? 65536 : 1500, loopback ? "noqueue" : "mq", loopback ? "UNKNOWN" : "UP");
    call.print("    inet {}/{} scope {} {}\n       valid_lft forever preferred_lft forever\n",
               each.address, each.prefix, loopback ? "host" : "global", each.name);
  }
  return 0;
}

constexpr Tool table[] = {
    {{"ip", "ip [-br] addr", "Lists the network interfaces and their addresses."}, run_ip},
};

}  // namespace

std::span<const Tool> network_tools() { return table; }

}  // namespace rocdrill::sim::tools
