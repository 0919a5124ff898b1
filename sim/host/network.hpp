// The host's network interfaces, as getifaddrs() gives them: the loopback and what the
// distribution's configuration brings up (netplan, /etc/network/interfaces).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/event.hpp"

namespace rocdrill::sim {

class FileTree;

struct Interface {
  std::string name;     ///< "eno1"
  std::string address;  ///< IPv4, "10.20.0.7"
  int prefix = 24;      ///< bits of the network
};

/// lo first, then those of the configuration in its order.
std::vector<Interface> interfaces(const FileTree& files);
/// The address that a node of this name is installed with; assumed.
std::string host_address(std::string_view hostname);

}  // namespace rocdrill::sim
